# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Kinematic analysis: motion of some coordinates that closes the loops (contact paper, figure 3).

Positions by Newton's method on the constraints, with the shortest steps in the sense of least
squares, halved until the error decreases; velocities and accelerations by one linear system each:

    D_m dq_m = -Phi,   D_m q_m' = -D_f q_f',   D_m q_m'' = gamma - D_f q_f''

where m are the coordinates that may move, and f those that are given.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from charmie_dynamics.core.arrays import (
    LOOP_OPEN,
    LOOP_OPENS,
    LOOP_OPENS_FASTER,
    PASSIVE_IS_FREE,
    REACHED,
)
from charmie_dynamics.core.inverse.cycle import STATUSES
from charmie_dynamics.core.inverse.records import Robot, sizes_in
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.blocks import floats_of, lay_out
from charmie_dynamics.numerics.jit import compiled, compiled_apart, compiled_for
from charmie_dynamics.numerics.vectors import Floats

from .closure_steps import (
    MOVES_NOTHING,
    error_of,
    factor_movable,
    freest,
    keep_sizes,
    move,
    note_nearest,
    solve_least_squares,
    widest,
    write_change,
)
from .idle_motions import settle_idle_motions
from .loop_constraints import CLOSED, LOOP_ADDRESSES, CoordinateMotion, LoopAddresses
from .loop_records import ClosureRoom

MOST_STEPS = 60
MOST_HALVINGS = 12
MOST_RISES = 15  # accepted steps with growing error, to pass a ridge
LONGEST_STEP = 1.0  # rad or m
RESTARTS = 4
RESTART = 0.7  # rad or m, the most that a coordinate is moved for another search
# errors below are round-off, for machines of the size of their levers
ROUND_OFF = 2e-15
# here Newton's method is about to reach round-off: a whole step that does not decrease the error is
# the last one, and shorter ones are not tried
ALMOST_CLOSED = 1e-12
CLOSED_EXACTLY = 1e-9
# relative to the sizes of the constraints: loops that are farther open in a simulation are reported
MOST_OPEN = 1e-5
# near a singular position, where a motion opens the loops by a fraction s of other motions, closed
# positions are known to eps / s and the velocities that keep them closed to eps / s^2, which
# exceeds the error of integration. Below this fraction a simulation does not correct velocities,
# and below the second one, which acts at each fixed step, neither these nor positions. Of A02 with
# rk4 over 10 s, 1e-2 is a thousand times less exact
SHALLOW = 1e-3
SHALLOW_IN_STEPS = 3e-2


class SearchLimits(NamedTuple):
    """Limits relative to the sizes of the constraints."""

    most: float  # error at the start; infinite: the search may go elsewhere
    moves_nothing: float  # no step goes into directions that move the loops by less


@compiled_for(
    *LOOP_ADDRESSES,
    *("floats", "floats", "floats"),
    *("floats", "int", "int", "float", "float", "floats"),
)
def run_closure(
    ints: Address,
    floats: Address,
    run_cycle: Address,
    run_loop_constraints: Address,
    position: Floats,
    velocity: Floats,
    acceleration: Floats,
    movable: Floats,
    orders: int,
    determined: int,
    least: float,
    most: float,
    workspace: Floats,
) -> int:
    """Compute the motion of some coordinates that closes the loops.

    Parameters
    ----------
    ints, floats, run_cycle, run_loop_constraints : Address
        See `LoopAddresses`.
    position, velocity, acceleration : (q + w,) array and two (q,) arrays
        Movable coordinates change, in the shortest steps. The
        search begins at their position.
    movable : (q,) array
        1.0 for movable coordinates.
    orders : int
        1: positions only; 2: positions and velocities; 3: accelerations, too.
    determined : int
        Number of independent motions of the movable coordinates that the loops must determine, at
        most all. The others are idle: their accelerations become those without effort. 0: any.
    least : float
        Rates do not change in directions that move the loops by less, relative to the sizes of the
        constraints.
    most : float
        Relative to the sizes of the constraints, how far the loops may be open at the start. They
        are then closed at the nearest position, which is not changed in the directions of `least`
        either; nothing changes if they are open by more. Infinite: the search may go elsewhere.
    workspace : array
        The floats of a `ClosureRoom`.

    Returns
    -------
    int
        As `run_cycle`; or LOOP_OPEN, LOOP_OPENS or LOOP_OPENS_FASTER with the constraint of the
        largest error, PASSIVE_IS_FREE with a coordinate that no loop determines.
    """
    at = LoopAddresses(ints, floats, run_cycle, run_loop_constraints)
    motion = CoordinateMotion(position, velocity, acceleration)
    sizes = sizes_in(ints)
    robot = lay_out(Robot, ints, floats, sizes)
    work = lay_out(ClosureRoom, ints, workspace, sizes)
    count = choose_movable(robot, movable, work)
    for c in range(sizes.q):
        work.at_rest[c] = 0.0
    at_rest = floats_of(work.at_rest)
    placed = CoordinateMotion(position, velocity if orders > 1 else at_rest, at_rest)
    limits = SearchLimits(most, least if most < math.inf else MOVES_NOTHING)
    status = close_positions(at, robot, placed, count, limits, workspace)
    if status != REACHED:
        return status
    if not error_of(work) <= CLOSED_EXACTLY:
        return LOOP_OPEN + STATUSES * widest(work)
    rank = count
    if determined > 0:
        rank, _ = factor_movable(work, count, MOVES_NOTHING)
        if rank < min(determined, count):
            return PASSIVE_IS_FREE + STATUSES * freest(work, count, rank)
    for order in range(1, orders):
        if order > 1:
            status = write_sized_state(at, motion, work)
            if status != REACHED:
                return status
        status = close_rates(robot, motion, count, order, least, work)
        if status != REACHED:
            return status
    if rank < count and orders == 3:
        rank, _ = factor_movable(work, count, MOVES_NOTHING)
        return settle_idle_motions(at, motion, count, rank, workspace)
    return REACHED


