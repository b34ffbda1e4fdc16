# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figures of the SCARA that tracks a circle: path, efforts, errors, profiles, what is neglected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from charmie_dynamics.control import TrackingRun
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.visual.pictures.chart import (
    Cell,
    Curve,
    Path2D,
    PathDiagram,
    TimeDiagram,
    draw_chart,
)

from .scara import circle

COLUMNS = 3
WIDE = 2  # columns, where each diagram has four names above it
TOOL = "tool"
PART = 40  # steps
SUBTITLE = (
    "SCARA, two turns of a tilted circle in 4 s, computed torque with kp = 200 /s², step 1 ms"
)
BESIDE = f"{SUBTITLE}; the robot begins at rest beside the path"
ON = f"{SUBTITLE}; the robot begins on the path"
CASES = ("all as it is", "no Coriolis terms", "masses 10 % too small", "friction unknown")
SETTLED = 1.0  # s, after which the errors of the start have vanished
SHORT = ("exact", "no Coriolis", "masses -10 %", "no friction")


def draw_figures(
    folder: Path, numeric: TrackingRun, generated: TrackingRun, cases: Mapping[str, TrackingRun]
) -> None:
    """Write all figures into a folder."""
    _draw_path(folder / "scara_path.png", numeric)
    _draw_efforts(folder / "scara_efforts.png", numeric, generated)
    _draw_errors(folder / "scara_errors.png", numeric)
    _draw_profiles(folder / "scara_profiles.png", numeric)
    _draw_neglected(folder / "scara_neglected.png", [cases[name] for name in CASES])


def _draw_path(path: Path, run: TrackingRun) -> None:
    # one turn: the dashes of two would fill each other's gaps
    desired, actual = circle(np.linspace(0.0, 2.0 * np.pi, 361)), run.path(TOOL)
    cells = []
    for k, (title, axes) in enumerate((("From above", (0, 1)), ("From the front", (1, 2)))):
        names = tuple("xyz"[axis] for axis in axes)
        paths = [
            Path2D("actual", actual[:, list(axes)]),
            Path2D("desired", desired[:, list(axes)], is_dashed=True),
        ]
        cells.append(Cell(PathDiagram(title, names, paths), (0, 1), (k, k + 1)))
    draw_chart(path, cells, title="Path of the tool", subtitle=BESIDE)


def _draw_efforts(path: Path, numeric: TrackingRun, generated: TrackingRun) -> None:
    # round-off, the largest in each of the parts
    difference = 1e13 * np.abs(numeric.effort - generated.effort).max(axis=1)
    parts = np.arange(0, len(difference), PART)
    largest = np.maximum.reduceat(difference, parts)
    cells = _by_joint(
        numeric,
        lambda k: [Curve("", numeric.time, numeric.effort[:, k])],
        ("force", "N"),
        ("torque", "N m"),
    )
    last = TimeDiagram(
        "Kernels and generated code",
        "largest difference",
        "10⁻¹³ N, N m",
        [Curve("", numeric.time[parts], largest)],
    )
    draw_chart(path, [*cells, _cell(last, len(cells))], title="Efforts", subtitle=BESIDE)


def _draw_errors(path: Path, run: TrackingRun) -> None:
    cells = _by_joint(
        run,
        lambda k: [Curve("", run.time, 1e3 * run.error[:, k])],
        ("error", "mm"),
        ("error", "mrad"),
    )
    away = np.where(run.time < SETTLED, np.nan, 1e3 * _distance(run))
    title = f"Tool, after {SETTLED:g} s"
    last = TimeDiagram(title, "distance", "µm", [Curve("", run.time, away)])
    cells.append(_cell(last, len(cells)))
    draw_chart(path, cells, title="Tracking errors: desired less actual", subtitle=BESIDE)


def _draw_profiles(path: Path, run: TrackingRun) -> None:
    def both(desired: Floats, actual: Floats) -> list[Curve]:
        return [
            Curve("actual", run.time, actual),
            Curve("desired", run.time, desired, is_dashed=True),
        ]

    cells = _by_joint(
        run,
        lambda k: both(run.desired_position[:, k], run.position[:, k]),
        ("position", "m"),
        ("angle", "rad"),
    )
    height = both(run.desired_path(TOOL)[:, 2], run.path(TOOL)[:, 2])
    last = TimeDiagram("Tool, height", "z", "m", height)
    cells.append(_cell(last, len(cells)))
    draw_chart(path, cells, title="Joint profiles", subtitle=BESIDE)


def _draw_neglected(path: Path, runs: Sequence[TrackingRun]) -> None:
    def curves(values: Callable[[TrackingRun], Floats]) -> list[Curve]:
        pairs = zip(SHORT, runs, strict=True)
        return [Curve(label, run.time, values(run)) for label, run in pairs]

    cells = _by_joint(
        runs[0],
        lambda k: curves(lambda run: 1e3 * run.error[:, k]),
        ("error", "mm"),
        ("error", "mrad"),
        columns=WIDE,
    )
    last = TimeDiagram("Tool", "distance", "mm", curves(_distance))
    cells.append(_cell(last, len(cells), WIDE))
    title = "Tracking errors where the controller's model neglects something"
    draw_chart(path, cells, title=title, subtitle=ON)


def _by_joint(
    run: TrackingRun,
    curves: Callable[[int], list[Curve]],
    sliding: tuple[str, str],
    turning: tuple[str, str],
    columns: int = COLUMNS,
) -> list[Cell]:
    """Return a diagram for each joint, with quantity and unit if it slides and if it turns."""
    slides = {joint.name for joint in run.plant.tree.joints if joint.type == "prismatic"}
    cells = []
    for k, name in enumerate(run.plant.actuator_names):
        quantity, unit = sliding if name in slides else turning
        cells.append(_cell(TimeDiagram(_label(name), quantity, unit, curves(k)), k, columns))
    return cells


def _cell(diagram: TimeDiagram, k: int, columns: int = COLUMNS) -> Cell:
    row, column = divmod(k, columns)
    return Cell(diagram, (row, row + 1), (column, column + 1))


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _distance(run: TrackingRun) -> Floats:
    result: Floats = 1e3 * np.linalg.norm(run.desired_path(TOOL) - run.path(TOOL), axis=1)
    return result
