# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of joints and actuators: viscous and Coulomb.

At rest, the friction of a joint may have any value up to its Coulomb friction; zero is the best
estimate. Therefore the sign of the velocity is a ramp through zero below a transition speed:

    friction = viscous v + coulomb max(-1, min(1, v / transition))

The friction of a joint acts at its own rate: at that of the follower if the joint mimics another.
The friction of a linear actuator acts along its length. Both are part of the efforts.
"""

from __future__ import annotations

from typing import Any

from charmie_dynamics.core.arrays import FrictionLaws
from charmie_dynamics.numerics.branches import where
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats

from .records import CycleRecord, Robot

AT_JOINT, AT_ACTUATOR = 0, 1


@compiled
def friction_effort(viscous: Any, coulomb: Any, transition: Any, velocity: Any) -> Any:
    """Return the effort that overcomes the friction at a velocity.

    Takes numbers in a kernel, and arrays of NumPy in plain Python.
    """
    x = velocity / transition
    size = abs(x)
    # by the larger one of 1 and |x|, without a choice
    sign = x / (0.5 * (size + 1.0 + abs(size - 1.0)))
    return viscous * velocity + coulomb * sign


@compiled
def add_friction(laws: FrictionLaws, place: int, velocity: Floats, effort: Floats) -> None:
    """Add the friction at joints or at actuators to their efforts.

    Parameters
    ----------
    laws : FrictionLaws
    place : int
        AT_JOINT or AT_ACTUATOR: which of the laws, and the coordinates of both arrays.
    velocity, effort : (q,) array
    """
    for k in range(laws.friction_place.shape[0]):
        if laws.friction_place[k] == place:
            c, rate = laws.friction_coordinate[k], laws.friction_rate[k]
            own = friction_effort(
                laws.viscous[k], laws.coulomb[k], laws.transition[k], rate * velocity[c]
            )
            effort[c] = effort[c] + rate * own


@compiled
def add_friction_slopes(
    laws: FrictionLaws, place: int, velocity: Floats, by_velocity: Floats
) -> None:
    """Add the derivatives of `add_friction` by the velocities to the diagonal of a (q, q) array."""
    for k in range(laws.friction_place.shape[0]):
        if laws.friction_place[k] == place:
            c, rate = laws.friction_coordinate[k], laws.friction_rate[k]
            ramp = laws.coulomb[k] / laws.transition[k]
            slope = where(abs(rate * velocity[c]) < laws.transition[k], ramp, 0.0)
            by_velocity[c, c] += rate * rate * (laws.viscous[k] + slope)


@compiled
def write_friction(robot: Robot, cycle: CycleRecord, effort: Floats) -> None:
    """Write the efforts (q,) of the actuators that overcome all friction, after step 3."""
    laws = robot.mechanisms.friction
    for c in range(effort.shape[0]):
        effort[c] = 0.0
    add_friction(laws, AT_JOINT, cycle.kinematics.joint_velocity, effort)
    actuators = robot.mechanisms.actuators
    for k in range(actuators.coordinate.shape[0]):
        c = actuators.coordinate[k]
        effort[c] = effort[c] * (cycle.inputs.position[c] / cycle.kinematics.actuator_lever[k])
    add_friction(laws, AT_ACTUATOR, cycle.inputs.velocity, effort)
