# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""All tasks: an entry for each."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from charmie_dynamics.errors import UnknownNameError, choices

if TYPE_CHECKING:
    from .task import LearningTask

NAMESPACE = "charmie_dynamics"
# class of each task, in a module of this package
TASKS = {
    "Reach-v0": "reach:Reach",
    "PickCan-v0": "pick_can:PickCan",
    "TrackTrajectory-v0": "track_trajectory:TrackTrajectory",
}


def task_class(name: str) -> type[LearningTask]:
    """Return the class of a task by its name, with or without the namespace.

    Raises
    ------
    UnknownNameError
    """
    own = name.removeprefix(f"{NAMESPACE}/")
    if own not in TASKS:
        raise UnknownNameError(f"task '{name}' is unknown{choices(own, TASKS)}")
    module, _, kind = TASKS[own].partition(":")
    found: type[LearningTask] = getattr(import_module(f"{__package__}.{module}"), kind)
    return found


def make_task(name: str) -> LearningTask:
    """Return a task by its name, with or without the namespace.

    Raises
    ------
    UnknownNameError

    Examples
    --------
    >>> from charmie_dynamics.learning import make_task
    >>> make_task("Reach-v0").duration  # s
    5.0
    """
    return task_class(name)()
