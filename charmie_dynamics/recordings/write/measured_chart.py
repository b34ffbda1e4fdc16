# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Charts of measured efforts compared with those of the model."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from charmie_dynamics.live.wire.stamps import SECONDS
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.recordings.compute.cycles import Cycles
from charmie_dynamics.recordings.compute.measured import EffortComparison, described_friction
from charmie_dynamics.recordings.compute.summary import effort_units
from charmie_dynamics.visual.pictures.chart import Cell, Curve, TimeDiagram, draw_chart

MOST_ROWS = 6  # actuators in one chart


def chart_measured(
    folder: Path,
    model: Model,
    cycles: Cycles,
    measured: Floats,
    comparisons: list[EffortComparison],
    theme: str = "light",
) -> list[Path]:
    """Draw ``measured.png``, efforts and residuals; several files for many actuators.

    Returns
    -------
    list of Path
    """
    folder.mkdir(parents=True, exist_ok=True)
    time = (cycles.stamps - cycles.stamps[0]) * SECONDS
    units = effort_units(model)
    described = described_friction(model, cycles)
    paths = []
    for first in range(0, len(comparisons), MOST_ROWS):
        some = comparisons[first : first + MOST_ROWS]
        cells = []
        for row, comparison in enumerate(some):
            i = model.actuator_names.index(comparison.name)
            own = measured[:, i]
            estimated = cycles.arrays["actuator_effort"][:, i]
            unit, name = units[comparison.name], comparison.name.replace("_", " ")
            efforts = [Curve("measured", time, own, is_wide=True), Curve("model", time, estimated)]
            left = [Curve("measured less model", time, own - estimated)]
            if comparison.friction is not None:
                friction = comparison.friction.effort(cycles.arrays["velocity"][:, i])
                refined = estimated - described[:, i] + friction
                efforts.append(Curve("with identified friction", time, refined, is_dashed=True))
                left.append(Curve("less identified friction", time, own - refined))
            cells.append(Cell(TimeDiagram(name, "effort", unit, efforts), (row, row + 1), (0, 1)))
            title = f"RMS {comparison.residual:.3g}"
            if np.isfinite(comparison.remaining):
                title += f" to {comparison.remaining:.2g}"
            title += f" {unit}"
            cells.append(Cell(TimeDiagram(title, "difference", unit, left), (row, row + 1), (1, 2)))
        ending = "" if len(comparisons) <= MOST_ROWS else f"_{first // MOST_ROWS + 1}"
        path = folder / f"measured{ending}.png"
        draw_chart(
            path,
            cells,
            title="Measured and estimated efforts",
            subtitle="friction, viscous and Coulomb with an offset, identified by least squares "
            "from this record",
            theme=theme,
        )
        paths.append(path)
    return paths
