# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Charts of contact forces from the motion, and of the utilisation of their friction cones."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from charmie_dynamics.live.wire.stamps import SECONDS
from charmie_dynamics.recordings.compute.contact_loads import CONTACT_PREFIX, contact_names
from charmie_dynamics.recordings.compute.cycles import Cycles
from charmie_dynamics.visual.pictures.chart import Cell, Curve, TimeDiagram, draw_chart

MOST_ROWS = 6  # contacts in one chart


def chart_contacts(folder: Path, cycles: Cycles, theme: str = "light") -> list[Path]:
    """Draw ``contact_forces.png``; several files for many loaded contacts.

    Returns
    -------
    list of Path
    """
    folder.mkdir(parents=True, exist_ok=True)
    time = (cycles.stamps - cycles.stamps[0]) * SECONDS
    tables = {name: cycles.arrays[CONTACT_PREFIX + name] for name in contact_names(cycles.arrays)}
    names = [name for name, table in tables.items() if table[:, 3].any()]
    paths = []
    for first in range(0, len(names), MOST_ROWS):
        cells = []
        for row, name in enumerate(names[first : first + MOST_ROWS]):
            table = tables[name]
            normal, use = table[:, 3], table[:, 4]
            whole = np.linalg.norm(table[:, :3], axis=1)
            friction = np.sqrt(np.maximum(whole**2 - normal**2, 0.0))
            forces = [Curve("normal", time, normal), Curve("friction", time, friction)]
            used = [Curve("", time, np.where(normal > 0.0, 100.0 * use, np.nan))]
            title = name.replace("_", " ")
            cells.append(Cell(TimeDiagram(title, "force", "N", forces), (row, row + 1), (0, 1)))
            diagram = TimeDiagram("friction cone", "used", "%", used)
            cells.append(Cell(diagram, (row, row + 1), (1, 2)))
        ending = "" if len(names) <= MOST_ROWS else f"_{first // MOST_ROWS + 1}"
        path = folder / f"contact_forces{ending}.png"
        draw_chart(
            path,
            cells,
            title="Contact forces",
            subtitle="the least that lie in the friction cones and move the base as it moved",
            theme=theme,
        )
        paths.append(path)
    return paths
