# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Idle motions: internal freedoms that do not affect the loop joints.

Example: a rod between two ball joints spins about the line through their centres. No actuator does
work in that motion, and it affects no loop joint: F times the velocity of each of the two bodies of
a loop joint is zero, not only that of their difference. Idle motions keep their position and
velocity (the shortest step). Their acceleration is the one that needs no effort.
"""

from __future__ import annotations

from typing import Any

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.equations.records import Spatial
from charmie_dynamics.core.inverse.records import Robot, sizes_in
from charmie_dynamics.numerics.addresses import call_at
from charmie_dynamics.numerics.blocks import floats_of, lay_out
from charmie_dynamics.numerics.jit import compiled_apart
from charmie_dynamics.numerics.vectors import Floats, dot

from .closure_steps import MOVES_NOTHING
from .loop_constraints import CoordinateMotion, LoopAddresses
from .loop_records import ClosureRoom, Constraints
from .orthogonal_factors import factor_rows, solve_rows, write_unseen

# relative to the largest effort: smaller inertial efforts of idle motions count as round-off
WITHOUT_INERTIA = 1e-13


@compiled_apart
def settle_idle_motions(
    at: LoopAddresses, motion: CoordinateMotion, count: int, rank: int, workspace: Floats
) -> int:
    """Correct accelerations along the idle motions N, so that these need no effort.

    N^T (M (a + N w) + h) = 0, with M and h from cycles of the open tree. Idle motions without
    inertia keep their acceleration.

    Parameters
    ----------
    at : LoopAddresses
    motion : CoordinateMotion
    count, rank : int
        Number of movable coordinates and rank, after `factor_movable`.
    workspace : array
        The floats of a `ClosureRoom`.

    Returns
    -------
    int
        As `run_cycle`.
    """
    sizes = sizes_in(at.ints)
    work = lay_out(ClosureRoom, at.ints, workspace, sizes)
    vectors, square, basis = work.vectors, work.square, work.least
    idle = count - rank
    effort = work.cycle.dynamics.joint_effort
    acceleration = work.trial_acceleration
    for j in range(idle):
        write_unseen(work.factors.rows, work.factors.reflections, rank, count, j, basis[j])
    largest = 0.0
    for trial in range(idle + 1):  # with the accelerations, then with those along each motion
        for c in range(sizes.q):
            acceleration[c] = motion.acceleration[c]
        if trial > 0:
            for k in range(count):
                acceleration[int(vectors.chosen[k])] += basis[trial - 1, k]
        status = call_at(
            at.run_cycle, at.ints, at.floats,
            motion.position, motion.velocity, acceleration, floats_of(work.cycle), True,
        )  # fmt: skip
        if status != REACHED:
            return status
        for c in range(sizes.q):
            largest = max(largest, abs(effort[c]))
            if trial == 0:
                vectors.drives[c] = effort[c]
        for j in range(idle):
            total = 0.0
            for k in range(count):
                c = int(vectors.chosen[k])
                total += basis[j, k] * (effort[c] if trial == 0 else effort[c] - vectors.drives[c])
            if trial == 0:
                vectors.balance[j] = -total
            else:
                square.square_rows[trial - 1, j] = total
    found, _ = factor_rows(
        square.square_rows,
        idle,
        idle,
        square.square_reflections,
        square.square_order,
        WITHOUT_INERTIA * largest,
    )
    solve_rows(
        square.square_rows,
        idle,
        square.square_reflections,
        square.square_order,
        found,
        vectors.balance,
        vectors.along,
    )
    for j in range(idle):
        for k in range(count):
            motion.acceleration[int(vectors.chosen[k])] += vectors.along[j] * basis[j, k]
    return REACHED


@compiled_apart
def is_idle(robot: Robot, spatial: Spatial, constraints: Constraints, x: Any) -> bool:
    """Return whether velocities x (q,) move none of the bodies of loop joints along its rows."""
    joints, freedoms = robot.mechanisms.by_type.loop_joints, robot.freedoms
    for r in range(joints.row_joint.shape[0]):
        k = joints.row_joint[r]
        common = freedoms.last_freedom[joints.common_body[k]]
        for end in range(2):
            body = joints.first_body[k] if end == 0 else joints.second_body[k]
            moved, d = 0.0, freedoms.last_freedom[body]
            while d != common:
                along = dot(constraints.torque[r], spatial.joint_angular[d])
                along += dot(constraints.force[r], spatial.joint_linear[d])
                moved += along * x[freedoms.freedom_coordinate[d]]
                d = freedoms.freedom_before[d]
            if not abs(moved) <= MOVES_NOTHING * constraints.size[r]:
                return False
    return True
