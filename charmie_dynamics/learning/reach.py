# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Move the tool to the can without a collision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from charmie_dynamics.kitchen.scene import CAN, approach_of
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import World, load_world

from .kitchen_task import KitchenTask
from .task import Judgement, Situation

GOAL_DISTANCE = 0.10  # m, of the goal from the axis of the can
TOLERANCE = 0.02  # m, a reached goal
SUCCESS_REWARD, COLLISION_REWARD = 10.0, -10.0


class Reach(KitchenTask):
    """Move the tool to a point in front of the can.

    The goal is p_world_tool: the point 0.1 m from the axis of the can on the side from which the
    hand approaches, at half of its height; it is reached within 2 cm. Each contact of the robot is
    a collision, which ends the episode.

    The reward is the sum of `distance` (minus the distance in m), `success` (10) and `collided`
    (-10).
    """

    name = "Reach-v0"
    duration = 5.0
    step = 2.5e-3  # longer than by default: the can is fixed, and no contact lasts

    def __init__(self, world: World | None = None) -> None:
        # an episode ends with the first contact: the can never moves
        description = (world or load_world(self.world_file)).description
        entities = tuple(
            replace(entity, moves="fixed") if entity.name == CAN else entity
            for entity in description.entities
        )
        super().__init__(World(replace(description, entities=entities), self.world_file))

    def achieved_goal(self, now: Situation) -> Floats:
        """Return p_world_tool (n, 3)."""
        return self.p_world_tool(now)

    def desired_goal(self, now: Situation) -> Floats:
        """Return the point in front of the can (n, 3)."""
        can, _ = self.can(now)
        return can - GOAL_DISTANCE * approach_of(can)

    def demonstrate(self, now: Situation) -> Floats:
        """Return actions (n, 6) of the straight way to the goal."""
        return self.tool_motion(now, self.desired_goal(now))

    def judge(self, achieved: Floats, desired: Floats, info: Mapping[str, Any]) -> Judgement:
        """Return the judgement, see the class."""
        distance = np.linalg.norm(achieved - desired, axis=-1)
        is_collision = np.asarray(info["collision"]) > 0.0
        is_success = (distance < TOLERANCE) & ~is_collision
        terms = {
            "distance": -distance,
            "success": SUCCESS_REWARD * is_success,
            "collided": COLLISION_REWARD * is_collision,
        }
        return Judgement(terms, is_success, is_success | is_collision)
