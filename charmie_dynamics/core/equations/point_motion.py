# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motion of points that are fixed in bodies (kinematics of points, eq. 8 to 24).

A point of a link is moved by the joints between the link and the world, whose rates and
accelerations step 3 gives. An auxiliary body hangs on no joint: there the steps 4 and 5 run on
jets, which gives each frame's pose with its first and second derivative by time.
"""

from __future__ import annotations

from typing import Any

from charmie_dynamics.core.arrays import OVERFLOW, PRISMATIC, REACHED, REVOLUTE, Kinematics, Tree
from charmie_dynamics.core.inverse.cycle import has_non_finite
from charmie_dynamics.core.inverse.floating_joints import pose_of, pose_rate, quaternion_rate
from charmie_dynamics.core.inverse.forward_kinematics import forward_kinematics
from charmie_dynamics.core.inverse.newton_euler import acceleration_at, relative_motion
from charmie_dynamics.core.inverse.records import CycleRecord, Robot, sizes_in
from charmie_dynamics.core.mechanisms.all_types import place_mechanisms
from charmie_dynamics.core.mechanisms.auxiliary_bodies import place_members, to_world
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.blocks import lay_out
from charmie_dynamics.numerics.compiled_types.widths import JET_WIDTH
from charmie_dynamics.numerics.derivatives import as_jets, derivative_of, value_of
from charmie_dynamics.numerics.jit import compiled, compiled_for
from charmie_dynamics.numerics.vectors import (
    Floats,
    Ints,
    add,
    cross,
    cross_add,
    rotate,
    scale,
    subtract,
)

# numbers of a point: position, velocity, acceleration, angular velocity and acceleration (3 each),
# rotation (9)
POINT_NUMBERS = 24


@compiled
def move_link_point(
    tree: Tree, kinematics: Kinematics, link: int, p_link_point: Any, out: Floats
) -> None:
    """Write the motion of a point of a link.

    From the link to the world each joint adds its motion of the bodies behind it: the sums of eq.
    9, 13, 16 and 20, with the point in place of the centre of mass (eq. 23 and 24).

    Parameters
    ----------
    tree, kinematics : Tree, Kinematics
        After step 4.
    link : int
    p_link_point : (3,) array
        The point in the link (m).
    out : (POINT_NUMBERS,) array
        Output, world axes: position (m), velocity, acceleration of the point, angular velocity and
        acceleration of the link (rad/s, rad/s^2), rotation of the link row by row.
    """
    position = to_world(link, p_link_point, kinematics)  # eq. 21 and 22
    # as seen from body i, in world axes
    v = (0.0, 0.0, 0.0)
    a = (0.0, 0.0, 0.0)
    w = (0.0, 0.0, 0.0)
    dw = (0.0, 0.0, 0.0)
    i = link
    while i >= 0:
        c = tree.coordinate[i]
        if c >= 0:
            R = kinematics.R_world_frame[i]
            g = rotate(R, tree.axis[i])
            rate = scale(tree.multiplier[i] * kinematics.joint_velocity[c], g)
            change = scale(tree.multiplier[i] * kinematics.joint_acceleration[c], g)
            if tree.joint_type[i] == REVOLUTE:
                r = subtract(position, kinematics.p_world_frame[i])
                # eq. 20; the last term of eq. 16 rotates the velocity relative to the joint
                a = acceleration_at(r, rate, change, add(a, scale(2.0, cross(rate, v))))
                v = cross_add(rate, r, v)  # eq. 13
                dw = cross_add(rate, w, add(dw, change))  # eq. 16
                w = add(w, rate)  # eq. 9
            elif tree.joint_type[i] == PRISMATIC:
                v = add(v, rate)
                a = add(a, change)
            else:
                v_rel, w_rel, dv_rel, dw_rel = relative_motion(
                    tree,
                    i,
                    kinematics.R_parent_frame[i],
                    kinematics.joint_velocity,
                    kinematics.joint_acceleration,
                )
                rate, change = rotate(R, w_rel), rotate(R, dw_rel)
                r = subtract(position, kinematics.p_world_frame[i])
                a = acceleration_at(r, rate, change, add(a, scale(2.0, cross(rate, v))))
                a = add(a, rotate(R, dv_rel))
                v = add(cross_add(rate, r, v), rotate(R, v_rel))
                dw = cross_add(rate, w, add(dw, change))
                w = add(w, rate)
        i = tree.parent[i]
    R = kinematics.R_world_frame[link]
    for j in range(3):
        out[j] = position[j]
        out[3 + j] = v[j]
        out[6 + j] = a[j]
        out[9 + j] = w[j]
        out[12 + j] = dw[j]
        for k in range(3):
            out[15 + 3 * j + k] = R[j, k]


@compiled
def move_points(
    ints: Address,
    floats: Address,
    tree: Tree,
    kinematics: Kinematics,
    frames: Ints,
    p_frame_points: Floats,
    move_auxiliary: Address,
    workspace: Floats,
    block: Floats,
    first: int,
) -> int:
    """Write the motion of some points behind the numbers of a cycle.

    Parameters
    ----------
    ints, floats : Address
        Of the blocks of a `Robot`.
    tree : Tree
        Of the robot.
    kinematics : Kinematics
        After step 5.
    frames, p_frame_points : (k,), (k, 3) array
        The frames of the points, and the points in them (m).
    move_auxiliary, workspace
        Address of `move_auxiliary_point` and its workspace; not used for links.
    block : array
        The floats of a `CycleRecord`, and memory behind them.
    first : int
        Index in `block` at which the output begins, POINT_NUMBERS for each point.

    Returns
    -------
    int
        REACHED; OVERFLOW if a number is not finite; or the failure (a constant of `arrays`).
    """
    for k in range(frames.shape[0]):
        out = block[first + POINT_NUMBERS * k : first + POINT_NUMBERS * (k + 1)]
        if frames[k] < tree.parent.shape[0]:
            move_link_point(tree, kinematics, frames[k], p_frame_points[k], out)
        else:
            status = call_at(
                move_auxiliary, ints, floats, block, frames[k], p_frame_points[k], workspace, out
            )
            if status != REACHED:
                return status
        if has_non_finite(out):
            return OVERFLOW
    return REACHED


@compiled_for("int", "int", "floats", "int", "floats", "floats", "floats")
def move_auxiliary_point(
    ints: Address,
    floats: Address,
    block: Floats,
    frame: int,
    p_frame_point: Floats,
    workspace: Floats,
    out: Floats,
) -> int:
    """Write the motion of a point of an auxiliary body, or of a link.

    Parameters
    ----------
    ints, floats : Address
        Of the blocks of a `Robot`.
    block : (c,) array
        The floats of a `CycleRecord` after step 3.
    frame : int
    p_frame_point : (3,) array
        The point in the frame (m).
    workspace : (JET_WIDTH * c,) array
        The floats of a `CycleRecord` of jets.
    out : (POINT_NUMBERS,) array
        Output, as that of `move_link_point`.

    Returns
    -------
    int
        REACHED, or the failure (a constant of `arrays`).
    """
    sizes = sizes_in(ints)
    robot = lay_out(Robot, ints, floats, sizes)
    given = lay_out(CycleRecord, ints, block, sizes).kinematics
    jets = lay_out(CycleRecord, ints, as_jets(workspace), sizes)
    poses = jets.kinematics
    # the joint positions follow the inputs, see `CycleRecord`
    first = 3 * sizes.q + sizes.w
    for c in range(sizes.q):
        place = JET_WIDTH * (first + c)
        workspace[place] = given.joint_position[c]
        workspace[place + 1] = given.joint_velocity[c]
        workspace[place + 2] = given.joint_acceleration[c]
    if sizes.w > 0:
        for i in range(sizes.n):
            if robot.tree.scalar[i] >= 0:
                write_floating_jets(robot.tree, i, given, workspace[JET_WIDTH * first :])
    forward_kinematics(robot.tree, poses)
    place_members(robot.mechanisms.actuators, poses)
    status, _ = place_mechanisms(
        robot.tree, robot.mechanisms.by_type, poses, jets.mechanism_kinematics
    )
    if status == REACHED:
        write_motion(poses, frame, p_frame_point, out)
    return status


@compiled
def write_floating_jets(tree: Tree, i: int, given: Kinematics, jets: Floats) -> None:
    """Write the seven numbers of a floating joint's position with two derivatives by time.

    Parameters
    ----------
    tree : Tree
    i : int
        The body behind the joint.
    given : Kinematics
        After step 3.
    jets : array
        Output: jets of the joint positions, and from 3 q on of the scalars.
    """
    c = tree.coordinate[i]
    q = given.joint_velocity.shape[0]
    u, du = given.joint_velocity, given.joint_acceleration
    pose = pose_of(tree, i, given)
    v, dv = (u[c], u[c + 1], u[c + 2]), (du[c], du[c + 1], du[c + 2])
    w, dw = (u[c + 3], u[c + 4], u[c + 5]), (du[c + 3], du[c + 4], du[c + 5])
    rate = pose_rate(pose, v, w)
    # the same once more, of the rate: R' v is R (w x v)
    change = pose_rate(pose, cross_add(w, v, dv), dw)
    turned = quaternion_rate((rate[3], rate[4], rate[5], rate[6]), w)
    for k in range(7):
        place = JET_WIDTH * (c + k if k < 6 else 3 * q + tree.scalar[i])
        jets[place + 1] = rate[k]
        jets[place + 2] = change[k] if k < 3 else change[k] + turned[k - 3]
        if k == 6:
            jets[place] = pose[k]


@compiled
def write_motion(poses: Kinematics, frame: int, p_frame_point: Any, out: Floats) -> None:
    """Write the motion of a point from jets of the poses, as `move_link_point` does."""
    point = to_world(frame, p_frame_point, poses)  # eq. 21 and 22, differentiated eq. 23 and 24
    R = poses.R_world_frame[frame]
    for k in range(3):
        out[3 * k] = derivative_of(point[0], k)
        out[3 * k + 1] = derivative_of(point[1], k)
        out[3 * k + 2] = derivative_of(point[2], k)
    for j in range(3):
        # R' R^T = [w]x, and R'' R^T = [w']x + [w]x [w]x, of which the second part is symmetric
        this, other = (j + 2) % 3, (j + 1) % 3
        w = 0.0
        dw = 0.0
        for k in range(3):
            x, y = R[this, k], R[other, k]
            w += derivative_of(x, 1) * value_of(y) - derivative_of(y, 1) * value_of(x)
            dw += derivative_of(x, 2) * value_of(y) - derivative_of(y, 2) * value_of(x)
            out[15 + 3 * j + k] = value_of(R[j, k])
        out[9 + j] = 0.5 * w
        out[12 + j] = 0.5 * dw


@compiled_for(
    *("int", "int", "int", "int"),
    *("floats2", "floats2", "floats2"),
    *("int", "floats", "floats", "floats", "floats2"),
    nogil=True,
)
def move_point(
    ints: Address,
    floats: Address,
    run_cycle: Address,
    move_auxiliary: Address,
    position: Floats,
    velocity: Floats,
    acceleration: Floats,
    frame: int,
    p_frame_point: Floats,
    block: Floats,
    jets: Floats,
    out: Floats,
) -> int:
    """Write the motion of a point of a frame in each of some samples.

    Parameters
    ----------
    ints, floats : Address
        Of the blocks of a `Robot`.
    run_cycle, move_auxiliary : Address
        Of `run_cycle` and `move_auxiliary_point`; the latter may be 0 for a link.
    position, velocity, acceleration : (N, q + w) and two (N, q) arrays
        Of the actuators, finite.
    frame : int
        A link, or an auxiliary body.
    p_frame_point : (3,) array
        The point in the frame (m).
    block, jets : (c,) and (JET_WIDTH * c,) array
        Workspace for the floats of a `CycleRecord`, and for one of jets.
    out : (N, POINT_NUMBERS) array
        Output, as that of `move_link_point`.

    Returns
    -------
    int
        The first sample that could not be computed, or -1.
    """
    sizes = sizes_in(ints)
    robot = lay_out(Robot, ints, floats, sizes)
    kinematics = lay_out(CycleRecord, ints, block, sizes).kinematics
    for n in range(position.shape[0]):
        status = call_at(
            run_cycle,
            ints,
            floats,
            position[n],
            velocity[n],
            acceleration[n],
            block,
            False,
        )
        if status == REACHED:
            if frame < sizes.n:
                move_link_point(robot.tree, kinematics, frame, p_frame_point, out[n])
            else:
                status = call_at(
                    move_auxiliary,
                    ints,
                    floats,
                    block,
                    frame,
                    p_frame_point,
                    jets,
                    out[n],
                )
        if status != REACHED or has_non_finite(out[n]):
            return n
    return -1
