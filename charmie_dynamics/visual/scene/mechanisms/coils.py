# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The coil of each extension spring, also as part of other mechanisms."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from charmie_dynamics.model.model import Model
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.visual.shapes.appearance import Rows
from charmie_dynamics.visual.shapes.colors import NEUTRAL
from charmie_dynamics.visual.shapes.part import RelativeLoads
from charmie_dynamics.visual.shapes.shape import Floats, Shape, line_strip

COIL_TURNS = 12
POINTS_A_TURN = 12
COIL_POINTS = COIL_TURNS * POINTS_A_TURN + 3
HOOK = 0.12  # of a spring's length, straight at both ends
COIL_RADIUS = 0.014
WIRE = 0.004


class Coils:
    """Coils with fixed turns and variable length, coloured by tension."""

    def __init__(self, model: Model) -> None:
        frames = [
            f"{part.name}_{part.spring_ends[0]}"
            for _, part in model.mechanisms.parts()
            if part.spring_ends is not None
        ]
        coil = unit_coil()
        self._first = model.layout.places["spring_length"].first
        self._rise = coil[:, 2].copy()
        self.shapes: Sequence[Shape] = [
            line_strip("springs", s, frame, WIRE, NEUTRAL, coil) for s, frame in enumerate(frames)
        ]

    def attach(self, rows: Rows) -> None:
        """Set the rows of the coils."""
        self._color = rows.color
        self._points = rows.points.reshape(len(self.shapes), COIL_POINTS, 3)

    def update(self, state: State, loads: RelativeLoads) -> None:
        """Stretch the coils along z; their cross-section is constant."""
        stretch_coils(
            state.block, self._first, self._rise, loads.tension_color, self._points, self._color
        )


def unit_coil() -> Floats:
    """Return the points of a coil of length 1 along z, with a straight hook at both ends."""
    t = np.linspace(0.0, 1.0, COIL_POINTS - 2)
    angle = 2.0 * math.pi * COIL_TURNS * t
    radius = COIL_RADIUS * np.minimum(1.0, 12.0 * np.minimum(t, 1.0 - t))
    z = HOOK + (1.0 - 2.0 * HOOK) * t
    coil = np.column_stack((radius * np.cos(angle), radius * np.sin(angle), z))
    return np.vstack(([[0.0, 0.0, 0.0]], coil, [[0.0, 0.0, 1.0]]))


@compiled
def stretch_coils(
    block: Floats, first: int, rise: Floats, tension_color: Floats, points: Floats, color: Floats
) -> None:
    """Write the appearance of s coils in one call, as `linear_actuators.extend_actuators`.

    Parameters
    ----------
    block : (b,) array
        All numbers of a state.
    first : int
        Index of the lengths of the springs.
    rise : (p,) array
        z of the points of a coil of length 1.
    tension_color : (s, 4) array
    points, color : (s, p, 3), (s, 4) array
        Output; x and y of the points are not changed.
    """
    for k in range(points.shape[0]):
        for j in range(rise.shape[0]):
            points[k, j, 2] = block[first + k] * rise[j]
        for x in range(4):
            color[k, x] = tension_color[k, x]
