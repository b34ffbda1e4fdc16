# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Jacobian of a point of a link: how its velocity depends on those of the actuators.

Only the links between the root and the point are placed. An axis z through the
origin of body i moves a point at r from there with z x r.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from charmie_dynamics.core.arrays import (
    NOT_FINITE,
    NOT_OF_LENGTH_ONE,
    REACHED,
    WRONG_SHAPE,
    Freedoms,
    Kinematics,
    Tree,
)
from charmie_dynamics.core.inverse.batch import copy_lanes, fill_block
from charmie_dynamics.core.inverse.cycle import STATUSES, find_unfit_quaternion, has_non_finite
from charmie_dynamics.core.inverse.forward_kinematics import (
    place_body,
    place_in_parent,
    place_joints,
)
from charmie_dynamics.core.inverse.linear_actuators import joints_from_actuators
from charmie_dynamics.core.inverse.records import CycleRecord, Robot, sizes_in
from charmie_dynamics.numerics.addresses import Address
from charmie_dynamics.numerics.blocks import float_count, lay_out
from charmie_dynamics.numerics.branches import LANES, as_lanes
from charmie_dynamics.numerics.jit import compiled, compiled_for
from charmie_dynamics.numerics.vectors import Floats, Vector, add, cross, rotate, scale, subtract

from .records import JacobianRoom, JacobianTerms

ADDRESSES = ("int", "int", "int")


class JacobianAddresses(NamedTuple):
    """Addresses of a robot and of a workspace, the first arguments of `run_jacobian`."""

    ints: Address  # the two blocks of a `Robot`
    floats: Address
    workspace: Address  # the floats of a `JacobianRoom`


@compiled_for(*ADDRESSES, "inputs", "int", "float", "float", "float", "floats2")
def run_jacobian(
    ints: Address,
    floats: Address,
    workspace: Address,
    position: Floats,
    body: int,
    x: float,
    y: float,
    z: float,
    out: Floats,
) -> int:
    """Write the Jacobian of a point, world axes, by the velocities of the actuators.

    Parameters
    ----------
    ints, floats, workspace : Address
        See `JacobianAddresses`.
    position : (q + w,) array
        Of the actuators.
    body : int
    x, y, z : float
        The point in the body (m).
    out : (6, q) array
        Output: three rows of the linear velocity, three of the angular one.

    Returns
    -------
    int
        As `run_cycle`.
    """
    sizes = sizes_in(ints)
    q = sizes.q
    if position.shape[0] != q + sizes.w:
        return WRONG_SHAPE
    robot = lay_out(Robot, ints, floats, sizes)
    work = lay_out(JacobianRoom, ints, workspace, sizes)
    cycle = work.cycle
    freedoms = robot.freedoms
    for c in range(q):
        cycle.inputs.position[c] = position[freedoms.position_entry[c]]
        cycle.inputs.velocity[c] = 0.0
        cycle.inputs.acceleration[c] = 0.0
    for k in range(sizes.w):
        cycle.inputs.scalar[k] = position[freedoms.scalar_entry[k]]
    if has_non_finite(position) or not abs(x) + abs(y) + abs(z) < math.inf:
        return NOT_FINITE
    write_chain(robot.tree, body, work.next_body)
    return write_jacobian(robot, cycle, body, (x, y, z), work.next_body, out)


