# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Passive joints sample by sample: loops that stay on their assembly branch.

If several positions of the passive joints close the loops, Newton's method finds a near one, which
may be on another branch than the last sample. Therefore the passive joints are continued from a
closed position along the straight line of the driven joints. The steps are halved until in each

- Newton's method contracts from the last step, and
- the motion of the passive joints agrees with the tangent, D_m dq_m = -D_f dq_f, up to a relative
  deviation. On another branch the tangent has another direction.

From one sample to the next this is usually one step. If no steps lead from the last sample to the
driven positions, for example after a jump, the search starts again from the initial position.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from charmie_dynamics.core.arrays import LOOP_OPEN, PASSIVE_IS_FREE, REACHED
from charmie_dynamics.core.inverse.cycle import STATUSES
from charmie_dynamics.core.inverse.records import Robot, sizes_in
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.blocks import first_numbers, floats_of, lay_out
from charmie_dynamics.numerics.jit import compiled_apart, compiled_for
from charmie_dynamics.numerics.vectors import Floats, Ints

from .closure_steps import (
    MOVES_NOTHING,
    error_of,
    factor_movable,
    freest,
    keep_sizes,
    move,
    solve_least_squares,
    widest,
    write_change,
)
from .idle_motions import settle_idle_motions
from .loop_closure import CLOSED_EXACTLY, close_rates, place, write_sized_state
from .loop_constraints import CoordinateMotion, LoopAddresses
from .loop_records import ClosureRoom

# role of a coordinate: held at its position at the start of the search; given; moved by the loops
HELD = 0.0
GIVEN = 1.0
PASSIVE = 2.0

# a step contracts quadratically: if it needs more corrections, it was too long
MOST_CORRECTIONS = 8
ROUND_OFF = 1e-14
# of what a passive joint moves in a step (rad or m), and what the tangent may miss of it
LONGEST = 0.2
MISSED = 0.25
SMALL = 1e-6
# steps along the way, as shares of it
MOST_TRIES = 400
SHORTEST = 1e-5
# rad or m, of a driven joint: more than that from one sample to the next is a jump
JUMP = 0.2


class FollowedSizes(NamedTuple):
    """Sizes of the arrays."""

    p: int  # positions
    q: int  # coordinates
    closure_workspace: int  # floats of a `ClosureRoom`
    cycle_workspace: int  # and of a `ClosedCycleRoom`


class Followed(NamedTuple):
    """State that persists from sample to sample, and workspace."""

    sizes: Annotated[Ints, len(FollowedSizes._fields)]  # those of `FollowedSizes`
    role: Annotated[Floats, "q"]  # HELD, GIVEN or PASSIVE
    start: Annotated[Floats, "p"]  # a closed position, with which the search begins
    start_joints: Annotated[Floats, "q"]  # the joint positions there
    held_velocity: Annotated[Floats, "q"]  # of coordinates that are held; 0 for all others
    held_acceleration: Annotated[Floats, "q"]
    last: Annotated[Floats, "p"]  # those of the latest sample
    last_joints: Annotated[Floats, "q"]
    is_known: Annotated[Floats, 1]  # 1.0 if there is a latest sample
    rank: Annotated[Floats, 1]  # of the constraints at the latest step
    idle: Annotated[Floats, 1]  # number of idle motions of the passive joints
    position: Annotated[Floats, "p"]  # of this sample
    velocity: Annotated[Floats, "q"]
    acceleration: Annotated[Floats, "q"]
    begin: Annotated[Floats, "p"]  # intermediate positions
    here: Annotated[Floats, "p"]
    here_joints: Annotated[Floats, "q"]
    trial: Annotated[Floats, "p"]
    moved: Annotated[Floats, "p"]
    no_multiplier: Annotated[Floats, 0]
    closure_workspace: Annotated[Floats, "closure_workspace"]
    cycle_workspace: Annotated[Floats, "cycle_workspace"]


class FollowingAddresses(NamedTuple):
    """Addresses of a robot, of the state that persists and of kernels."""

    ints: Address  # the two blocks of a `Robot`
    floats: Address
    run_cycle: Address
    run_loop_constraints: Address
    run_closed_cycle: Address
    run_followed_cycle: Address
    followed_ints: Address  # the two blocks of a `Followed`
    followed_floats: Address


