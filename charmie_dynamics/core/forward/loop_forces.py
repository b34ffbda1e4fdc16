# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Step 7 for loops that loop joints close: loads of the loop joints, and the efforts."""

from __future__ import annotations

from typing import Any

from charmie_dynamics.core.arrays import (
    LOOP_OPEN,
    LOOP_OPENS,
    LOOP_OPENS_FASTER,
    OVERFLOW,
    REACHED,
)
from charmie_dynamics.core.inverse.cycle import STATUSES, has_non_finite
from charmie_dynamics.core.inverse.loops import write_actuator_efforts
from charmie_dynamics.core.inverse.records import CycleRecord, Robot, sizes_in
from charmie_dynamics.core.mechanisms.auxiliary_bodies import to_world
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.blocks import floats_of, lay_out
from charmie_dynamics.numerics.jit import compiled_apart, compiled_for
from charmie_dynamics.numerics.vectors import (
    Floats,
    Ints,
    add,
    cross,
    cross_add,
    rotate_back,
    scale,
    store,
    subtract,
)

from .loop_balance import balance_loops, take_multipliers
from .loop_constraints import CLOSED, LOOP_ADDRESSES, STILL
from .loop_records import ClosedCycleRoom, Constraints


@compiled_for(
    *LOOP_ADDRESSES,
    *("floats", "floats", "floats"),
    *("floats", "floats", "floats", "bool"),
)
def run_closed_cycle(
    ints: Address,
    floats: Address,
    run_cycle: Address,
    run_loop_constraints: Address,
    position: Floats,
    velocity: Floats,
    acceleration: Floats,
    multiplier: Floats,
    workspace: Floats,
    block: Floats,
    dynamics: bool,
) -> int:
    """Run a cycle of a robot with loop joints.

    Parameters
    ----------
    ints, floats, run_cycle, run_loop_constraints : Address
        See `LoopAddresses`.
    position, velocity, acceleration : (q + w,) array and two (q,) arrays
    multiplier : (r,) array
        lambda if it is known, as after forward dynamics, which has checked that the loops are
        closed; else (0,).
    workspace : array
        The floats of a `ClosedCycleRoom`.
    block, dynamics
        As for `run_cycle`.

    Returns
    -------
    int
        As `run_cycle`; or LOOP_OPEN, LOOP_OPENS or LOOP_OPENS_FASTER with the constraint of the
        largest error, PASSIVE_IS_UNBALANCED with a coordinate.
    """
    status = call_at(run_cycle, ints, floats, position, velocity, acceleration, block, dynamics)
    if status != REACHED:
        return status
    sizes = sizes_in(ints)
    robot = lay_out(Robot, ints, floats, sizes)
    cycle = lay_out(CycleRecord, ints, block, sizes)
    work = lay_out(ClosedCycleRoom, ints, workspace, sizes)
    call_at(run_loop_constraints, ints, floats, block, floats_of(work.state))
    if multiplier.shape[0] == 0:
        status = find_open(cycle, work.state.constraints)
        if status != REACHED or not dynamics:
            return status
        status = balance_loops(robot, cycle, work)
        if status != REACHED:
            return status
    else:
        take_multipliers(robot, cycle, multiplier, work)
    apply_loop_forces(robot, cycle, work)
    loads = cycle.dynamics
    if has_non_finite(loads.actuator_effort) or has_non_finite(loads.link_force[0]):
        return OVERFLOW
    return REACHED


@compiled_for(
    "int",
    *LOOP_ADDRESSES,
    *("floats2", "floats2", "floats2", "floats2"),
    *("ints", "floats", "floats", "floats2", "bool"),
    nogil=True,
)
def run_closed_rows(
    kernel: Address,
    ints: Address,
    floats: Address,
    run_cycle: Address,
    run_loop_constraints: Address,
    position: Floats,
    velocity: Floats,
    acceleration: Floats,
    multiplier: Floats,
    columns: Ints,
    workspace: Floats,
    block: Floats,
    out: Floats,
    dynamics: bool,
) -> int:
    """Run `run_closed_cycle` by its address for each sample, and keep some results.

    Parameters
    ----------
    kernel : Address
        Of `run_closed_cycle`.
    ints, floats, run_cycle, run_loop_constraints, workspace, block, dynamics
        As for `run_closed_cycle`.
    position, velocity, acceleration : (N, q + w) and two (N, q) arrays
    multiplier : (N, r) array
        (N, 0) if unknown.
    columns : (k,) array of int
        Indices in a block of the results to keep.
    out : (N, k) array
        Output.

    Returns
    -------
    int
        The first sample that could not be computed, or -1.
    """
    for n in range(position.shape[0]):
        status = call_at(
            kernel, ints, floats, run_cycle, run_loop_constraints,
            position[n], velocity[n], acceleration[n], multiplier[n], workspace, block, dynamics,
        )  # fmt: skip
        if status != REACHED:
            return n
        for j in range(columns.shape[0]):
            out[n, j] = block[columns[j]]
    return -1


