# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figures of the SCARA that tracks a circle: path, efforts, errors, profiles, what is neglected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.visual.pictures.chart import (
    Curve,
    Path2D,
    PathDiagram,
    TimeDiagram,
    draw_chart,
)

from .harness.charts import beside, by_joint, grid
from .scara import circle
from .tracked_run import TrackedRun

TOOL = "tool"
PART = 40  # steps
SUBTITLE = (
    "SCARA, two turns of a tilted circle in 4 s, computed torque with kp = 200 /s², step 1 ms"
)
BESIDE = f"{SUBTITLE}; the robot begins at rest beside the path"
ON = f"{SUBTITLE}; the robot begins on the path"
SETTLED = 1.0  # s, after which the errors of the start have vanished
CASES = {
    "unmodified": "exact",
    "no Coriolis terms": "no Coriolis",
    "masses 10 % too small": "masses -10 %",
    "friction unknown": "no friction",
}


def draw_figures(
    folder: Path, numeric: TrackedRun, generated: TrackedRun, cases: Mapping[str, TrackedRun]
) -> None:
    """Write all figures into a folder."""
    run, model = numeric.run, numeric.run.model
    time, names = numeric.desired.time, model.actuator_names
    slides = {joint.name for joint in model.tree.joints if joint.type == "prismatic"}

    def joints(
        units: tuple[tuple[str, str], tuple[str, str]], curves: Callable[[int], list[Curve]]
    ) -> list[TimeDiagram]:
        return by_joint(names, slides, units, curves)

    def both(desired: Floats, actual: Floats) -> list[Curve]:
        return beside(("actual", "desired"), time, actual, desired)

    # one turn: the dashes of two would fill each other's gaps
    wanted, actual = numeric.paths(TOOL)
    desired = circle(np.linspace(0.0, 2.0 * np.pi, 361))
    planes = []
    for title, axes in (("From above", [0, 1]), ("From the front", [1, 2])):
        paths = Path2D("actual", actual[:, axes]), Path2D("desired", desired[:, axes], True)
        planes.append(PathDiagram(title, ("xyz"[axes[0]], "xyz"[axes[1]]), paths))
    draw_chart(
        folder / "scara_path.png", grid(planes, 2), title="Path of the tool", subtitle=BESIDE
    )

    # round-off, the largest in each of the parts
    difference = 1e13 * np.abs(run.effort - generated.run.effort).max(axis=1)
    parts = np.arange(0, len(difference), PART)
    largest = [Curve("", time[parts], np.maximum.reduceat(difference, parts))]
    away = [Curve("", time, np.where(time < SETTLED, np.nan, 1e6 * numeric.distance(TOOL)))]
    height = both(wanted[:, 2], actual[:, 2])
    error = ("error", "mm"), ("error", "mrad")
    for file, title, diagrams in (
        (
            "scara_efforts.png",
            "Efforts",
            [
                *joints(
                    (("force", "N"), ("torque", "N m")),
                    lambda k: [Curve("", time, run.effort[:, k])],
                ),
                TimeDiagram(
                    "Kernels and generated code", "largest difference", "10⁻¹³ N, N m", largest
                ),
            ],
        ),
        (
            "scara_errors.png",
            "Tracking errors: desired less actual",
            [
                *joints(error, lambda k: [Curve("", time, 1e3 * numeric.error[:, k])]),
                TimeDiagram(f"Tool, after {SETTLED:g} s", "distance", "µm", away),
            ],
        ),
        (
            "scara_profiles.png",
            "Joint profiles",
            [
                *joints(
                    (("position", "m"), ("angle", "rad")),
                    lambda k: both(numeric.desired.position[:, k], run.position[:, k]),
                ),
                TimeDiagram("Tool, height", "z", "m", height),
            ],
        ),
    ):
        draw_chart(folder / file, grid(diagrams, 3), title=title, subtitle=BESIDE)

    def of_cases(values: Callable[[TrackedRun], Floats]) -> list[Curve]:
        return [Curve(label, time, values(cases[name])) for name, label in CASES.items()]

    neglected = joints(error, lambda k: of_cases(lambda run: 1e3 * run.error[:, k]))
    neglected.append(
        TimeDiagram("Tool", "distance", "mm", of_cases(lambda run: 1e3 * run.distance(TOOL)))
    )
    title = "Tracking errors where the controller's model neglects something"
    path = folder / "scara_neglected.png"
    draw_chart(path, grid(neglected, 2), title=title, subtitle=ON)
