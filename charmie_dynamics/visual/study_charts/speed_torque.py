# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Speed and torque of motors: loads and limits."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.visual.pictures.chart import add_axes, chart_file

WIDTH, ROW, HEAD = 1600, 420, 150
COLUMNS = 3


@dataclass(frozen=True, eq=False)
class MotorDiagram:
    """A diagram of one motor.

    Parameters
    ----------
    title : str
    speed, torque : (n,) array
        Loads (rad/s, N m).
    envelope : (m, 2) array
        Largest torque by speed, ascending.
    rated : (float, float)
        Rated speed and torque, for continuous operation.
    """

    title: str
    speed: Floats
    torque: Floats
    envelope: Floats
    rated: tuple[float, float]


def plot_speed_torque(
    path: str | os.PathLike[str],
    diagrams: Sequence[MotorDiagram],
    *,
    title: str,
    subtitle: str = "",
    theme: str = "light",
) -> None:
    """Draw diagrams of motors, three in a row, with magnitudes of speed and torque.

    Parameters
    ----------
    path : path-like
        The file, .png or .svg, overwritten.
    diagrams : sequence of MotorDiagram
    title, subtitle : str
    theme : {"light", "dark"}, optional

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from charmie_dynamics.visual.study_charts.speed_torque import MotorDiagram
    >>> from charmie_dynamics.visual.study_charts.speed_torque import plot_speed_torque
    >>> envelope = np.array([[0.0, 1.0], [300.0, 1.0], [600.0, 0.0]])
    >>> motor = MotorDiagram("m60", np.arange(9.0), np.ones(9), envelope, (300.0, 0.4))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "motors.png"
    ...     plot_speed_torque(path, [motor], title="Motors")
    ...     path.exists()
    True
    """
    rows = -(-len(diagrams) // COLUMNS)
    height = HEAD + ROW * rows
    with chart_file(path, (WIDTH, height), title, subtitle, theme) as (figure, colors):
        for k, diagram in enumerate(diagrams):
            row, column = divmod(k, COLUMNS)
            bottom = (height - HEAD - (row + 1) * ROW + 70) / height
            box = (0.055 + column * 0.315, bottom, 0.255, (ROW - 120) / height)
            axes = add_axes(figure, box, colors)
            axes.set_title(diagram.title, color=colors.ink, fontsize=11, loc="left")
            axes.fill_between(*diagram.envelope.T, color=colors.lines[2], alpha=0.18, lw=0)
            axes.plot(*diagram.envelope.T, color=colors.lines[2], lw=1.4, label="available")
            speed, torque = diagram.rated
            axes.plot([0.0, speed, speed], [torque, torque, 0.0], color=colors.muted, lw=1.2,
                      ls="--", label="rated")  # fmt: skip
            axes.scatter(np.abs(diagram.speed), np.abs(diagram.torque), s=5, c=colors.lines[0],
                         linewidths=0, label="required")  # fmt: skip
            axes.set_xlim(left=0.0)
            axes.set_ylim(bottom=0.0)
            axes.set_xlabel("speed / rad/s", color=colors.ink)
            axes.set_ylabel("torque / N m", color=colors.ink)
            if k == 0:
                axes.legend(frameon=False, labelcolor=colors.ink, fontsize=9)
