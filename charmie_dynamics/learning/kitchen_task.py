# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the tasks in the kitchen have in common: an arm, a can on a table, another table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from charmie_dynamics.kitchen import scene
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import World

from .controls import TOOL_RATE, TOOL_SPEED
from .task import LearningTask, ObservedQuantity, Situation, Start

ARM_JOINTS = 6
START_SPREAD = 0.05  # rad, of the joints of the arm at the start
LARGE = 3.0  # m
APPROACH_RATE = 4.0  # 1/s, of demonstrations


class KitchenTask(LearningTask):
    """A task of CHARMIE's left arm in the kitchen."""

    robot, tool, actuators = scene.ROBOT, scene.TOOL, scene.ACTUATORS

    def __init__(self, world: World | None = None) -> None:
        super().__init__(world)
        self._can_moves = self.world.require(scene.CAN).moves == "free"
        for name in scene.TABLES:
            self.world.require(name)

    @property
    def forbidden(self) -> Sequence[tuple[str, str]]:
        """See `forbidden_pairs`."""
        return scene.forbidden_pairs(self.world, grips=bool(self.gripper))

    def start(self, rng: np.random.Generator) -> Start:
        """Return random poses of can and tables, and joints near the rest pose."""
        poses = self.world.random_poses(rng)
        free = {scene.CAN: poses.pop(scene.CAN)[None]} if self._can_moves else {}
        position = scene.start_positions(self.world, free, 1)[0]
        position[self.entries[:ARM_JOINTS]] += START_SPREAD * rng.uniform(-1.0, 1.0, ARM_JOINTS)
        position[self.entries] = np.clip(position[self.entries], self.lower, self.upper)
        return Start(position, poses)

    def quantities(self) -> Sequence[ObservedQuantity]:
        """Joints, tool, can and tables."""
        one = np.ones(len(self.actuators))
        return [
            ObservedQuantity("positions of the actuators", "rad, m", self.lower, self.upper),
            ObservedQuantity("velocities of the actuators", "rad/s, m/s", -4.0 * one, 4.0 * one),
            ObservedQuantity("p_world_tool", "m", [-LARGE] * 3, [LARGE] * 3),
            ObservedQuantity("R_world_tool, axes y and z", "1", [-1.0] * 6, [1.0] * 6),
            ObservedQuantity("p_world_can", "m", [-LARGE] * 3, [LARGE] * 3),
            ObservedQuantity("p_world_goal - p_world_tool", "m", [-LARGE] * 3, [LARGE] * 3),
            ObservedQuantity("axis of the can, world axes", "1", [-1.0] * 3, [1.0] * 3),
            *(
                ObservedQuantity(
                    f"x, y, z, yaw of {name}", "m, rad", [-LARGE] * 3 + [-4], [LARGE] * 3 + [4]
                )
                for name in scene.TABLES
            ),
        ]

    def observe(self, now: Situation) -> Sequence[Floats]:
        """Return the values of `quantities`."""
        p, R = now.state.frame(self.tool_frame)
        can, axis = self.can(now)
        tables = [now.poses[name][:, (0, 1, 2, 5)] for name in scene.TABLES]
        return [
            now.position[:, self.entries],
            now.velocity[:, self.freedoms],
            p,
            np.concatenate([R[:, :, 1], R[:, :, 2]], axis=1),
            can,
            self.desired_goal(now) - p,
            axis,
            *tables,
        ]

    def tool_motion(self, now: Situation, goal: Floats) -> Floats:
        """Return actions (n, 6) that move the tool straight to points (n, 3).

        The tool turns until its z axis is `approach_of` the can, and its y axis points upwards.
        """
        p, R = now.state.frame(self.tool_frame)
        can, _ = self.can(now)
        wanted = scene.upright(scene.approach_of(can))
        # to first order: half the sum of the cross products of the axes
        turn = 0.5 * np.cross(R, wanted, axis=1).sum(axis=2)
        twist = APPROACH_RATE / TOOL_SPEED * (goal - p), APPROACH_RATE / TOOL_RATE * turn
        return np.concatenate([_limited(part) for part in twist], axis=1)

    def p_world_tool(self, now: Situation) -> Floats:
        """Return p_world_tool (n, 3)."""
        return now.state.frame(self.tool_frame)[0]

    def can(self, now: Situation) -> tuple[Floats, Floats]:
        """Return p_world_can (n, 3), and the axis of the can (n, 3)."""
        if not self._can_moves:
            return now.poses[scene.CAN][:, :3], np.tile([0.0, 0.0, 1.0], (len(now.time), 1))
        p, R = now.state.frame(scene.CAN)
        return p, R[:, :, 2]


def _limited(vectors: Floats) -> Floats:
    """Return vectors (n, 3), those longer than 1 shortened to 1."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1.0)
