"""How the robot stands: centre of mass, support polygon, zero-moment point, tip-over margin."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..model.model import Model
from ..model.stability import Support
from ..model.state import State
from .appearance import Rows
from .colors import MASS, MOMENT_POINT, PUSHING, SUPPORT
from .part import Loads, size_of
from .shapes import Color, Floats, Kind, Shape

DISC_HEIGHT = 0.004
LEAST_LINE = 1e-4  # m, shorter lines are not drawn

BALL, PLUMB_LINE, PROJECTION, MOMENT_DISC, MARGIN, EDGE = range(6)


class Standing:
    """Ball at the centre of mass with a plumb line to the floor; polygon, point and margin on it.

    The margin is the line from the zero-moment point to the nearest edge of the support polygon:
    green inside, orange outside. Where the contacts are unknown, polygon and margin are missing.
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
            Shape(
                namespace="stability",
                id=i,
                kind=kind,
                frame=support.frame,
                scale=scale,
                color=color,
                points=points,
            )
            for i, (kind, scale, color, points) in enumerate(rows)
        ]

    def attach(self, rows: Rows) -> None:
        """Take the rows."""
        self._visible = rows.visible
        self._position = rows.position
        self._position[PROJECTION, 2] = self._position[MOMENT_DISC, 2] = self._disc_z
        self._plumb_line = rows.points[:2]
        self._plumb_line[1, 2] = self._support.height
        self._margin = rows.points[2:4]
        self._color = rows.color

    def update(self, state: State, loads: Loads) -> None:
        """Show how the robot stands; nothing where loads or masses are not known."""
        stability = loads.stability
        position, visible, plumb = self._position, self._visible, self._plumb_line
        visible[:] = False
        if stability is None:
            return
        com, point = stability.centre_of_mass, stability.zero_moment_point
        if not com[0] == com[0]:
            return
        visible[:] = True
        position[BALL] = com
        position[PROJECTION, :2] = plumb[1, :2] = com[:2]
        plumb[0] = com
        visible[PLUMB_LINE] = abs(com[2] - self._support.height) > LEAST_LINE
        if not point[0] == point[0]:  # the floor would have to pull
            visible[MOMENT_DISC] = False
            visible[MARGIN:EDGE] = False
            return
        position[MOMENT_DISC, :2] = point[:2]
        if len(visible) > MARGIN:
            margin = stability.margin
            visible[MARGIN] = abs(margin) > LEAST_LINE
            self._margin[0, :2] = point[:2]
            self._margin[1, :2] = stability.nearest_edge_point
            self._color[MARGIN] = SUPPORT if margin > 0.0 else PUSHING
