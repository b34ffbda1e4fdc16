# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Joint springs: a spiral around the axis of a revolute joint, which winds up with the joint.

Springs of prismatic joints are not drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from charmie_dynamics.model.model import Model
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.rotations import plane_across
from charmie_dynamics.visual.shapes.appearance import Rows
from charmie_dynamics.visual.shapes.colors import STEEL
from charmie_dynamics.visual.shapes.part import RelativeLoads
from charmie_dynamics.visual.shapes.shape import Shape, line_strip

from .drawing import MechanismDrawing

POINTS = 60
TURNS = 3.0
RADIUS = 0.03  # m
WIRE = 0.003  # m


class Spirals:
    """A spiral for each spring: the inner end turns with the moved body, the outer end is fixed."""

    def __init__(self, model: Model) -> None:
        joints = {joint.name: joint for joint in model.tree.joints}
        turning = [
            joint
            for joint in (joints[spring.joint] for spring in model.mechanisms.joint_springs)
            if joint.type != "prismatic"
        ]
        bodies = [model.flat.body_names.index(joint.child) for joint in turning]
        self._position = model.layout.index("body_joint")[bodies]
        self._planes = [plane_across(joint.axis) for joint in turning]
        self._along = np.linspace(0.0, 1.0, POINTS)
        self.shapes: Sequence[Shape] = [
            line_strip("joint_springs", k, joint.child, WIRE, STEEL, np.zeros((POINTS, 3)))
            for k, joint in enumerate(turning)
        ]

    def attach(self, rows: Rows) -> None:
        """Set the rows of the spirals."""
        self._points = rows.points.reshape(len(self.shapes), POINTS, 3)

    def update(self, state: State, loads: RelativeLoads) -> None:
        """Wind the spirals up by the positions of the joints."""
        for k, position in enumerate(state.block[self._position].tolist()):
            angle = (2.0 * math.pi * TURNS - position) * self._along
            circle = np.column_stack((np.cos(angle), np.sin(angle)))
            self._points[k] = (RADIUS * self._along[:, None] * circle) @ self._planes[k]


DRAWING = MechanismDrawing(part=Spirals, moves=True)
