# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Constraints of loop joints: error, Jacobian and how it changes (contact paper, section 2.1).

Each constraint is a unit wrench F that the first body applies on the second, and its opposite on
the first: in world axes, at the point at rest that `spatial_motion` refers to,

    form               F (torque; force)                    error Phi
    ORIENTATION, AXIS  u; 0                                 u . phi
    POINT              q x u; u                             u . (q - p)
    DISTANCE           q x u; u with u = (q - p)/|q - p|    |q - p| - length

with u fixed in the first body and phi of `core.mechanisms.loop_joints`. The rate of a constraint
is F times the velocity of the second body less that of the first: for points the derivative of Phi,
for orientations the component of the relative angular velocity w. So with the axes S of the joints
towards each

    rate = D q',  D = F . (S of the second, less S of the first)                      (eq. 10)
    D q'' = gamma,  gamma = -D' q',  D' = F' . S + F . S'                             (eq. 11)

D' is the derivative of D at any position. As u . w are components along orthogonal axes, D does not
lose rank where loops are open. At closed positions D is the Jacobian of Phi. At open ones two
properties of rotation vectors replace that (with the left Jacobian J of SO(3), phi' = J^-1 w and
J^-1 phi = phi; for AXIS, |phi|' = phi . w / |phi|):

    (Phi . Phi)' = 2 Phi . D q'       D q' = -Phi leads to |Phi|' = -|Phi|

so that D^T Phi is the exact gradient of half the square of all errors, the equation of Newton's
method, D dq = -Phi, has its exact solutions, and Baumgarte's terms, 2 alpha D q' + beta^2 Phi, take
energy from each error.

The generalised forces D^T lambda are those of the wrenches lambda F.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from charmie_dynamics.core.arrays import REACHED, Kinematics
from charmie_dynamics.core.equations.mass_matrix import turn_with_floating_bodies
from charmie_dynamics.core.equations.records import Spatial
from charmie_dynamics.core.equations.spatial_motion import NOTHING, spatial_motion, velocity_of
from charmie_dynamics.core.inverse.records import CycleRecord, Robot, sizes_in
from charmie_dynamics.core.mechanisms.auxiliary_bodies import to_world
from charmie_dynamics.core.mechanisms.loop_joints import (
    AXIS,
    DISTANCE,
    ORIENTATION,
    LoopJoints,
)
from charmie_dynamics.numerics.addresses import Address
from charmie_dynamics.numerics.blocks import lay_out
from charmie_dynamics.numerics.elementary import atan2, sqrt
from charmie_dynamics.numerics.jit import compiled, compiled_apart, compiled_for
from charmie_dynamics.numerics.rotations import quaternion_from_rows
from charmie_dynamics.numerics.vectors import (
    Floats,
    Vector,
    cross,
    cross_add,
    dot,
    norm,
    rotate,
    rotate_back,
    scale,
    store,
    subtract,
)

from .loop_records import Constraints, ConstraintState, Factors, LoopVectors
from .orthogonal_factors import factor_rows

LOOP_ADDRESSES = ("int", "int", "int", "int")


class LoopAddresses(NamedTuple):
    """Addresses of a robot and of kernels, the first arguments of the kernels of loops."""

    ints: Address  # the two blocks of a `Robot`
    floats: Address
    run_cycle: Address
    run_loop_constraints: Address


class CoordinateMotion(NamedTuple):
    """Position (q + w,), velocity (q,) and acceleration (q,) of the coordinates."""

    position: Floats
    velocity: Floats
    acceleration: Floats


# relative to the size of a constraint: a loop with a larger error counts as open
CLOSED = 1e-6
# rad/s, m/s, and per s for accelerations: least reference motion that openings are compared with. A
# robot at rest moves by the round-off of its forces, which satisfies no constraint
STILL = 1e-6
# relative to the size of a row of the Jacobian: a row with a smaller residual depends on the
# others. If loops are open by an error, the residuals of dependent rows are of that size.
DEPENDENT = 1e-10
BY_ERROR = 10.0


@compiled_for("int", "int", "floats", "floats")
def run_loop_constraints(ints: Address, floats: Address, block: Floats, out: Floats) -> int:
    """Write the constraints of the loop joints at the state of a cycle.

    Kernels call it by its address, so that it is compiled once.

    Parameters
    ----------
    ints, floats : Address
        Of the blocks of a `Robot`.
    block : array
        Of a `CycleRecord` after step 4; may be longer.
    out : array
        Output: the floats of a `ConstraintState`; may be longer.

    Returns
    -------
    int
        REACHED.
    """
    sizes = sizes_in(ints)
    robot = lay_out(Robot, ints, floats, sizes)
    kinematics = lay_out(CycleRecord, ints, block, sizes).kinematics
    state = lay_out(ConstraintState, ints, out, sizes)
    spatial_motion(robot, kinematics, state.spatial)
    write_constraints(robot, kinematics, state.spatial, state.constraints)
    write_errors(robot.mechanisms.by_type.loop_joints, kinematics, state.constraints)
    return REACHED


@compiled
def write_constraints(
    robot: Robot, kinematics: Kinematics, spatial: Spatial, out: Constraints
) -> None:
    """Write all constraints but for their errors.

    Parameters
    ----------
    robot : Robot
    kinematics : Kinematics
        After step 4.
    spatial : Spatial
        From `spatial_motion`.
    out : Constraints
        Output.
    """
    joints, freedoms = robot.mechanisms.by_type.loop_joints, robot.freedoms
    count, end = joints.row_joint.shape[0], 0
    for r in range(count):
        k = joints.row_joint[r]
        first = freedoms.last_freedom[joints.first_body[k]]
        second = freedoms.last_freedom[joints.second_body[k]]
        common = freedoms.last_freedom[joints.common_body[k]]
        write_wrench(joints, kinematics, spatial, r, first, second, out)
        for c in range(out.jacobian.shape[1]):
            out.jacobian[r, c] = 0.0
            out.jacobian_rate[r, c] = 0.0
        out.size[r] = 0.0
        if r + 1 < count and joints.row_joint[r + 1] == k:
            continue
        # the rows of one loop joint follow each other
        begin, end = end, r + 1
        add_freedoms(robot, spatial, begin, end, second, common, 1.0, out)
        add_freedoms(robot, spatial, begin, end, first, common, -1.0, out)
    for r in range(count):
        if out.size[r] > 0.0:
            out.size[r] = sqrt(out.size[r])  # the largest square
        else:
            out.size[r] = 1.0  # no joint moves it
    turn_with_floating_bodies(robot.tree, kinematics, out.jacobian, out.jacobian_rate)


@compiled_apart
def write_wrench(
    joints: LoopJoints,
    kinematics: Kinematics,
    spatial: Spatial,
    r: int,
    first_freedom: int,
    second_freedom: int,
    out: Constraints,
) -> None:
    """Write the wrench of constraint r and the rate of the wrench.

    `first_freedom` and `second_freedom` are the last degrees of freedom of the two bodies.
    """
    k = joints.row_joint[r]
    first, second = joints.first_body[k], joints.second_body[k]
    w_first, v_first = velocity_of(first_freedom, spatial)
    w_second, v_second = velocity_of(second_freedom, spatial)
    q = subtract(to_world(second, joints.p_second_point[k], kinematics), spatial.reference)
    store(out.point[r], q)
    u = rotate(kinematics.R_world_frame[first], joints.u_first[r])
    du = cross(w_first, u)
    form = joints.row_form[r]
    if form == ORIENTATION or form == AXIS:
        store(out.torque[r], u)
        store(out.force[r], NOTHING)
        store(out.torque_rate[r], du)
        store(out.force_rate[r], NOTHING)
        return
    p = subtract(to_world(first, joints.p_first_point[k], kinematics), spatial.reference)
    dq = cross_add(w_second, q, v_second)
    if form == DISTANCE:
        d = subtract(q, p)
        length = norm(d)
        # coinciding points have no direction: any direction separates them
        u = scale(1.0 / length, d) if length > 0.0 else u
        dd = subtract(dq, cross_add(w_first, p, v_first))
        du = scale(1.0 / length, subtract(dd, scale(dot(u, dd), u))) if length > 0.0 else NOTHING
    store(out.torque[r], cross(q, u))
    store(out.force[r], u)
    store(out.torque_rate[r], cross_add(dq, u, cross(q, du)))
    store(out.force_rate[r], du)


@compiled_apart
def write_errors(joints: LoopJoints, kinematics: Kinematics, out: Constraints) -> None:
    """Write the errors of all constraints."""
    for r in range(joints.row_joint.shape[0]):
        k = joints.row_joint[r]
        form = joints.row_form[r]
        if form == ORIENTATION:
            out.error[r] = dot(joints.u_first[r], rotation_error(joints, kinematics, k))
            continue
        if form == AXIS:
            out.error[r] = dot(joints.u_first[r], axis_error(joints, kinematics, k))
            continue
        first, second = joints.first_body[k], joints.second_body[k]
        p = to_world(first, joints.p_first_point[k], kinematics)
        d = subtract(to_world(second, joints.p_second_point[k], kinematics), p)
        if form == DISTANCE:
            out.error[r] = norm(d) - joints.row_length[r]
        else:
            u = rotate(kinematics.R_world_frame[first], joints.u_first[r])
            out.error[r] = dot(u, d)


@compiled_apart
def rotation_error(joints: LoopJoints, kinematics: Kinematics, k: int) -> Vector:
    """Return the rotation vector from the closed to the actual orientation of the second body.

    In the axes of the first body (rad); at most pi long.
    """
    R_first = kinematics.R_world_frame[joints.first_body[k]]
    R_second = kinematics.R_world_frame[joints.second_body[k]]
    R = joints.R_first_second[k]
    # rows of R_first^T R_second R^T
    x = rotate(R, rotate_back(R_second, rotate(R_first, (1.0, 0.0, 0.0))))
    y = rotate(R, rotate_back(R_second, rotate(R_first, (0.0, 1.0, 0.0))))
    z = rotate(R, rotate_back(R_second, rotate(R_first, (0.0, 0.0, 1.0))))
    qx, qy, qz, qw = quaternion_from_rows(x, y, z)
    sine = norm((qx, qy, qz))
    return scale(2.0 * atan2(sine, qw) / sine if sine > 0.0 else 2.0, (qx, qy, qz))


@compiled_apart
def axis_error(joints: LoopJoints, kinematics: Kinematics, k: int) -> Vector:
    """Return the rotation vector from the axis of the first body to that of the second body.

    In the axes of the first body (rad); at most pi long.
    """
    R_first = kinematics.R_world_frame[joints.first_body[k]]
    R_second = kinematics.R_world_frame[joints.second_body[k]]
    first = joints.axis_first[k]
    second = rotate_back(R_first, rotate(R_second, joints.axis_second[k]))
    turn = cross(first, second)
    sine, cosine = norm(turn), dot(first, second)
    if sine > 0.0:
        return scale(atan2(sine, cosine) / sine, turn)
    if cosine > 0.0:
        return turn
    # opposite axes: all directions across them are equivalent
    least, square = 0, first[0] * first[0]
    for k, other in enumerate((first[1] * first[1], first[2] * first[2])):
        if other < square:
            least, square = 1 + k, other
    across = cross(first, (1.0 * (least == 0), 1.0 * (least == 1), 1.0 * (least == 2)))
    return scale(math.pi / norm(across), across)


@compiled_apart
def add_freedoms(
    robot: Robot,
    spatial: Spatial,
    begin: int,
    end: int,
    d: int,
    last: int,
    sign: float,
    out: Constraints,
) -> None:
    """Add the degrees of freedom between a body and the common ancestor to the rows of a joint.

    `d` and `last` are the last degrees of freedom of the two; `begin` and `end` limit the rows. The
    squares of sizes are written.
    """
    freedoms, joints = robot.freedoms, robot.mechanisms.by_type.loop_joints
    q = out.point[begin]
    w, v = velocity_of(freedoms.last_freedom[joints.second_body[joints.row_joint[begin]]], spatial)
    q_rate = cross_add(w, q, v)
    while d != last:
        c = freedoms.freedom_coordinate[d]
        a, da = spatial.joint_angular[d], spatial.rate_angular[d]
        # of the second point
        moved = cross_add(a, q, spatial.joint_linear[d])
        change = cross_add(a, q_rate, cross_add(da, q, spatial.rate_linear[d]))
        turning, moving = dot(a, a), dot(moved, moved)
        for r in range(begin, end):
            form = joints.row_form[r]
            if form == ORIENTATION or form == AXIS:
                u, square = out.torque[r], turning
                element, rate = dot(u, a), dot(out.torque_rate[r], a) + dot(u, da)
            else:
                u, square = out.force[r], moving
                element, rate = dot(u, moved), dot(out.force_rate[r], moved) + dot(u, change)
            out.jacobian[r, c] += sign * element
            out.jacobian_rate[r, c] += sign * rate
            if square > out.size[r]:
                out.size[r] = square
        d = freedoms.freedom_before[d]


@compiled
def dependence_of(constraints: Constraints) -> float:
    """Return the largest relative residual of a dependent row of the Jacobian."""
    largest = 0.0
    for r in range(constraints.error.shape[0]):
        largest = max(largest, abs(constraints.error[r]) / constraints.size[r])
    return max(DEPENDENT, BY_ERROR * largest)


@compiled_apart
def factor_constraints(
    joints: LoopJoints, constraints: Constraints, factors: Factors, vectors: LoopVectors
) -> tuple[int, int, int]:
    """Factor the Jacobian by the coordinates in loops, each row by its size.

    Returns
    -------
    count, rank, seen : int
        Number of coordinates, which are written into ``chosen``; the rank, and the number of
        nonzero rows, see `factor_rows`.
    """
    count = 0
    for c in range(joints.loop_count.shape[0]):
        if joints.loop_count[c] != 0:
            vectors.chosen[count] = c
            count += 1
    rows = constraints.error.shape[0]
    for r in range(rows):
        for k in range(count):
            column = int(vectors.chosen[k])
            factors.rows[r, k] = constraints.jacobian[r, column] / constraints.size[r]
    rank, seen = factor_rows(
        factors.rows,
        rows,
        count,
        factors.reflections,
        factors.order,
        dependence_of(constraints),
    )
    return count, rank, seen