@compiled
def choose_movable(robot: Robot, movable: Floats, work: ClosureRoom) -> int:
    """Write the movable coordinates in the loops, and return their number."""
    count = 0
    joints = robot.mechanisms.by_type.loop_joints
    for c in range(movable.shape[0]):
        if movable[c] != 0.0 and joints.loop_count[c] != 0:
            work.vectors.chosen[count] = c
            count += 1
    return count


@compiled_apart
def close_positions(
    at: LoopAddresses,
    robot: Robot,
    motion: CoordinateMotion,
    count: int,
    limits: SearchLimits,
    workspace: Floats,
) -> int:
    """Move the movable coordinates until the loops are closed.

    If the search ends at a local minimum of the error, it is repeated from other positions near the
    first one, unless the loops were almost closed.

    The workspace has the state at the result, with its sizes.
    """
    sizes = sizes_in(at.ints)
    work = lay_out(ClosureRoom, at.ints, workspace, sizes)
    start, trial, nearest = floats_of(work.start), floats_of(work.trial), floats_of(work.nearest)
    position = motion.position
    p = position.shape[0]
    for r in range(sizes.r):
        work.row_size[r] = 1.0
    error = place(at, position, motion.velocity, workspace)
    if error < 0.0:
        return int(-error)
    # all errors are relative to the sizes at the first position, so that they can be compared
    keep_sizes(work)
    if not error_of(work) <= limits.most:
        return LOOP_OPEN + STATUSES * widest(work)
    for j in range(p):
        start[j] = trial[j] = position[j]
    least = math.inf
    for attempt in range(RESTARTS + 1 if limits.most == math.inf else 1):
        if attempt > 0:
            for k in range(count):
                # arbitrary directions, identical in each run
                work.vectors.along[k] = RESTART * math.sin(12.9898 * (k + 1) * attempt)
            write_change(robot, work, count, work.vectors.drives)
            if take_step(at, robot, start, motion.velocity, 1.0, workspace) < 0.0:
                continue
            for j in range(p):
                position[j] = trial[j]
        least = search(at, robot, motion, count, least, limits, workspace)
        if count == 0 or least <= CLOSED_EXACTLY:
            break
    is_last = True
    for j in range(p):
        position[j] = nearest[j]
        is_last = is_last and nearest[j] == trial[j]
    if not is_last:
        place(at, position, motion.velocity, workspace)
    keep_sizes(work)
    return REACHED


@compiled_apart
def search(
    at: LoopAddresses,
    robot: Robot,
    motion: CoordinateMotion,
    count: int,
    least: float,
    limits: SearchLimits,
    workspace: Floats,
) -> float:
    """Move a position by Newton's method; store that of least error, and return its error.

    `least` is the least error so far.
    """
    sizes, position = sizes_in(at.ints), motion.position
    work = lay_out(ClosureRoom, at.ints, workspace, sizes)
    trial, p = floats_of(work.trial), position.shape[0]
    step = work.vectors.along
    error = error_of(work)
    rises = 0
    for _ in range(MOST_STEPS):
        if error < least:
            least = error
            note_nearest(work, position)
        if count == 0 or error <= ROUND_OFF:
            break
        rank, seen = factor_movable(work, count, limits.moves_nothing)
        for r in range(sizes.r):
            work.vectors.of_rows[r] = -work.state.constraints.error[r] / work.row_size[r]
        solve_least_squares(work, seen, count, rank, step)
        longest = 0.0
        for k in range(count):
            longest = max(longest, abs(step[k]))
        write_change(robot, work, count, work.vectors.drives)
        whole = min(1.0, LONGEST_STEP / longest) if longest > 0.0 else 1.0
        length, found = whole, -1.0
        for _ in range(MOST_HALVINGS if error > ALMOST_CLOSED else 1):
            found = take_step(at, robot, position, motion.velocity, length, workspace)
            if 0.0 <= found < error:
                break
            length *= 0.5
        if not 0.0 <= found < error:
            rises += 1
            if error <= CLOSED_EXACTLY or rises > MOST_RISES:
                break  # no further decrease
            found = take_step(at, robot, position, motion.velocity, whole, workspace)
            if found < 0.0:
                break
        error = found
        for j in range(p):
            position[j] = trial[j]
    if 0.0 <= error < least:
        least = error
        note_nearest(work, position)
    return least


