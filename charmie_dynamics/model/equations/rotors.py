# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Efforts that accelerate the rotors of motors."""

from __future__ import annotations

from typing import NamedTuple

from charmie_dynamics.core.arrays import Rotors
from charmie_dynamics.model.flat.flat_robot import FlatRobot
from charmie_dynamics.numerics.vectors import Floats


class JointMotion(NamedTuple):
    """Accelerations (N, v) of the joints, and levers (N, l) of the linear actuators."""

    joint_acceleration: Floats
    actuator_lever: Floats


def own_rotors(flat: FlatRobot) -> Floats:
    """Return the reflected inertia (v,) of the rotors of each actuator, along its own position.

    Rotors of a joint that a linear actuator moves are not among them.
    """
    rotors = flat.mechanisms.rotors
    result: Floats = rotors.joint_rotor.copy()
    result[flat.mechanisms.actuators.coordinate] = rotors.actuator_rotor
    return result


def rotor_efforts(
    flat: FlatRobot, rotors: Rotors, inputs: tuple[Floats, Floats, Floats], joints: JointMotion
) -> Floats:
    """Return the efforts (N, v) of the actuators that accelerate rotors.

    Parameters
    ----------
    flat : FlatRobot
    rotors : Rotors
        Reflected inertia of the rotors.
    inputs : (N, p) and two (N, v) arrays
        Position, velocity and acceleration of the actuators.
    joints : JointMotion
        At these states.
    """
    position, _, acceleration = inputs
    c = flat.mechanisms.actuators.coordinate
    result: Floats = rotors.joint_rotor * joints.joint_acceleration
    result[:, c] *= position[:, flat.freedoms.position_entry[c]] / joints.actuator_lever
    result[:, c] += rotors.actuator_rotor * acceleration[:, c]
    return result