@compiled_for("int", "inputs", "inputs", "inputs", "floats", "bool")
def run_followed_cycle(
    addresses: Address,
    position: Floats,
    velocity: Floats,
    acceleration: Floats,
    block: Floats,
    dynamics: bool,
) -> int:
    """Run a cycle of a robot with some coordinates given.

    If the loops cannot be closed, the persistent state does not change.

    Parameters
    ----------
    addresses : Address
        Of a block of `FollowingAddresses`.
    position, velocity, acceleration : (q,) array
        Of the coordinates that are given.
    block, dynamics
        As for `run_cycle`.

    Returns
    -------
    int
        As `run_closed_cycle`.
    """
    at = first_numbers(FollowingAddresses, addresses)
    followed_sizes = first_numbers(FollowedSizes, at.followed_ints)
    followed = lay_out(Followed, at.followed_ints, at.followed_floats, followed_sizes)
    sizes = sizes_in(at.ints)
    robot = lay_out(Robot, at.ints, at.floats, sizes)
    entry = robot.freedoms.position_entry
    motion = CoordinateMotion(
        floats_of(followed.position),
        floats_of(followed.velocity),
        floats_of(followed.acceleration),
    )
    for j in range(motion.position.shape[0]):
        motion.position[j] = followed.start[j]
    for c in range(sizes.q):
        is_given = followed.role[c] == GIVEN
        if is_given:
            motion.position[entry[c]] = position[c]
        motion.velocity[c] = velocity[c] if is_given else followed.held_velocity[c]
        motion.acceleration[c] = acceleration[c] if is_given else followed.held_acceleration[c]
    if sizes.r == 0:
        return call_at(
            at.run_cycle, at.ints, at.floats,
            motion.position, motion.velocity, motion.acceleration, block, dynamics,
        )  # fmt: skip
    workspace = floats_of(followed.closure_workspace)
    work = lay_out(ClosureRoom, at.ints, workspace, sizes)
    for r in range(sizes.r):
        work.row_size[r] = 1.0
    count = 0
    for c in range(sizes.q):
        work.at_rest[c] = 0.0
        if followed.role[c] == PASSIVE:
            work.vectors.chosen[count] = c
            count += 1
    loops = LoopAddresses(at.ints, at.floats, at.run_cycle, at.run_loop_constraints)
    status = follow_loops(loops, robot, followed, count)
    if status != REACHED:
        return status
    for order in range(1, 3):
        status = write_sized_state(loops, motion, work)
        if status != REACHED:
            return status
        status = close_rates(robot, motion, count, order, MOVES_NOTHING, work)
        if status != REACHED:
            return status
    if followed.idle[0] > 0.0:
        rank, _ = factor_movable(work, count, MOVES_NOTHING)
        status = settle_idle_motions(loops, motion, count, rank, workspace)
        if status != REACHED:
            return status
    return call_at(
        at.run_closed_cycle, at.ints, at.floats, at.run_cycle, at.run_loop_constraints,
        motion.position, motion.velocity, motion.acceleration,
        followed.no_multiplier, followed.cycle_workspace, block, dynamics,
    )  # fmt: skip


@compiled_apart
def follow_loops(at: LoopAddresses, robot: Robot, followed: Followed, count: int) -> int:
    """Compute the position of the passive joints, and store it."""
    known = followed.is_known[0] != 0.0
    entry = robot.freedoms.position_entry
    q, p = followed.role.shape[0], followed.start.shape[0]
    is_jump = not known
    for c in range(q):
        if known and followed.role[c] == GIVEN:
            way = followed.position[entry[c]] - followed.last[entry[c]]
            is_jump = is_jump or not abs(way) <= JUMP
    status = LOOP_OPEN
    for attempt in range(2):
        from_last = attempt == 0
        if status != REACHED and (known if from_last else is_jump):
            for j in range(p):
                followed.begin[j] = followed.last[j] if from_last else followed.start[j]
                followed.here[j] = followed.begin[j]
            for c in range(q):
                before = followed.last_joints[c] if from_last else followed.start_joints[c]
                followed.here_joints[c] = before
            status = lead(at, robot, followed, count)
    if status != REACHED:
        return status
    rank = int(followed.rank[0])
    if rank < count - int(followed.idle[0]):
        work = lay_out(ClosureRoom, at.ints, followed.closure_workspace, sizes_in(at.ints))
        return PASSIVE_IS_FREE + STATUSES * freest(work, count, rank)
    for j in range(p):
        followed.position[j] = followed.here[j]
        followed.last[j] = followed.here[j]
    for c in range(q):
        followed.last_joints[c] = followed.here_joints[c]
    followed.is_known[0] = 1.0
    return REACHED


