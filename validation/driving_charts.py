# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Charts of the page of the robot on wheels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.visual.pictures.chart import (
    Cell,
    Curve,
    Path2D,
    PathDiagram,
    TimeDiagram,
    draw_chart,
)

from .tip_over import TipOver

if TYPE_CHECKING:
    from .driving import Drive

WHEELS = ("front left", "front right", "rear left", "rear right")
VELOCITIES = (("Along x, to the right", "m/s"), ("Along y, forward", "m/s"), ("Turning", "rad/s"))


def draw_path(path: Path, drives: Sequence[Drive]) -> None:
    """Draw the path of the base, true and by odometry, and its velocities."""
    samples = [s for drive in drives for s in drive.samples]
    time = np.array([s.time for s in samples])
    asked = np.array([d.leg.at(s.time - d.start.time) for d in drives for s in d.samples])
    true = np.array([s.velocity for s in samples])
    true_path, counted = (
        np.array([getattr(s, kind)[:2] for s in samples]) for kind in ("true", "odometry")
    )
    paths = Path2D("true", true_path), Path2D("odometry", counted, is_dashed=True)
    cells = [Cell(PathDiagram("Path of the base", ("x", "y"), paths), (0, 3), (0, 1))]
    for k, (title, unit) in enumerate(VELOCITIES):
        curves = (
            Curve("true", time, true[:, k]),
            Curve("asked for", time, asked[:, k], is_dashed=True),
        )
        cells.append(Cell(TimeDiagram(title, "velocity", unit, curves), (k, k + 1), (1, 2)))
    draw_chart(
        path,
        cells,
        title="CHARMIE on Swedish wheels",
        subtitle="forward, to the right, turning, and all at once; by the efforts of its wheels",
    )


def draw_loads(path: Path, drives: Sequence[Drive]) -> None:
    """Draw the loads of the wheels and where they act, as simulated and as the model tells."""
    samples = [s for drive in drives for s in drive.samples]
    time = np.array([s.time for s in samples])
    loads, by_model = (np.array([getattr(s, k) for s in samples]) for k in ("loads", "by_model"))
    cells = []
    for row, side in enumerate(((0, 1), (2, 3))):
        curves = [Curve(WHEELS[k], time, loads[:, k]) for k in side]
        curves += [Curve(f"{WHEELS[k]}, model", time, by_model[:, k], is_dashed=True) for k in side]
        title = f"Loads of the {'front' if row == 0 else 'rear'} wheels"
        cells.append(Cell(TimeDiagram(title, "normal force", "N", curves), (row, row + 1), (0, 1)))
    pressure = 1e3 * np.array([s.pressure for s in samples])
    point = 1e3 * np.array([s.stability.zero_moment_point[:2] for s in samples])
    for k, axis in enumerate(("x, to the right", "y, forward")):
        pair = (
            Curve("centre of the wheel loads", time, pressure[:, k]),
            Curve("zero-moment point of the model", time, point[:, k], is_dashed=True),
        )
        title = f"Where the floor carries: {axis}"
        cells.append(Cell(TimeDiagram(title, "in the base", "mm", pair), (2 + k, 3 + k), (0, 1)))
    draw_chart(
        path,
        cells,
        title="Loads of the wheels on the drive",
        subtitle="as the contacts have them, and as the inverse dynamics of the robot alone tells",
    )


def draw_tilt(path: Path, fall: TipOver) -> None:
    """Draw loads, margin and tilt until the robot tips."""
    samples = fall.samples
    time = np.array([s.time for s in samples])
    angle = np.degrees(fall.load)
    loads = np.array([s.loads for s in samples])
    margin: Floats = 1e3 * np.array([s.stability.margin for s in samples])
    marks = [(math.degrees(fall.predicted), "predicted by the robot as it stands on the level")]
    diagrams = (
        TimeDiagram(
            "Loads of the wheels", "normal force", "N",
            [Curve(name, time, loads[:, k]) for k, name in enumerate(WHEELS)],
        ),
        TimeDiagram("Tip-over margin of the model", "margin", "mm", [Curve("", time, margin)]),
        TimeDiagram("Tilt of the floor", "angle", "deg", [Curve("", time, angle)], marks),
    )  # fmt: skip
    cells = [Cell(d, (k, k + 1), (0, 1)) for k, d in enumerate(diagrams)]
    draw_chart(
        path,
        cells,
        title=f"A floor that goes down to the {fall.direction}, ever steeper",
        subtitle="until the robot tips: both wheels on the upper side carry nothing",
    )
