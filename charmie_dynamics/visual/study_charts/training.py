# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The curves of a training."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

DPI = 120


def draw_training(
    path: str | os.PathLike[str],
    title: str,
    minutes: Sequence[float],
    parts: Mapping[str, Sequence[float]],
) -> None:
    """Write a picture of parts of the episodes over the time of a training.

    Parameters
    ----------
    path : path-like
    title : str
    minutes : sequence of float
        Times.
    parts : mapping of str to sequence of float
        By their names, from 0 to 1.

    Examples
    --------
    >>> from charmie_dynamics.visual.study_charts.training import draw_training
    >>> draw_training("curves.png", "Reach-v0", [0.0, 1.0], {"success": [0.2, 0.9]})
    """
    figure = Figure(figsize=(6.0, 3.5), layout="constrained")
    axes = figure.subplots()
    for label, values in parts.items():
        axes.plot(minutes, values, label=label)
    axes.set(title=title, xlabel="time (min)", ylabel="part of the episodes", ylim=(0.0, 1.0))
    axes.legend()
    figure.savefig(path, dpi=DPI)
