# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""How short and how long the linear actuators of a robot can be."""

from __future__ import annotations

import math

import numpy as np

from charmie_dynamics.core.arrays import REVOLUTE
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.robot import RobotTree

from .flatten import FlatRobot

EVERYWHERE = (-math.inf, math.inf)


def reach_of(
    flat: FlatRobot, tree: RobotTree, mechanisms: MechanismSet, k: int
) -> tuple[float, float]:
    """Return the shortest and longest length (m) at which the loop of linear actuator `k` closes.

    Mechanisms on the body that it moves are parts of the loop: the bar of a balance mechanism
    reaches only so far up and down.
    """
    actuators = flat.mechanisms.actuators
    if flat.tree.joint_type[actuators.joint_body[k]] == REVOLUTE:
        e = math.hypot(*actuators.F[k])
        radius = math.hypot(*actuators.G_zero[k])
        along = float(actuators.along_zero[k])
        return math.hypot(e - radius, along), math.hypot(e + radius, along)
    moved = mechanisms.linear_actuators[k].joint
    joint = next(joint for joint in tree.joints if joint.name == moved)
    low, high = float(actuators.across[k]), math.inf
    for _, part in mechanisms.parts():
        ends = part.joint_range(joint)
        if ends == EVERYWHERE:
            continue
        # of the pins along the joint's axis, counted in the direction of the branch
        along_axis = actuators.along_zero[k] + np.array(ends)
        apart = np.sort(actuators.branch[k] * along_axis)
        lengths = np.hypot(np.maximum(apart, 0.0), actuators.across[k])
        low, high = max(low, float(lengths[0])), min(high, float(lengths[1]))
    return low, high