@compiled
def write_jacobian(
    robot: Robot, cycle: CycleRecord, body: int, point: Vector, next_body: Floats, out: Floats
) -> int:
    """Write the Jacobian of a point after `write_chain`; return the status of `run_cycle`."""
    tree = robot.tree
    fault = find_unfit_quaternion(tree, cycle)
    if fault >= 0:
        return NOT_OF_LENGTH_ONE + STATUSES * fault
    kinematics = cycle.kinematics
    actuators = robot.mechanisms.actuators
    status, index = joints_from_actuators(tree, actuators, cycle.inputs, kinematics)
    if status != REACHED:
        return status + STATUSES * index
    place_joints(tree, kinematics)
    place_chain(tree, body, kinematics, next_body)
    for row in range(6):
        for c in range(out.shape[1]):
            out[row, c] = 0.0
    write_columns(robot.freedoms, kinematics, body, point, out)
    for k in range(actuators.coordinate.shape[0]):
        c = actuators.coordinate[k]
        ratio = cycle.inputs.position[c] / kinematics.actuator_lever[k]  # dq/dL, see `transmission`
        for row in range(6):
            out[row, c] = out[row, c] * ratio
    return REACHED


@compiled_for(
    *("int", "int", "floats2", "floats2", "int", "float", "float", "float"),
    *("floats2", "floats2", "floats"),
    nogil=True,
)
def run_jacobian_rows(
    ints: Address,
    floats: Address,
    position: Floats,
    velocity: Floats,
    body: int,
    x: float,
    y: float,
    z: float,
    out: Floats,
    block: Floats,
    next_body: Floats,
) -> int:
    """Write the Jacobians of a point at N positions, several at once.

    Parameters
    ----------
    ints, floats, body, x, y, z
        As for `run_jacobian`, finite.
    position, velocity : (N, q + w), (N, q) array
        Finite; velocities do not change the result.
    out : (N, 6 q) array
        Output.
    block : (m, LANES) array
        Workspace for a `CycleRecord` and a Jacobian; from `room_for`.
    next_body : (n,) array
        Workspace.

    Returns
    -------
    int
        Index of the first of `LANES` positions of which one could not be computed, or -1.
    """
    sizes = sizes_in(ints)
    robot = lay_out(Robot, ints, floats, sizes)
    cycle = lay_out(CycleRecord, ints, as_lanes(block), sizes)
    results = block[float_count(CycleRecord, sizes) :]
    jacobian = lay_out(JacobianTerms, ints, as_lanes(results), sizes).jacobian
    write_chain(robot.tree, body, next_body)
    for first in range(0, out.shape[0], LANES):
        fill_block(robot, position, velocity, velocity, first, block, False)
        if write_jacobian(robot, cycle, body, (x, y, z), next_body, jacobian) != REACHED:
            return first
        copy_lanes(results, first, out)
    return -1


@compiled
def write_chain(tree: Tree, body: int, next_body: Floats) -> None:
    """Write the next body towards `body`, for each body before it."""
    i = body
    while tree.parent[i] >= 0:
        next_body[tree.parent[i]] = i
        i = tree.parent[i]


@compiled
def place_chain(tree: Tree, body: int, kinematics: Kinematics, next_body: Floats) -> None:
    """Write the poses of a body and of those before it."""
    i = 0
    while True:
        place_in_parent(tree, i, kinematics)
        place_body(tree, i, kinematics)
        if i == body:
            break
        i = int(next_body[i])


@compiled
def write_columns(
    freedoms: Freedoms, kinematics: Kinematics, body: int, point: Vector, out: Floats
) -> None:
    """Add the column of each joint that moves a point in a body, mimic joints to their leader."""
    p_world_point = add(
        kinematics.p_world_frame[body], rotate(kinematics.R_world_frame[body], point)
    )
    d = freedoms.last_freedom[body]
    while d >= 0:
        c = freedoms.freedom_coordinate[d]
        R = kinematics.R_world_frame[freedoms.freedom_frame[d]]
        z = scale(freedoms.freedom_multiplier[d], rotate(R, freedoms.freedom_axis[d]))
        if freedoms.freedom_turns[d] == 1:
            origin = kinematics.p_world_frame[freedoms.freedom_body[d]]
            moved = cross(z, subtract(p_world_point, origin))
            for row in range(3):
                out[row, c] += moved[row]
                out[row + 3, c] += z[row]
        else:
            for row in range(3):
                out[row, c] += z[row]
        d = freedoms.freedom_before[d]
