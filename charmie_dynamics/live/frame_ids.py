# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Frame ids: names of a robot's frames with a prefix, and their check for ROS 2."""

from __future__ import annotations

from charmie_dynamics.errors import InputError, shown
from charmie_dynamics.model.description.names import length_fault
from charmie_dynamics.model.model import Model

from .settings import LiveSettings


def require_frame_ids(settings: LiveSettings, model: Model) -> None:
    """Refuse frame ids that are too long, or begin with a slash, which tf2 rejects.

    Parameters
    ----------
    settings : LiveSettings
        Has the prefix and the world frame.
    model : Model
        Has the other frames.

    Raises
    ------
    InputError
        Naming the frame id, its length and the longest that is possible.
    """
    prefix, world = settings.frame_prefix, settings.world_frame
    for name in (world, max(model.frame_names, key=len)):
        fault = length_fault(prefix + name)
        if fault is not None:
            own = name == world and len(world) > len(prefix)
            subject = "world_frame" if own else "frame_prefix"
            with_prefix = " with frame_prefix" if prefix else ""
            raise InputError(f"{subject}: the frame id of '{shown(name)}'{with_prefix} {fault}")
    subject = "frame_prefix" if prefix else "world_frame"
    if (prefix + world).startswith("/"):
        raise InputError(
            f"{subject}: the frame id '{shown(prefix + world)}' begins with '/', which tf2 does "
            "not look up; expected a name without it"
        )