@compiled_apart
def lead(at: LoopAddresses, robot: Robot, followed: Followed, count: int) -> int:
    """Continue the passive joints from ``begin`` to the driven positions of the sample.

    The arrays ``here`` hold the current position; the factored constraints are those there.
    """
    role, begin, trial, here = followed.role, followed.begin, followed.trial, followed.here
    tree, freedoms = robot.tree, robot.freedoms
    target, entry = followed.position, robot.freedoms.position_entry
    share, stride, status = 0.0, 1.0, LOOP_OPEN
    for _ in range(MOST_TRIES):
        ahead = min(1.0, share + stride)
        for j in range(trial.shape[0]):
            trial[j] = target[j]
        for c in range(role.shape[0]):
            j = entry[c]
            if role[c] == PASSIVE:
                trial[j] = here[j]
            elif ahead < 1.0:
                trial[j] = begin[j] + ahead * (target[j] - begin[j])
            if role[c] == PASSIVE and freedoms.floating_body[c] >= 0:
                j = freedoms.scalar_entry[tree.scalar[freedoms.floating_body[c]]]
                trial[j] = here[j]
        status = take_step(at, robot, followed, count)
        if status == REACHED:
            if ahead == 1.0:
                return REACHED
            share = ahead
            stride *= 2.0
        else:
            stride = 0.5 * (ahead - share)
            if stride < SHORTEST:
                break
    return status if status != REACHED else LOOP_OPEN


@compiled_apart
def take_step(at: LoopAddresses, robot: Robot, followed: Followed, count: int) -> int:
    """Close the loops near ``here`` with the driven joints as in ``trial``; see the module.

    The tangent is solved for with the factors of the last correction.
    """
    sizes = sizes_in(at.ints)
    workspace = floats_of(followed.closure_workspace)
    trial, here, moved = (
        floats_of(followed.trial), floats_of(followed.here), floats_of(followed.moved)
    )  # fmt: skip
    work = lay_out(ClosureRoom, at.ints, workspace, sizes)
    constraints, joints = work.state.constraints, work.cycle.kinematics.joint_position
    entry = robot.freedoms.position_entry
    step, error = work.vectors.along, math.inf
    for correction in range(MOST_CORRECTIONS + 1):
        found = place(at, trial, floats_of(work.at_rest), workspace)
        if found < 0.0:
            return int(-found)
        keep_sizes(work)
        found = error_of(work)
        rank, seen = factor_movable(work, count, MOVES_NOTHING)
        is_last = found <= ROUND_OFF or not found < error or correction == MOST_CORRECTIONS
        error = found
        if is_last and not error <= CLOSED_EXACTLY:
            return LOOP_OPEN + STATUSES * widest(work)
        for r in range(sizes.r):
            demand = constraints.error[r]
            if is_last:
                demand = 0.0
                for c in range(sizes.q):
                    if followed.role[c] != PASSIVE:
                        change = joints[c] - followed.here_joints[c]
                        demand += constraints.jacobian[r, c] * change
            work.vectors.of_rows[r] = -demand / constraints.size[r]
        solve_least_squares(work, seen, count, rank, step)
        followed.rank[0] = rank
        if is_last:
            break
        write_change(robot, work, count, work.vectors.drives)
        move(robot, trial, work.vectors.drives, moved)
        for j in range(trial.shape[0]):
            trial[j] = moved[j]
    write_change(robot, work, count, work.vectors.drives)
    move(robot, here, work.vectors.drives, moved)
    longest, missed = 0.0, 0.0
    for k in range(count):
        j = entry[int(work.vectors.chosen[k])]
        longest = max(longest, abs(step[k]))
        missed = max(missed, abs(trial[j] - moved[j]))
    if longest > LONGEST or missed > MISSED * longest + SMALL:
        return LOOP_OPEN + STATUSES * widest(work)
    for j in range(trial.shape[0]):
        here[j] = trial[j]
    for c in range(sizes.q):
        followed.here_joints[c] = joints[c]
    return REACHED
