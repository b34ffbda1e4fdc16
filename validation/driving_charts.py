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

from .harness.charts import beside, grid
from .tip_over import TipOver

if TYPE_CHECKING:
    from .driving import Drive

WHEELS = ("front left", "front right", "rear left", "rear right")
VELOCITIES = (("Along x, to the right", "m/s"), ("Along y, forward", "m/s"), ("Turning", "rad/s"))


def draw_path(path: Path, drives: Sequence[Drive]) -> None:
    """Draw the path of the base, true and by odometry, and its velocities."""
    samples = [s for drive in drives for s in drive.samples]
    time, true = np.array([s.time for s in samples]), np.array([s.velocity for s in samples])
    asked = np.array([d.leg.at(s.time - d.start.time) for d in drives for s in d.samples])
    places = [np.array([getattr(s, kind)[:2] for s in samples]) for kind in ("true", "odometry")]
    paths = Path2D("true", places[0]), Path2D("odometry", places[1], is_dashed=True)
    cells = [Cell(PathDiagram("Path of the base", ("x", "y"), paths), (0, 3), (0, 1))]
    for k, (title, unit) in enumerate(VELOCITIES):
        curves = beside(("true", "asked for"), time, true[:, k], asked[:, k])
        cells.append(Cell(TimeDiagram(title, "velocity", unit, curves), (k, k + 1), (1, 2)))
    subtitle = "forward, to the right, turning, and all at once; by the efforts of its wheels"
    draw_chart(path, cells, title="CHARMIE on Swedish wheels", subtitle=subtitle)


def draw_loads(path: Path, drives: Sequence[Drive]) -> None:
    """Draw the loads of the wheels and where they act, as simulated and as the model tells."""
    samples = [s for drive in drives for s in drive.samples]

    def of(name: str) -> Floats:
        return np.array([getattr(s, name) for s in samples])

    time, loads, by_model = of("time"), of("loads"), of("by_model")
    diagrams = []
    for end, side in (("front", (0, 1)), ("rear", (2, 3))):
        curves = [Curve(WHEELS[k], time, loads[:, k]) for k in side]
        curves += [Curve(f"{WHEELS[k]}, model", time, by_model[:, k], is_dashed=True) for k in side]
        diagrams.append(TimeDiagram(f"Loads of the {end} wheels", "normal force", "N", curves))
    pressure = 1e3 * of("pressure")
    point = 1e3 * np.array([s.stability.zero_moment_point[:2] for s in samples])
    names = "centre of the wheel loads", "zero-moment point of the model"
    for k, axis in enumerate(("x, to the right", "y, forward")):
        curves = beside(names, time, pressure[:, k], point[:, k])
        title = f"Where the floor carries: {axis}"
        diagrams.append(TimeDiagram(title, "in the base", "mm", curves))
    subtitle = "as the contacts have them, and as the inverse dynamics of the robot alone tells"
    draw_chart(path, grid(diagrams), title="Loads of the wheels on the drive", subtitle=subtitle)


def draw_tilt(path: Path, fall: TipOver) -> None:
    """Draw loads, margin and tilt until the robot tips."""
    samples = fall.samples
    time = np.array([s.time for s in samples])
    loads = np.array([s.loads for s in samples])
    margin: Floats = 1e3 * np.array([s.stability.margin for s in samples])
    angle = [Curve("", time, np.degrees(fall.load))]
    marks = [(math.degrees(fall.predicted), "predicted by the robot as it stands on the level")]
    of_wheels = [Curve(name, time, loads[:, k]) for k, name in enumerate(WHEELS)]
    diagrams = (
        TimeDiagram("Loads of the wheels", "normal force", "N", of_wheels),
        TimeDiagram("Tip-over margin of the model", "margin", "mm", [Curve("", time, margin)]),
        TimeDiagram("Tilt of the floor", "angle", "deg", angle, marks),
    )
    title = f"A floor that goes down to the {fall.direction}, ever steeper"
    subtitle = "until the robot tips: both wheels on the upper side carry nothing"
    draw_chart(path, grid(diagrams), title=title, subtitle=subtitle)
