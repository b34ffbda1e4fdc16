# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Grip the can and lift it from the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from charmie_dynamics.kitchen.scene import CAN, GRIPPER, TABLES, approach_of
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import World

from .kitchen_task import KitchenTask
from .task import Judgement, ObservedQuantity, Situation

HEIGHT = 0.10  # m, of the goal above the can's place
NEAR = 0.03  # m, a reached goal
# of demonstrations
# m: in front of the can, as long as the tool is so far beside the line
BEFORE, NEAR_LINE = 0.17, 0.03
TURNED = 0.5  # part of the fastest turn
EXACT = 0.2  # of these, which counts as none
AT_CAN = 0.015  # m, of the tool from the can, where it grips
CLOSING, CLOSED = -0.7, -0.36  # rad, of the gripper, at the latter on the can
GRIP, RELEASE = 0.8, -0.3  # of the rated effort
UPRIGHT = 0.9  # vertical component of the can's axis


class PickCan(KitchenTask):
    """Grip the can, and lift it by 0.1 m.

    The goal is p_world_can: 0.1 m above where a can on the table is, wherever the can is now; it is
    reached within 3 cm, upright. The claws may touch the can. Other contacts of the robot are
    collisions, which end the episode.

    The reward is the sum of `distance` (minus the distance of the tool from the can), `lift` (10
    times the height of the can above its place, up to the goal), `success` (10), `collided` (-10).
    """

    name = "PickCan-v0"
    duration = 10.0
    step = 1.25e-3
    gripper = GRIPPER

    def __init__(self, world: World | None = None) -> None:
        super().__init__(world)
        self._gripper = self.world.model.position_names.index(f"{self.robot}/{self.gripper}")

    def quantities(self) -> Sequence[ObservedQuantity]:
        """Those of the kitchen, and the gripper."""
        return [
            *super().quantities(),
            ObservedQuantity("position of the gripper", "rad", [-4.0], [4.0]),
            ObservedQuantity("height of the can above its place", "m", [-2.0], [2.0]),
        ]

    def observe(self, now: Situation) -> Sequence[Floats]:
        """Return the values of `quantities`."""
        return [*super().observe(now), now.position[:, self._gripper], self._height(now)]

    def achieved_goal(self, now: Situation) -> Floats:
        """Return p_world_can (n, 3)."""
        return self.can(now)[0]

    def desired_goal(self, now: Situation) -> Floats:
        """Return the point above or below the can that is high enough (n, 3)."""
        goal = self.can(now)[0].copy()
        goal[:, 2] += HEIGHT - self._height(now)
        return goal

    def measures(self, now: Situation) -> Mapping[str, Floats]:
        """Distance of the tool from the can, and how upright the can is."""
        can, axis = self.can(now)
        distance = np.linalg.norm(self.p_world_tool(now) - can, axis=1)
        return {"tool_distance": distance, "upright": axis[:, 2]}

    def demonstrate(self, now: Situation) -> Floats:
        """Return actions (n, 7): go in front of the can, approach, grip, lift.

        The tool moves to can - BEFORE b towards. b, from 0 to 1, is the larger of its distance
        from the line of the approach, by NEAR_LINE, and of its turn, by TURNED, less EXACT.
        """
        tool, (can, _) = self.p_world_tool(now), self.can(now)
        towards = approach_of(can)
        gap = can - tool
        along = np.sum(gap * towards, axis=1, keepdims=True)
        beside = np.linalg.norm(gap - along * towards, axis=1)
        angle = now.position[:, self._gripper]
        distance = np.linalg.norm(gap, axis=1)
        grips = (distance < AT_CAN) | ((distance < 2.0 * AT_CAN) & (angle > CLOSING))
        is_held = grips & (angle > CLOSED)
        # the nearer to the line of the approach and its direction, the farther along it
        turn = np.linalg.norm(self.tool_motion(now, tool)[:, 3:], axis=1)
        back = np.clip(np.maximum(beside / NEAR_LINE, turn / TURNED) - EXACT, 0.0, 1.0)
        goal = can - BEFORE * back[:, None] * towards
        goal[is_held] = tool[is_held] + (0.0, 0.0, 0.03)
        grip = np.where(grips, GRIP, RELEASE)
        return np.concatenate([self.tool_motion(now, goal), grip[:, None]], axis=1)

    def judge(self, achieved: Floats, desired: Floats, info: Mapping[str, Any]) -> Judgement:
        """Return the judgement, see the class."""
        missing = np.linalg.norm(achieved - desired, axis=-1)
        below = np.maximum(desired[..., 2] - achieved[..., 2], 0.0)
        is_collision = np.asarray(info["collision"]) > 0.0
        is_success = (missing < NEAR) & (np.asarray(info["upright"]) > UPRIGHT) & ~is_collision
        terms = {
            "distance": -np.asarray(info["tool_distance"]),
            "lift": 10.0 * np.maximum(HEIGHT - below, 0.0),
            "success": 10.0 * is_success,
            "collided": -10.0 * is_collision,
        }
        return Judgement(terms, is_success, is_success | is_collision)

    def _height(self, now: Situation) -> Floats:
        """Return the height of the can's centre above its place on the table (n,)."""
        place = self.world.entities[CAN].placement.pose[2]
        return self.can(now)[0][:, 2] - now.poses[TABLES[0]][:, 2] - place
