# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Step 3: linear actuators that move a joint indirectly (multibody paper, eq. 5 to 14).

Both loops obey one relation between the pin-to-pin length L and the joint position q:
L L' = k q', where k = d(L^2 / 2)/dq is the lever of the actuator times its length. It gives the
rates, the accelerations and, by virtual work, the actuator force equivalent to a joint effort.
A branch is a range of q in which k keeps its sign; the two solutions of a loop lie on the two
branches, and k = 0 (a dead centre) divides them.
"""

from __future__ import annotations

import math
from typing import Any

from charmie_dynamics.core.arrays import (
    ACTUATOR_OUT_OF_REACH,
    REACHED,
    REVOLUTE,
    Inputs,
    Kinematics,
    LinearActuators,
    Tree,
)
from charmie_dynamics.numerics.blocks import lay_out
from charmie_dynamics.numerics.branches import all_lanes, where
from charmie_dynamics.numerics.elementary import atan2, cos, sin, sqrt
from charmie_dynamics.numerics.jit import compiled, compiled_for
from charmie_dynamics.numerics.vectors import Floats, Ints

from .records import Robot, sizes_in


@compiled
def slide_position(length: float, along_zero: float, across: float, branch: float) -> float:
    """Return the position of a prismatic joint, NaN if the length is out of reach.

    Parameters
    ----------
    length : float
        Between the pins (m).
    along_zero, across : float
        Distance of the pins along and across the joint axis at joint position zero (m).
    branch : float
        +1 or -1: the sign of the distance along the axis.
    """
    square = length * length - across * across
    along = sqrt(where(square > 0.0, square, math.nan))
    return branch * along - along_zero  # eq. 5 and 6


@compiled
def hinge_position(length: float, F: Any, G_zero: Any, offset: float, branch: float) -> float:
    """Return the position of a revolute joint in (-pi, pi], NaN where the length is out of reach.

    Parameters
    ----------
    length, F, G_zero, offset, branch
        As for `moving_pin`.
    """
    return turn_of_pin(G_zero, moving_pin(length, F, G_zero, offset, branch))


@compiled
def moving_pin(
    length: float, F: Any, G_zero: Any, offset: float, branch: float
) -> tuple[float, float]:
    """Return the place G of the moving pin of a hinge, NaN where the length is out of reach.

    Parameters
    ----------
    length : float
        Between the pins (m).
    F, G_zero : (2,) array
        Fixed pin, and moving pin at joint position zero, in the plane across the joint axis with
        the hinge B at the origin (m).
    offset : float
        Distance of the pins along the axis (m), zero in a planar loop.
    branch : float
        +1 or -1: the side of the line from F to the hinge on which the moving pin lies.
    """
    act2 = length * length - offset * offset
    radius2 = G_zero[0] * G_zero[0] + G_zero[1] * G_zero[1]
    e = sqrt(F[0] * F[0] + F[1] * F[1])  # eq. 10
    el = (act2 - radius2 + e * e) / (2.0 * e)  # eq. 11
    h2 = act2 - el * el
    # at the dead centre h2 is round-off
    h = branch * sqrt(where(h2 > 1e-14 * act2, h2, math.nan))  # eq. 12
    u0 = -F[0] / e
    u1 = -F[1] / e
    # eq. 13 and 14: G = F + l u + h n with n across u, so that the h terms differ in sign
    # (printed: both plus)
    return F[0] + el * u0 - h * u1, F[1] + el * u1 + h * u0


@compiled
def turn_of_pin(G_zero: Any, G: Any) -> float:
    """Return the angle between the pin's places at zero and now, in every quadrant (eq. 7 to 9).

    Printed are arctangents of ratios.
    """
    return atan2(G_zero[0] * G[1] - G_zero[1] * G[0], G_zero[0] * G[0] + G_zero[1] * G[1])


@compiled
def pin_lever(F: Any, G: Any) -> tuple[float, float]:
    """Return k = d(L^2 / 2)/dq of a revolute joint and dk/dq."""
    return F[0] * G[1] - F[1] * G[0], F[0] * G[0] + F[1] * G[1]


@compiled
def slide_lever(q: float, along_zero: float) -> tuple[float, float]:
    """Return k = d(L^2 / 2)/dq of a prismatic joint and dk/dq."""
    return along_zero + q, 1.0


@compiled
def lever(q: float, revolute: bool, F: Any, G_zero: Any, along_zero: float) -> tuple[float, float]:
    """Return k = d(L^2 / 2)/dq and dk/dq at joint position `q`."""
    if revolute:
        c = cos(q)
        s = sin(q)
        G = (c * G_zero[0] - s * G_zero[1], s * G_zero[0] + c * G_zero[1])
        return pin_lever(F, G)
    return slide_lever(q, along_zero)


@compiled
def lever_at(tree: Tree, actuators: LinearActuators, k: int, q: float) -> tuple[float, float]:
    """Return d(L^2 / 2)/dq of actuator `k` and its derivative."""
    revolute = tree.joint_type[actuators.joint_body[k]] == REVOLUTE
    return lever(q, revolute, actuators.F[k], actuators.G_zero[k], actuators.along_zero[k])


@compiled
def joints_from_actuators(
    tree: Tree, actuators: LinearActuators, inputs: Inputs, out: Kinematics
) -> tuple[int, int]:
    """Convert actuator positions, rates and accelerations to those of the joints.

    Parameters
    ----------
    tree, actuators : Tree, LinearActuators
    inputs : Inputs
        Of the actuators: a length (m) where a linear actuator moves the joint, else the joint's.
    out : Kinematics
        Position, velocity and acceleration of the joints are written, and d(L^2 / 2)/dq of each
        linear actuator (m^2 or m).

    Returns
    -------
    status, index : int
        REACHED, or ACTUATOR_OUT_OF_REACH and the index of the actuator.
    """
    position, velocity, acceleration = inputs.position, inputs.velocity, inputs.acceleration
    joint_position, joint_velocity = out.joint_position, out.joint_velocity
    joint_acceleration = out.joint_acceleration
    for c in range(position.shape[0]):
        joint_position[c] = position[c]
        joint_velocity[c] = velocity[c]
        joint_acceleration[c] = acceleration[c]
    for w in range(inputs.scalar.shape[0]):
        out.joint_scalar[w] = inputs.scalar[w]
    for k in range(actuators.coordinate.shape[0]):
        c = actuators.coordinate[k]
        length = position[c]
        if tree.joint_type[actuators.joint_body[k]] == REVOLUTE:
            G = moving_pin(
                length,
                actuators.F[k],
                actuators.G_zero[k],
                actuators.along_zero[k],
                actuators.branch[k],
            )
            q = turn_of_pin(actuators.G_zero[k], G)
            kq, dk = pin_lever(actuators.F[k], G)
        else:
            q = slide_position(
                length, actuators.along_zero[k], actuators.across[k], actuators.branch[k]
            )
            kq, dk = slide_lever(q, actuators.along_zero[k])
        # q is NaN where the loop does not close
        if not all_lanes((length > 0.0) & (q == q) & (kq != 0.0)):
            return ACTUATOR_OUT_OF_REACH, k
        out.actuator_lever[k] = kq
        # L L' = k q', differentiated once more for the acceleration
        qd = length * velocity[c] / kq
        joint_position[c] = q
        joint_velocity[c] = qd
        joint_acceleration[c] = (
            velocity[c] * velocity[c] + length * acceleration[c] - dk * qd * qd
        ) / kq
    return REACHED, 0


@compiled
def actuator_from_joint(
    tree: Tree, actuators: LinearActuators, k: int, q: float, qd: float, qdd: float
) -> tuple[float, float, float]:
    """Return length, rate and acceleration of actuator `k` for a state of its joint.

    The inverse of `joints_from_actuators`, for drivers that report joint values.
    """
    along = actuators.along_zero[k]
    if tree.joint_type[actuators.joint_body[k]] == REVOLUTE:
        c = cos(q)
        s = sin(q)
        y = c * actuators.G_zero[k, 0] - s * actuators.G_zero[k, 1] - actuators.F[k, 0]
        z = s * actuators.G_zero[k, 0] + c * actuators.G_zero[k, 1] - actuators.F[k, 1]
        length = sqrt(y * y + z * z + along * along)
    else:
        length = math.hypot(along + q, actuators.across[k])
    kq, dk = lever_at(tree, actuators, k, q)
    rate = kq * qd / length
    return length, rate, (kq * qdd + dk * qd * qd - rate * rate) / length


@compiled
def on_branch(tree: Tree, actuators: LinearActuators, k: int, q: float) -> bool:
    """Return whether joint position `q` lies between the dead centres of actuator `k`'s branch."""
    kq, _ = lever_at(tree, actuators, k, q)
    if tree.joint_type[actuators.joint_body[k]] == REVOLUTE:
        return kq * actuators.branch[k] < 0.0  # type: ignore[no-any-return]
    return kq * actuators.branch[k] > 0.0  # type: ignore[no-any-return]


@compiled_for("ints", "floats", "int", "float", "float", "float")
def linear_actuator_of_joint(
    ints: Ints, floats: Floats, k: int, q: float, qd: float, qdd: float
) -> tuple[bool, float, float, float]:
    """Return `on_branch` and `actuator_from_joint` on the blocks of a `Robot`."""
    robot = lay_out(Robot, ints, floats, sizes_in(ints))
    actuators = robot.mechanisms.actuators
    length, rate, acceleration = actuator_from_joint(robot.tree, actuators, k, q, qd, qdd)
    return on_branch(robot.tree, actuators, k, q), length, rate, acceleration


@compiled
def actuator_effort(length: float, k: float, joint_effort: float) -> float:
    """Return the actuator's force that does the work of `joint_effort`: F L' = tau q'.

    Parameters
    ----------
    length : float
        Between the pins (m).
    k : float
        d(L^2 / 2)/dq (m^2 or m).
    joint_effort : float
        N m or N.

    Returns
    -------
    float
        Positive where it pushes the pins apart (N).
    """
    # eq. 36 and 37, torque about the hinge, and eq. 42, force along the slide
    return joint_effort * length / k
