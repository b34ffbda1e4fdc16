# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Reaction forces: the force of each joint on its child body, and of each loop joint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from charmie_dynamics.model.model import Model
from charmie_dynamics.model.state import State
from charmie_dynamics.visual.shapes.appearance import Rows
from charmie_dynamics.visual.shapes.colors import REACTION
from charmie_dynamics.visual.shapes.part import RelativeLoads, size_of
from charmie_dynamics.visual.shapes.shape import Shape

LENGTH_AT_WEIGHT = 0.5  # m, arrow of a force equal to the weight of the robot
SHAFT = 0.012
HEAD_DIAMETER = 0.035
HEAD_LENGTH = 0.045
LEAST_LENGTH = 0.01


class Reactions:
    """Arrows at the origins of the bodies along the forces of their joints.

    The length grows with the square root of the force, so that one picture can show the forces in
    the fingers and those under the whole robot. Forces of linear actuators, springs and balance
    mechanisms are not part of a joint's. The arrow of a loop joint begins at its point of the
    second body and shows the force of the first body on it.
    """

    def __init__(self, model: Model) -> None:
        tree = model.flat.tree
        links = model.tree.links
        self._size = size_of(model)
        self._bodies = np.array(
            [
                i
                for i, name in enumerate(model.flat.body_names)
                if tree.coordinate[i] >= 0 and (links[name].inertial or links[name].visuals)
            ],
            dtype=np.intp,
        )
        weight = model.total_mass * float(np.linalg.norm(tree.gravity))
        self._per_root = LENGTH_AT_WEIGHT * self._size / weight**0.5 if weight > 0.0 else 0.0
        scale = (SHAFT * self._size, HEAD_DIAMETER * self._size, HEAD_LENGTH * self._size)
        loops = model.flat.mechanisms.by_type.loop_joints
        self._second = loops.second_body
        self._pins = loops.p_second_point
        frames = [model.flat.body_names[i] for i in (*self._bodies, *self._second)]
        self.shapes: Sequence[Shape] = [
            Shape(
                "reactions", k, "arrow", frame, scale=scale, color=REACTION, points=np.zeros((2, 3))
            )
            for k, frame in enumerate(frames)
        ]

    def attach(self, rows: Rows) -> None:
        """Set the rows of the arrows."""
        self._rows = rows
        points = rows.points.reshape(-1, 2, 3)
        self._tips = points[:, 1]
        points[len(self._bodies) :, 0] = self._pins

    def update(self, state: State, loads: RelativeLoads) -> None:
        """Point the arrows along the forces."""
        rows = self._rows
        if state.dynamics is None:
            rows.visible[:] = False
            return
        force = state.dynamics.joint_force[self._bodies]
        if len(self._second):
            R_world_second = state.kinematics.R_world_frame[self._second]
            dynamics: Any = state.dynamics
            of_loops = dynamics.loop_force[:, None, :3] @ R_world_second
            force = np.concatenate((force, of_loops[:, 0]))
        amount = np.sqrt((force * force).sum(axis=1))
        length = self._per_root * np.sqrt(amount)
        np.greater(length, LEAST_LENGTH * self._size, out=rows.visible)
        np.multiply(force, (length / np.maximum(amount, 1e-9))[:, None], out=self._tips)
        self._tips[len(self._bodies) :] += self._pins
        head = np.minimum(HEAD_LENGTH * self._size, 0.5 * length)
        rows.scale[:, 1] = head * (HEAD_DIAMETER / HEAD_LENGTH)
        rows.scale[:, 2] = head
