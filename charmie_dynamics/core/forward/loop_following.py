# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Passive joints sample by sample: loops that stay assembled as they are.

Where the driven joints leave several ways to close the loops, Newton's method finds one that is
near, which may be another than before. So the passive joints are led: from a position that is
closed along the straight way of the driven joints, in steps that are halved until in each

- Newton's method contracts from the last step, and
- the passive joints have moved as the tangent there says, D_m dq_m = -D_f dq_f, but for a share
  of it. On another branch the tangent points elsewhere.

From one sample to the next that is one step as a rule. Where no steps lead to the driven positions
from the last sample, as after a jump, they may from the position with which all began.
"""

from __future__ import annotations

from typing import NamedTuple

from charmie_dynamics.core.arrays import LOOP_OPEN, PASSIVE_IS_FREE, REACHED
from charmie_dynamics.core.inverse.cycle import STATUSES
from charmie_dynamics.core.inverse.records import Robot, sizes_in
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.blocks import lay_out
from charmie_dynamics.numerics.jit import compiled, compiled_for
from charmie_dynamics.numerics.vectors import Floats

from .loop_closure import (
    CLOSED_EXACTLY,
    Motion,
    close_rates,
    factor_movable,
    freest,
    place,
    solve_least_squares,
    widest,
)
from .loop_records import ClosureRoom

# what is known of a coordinate: nothing, so that it stays where the search began; all; or that
# the loops move it
HELD = 0.0
GIVEN = 1.0
PASSIVE = 2.0

# of two blocks of a `Robot`, `run_cycle` and `run_closed_cycle`
FollowingAddresses = tuple[Address, Address, Address, Address]

# a step contracts quadratically: more corrections than that, and it was too long
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
    """What is kept from sample to sample, and room. All are arrays of floats.

    Attributes
    ----------
    role : (q,)
        HELD, GIVEN or PASSIVE.
    start, start_joints : (q + w,), (q,)
        A closed position, with which the search begins; and of the joints there.
    last, last_joints : (q + w,), (q,)
        That of the newest sample.
    is_known : (1,)
        1.0 if there is one.
    position, velocity, acceleration : (q + w,), (q,), (q,)
        Of this sample.
    here, here_joints, trial : (q + w,), (q,), (q + w,)
        On the way.
    closure_room, cycle_room
        The floats of a `ClosureRoom`, and of a `ClosedCycleRoom`.
    """

    role: Floats
    start: Floats
    start_joints: Floats
    last: Floats
    last_joints: Floats
    is_known: Floats
    position: Floats
    velocity: Floats
    acceleration: Floats
    here: Floats
    here_joints: Floats
    trial: Floats
    closure_room: Floats
    cycle_room: Floats


FollowedArrays = tuple[Floats, ...]
FOLLOWED = "(" + ", ".join(["floats"] * len(Followed._fields)) + ")"


@compiled_for("(int, int, int, int)", "(floats, floats, floats)", FOLLOWED, "floats", "bool")
def run_followed_cycle(
    addresses: FollowingAddresses,
    given: Motion,
    arrays: FollowedArrays,
    block: Floats,
    dynamics: bool,
) -> int:
    """Run a cycle of a robot of which some coordinates are given.

    Parameters
    ----------
    addresses : tuple of Address
        Of the two blocks of a `Robot`, of `run_cycle` and of `run_closed_cycle`.
    given : three (q,) arrays
        Position, velocity and acceleration of the coordinates that are given.
    arrays : tuple of array
        Those of `Followed`. Where the loops cannot be closed, what is kept stays.
    block, dynamics
        As for `run_cycle`.

    Returns
    -------
    int
        As `run_closed_cycle`.
    """
    ints, floats, run_cycle, run_closed_cycle = addresses
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
    count = 0
    for c in range(sizes.q):
        work.at_rest[c] = 0.0
        if followed.role[c] == PASSIVE:
            work.vectors.chosen[count] = c
            count += 1
    status = follow_loops(addresses, robot, followed, count)
    if status != REACHED:
        return status
    for order in range(1, 3):
        loops = ints, floats, run_cycle
        status = close_rates(loops, robot, motion, (count, order), followed.closure_room)
        if status != REACHED:
            return status
    nothing = followed.is_known[1:]
    loops = ints, floats, run_cycle
    return call_at(run_closed_cycle, loops, motion, nothing, followed.cycle_room, block, dynamics)


@compiled
def follow_loops(
    addresses: FollowingAddresses, robot: Robot, followed: Followed, count: int
) -> int:
    """Find the position of the passive joints, and keep it."""
    known = followed.is_known[0] != 0.0
    entry = robot.freedoms.position_entry
    q, p = followed.role.shape[0], followed.start.shape[0]
    is_jump = not known
    status = LOOP_OPEN
    if known:
        for c in range(q):
            if followed.role[c] == GIVEN:
                way = followed.position[entry[c]] - followed.last[entry[c]]
                is_jump = is_jump or not abs(way) <= JUMP
        status = lead(addresses, robot, followed, (followed.last, followed.last_joints), count)
    if status != REACHED and is_jump:
        status = lead(addresses, robot, followed, (followed.start, followed.start_joints), count)
    if status != REACHED:
        return status
    work = lay_out(ClosureRoom, addresses[0], followed.closure_room, sizes_in(addresses[0]))
    rank, _ = factor_movable(work, count)
    if rank < count:
        return PASSIVE_IS_FREE + STATUSES * freest(work, count, rank)
    for j in range(p):
        followed.position[j] = followed.here[j]
        followed.last[j] = followed.here[j]
    for c in range(q):
        followed.last_joints[c] = followed.here_joints[c]
    followed.is_known[0] = 1.0
    return REACHED


@compiled
def lead(
    addresses: FollowingAddresses,
    robot: Robot,
    followed: Followed,
    begin: tuple[Floats, Floats],
    count: int,
) -> int:
    """Lead the passive joints from where they are at the beginning of the way to its end.

    The joints are where the arrays ``here`` say then, and the constraints are those there.
    """
    role, target, trial, here = followed.role, followed.position, followed.trial, followed.here
    entry = robot.freedoms.position_entry
    q, p = role.shape[0], target.shape[0]
    for j in range(p):
        here[j] = begin[0][j]
    for c in range(q):
        followed.here_joints[c] = begin[1][c]
    share, stride, status = 0.0, 1.0, LOOP_OPEN
    for _ in range(MOST_TRIES):
        ahead = min(1.0, share + stride)
        for j in range(p):
            trial[j] = target[j]
        for c in range(q):
            j = entry[c]
            if role[c] == PASSIVE:
                trial[j] = here[j]
            elif ahead < 1.0:
                trial[j] = begin[0][j] + ahead * (target[j] - begin[0][j])
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


@compiled
def take_step(addresses: FollowingAddresses, robot: Robot, followed: Followed, count: int) -> int:
    """Close the loops near ``here`` with the driven joints as in ``trial``; see the module."""
    ints, floats, run_cycle, _ = addresses
    loops = ints, floats, run_cycle
    sizes = sizes_in(ints)
    room, trial, here = followed.closure_room, followed.trial, followed.here
    work = lay_out(ClosureRoom, ints, room, sizes)
    entry = robot.freedoms.position_entry
    step = work.vectors.along
    error = place(loops, robot, trial, room)
    if error < 0.0:
        return int(-error)
    rank, seen = factor_movable(work, count)
    for _ in range(MOST_CORRECTIONS):
        if error <= ROUND_OFF:
            break
        for r in range(sizes.r):
            work.vectors.of_rows[r] = -work.constraints.error[r] / work.constraints.size[r]
        solve_least_squares(work, (seen, count), rank, step)
        for k in range(count):
            trial[entry[int(work.vectors.chosen[k])]] += step[k]
        found = place(loops, robot, trial, room)
        if found < 0.0:
            return int(-found)
        rank, seen = factor_movable(work, count)
        if not found < error:
            error = found
            break
        error = found
    if not error <= CLOSED_EXACTLY:
        return LOOP_OPEN + STATUSES * widest(work)
    joints = work.cycle.kinematics.joint_position
    for r in range(sizes.r):
        moved = 0.0
        for c in range(sizes.q):
            if followed.role[c] != PASSIVE:
                change = joints[c] - followed.here_joints[c]
                moved += work.constraints.jacobian[r, c] * change
        work.vectors.of_rows[r] = -moved / work.constraints.size[r]
    solve_least_squares(work, (seen, count), rank, step)
    longest, missed = 0.0, 0.0
    for k in range(count):
        j = entry[int(work.vectors.chosen[k])]
        longest = max(longest, abs(step[k]))
        missed = max(missed, abs(trial[j] - here[j] - step[k]))
    if longest > LONGEST or missed > MISSED * longest + SMALL:
        return LOOP_OPEN + STATUSES * widest(work)
    for j in range(trial.shape[0]):
        here[j] = trial[j]
    for c in range(sizes.q):
        followed.here_joints[c] = joints[c]
    return REACHED
