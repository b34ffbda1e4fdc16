# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Floating joints: seven numbers of position, six of velocity.

The position is x, y, z and the quaternion qx, qy, qz, qw of the body in the joint's frame at
position zero; the velocity is the linear part v, then the angular part w, in the axes of the body.
So x' = R v, and q' = q (w, 0) / 2. (Featherstone, Rigid Body Dynamics Algorithms, 2008, section
4.5.)
"""

from __future__ import annotations

from typing import Any

from charmie_dynamics.core.arrays import FLOATING, Kinematics, Tree
from charmie_dynamics.numerics.addresses import Address
from charmie_dynamics.numerics.blocks import lay_out
from charmie_dynamics.numerics.elementary import sqrt
from charmie_dynamics.numerics.jit import compiled, compiled_for
from charmie_dynamics.numerics.vectors import Floats, Vector, add, cross_add, dot, scale

from .records import Robot, sizes_in

ROUND_OFF = 2e-15  # of the square of a length of one that was just normalised: nine roundings

Quaternion = tuple[float, float, float, float]  # x, y, z, w
Pose = tuple[float, float, float, float, float, float, float]


@compiled
def pose_of(tree: Tree, i: int, kinematics: Kinematics) -> Pose:
    """Return the position of the floating joint of body `i`, after step 3."""
    c = tree.coordinate[i]
    q = kinematics.joint_position
    scalar = kinematics.joint_scalar[tree.scalar[i]]
    return q[c], q[c + 1], q[c + 2], q[c + 3], q[c + 4], q[c + 5], scalar


@compiled
def pose_rate(pose: Pose, v: Vector, w: Vector) -> Pose:
    """Return the rate of the position of a floating joint from its velocity."""
    q = (pose[3], pose[4], pose[5], pose[6])
    dx = turned(q, v)
    dq = quaternion_rate(q, w)
    return dx[0], dx[1], dx[2], dq[0], dq[1], dq[2], dq[3]


@compiled
def quaternion_rate(q: Quaternion, w: Vector) -> Quaternion:
    """Return q (w, 0) / 2, the product of quaternions."""
    vector = (q[0], q[1], q[2])
    half = scale(0.5, w)
    d = cross_add(vector, half, scale(q[3], half))
    return d[0], d[1], d[2], -dot(vector, half)


@compiled
def turned(q: Quaternion, v: Any) -> Vector:
    """Return R v with the rotation of a quaternion of any length."""
    vector = (q[0], q[1], q[2])
    square = dot(vector, vector) + q[3] * q[3]
    t = cross_add(vector, v, scale(q[3], v))  # the vector part of q v, whose scalar is - q . v
    u = cross_add(t, scale(-1.0, vector), scale(q[3], t))
    return scale(1.0 / square, add(u, scale(dot(vector, v), vector)))


@compiled_for("int", "int", "floats", "floats", "floats")
def run_position_rate(
    ints: Address, floats: Address, position: Floats, velocity: Floats, rate: Floats
) -> int:
    """Write the rates of the positions for a velocity.

    Parameters
    ----------
    ints, floats : Address
        Of the blocks of a `Robot`.
    position : (q + w,) array
    velocity : (q,) array
    rate : (q + w,) array
        Output.

    Returns
    -------
    int
        0.
    """
    sizes = sizes_in(ints)
    robot = lay_out(Robot, ints, floats, sizes)
    freedoms, tree = robot.freedoms, robot.tree
    for c in range(sizes.q):
        rate[freedoms.position_entry[c]] = velocity[c]
    if sizes.w > 0:
        for i in range(sizes.n):
            if tree.joint_type[i] == FLOATING:
                c = tree.coordinate[i]
                first = freedoms.position_entry[c]
                x = position[first : first + 7]
                pose = (x[0], x[1], x[2], x[3], x[4], x[5], x[6])
                v = (velocity[c], velocity[c + 1], velocity[c + 2])
                w = (velocity[c + 3], velocity[c + 4], velocity[c + 5])
                found = pose_rate(pose, v, w)
                for k in range(7):
                    rate[first + k] = found[k]
    return 0


@compiled_for("int", "int", "floats")
def run_normalisation(ints: Address, floats: Address, position: Floats) -> int:
    """Scale the quaternions among the positions to length one.

    An integrator leaves them off that by its own error. Those of length one to round-off are not
    changed, so that a second normalisation has no effect.

    Returns
    -------
    int
        0.
    """
    sizes = sizes_in(ints)
    freedoms = lay_out(Robot, ints, floats, sizes).freedoms
    for k in range(sizes.w):
        last = freedoms.scalar_entry[k]
        square = 0.0
        for j in range(4):
            square += position[last - j] * position[last - j]
        if abs(square - 1.0) > ROUND_OFF:
            length = sqrt(square)
            for j in range(4):
                position[last - j] /= length
    return 0
