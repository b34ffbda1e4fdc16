# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Measured efforts of a real robot beside those of the model: ``docs/analysis.md``.

The recording is that named in the template, which is not part of this package. The URDF is that of
the PyPI package example-robot-data unless another is given.
"""

from __future__ import annotations

import math
import shutil
import tempfile
from pathlib import Path

import numpy as np

from charmie_dynamics import load_model
from charmie_dynamics.recordings import Analysis, AnalysisSettings, RecordedInputs, analyse
from charmie_dynamics.recordings.compute.friction import IdentifiedFriction
from charmie_dynamics.recordings.compute.summary import effort_units
from charmie_dynamics.recordings.write.measured_chart import chart_measured

from .example_robots import find_robots
from .harness.pages import IMAGES, fill
from .harness.run import Evidence
from .harness.tables import table

UR10 = "ur_description/urdf/ur10_robot.urdf"


def analyses(recording: Path, urdf: Path) -> dict[str, Analysis]:
    """Return the analysis of a recording by the kind of smoothing."""
    model = load_model(urdf)
    result = {}
    for smoothing in ("zero-phase", "causal"):
        with RecordedInputs(recording) as bag:
            result[smoothing] = analyse(model, bag, AnalysisSettings(smoothing=smoothing))
    return result


def effort_table(found: dict[str, Analysis]) -> str:
    """Return the table of measured efforts and what the model leaves of them."""
    whole, causal = found["zero-phase"], found["causal"]
    units = effort_units(whole.model)
    heads = (
        "joint", "unit", ">measured", ">less model", ">", ">less friction", ">",
        ">on unseen half", ">causal: less model", ">less friction",
    )  # fmt: skip
    rows = [
        (
            one.name, units[one.name], _number(one.measured),
            _number(one.residual), _share(one.residual, one.measured),
            _number(one.remaining), _share(one.remaining, one.measured), _number(one.unseen),
            _number(other.residual), _number(other.remaining),
        )
        for one, other in zip(whole.comparisons, causal.comparisons, strict=True)
    ]  # fmt: skip
    return table(heads, rows)


def friction_table(found: dict[str, Analysis]) -> str:
    """Return the table of the identified friction, and of a factor on the model."""
    heads = (
        "joint", ">viscous (N m s/rad)", ">Coulomb (N m)", ">offset (N m)", ">full from (rad/s)",
        ">factor on the model", ">RMS left with it (N m)",
    )  # fmt: skip
    rows = []
    for comparison in found["zero-phase"].comparisons:
        friction = comparison.friction
        if friction is None:
            rows.append((comparison.name, "not determined by the motion", *[""] * 5))
            continue
        own = friction.viscous, friction.coulomb, friction.offset, friction.transition
        values = (*own, *scaled(found["zero-phase"], comparison.name, friction))
        rows.append((comparison.name, *map(_number, values)))
    return table(heads, rows)


def scaled(analysis: Analysis, name: str, friction: IdentifiedFriction) -> tuple[float, float]:
    """Return the factor on the model's effort that fits best beside friction, and the RMS left.

    A factor far from one tells that the masses or their places are not those of the URDF.
    """
    i = analysis.model.actuator_names.index(name)
    velocity = analysis.cycles.arrays["velocity"][:, i]
    effort, measured = analysis.cycles.arrays["actuator_effort"][:, i], analysis.measured[:, i]
    direction = np.clip(velocity / friction.transition, -1.0, 1.0)
    columns = np.column_stack((effort, velocity, direction, np.ones_like(velocity)))
    known = np.isfinite(measured)
    solution = np.linalg.lstsq(columns[known], measured[known], rcond=None)[0]
    left = measured[known] - columns[known] @ solution
    return float(solution[0]), math.sqrt(float(np.mean(left**2)))


def _number(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else "-"


def _share(part: float, whole: float) -> str:
    return f"{100.0 * part / whole:.1f} %" if math.isfinite(part) else "-"


def make(recording: str, urdf: str | None = None) -> Evidence:
    """Draw the figure and return the page."""
    found = analyses(Path(recording), Path(urdf) if urdf else find_robots()[UR10])
    whole = found["zero-phase"]
    with tempfile.TemporaryDirectory() as folder:
        (chart, *_) = chart_measured(
            Path(folder), whole.model, whole.cycles, whole.measured, whole.comparisons
        )
        shutil.copyfile(chart, IMAGES / "measured.png")
    sections = {"efforts": effort_table(found), "friction": friction_table(found)}
    return Evidence({"measured.md": fill("measured", sections)})
