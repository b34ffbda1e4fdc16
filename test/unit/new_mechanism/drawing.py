# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Torsion springs: a spiral around the axis of the joint, which winds up as the joint turns."""

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
from charmie_dynamics.visual.shapes.shape import Shape

from .drawing import MechanismDrawing

POINTS = 60
TURNS = 3.0
RADIUS = 0.03
WIRE = 0.003


class Spirals:
    """One spiral a spring: its inner end turns with the moved body, its outer end does not."""

    def __init__(self, model: Model) -> None:
        springs = model.mechanisms.torsion_springs
        bodies = model.flat.mechanisms.by_type.torsion_springs.body
        joints = {joint.name: joint for joint in model.tree.joints}
        self._position = model.layout.index("body_joint")[bodies]
        self._planes = np.array([plane_across(joints[s.joint].axis) for s in springs])
        self._along = np.linspace(0.0, 1.0, POINTS)
        self.shapes: Sequence[Shape] = [
            Shape(
                namespace="torsion_springs",
                id=k,
                kind="line_strip",
                frame=joints[spring.joint].child,
                scale=(WIRE, 0.0, 0.0),
                color=STEEL,
                points=np.zeros((POINTS, 3)),
            )
            for k, spring in enumerate(springs)
        ]

    def attach(self, rows: Rows) -> None:
        """Take the rows of the spirals."""
        self._points = rows.points.reshape(len(self.shapes), POINTS, 3)

    def update(self, state: State, loads: RelativeLoads) -> None:
        """Wind the spirals up by what the joints have turned."""
        for k, position in enumerate(state.block[self._position].tolist()):
            angle = (2.0 * math.pi * TURNS - position) * self._along
            circle = np.column_stack((np.cos(angle), np.sin(angle)))
            self._points[k] = (RADIUS * self._along[:, None] * circle) @ self._planes[k]


DRAWING = MechanismDrawing(part=Spirals, moves=True)
