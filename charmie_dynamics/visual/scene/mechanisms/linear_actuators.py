# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tube and rod of each linear actuator, in the frames of these auxiliary bodies."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from charmie_dynamics.model.model import Model
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Ints
from charmie_dynamics.visual.shapes.appearance import Rows
from charmie_dynamics.visual.shapes.colors import NEUTRAL, STEEL
from charmie_dynamics.visual.shapes.part import RelativeLoads
from charmie_dynamics.visual.shapes.shape import Floats, Shape

from .drawing import MechanismDrawing, pins_of_member

TUBE = 0.85  # of an actuator's shortest length
TUBE_DIAMETER = 0.045
ROD_DIAMETER = 0.022


class Actuators:
    """Tube and rod of each linear actuator, the tube coloured by the relative force."""

    def __init__(self, model: Model) -> None:
        parts = (*model.mechanisms.linear_actuators, *model.mechanisms.load_sharing)
        self._first = model.layout.places["member_length"].first
        # those that share a load have the colour of the first on their joint
        tree = model.flat.tree
        self._coordinate = tree.coordinate[model.flat.mechanisms.actuators.joint_body]
        shortest = np.array([part.limit.lower for part in parts])
        # without a shortest length the tube depends on the length
        self._longest_tube = TUBE * np.where(shortest > 0.0, shortest, math.inf)
        pieces = ((0, "tube", TUBE_DIAMETER, NEUTRAL), (1, "rod", ROD_DIAMETER, STEEL))
        self.shapes: Sequence[Shape] = [
            Shape("actuators", number, "cylinder", frame, scale=(width, width, 0.0), color=color)
            for i, piece, width, color in pieces
            for number, frame in (
                (2 * k + i, f"{part.name}_{piece}") for k, part in enumerate(parts)
            )
        ]

    def attach(self, rows: Rows) -> None:
        """Set the rows: first the tubes, then the rods."""
        self._rows = rows

    def update(self, state: State, loads: RelativeLoads) -> None:
        """Move the rods in tubes of constant length."""
        extend_actuators(
            state.block,
            self._first,
            self._coordinate,
            self._longest_tube,
            loads.effort_color,
            self._rows.position,
            self._rows.scale,
            self._rows.color,
        )


@compiled
def extend_actuators(
    block: Floats,
    first: int,
    coordinates: Ints,
    longest_tube: Floats,
    effort_color: Floats,
    position: Floats,
    scale: Floats,
    color: Floats,
) -> None:
    """Write the appearance of m linear actuators.

    Parameters
    ----------
    block : (b,) array
        All numbers of a state.
    first : int
        Index of the lengths of the actuators.
    coordinates : (m,) array of int
        Of the actuators.
    longest_tube : (m,) array
        m
    effort_color : (q, 4) array
        Of all coordinates.
    position, scale, color : (2 m, 3), (2 m, 3), (2 m, 4) array
        Output: m tubes, then m rods.
    """
    m = coordinates.shape[0]
    for k in range(m):
        length = block[first + k]
        tube = min(longest_tube[k], TUBE * length)
        # from the tip pin back to the middle of the tube
        rod = length - 0.5 * tube
        scale[k, 2] = tube
        position[k, 2] = 0.5 * tube
        scale[m + k, 2] = rod
        position[m + k, 2] = -0.5 * rod
        for x in range(4):
            color[k, x] = effort_color[coordinates[k], x]


DRAWING = MechanismDrawing(part=Actuators, moves=True, lines_to_pins=pins_of_member)
