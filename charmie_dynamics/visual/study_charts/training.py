# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The curves of a training."""

from __future__ import annotations

import os
from collections.abc import Sequence

from matplotlib.figure import Figure

DPI = 120


def draw_training(
    path: str | os.PathLike[str],
    title: str,
    minutes: Sequence[float],
    success: Sequence[float],
    collisions: Sequence[float],
    reward: Sequence[float],
) -> None:
    """Write a picture of what a network achieves over the time of its training.

    Parameters
    ----------
    path : path-like
    title : str
    minutes : sequence of float
        Times.
    success, collisions : sequence of float
        Parts of the episodes, from 0 to 1.
    reward : sequence of float
        Mean of the episodes.

    Examples
    --------
    >>> from charmie_dynamics.visual.study_charts.training import draw_training
    >>> draw_training("curves.png", "Reach-v0", [1.0, 2.0], [0.2, 0.9], [0.1, 0.0], [-9.0, 5.0])
    """
    figure = Figure(figsize=(7.0, 3.0), layout="constrained")
    first, second = figure.subplots(1, 2)
    for label, values in (("success", success), ("collisions", collisions)):
        first.plot(minutes, values, marker=".", label=label)
    first.set(xlabel="time / min", ylabel="part of the episodes", ylim=(-0.02, 1.02))
    first.legend()
    second.plot(minutes, reward, marker=".", color="C2")
    second.set(xlabel="time / min", ylabel="mean reward of an episode")
    figure.suptitle(title)
    figure.savefig(path, dpi=DPI)
