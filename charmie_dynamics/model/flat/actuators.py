# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Units, limits and reach of actuators, and the linear actuators that move joints."""

from __future__ import annotations

import math

import numpy as np

from charmie_dynamics.core.arrays import REVOLUTE
from charmie_dynamics.core.inverse.linear_actuators import linear_actuator_of_joint
from charmie_dynamics.errors import OutOfReachError, UnknownNameError, choices
from charmie_dynamics.model.description.robot import Limit
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats

from .load_sharing import companions, shared_limit
from .prepared_robot import PreparedRobot

EVERYWHERE = (-math.inf, math.inf)
DEAD_CENTRE = 1e-6  # relative distance that linear actuators keep from the ends of their reach


def effort_units(robot: PreparedRobot) -> tuple[str, ...]:
    """Return the unit of each actuator's effort; see `Model.effort_units`."""
    pushing = {joint.name for joint in robot.tree.joints if joint.type == "prismatic"}
    pushing.update(actuator.joint for actuator in robot.mechanisms.linear_actuators)
    return tuple("N" if name in pushing else "N m" for name in _moved_joints(robot))


def actuator_limits(robot: PreparedRobot) -> tuple[Limit, ...]:
    """Return range, rated effort and rated velocity of each actuator."""
    limits = {joint.name: joint.limit for joint in robot.tree.joints}
    parts = (*robot.mechanisms.linear_actuators, *robot.mechanisms.load_sharing)
    own = [part.limit for part in parts]
    for k, part in enumerate(robot.mechanisms.linear_actuators):
        several = len(companions(robot.flat, k)) > 1
        limits[part.joint] = shared_limit(robot.flat, own, k) if several else part.limit
    return tuple(limits[name] for name in _moved_joints(robot))


def limits_within_reach(robot: PreparedRobot) -> Floats:
    """Return the ends (a, 2) of the range of each actuator, within the reach of linear ones."""
    limits = [(limit.lower, limit.upper) for limit in actuator_limits(robot)]
    ends = np.array(limits).reshape(-1, 2)
    for k, part in enumerate(robot.mechanisms.linear_actuators):
        (low, high), own = reach_of(robot, k), ends[robot.flat.actuator_names.index(part.name)]
        own[:] = max(own[0], low * (1.0 + DEAD_CENTRE)), min(own[1], high * (1.0 - DEAD_CENTRE))
    return ends


def _moved_joints(robot: PreparedRobot) -> list[str]:
    return [robot.flat.joint_names[c] for c in robot.flat.actuator_index]


def reach(robot: PreparedRobot, actuator: str) -> tuple[float, float]:
    """Return the reach of a linear actuator by its name; see `Model.reach`."""
    names = [part.name for part in robot.mechanisms.linear_actuators]
    if actuator not in names:
        raise UnknownNameError(f"linear actuator '{actuator}' is unknown{choices(actuator, names)}")
    return reach_of(robot, names.index(actuator))


def reach_of(robot: PreparedRobot, k: int) -> tuple[float, float]:
    """Return the shortest and longest length (m) at which the loop of linear actuator `k` closes.

    Mechanisms on the body that it moves are parts of the loop: the bar of a balance mechanism
    reaches only so far up and down.
    """
    flat, mechanisms = robot.flat, robot.mechanisms
    actuators = flat.mechanisms.actuators
    if flat.tree.joint_type[actuators.joint_body[k]] == REVOLUTE:
        e = math.hypot(*actuators.F[k])
        radius = math.hypot(*actuators.G_zero[k])
        along = float(actuators.along_zero[k])
        return math.hypot(e - radius, along), math.hypot(e + radius, along)
    moved = mechanisms.linear_actuators[k].joint
    joint = next(joint for joint in robot.tree.joints if joint.name == moved)
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


def actuator_from_joint(
    robot: PreparedRobot, joint: str, position: float, velocity: float, acceleration: float
) -> tuple[float, float, float]:
    """Return the state of the linear actuator of a joint; see `Model.actuator_from_joint`."""
    moved = [actuator.joint for actuator in robot.mechanisms.linear_actuators]
    if joint not in moved:
        raise UnknownNameError(
            f"joint '{joint}' is not moved by a linear actuator{choices(joint, moved)}"
        )
    k = moved.index(joint)
    on_branch, *state = joint_to_actuator(robot, k, position, velocity, acceleration)
    if not on_branch:
        name = robot.mechanisms.linear_actuators[k].name
        raise OutOfReachError(
            name,
            f"linear actuator '{name}': joint '{joint}' at {position:.6g} is at or beyond a "
            "dead centre of its loop, expected a position between the dead centres",
        )
    length, rate, acceleration = state
    return length, rate, acceleration


def joint_to_actuator(
    robot: PreparedRobot, k: int, position: float, velocity: float, acceleration: float
) -> tuple[bool, float, float, float]:
    """Return the motion of linear actuator `k` and whether the joint is between dead centres."""
    blocks = robot.flat.blocks
    convert = ready(linear_actuator_of_joint)
    found: tuple[bool, float, float, float] = convert(
        blocks.ints, blocks.floats, k, position, velocity, acceleration
    )
    return found
