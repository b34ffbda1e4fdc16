# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of a robot's joints and actuators, from its URDF and mechanisms file, as arrays.

An entry of the mechanisms file is the friction of an actuator. It replaces what the URDF defines
for the joint that this actuator moves, and for the joints that mimic it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from charmie_dynamics.core.arrays import FrictionLaws, read_only
from charmie_dynamics.core.inverse.friction import (
    AT_ACTUATOR,
    AT_JOINT,
    add_friction_slopes,
    friction_effort,
)
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.mimics import follow_mimics
from charmie_dynamics.model.description.robot import JointFriction, RobotTree
from charmie_dynamics.numerics.jit import plain
from charmie_dynamics.numerics.vectors import Floats, Ints

# of the rated velocity: below this share, Coulomb friction grows with the speed
TRANSITION = 0.01
UNRATED = 1.0  # rad/s or m/s: rated velocity where none is known


class _Law(NamedTuple):
    place: int
    coordinate: int
    rate: float
    friction: JointFriction
    transition: float


def flatten_friction(
    robot: RobotTree, mechanisms: MechanismSet, coordinates: Mapping[str, int]
) -> FrictionLaws:
    """Return the friction laws.

    Parameters
    ----------
    robot : RobotTree
    mechanisms : MechanismSet
    coordinates : mapping of str to int
        Of the independent joints, the first of several.
    """
    laws = list(_laws(robot, mechanisms, coordinates))
    return read_only(
        FrictionLaws(
            friction_place=np.array([law.place for law in laws], dtype=np.int64),
            friction_coordinate=np.array([law.coordinate for law in laws], dtype=np.int64),
            friction_rate=np.array([law.rate for law in laws], dtype=np.float64),
            viscous=np.array([law.friction.viscous for law in laws], dtype=np.float64),
            coulomb=np.array([law.friction.coulomb for law in laws], dtype=np.float64),
            transition=np.array([law.transition for law in laws], dtype=np.float64),
        )
    )


def transition_speed(rated_velocity: float) -> float:
    """Return the speed from which Coulomb friction is in full effect (rad/s or m/s)."""
    return TRANSITION * (rated_velocity if 0.0 < rated_velocity < math.inf else UNRATED)


def _laws(
    robot: RobotTree, mechanisms: MechanismSet, coordinates: Mapping[str, int]
) -> Iterator[_Law]:
    drivers = {part.joint: part for part in mechanisms.linear_actuators}
    # by actuator: the joint that it moves, and its rated velocity
    moved = {joint.name: (joint.name, joint.limit.velocity) for joint in robot.joints}
    moved |= {part.name: (joint, part.limit.velocity) for joint, part in drivers.items()}
    for name, friction in mechanisms.friction.items():
        joint_name, rated = moved[name]
        transition = transition_speed(rated)
        yield _Law(AT_ACTUATOR, coordinates[joint_name], 1.0, friction, transition)
    if not any(joint.friction for joint in robot.joints):
        return
    followed = follow_mimics(robot.joints)
    for joint in robot.joints:
        if joint.friction is None:
            continue
        leader, rate, _ = followed[joint.name]
        actuator = drivers[leader].name if leader in drivers else leader
        if actuator in mechanisms.friction:
            continue
        # other joints move as their actuator does
        is_apart = leader in drivers or leader in mechanisms.passive_joints
        yield _Law(
            AT_JOINT if is_apart else AT_ACTUATOR,
            coordinates[leader],
            rate,
            joint.friction,
            # many files give joints an arbitrary high limit
            min(transition_speed(joint.limit.velocity), transition_speed(UNRATED)),
        )


class ActuatorFriction(NamedTuple):
    """Friction of each of the a actuators, without that of joints that they move indirectly.

    Attributes
    ----------
    viscous, coulomb : (a,) array
        N m s or N s/m; N m or N.
    transition : (a,) array
        Speed from which the Coulomb friction is in full effect (rad/s or m/s).
    """

    viscous: Floats
    coulomb: Floats
    transition: Floats


def actuator_friction(
    laws: FrictionLaws, actuator_index: Ints, rated_velocities: Floats
) -> ActuatorFriction:
    """Return the friction of the actuators with these coordinates (a,) and velocities (a,)."""
    viscous, coulomb, transition = np.zeros((3, len(actuator_index)))
    for place, c, rate, d, f, speed in zip(*laws, strict=True):
        if place == AT_ACTUATOR:
            own = actuator_index == c
            viscous[own] += rate * rate * d
            coulomb[own] += abs(rate) * f
            if rate * f != 0.0:
                transition[own] = np.maximum(transition[own], speed / abs(rate))
    without = transition == 0.0
    transition[without] = [transition_speed(v) for v in rated_velocities[without].tolist()]
    return ActuatorFriction(viscous, coulomb, transition)


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