@compiled_apart
def take_step(
    at: LoopAddresses,
    robot: Robot,
    position: Floats,
    velocity: Floats,
    length: float,
    workspace: Floats,
) -> float:
    """Return `place` at the trial position, which differs by a part of the change in ``drives``."""
    work = lay_out(ClosureRoom, at.ints, workspace, sizes_in(at.ints))
    trial = floats_of(work.trial)
    for c in range(work.at_rest.shape[0]):
        work.vectors.across[c] = length * work.vectors.drives[c]
    move(robot, position, work.vectors.across, trial)
    return place(at, trial, velocity, workspace)


@compiled_apart
def place(at: LoopAddresses, position: Floats, velocity: Floats, workspace: Floats) -> float:
    """Return the norm of the closure errors at a position, or a status of `run_cycle` as negative.

    The errors of the constraints are relative to their sizes. The state is written.
    """
    work = lay_out(ClosureRoom, at.ints, workspace, sizes_in(at.ints))
    at_rest = floats_of(work.at_rest)
    status = write_state(at, CoordinateMotion(position, velocity, at_rest), work)
    if status != REACHED:
        return -float(status)
    return error_of(work)


@compiled_apart
def write_state(at: LoopAddresses, motion: CoordinateMotion, work: ClosureRoom) -> int:
    """Write the cycle and the constraints at a state; return the status of `run_cycle`."""
    cycle = floats_of(work.cycle)
    status = call_at(
        at.run_cycle, at.ints, at.floats,
        motion.position, motion.velocity, motion.acceleration, cycle, False,
    )  # fmt: skip
    if status != REACHED:
        return status
    return call_at(at.run_loop_constraints, at.ints, at.floats, cycle, floats_of(work.state))


@compiled
def write_sized_state(at: LoopAddresses, motion: CoordinateMotion, work: ClosureRoom) -> int:
    """Write the state and the sizes of its constraints; return the status of `run_cycle`."""
    status = write_state(at, motion, work)
    keep_sizes(work)
    return status


@compiled_apart
def close_rates(
    robot: Robot,
    motion: CoordinateMotion,
    count: int,
    order: int,
    least: float,
    work: ClosureRoom,
) -> int:
    """Correct velocities (order 1) or accelerations (order 2), so that the loops stay closed.

    The workspace is that of `write_sized_state`.
    """
    q, rows = work.at_rest.shape[0], work.row_size.shape[0]
    constraints, kinematics = work.state.constraints, work.cycle.kinematics
    largest = 0.0
    for r in range(rows):
        given, reach = 0.0, 0.0
        for c in range(q):
            if order == 1:
                term = constraints.jacobian[r, c] * kinematics.joint_velocity[c]
                reach = max(reach, abs(kinematics.joint_velocity[c]))
            else:
                term = constraints.jacobian[r, c] * kinematics.joint_acceleration[c]
                term += constraints.jacobian_rate[r, c] * kinematics.joint_velocity[c]
                reach = max(reach, abs(kinematics.joint_acceleration[c]))
                reach = max(reach, kinematics.joint_velocity[c] ** 2)
            given -= term
        work.vectors.of_rows[r] = given / constraints.size[r]
        largest = max(largest, reach)
    rank, seen = factor_movable(work, count, least)
    x = work.vectors.along
    solve_least_squares(work, seen, count, rank, x)
    write_change(robot, work, count, work.vectors.drives)
    corrected = motion.velocity if order == 1 else motion.acceleration
    for c in range(q):
        corrected[c] += work.vectors.drives[c]
    # residual of the dependent rows
    worst, opens = -1.0, 0
    for r in range(rows):
        rest = work.vectors.of_rows[r]
        for k in range(count):
            column = int(work.vectors.chosen[k])
            rest -= constraints.jacobian[r, column] / constraints.size[r] * x[k]
        constraints.error[r] = rest * constraints.size[r]
        if abs(rest) > worst:
            worst, opens = abs(rest), r
    if worst > CLOSED * largest:
        return (LOOP_OPENS if order == 1 else LOOP_OPENS_FASTER) + STATUSES * opens
    return REACHED
