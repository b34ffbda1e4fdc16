# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of joints and actuators as arrays, with the law of `core.inverse.friction`."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.core.arrays import FrictionLaws
from charmie_dynamics.core.inverse.friction import AT_JOINT, add_friction_slopes, friction_effort
from charmie_dynamics.numerics.jit import plain
from charmie_dynamics.numerics.vectors import Floats

from .flat.described_robot import DescribedRobot
from .flat.friction_laws import TRANSITION, ActuatorFriction, actuator_friction


def direction(velocity: Floats, transition: Floats | float) -> Floats:
    """Return the sign of a velocity, between -1 and 1 below the transition speed."""
    result: Floats = plain(friction_effort)(0.0, 1.0, transition, velocity)
    return result


def friction_of_coordinates(laws: FrictionLaws, place: int, velocity: Floats) -> Floats:
    """Return the friction (..., v) at joints or at actuators, by their velocities (..., v)."""
    places, coordinates, *others = laws
    own = places == place
    rate, viscous, coulomb, transition = (array[own] for array in others)
    v = rate * velocity[..., coordinates[own]]
    effort = np.zeros(velocity.shape)
    # several of one coordinate add up
    each = rate * plain(friction_effort)(viscous, coulomb, transition, v)
    np.add.at(effort.T, coordinates[own], each.T)
    return effort


def add_joint_slopes(laws: FrictionLaws, velocity: Floats, by_velocity: Floats) -> None:
    """Add the slopes of the friction at joints to derivatives (N, v, v), at velocities (N, v)."""
    if AT_JOINT in laws.friction_place:
        for row, out in zip(velocity, by_velocity, strict=True):
            plain(add_friction_slopes)(laws, AT_JOINT, row, out)


def friction_of_actuators(robot: DescribedRobot) -> ActuatorFriction:
    """Return the friction of the actuators of a robot; see `ActuatorFriction`."""
    rated = np.array([limit.velocity for limit in robot.actuator_limits()])
    return actuator_friction(robot.flat.mechanisms.friction, robot.actuator_index, rated)


__all__ = [
    "TRANSITION",
    "ActuatorFriction",
    "add_joint_slopes",
    "direction",
    "friction_of_actuators",
    "friction_of_coordinates",
]
