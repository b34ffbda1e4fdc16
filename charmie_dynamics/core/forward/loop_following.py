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
from typing import NamedTuple

from charmie_dynamics.core.arrays import LOOP_OPEN, PASSIVE_IS_FREE, REACHED
from charmie_dynamics.core.inverse.cycle import STATUSES
from charmie_dynamics.core.inverse.records import Robot, sizes_in
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.blocks import lay_out
from charmie_dynamics.numerics.jit import compiled_apart, compiled_for
from charmie_dynamics.numerics.vectors import Floats

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
from .loop_closure import CLOSED_EXACTLY, close_rates, place
from .loop_constraints import Motion
from .loop_records import ClosureRoom

# role of a coordinate: held at its position at the start of the search; given; moved by the loops
HELD = 0.0
GIVEN = 1.0
PASSIVE = 2.0

# those of `LoopAddresses`, and of `run_closed_cycle`
FollowingAddresses = tuple[Address, Address, Address, Address, Address]

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


class Followed(NamedTuple):
    """State that persists from sample to sample, and workspace. All are arrays of floats.

    Attributes
    ----------
    role : (q,)
        HELD, GIVEN or PASSIVE.
    start, start_joints : (q + w,), (q,)
        A closed position, with which the search begins; and the joint positions there.
    last, last_joints : (q + w,), (q,)
        Those of the latest sample.
    found : (3,)
        1.0 if there is a latest sample; the rank of the constraints at the latest step; the number
        of idle motions of the passive joints.
    position, velocity, acceleration : (q + w,), (q,), (q,)
        Of this sample.
    begin, here, here_joints, trial, moved : (q + w,), (q + w,), (q,), (q + w,), (q + w,)
        Intermediate positions.
    closure_room, cycle_room
        The floats of a `ClosureRoom`, and of a `ClosedCycleRoom`.
    """

    role: Floats
    start: Floats
    start_joints: Floats
    last: Floats
    last_joints: Floats
    found: Floats
    position: Floats
    velocity: Floats
    acceleration: Floats
    begin: Floats
    here: Floats
    here_joints: Floats
    trial: Floats
    moved: Floats
    closure_room: Floats
    cycle_room: Floats


FollowedArrays = tuple[Floats, ...]
FOLLOWED = "(" + ", ".join(["floats"] * len(Followed._fields)) + ")"


@compiled_for("(int, int, int, int, int)", "(floats, floats, floats)", FOLLOWED, "floats", "bool")
def run_followed_cycle(
    addresses: FollowingAddresses,
    given: Motion,
    arrays: FollowedArrays,
    block: Floats,
    dynamics: bool,
) -> int:
    """Run a cycle of a robot with some coordinates given.

    Parameters
    ----------
    addresses : tuple of Address
        As of `run_closed_cycle`, and its own.
    given : three (q,) arrays
        Position, velocity and acceleration of the coordinates that are given.
    arrays : tuple of array
        Those of `Followed`. If the loops cannot be closed, the persistent state does not change.
    block, dynamics
        As for `run_cycle`.

    Returns
    -------
    int
        As `run_closed_cycle`.
    """
    ints, floats, run_cycle, run_constraints, run_closed_cycle = addresses
    followed = Followed(*arrays)
    sizes = sizes_in(ints)
    robot = lay_out(Robot, ints, floats, sizes)
    entry = robot.freedoms.position_entry
    motion = followed.position, followed.velocity, followed.acceleration
    for j in range(sizes.q + sizes.w):
        motion[0][j] = followed.start[j]
    for c in range(sizes.q):
        is_given = followed.role[c] == GIVEN
        if is_given:
            motion[0][entry[c]] = given[0][c]
        motion[1][c] = given[1][c] if is_given else 0.0
        motion[2][c] = given[2][c] if is_given else 0.0
    if sizes.r == 0:
        return call_at(run_cycle, ints, floats, motion[0], motion[1], motion[2], block, dynamics)
    work = lay_out(ClosureRoom, ints, followed.closure_room, sizes)
    for r in range(sizes.r):
        work.row_size[r] = 1.0
    count = 0
    for c in range(sizes.q):
        work.at_rest[c] = 0.0
        if followed.role[c] == PASSIVE:
            work.vectors.chosen[count] = c
            count += 1
    status = follow_loops(addresses, robot, followed, count)
    if status != REACHED:
        return status
    loops = ints, floats, run_cycle, run_constraints
    for order in range(1, 3):
        status = close_rates(
            loops, robot, motion, (count, order), MOVES_NOTHING, followed.closure_room
        )
        if status != REACHED:
            return status
    if followed.found[2] > 0.0:
        rank, _ = factor_movable(work, count, MOVES_NOTHING)
        status = settle_idle_motions(loops, motion, (count, rank), followed.closure_room)
        if status != REACHED:
            return status
    nothing = followed.found[3:]
    return call_at(run_closed_cycle, loops, motion, nothing, followed.cycle_room, block, dynamics)


