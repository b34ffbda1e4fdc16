# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Positions of a robot: zero, their rates, and quaternions of length one."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.inverse.floating_joints import run_normalisation, run_position_rate
from charmie_dynamics.errors import InputError
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats

from .actuators import actuator_from_joint, actuator_limits, joint_to_actuator
from .checks import are_many, checked, in_rows, of_rows
from .prepared_robot import PreparedRobot


def zero_position(robot: PreparedRobot) -> Floats:
    """Return the positions (p,) that put every joint at zero; see `Model.zero_position`."""
    flat = robot.flat
    position = np.zeros(len(flat.position_names))
    position[flat.freedoms.scalar_entry] = 1.0
    for k, driver in enumerate(robot.mechanisms.linear_actuators):
        if driver.branch == "inverted":
            length = joint_to_actuator(robot, k, 0.0, 0.0, 0.0)[1]
        else:
            length = actuator_from_joint(robot, driver.joint, 0.0, 0.0, 0.0)[0]
        position[flat.position_names.index(driver.name)] = length
    return position


def rest_position(robot: PreparedRobot) -> Floats:
    """Return the positions (p,) of the rest pose; see `Model.rest_position`."""
    position, flat = zero_position(robot), robot.flat
    entries = flat.freedoms.position_entry[flat.actuator_index]
    for entry, limit in zip(entries, actuator_limits(robot), strict=True):
        near_zero = min(max(position[entry], limit.lower), limit.upper)
        half_range = 0.5 * (limit.upper - limit.lower)
        is_wide = not half_range <= math.pi
        middle = near_zero if is_wide else 0.5 * (limit.upper + limit.lower)
        position[entry] = middle
    for name, value in robot.mechanisms.rest_pose.items():
        position[flat.position_names.index(name)] = value
    return position


def position_rate(robot: PreparedRobot, position: npt.ArrayLike, velocity: npt.ArrayLike) -> Floats:
    """Return how the positions change with a velocity; see `Model.position_rate`."""
    names = robot.flat.position_names, robot.flat.velocity_names
    if are_many(position, velocity):
        rows, leading = in_rows(("position", "velocity"), (position, velocity), names)
        rates = of_rows(lambda p, v: position_rate(robot, p, v), rows)
        return rates.reshape(*leading, len(names[0]))
    p = checked("position", position, names[0])
    v = checked("velocity", velocity, names[1])
    rate = np.empty(len(p))
    ready(run_position_rate)(*robot.flat.blocks.addresses, p, v, rate)
    return rate


def normalised_position(robot: PreparedRobot, position: npt.ArrayLike) -> Floats:
    """Return positions with quaternions of length one; see `Model.normalised_position`."""
    names = robot.flat.position_names
    if are_many(position):
        rows, leading = in_rows(("position",), (position,), (names,))
        found = of_rows(lambda p: normalised_position(robot, p), rows)
        return found.reshape(*leading, len(names))
    p = checked("position", position, names)
    for last in robot.flat.freedoms.scalar_entry.tolist():
        if not p[last - 3 : last + 1].any():
            name = names[last].rpartition("/")[0]
            raise InputError(f"position of '{name}': expected a quaternion x, y, z, w, got zeros")
    ready(run_normalisation)(*robot.flat.blocks.addresses, p)
    return p