@compiled_apart
def find_open(cycle: CycleRecord, constraints: Constraints) -> int:
    """Return REACHED, or the constraint with the largest error of position, rate or drift."""
    velocity, acceleration = cycle.kinematics.joint_velocity, cycle.kinematics.joint_acceleration
    speed, change = STILL, STILL
    for c in range(velocity.shape[0]):
        speed = max(speed, abs(velocity[c]))
        change = max(change, abs(acceleration[c]))
    change = max(change, speed * speed)
    for order in range(3):
        largest, found = 0.0, 0
        for r in range(constraints.error.shape[0]):
            error = 0.0 if order > 0 else constraints.error[r]
            for c in range(velocity.shape[0]):
                if order == 1:
                    error += constraints.jacobian[r, c] * velocity[c]
                elif order == 2:
                    error += constraints.jacobian[r, c] * acceleration[c]
                    error += constraints.jacobian_rate[r, c] * velocity[c]
            error = abs(error) / constraints.size[r]
            if not error <= largest:
                largest, found = error, r
        if order == 0 and not largest <= CLOSED:
            return LOOP_OPEN + STATUSES * found
        if order == 1 and not largest <= CLOSED * speed:
            return LOOP_OPENS + STATUSES * found
        if order == 2 and not largest <= CLOSED * change:
            return LOOP_OPENS_FASTER + STATUSES * found
    return REACHED


@compiled_apart
def apply_loop_forces(robot: Robot, cycle: CycleRecord, work: ClosedCycleRoom) -> None:
    """Write the loads of the loop joints, and subtract them from those of the tree's joints."""
    tree = robot.tree
    joints = robot.mechanisms.by_type.loop_joints
    out = cycle.dynamics
    loop_force = cycle.mechanism_dynamics.loop_joints.loop_force
    write_loop_forces(joints, work.state.constraints, work.vectors.in_rows, loop_force)
    for k in range(joints.first_body.shape[0]):
        f, t = loop_force[k], (loop_force[k, 3], loop_force[k, 4], loop_force[k, 5])
        second = joints.second_body[k]
        p = to_world(second, joints.p_second_point[k], cycle.kinematics)
        for end in range(2):
            i = second if end == 0 else joints.first_body[k]
            sign = -1.0 if end == 0 else 1.0
            while i != joints.common_body[k]:
                R = cycle.kinematics.R_world_frame[i]
                lever = subtract(p, cycle.kinematics.p_world_frame[i])
                f_i = rotate_back(R, scale(sign, f))
                t_i = rotate_back(R, scale(sign, cross_add(lever, f, t)))
                store(out.link_force[i], add(out.link_force[i], f_i))
                store(out.link_torque[i], add(out.link_torque[i], t_i))
                i = tree.parent[i]
    write_actuator_efforts(robot, cycle)


@compiled_apart
def write_loop_forces(joints: Any, constraints: Constraints, multiplier: Any, out: Any) -> None:
    """Write the wrenches (l, 6) of all loop joints, torques about their second points."""
    for k in range(out.shape[0]):
        for j in range(6):
            out[k, j] = 0.0
    for r in range(constraints.error.shape[0]):
        k = joints.row_joint[r]
        f = scale(multiplier[r], constraints.force[r])
        t = scale(multiplier[r], constraints.torque[r])
        t = subtract(t, cross(constraints.point[r], f))
        for j in range(3):
            out[k, j] += f[j]
            out[k, 3 + j] += t[j]