@compiled_apart
def follow_loops(
    addresses: FollowingAddresses, robot: Robot, followed: Followed, count: int
) -> int:
    """Compute the position of the passive joints, and store it."""
    known = followed.found[0] != 0.0
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
            status = lead(addresses, robot, followed, count)
    if status != REACHED:
        return status
    rank = int(followed.found[1])
    if rank < count - int(followed.found[2]):
        work = lay_out(ClosureRoom, addresses[0], followed.closure_room, sizes_in(addresses[0]))
        return PASSIVE_IS_FREE + STATUSES * freest(work, count, rank)
    for j in range(p):
        followed.position[j] = followed.here[j]
        followed.last[j] = followed.here[j]
    for c in range(q):
        followed.last_joints[c] = followed.here_joints[c]
    followed.found[0] = 1.0
    return REACHED


@compiled_apart
def lead(addresses: FollowingAddresses, robot: Robot, followed: Followed, count: int) -> int:
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
        status = take_step(addresses, robot, followed, count)
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
def take_step(addresses: FollowingAddresses, robot: Robot, followed: Followed, count: int) -> int:
    """Close the loops near ``here`` with the driven joints as in ``trial``; see the module.

    The tangent is solved for with the factors of the last correction.
    """
    ints, floats, run_cycle, run_constraints, _ = addresses
    loops = ints, floats, run_cycle, run_constraints
    sizes = sizes_in(ints)
    room, trial, here = followed.closure_room, followed.trial, followed.here
    work = lay_out(ClosureRoom, ints, room, sizes)
    constraints, joints = work.state.constraints, work.cycle.kinematics.joint_position
    entry = robot.freedoms.position_entry
    step, error = work.vectors.along, math.inf
    for correction in range(MOST_CORRECTIONS + 1):
        found = place(loops, trial, room)
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
        solve_least_squares(work, (seen, count), rank, step)
        followed.found[1] = rank
        if is_last:
            break
        write_change(robot, work, count, work.vectors.drives)
        move(robot, trial, work.vectors.drives, followed.moved)
        for j in range(trial.shape[0]):
            trial[j] = followed.moved[j]
    write_change(robot, work, count, work.vectors.drives)
    move(robot, here, work.vectors.drives, followed.moved)
    longest, missed = 0.0, 0.0
    for k in range(count):
        j = entry[int(work.vectors.chosen[k])]
        longest = max(longest, abs(step[k]))
        missed = max(missed, abs(trial[j] - followed.moved[j]))
    if longest > LONGEST or missed > MISSED * longest + SMALL:
        return LOOP_OPEN + STATUSES * widest(work)
    for j in range(trial.shape[0]):
        here[j] = trial[j]
    for c in range(sizes.q):
        followed.here_joints[c] = joints[c]
    return REACHED
