# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Stability as shapes: centre of mass, support polygon, zero-moment point, tip-over margin."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from charmie_dynamics.model.model import Model
from charmie_dynamics.model.stability import Support
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.visual.shapes.appearance import Rows
from charmie_dynamics.visual.shapes.colors import MASS, MOMENT_POINT, PUSHING, SUPPORT
from charmie_dynamics.visual.shapes.part import RelativeLoads, size_of
from charmie_dynamics.visual.shapes.shape import Color, Floats, Kind, Shape

DISC_HEIGHT = 0.004
LEAST_LINE = 1e-4  # m, shorter lines are omitted

BALL, PLUMB_LINE, PROJECTION, MOMENT_DISC, MARGIN, EDGE = range(6)


class StabilityMarkers:
    """Ball at the centre of mass with a plumb line; polygon, point and margin on the floor.

    The margin is the line from the zero-moment point to the nearest edge of the support polygon:
    green inside, orange outside. With unknown contacts, polygon and margin are missing.
    """

    def __init__(self, model: Model, support: Support) -> None:
        size = size_of(model)
        self._support = support
        self._disc_z = support.height + 0.5 * DISC_HEIGHT * size
        line_z = support.height + DISC_HEIGHT * size
        ball, disc, point = 0.05 * size, 0.045 * size, 0.04 * size
        thin, wide = 0.006 * size, 0.012 * size
        flat = DISC_HEIGHT * size
        rows: list[tuple[Kind, tuple[float, float, float], Color, Floats | None]] = [
            ("sphere", (ball, ball, ball), MASS, None),
            ("line_strip", (thin, 0.0, 0.0), MASS, np.zeros((2, 3))),
            ("cylinder", (disc, disc, flat), MASS, None),
            ("cylinder", (point, point, 2.0 * flat), MOMENT_POINT, None),
        ]
        if len(support.polygon):
            corners = np.concatenate((support.polygon, support.polygon[:1]))
            edge = np.column_stack((corners, np.full(len(corners), line_z)))
            rows += [
                ("line_strip", (wide, 0.0, 0.0), SUPPORT, np.full((2, 3), line_z)),
                ("line_strip", (wide, 0.0, 0.0), SUPPORT, edge),
            ]
        self.shapes: Sequence[Shape] = [
            Shape("stability", i, kind, support.frame, scale=scale, color=color, points=points)
            for i, (kind, scale, color, points) in enumerate(rows)
        ]

    def attach(self, rows: Rows) -> None:
        """Set the rows."""
        self._rows = rows
        rows.position[PROJECTION, 2] = rows.position[MOMENT_DISC, 2] = self._disc_z
        rows.points[1, 2] = self._support.height

    def update(self, state: State, loads: RelativeLoads) -> None:
        """Show the stability; hide the markers without loads or masses."""
        rows, stability = self._rows, loads.stability
        if stability is None:
            rows.visible[:] = False
            return
        show_stability(
            stability,
            self._support.height,
            (SUPPORT, PUSHING),
            (rows.visible, rows.position, rows.points, rows.color),
        )


@compiled
def show_stability(
    stability: tuple[Floats, Floats, float, Floats],
    height: float,
    colors: tuple[Color, Color],
    rows: tuple[npt.NDArray[np.bool_], Floats, Floats, Floats],
) -> None:
    """Write the rows.

    Parameters
    ----------
    stability : tuple
        Of a `model.stability.Stability`.
    height : float
        z of the floor (m).
    colors : tuple
        Of the margin, inside and outside of the support.
    rows : tuple of array
        Output: visible, position, points, color; points of the plumb line and of the margin are
        first.
    """
    com, point, margin, nearest = stability
    inside, outside = colors
    visible, position, points, color = rows
    is_known = not math.isnan(com[0])
    is_held = is_known and not math.isnan(point[0])  # otherwise the floor would have to pull
    for row in range(visible.shape[0]):
        visible[row] = is_held if MOMENT_DISC <= row <= MARGIN else is_known
    if not is_known:
        return
    for x in range(3):
        position[BALL, x] = com[x]
        points[0, x] = com[x]
    for x in range(2):
        position[PROJECTION, x] = com[x]
        points[1, x] = com[x]
    visible[PLUMB_LINE] = abs(com[2] - height) > LEAST_LINE
    if not is_held:
        return
    for x in range(2):
        position[MOMENT_DISC, x] = point[x]
    if visible.shape[0] > MARGIN:
        visible[MARGIN] = abs(margin) > LEAST_LINE
        for x in range(2):
            points[2, x] = point[x]
            points[3, x] = nearest[x]
        for x in range(4):
            color[MARGIN, x] = inside[x] if margin > 0.0 else outside[x]
