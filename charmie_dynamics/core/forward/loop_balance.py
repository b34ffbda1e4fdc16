# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Balance of the efforts in loops: those of the actuators, and lambda of the loop joints.

The open tree needs the generalised forces tau for a motion. The efforts u of the actuators and the
multipliers lambda of the loop joints supply them (contact paper, eq. 20, M v' + ... = tau):

    S u + D^T lambda = tau

Along the motions that the loops allow, the columns of N with D N = 0, the loop joints do no work:
N^T S u = N^T tau. If there are more actuators than motions, the efforts are those with the least
sum of squares. lambda follows. If constraints depend on each other, lambda is that with the least
sum of squares (N and N m: a torque counts as a force with a lever of 1 m).
"""

from __future__ import annotations

from charmie_dynamics.core.arrays import PASSIVE_IS_UNBALANCED, REACHED
from charmie_dynamics.core.inverse.cycle import STATUSES
from charmie_dynamics.core.inverse.records import CycleRecord, Robot
from charmie_dynamics.numerics.jit import compiled, compiled_apart
from charmie_dynamics.numerics.vectors import Floats

from .loop_constraints import factor_constraints
from .loop_records import ClosedCycleRoom, Constraints, Factors, LoopVectors
from .orthogonal_factors import factor_rows, share_among_rows, to_basis, write_unseen

# relative to the largest effort: with a larger residual on a passive joint, no motion is possible
BALANCED = 1e-7
# relative to the length of a motion: an actuator that moves less in it does no work
DEPENDENT_ACTUATORS = 1e-8


@compiled
def take_multipliers(
    robot: Robot, cycle: CycleRecord, multiplier: Floats, work: ClosedCycleRoom
) -> None:
    """Write the efforts of the joints with given multipliers, and these into ``in_rows``."""
    joints = robot.mechanisms.by_type.loop_joints
    effort = cycle.dynamics.joint_effort
    for r in range(multiplier.shape[0]):
        work.vectors.in_rows[r] = multiplier[r]
        for c in range(effort.shape[0]):
            effort[c] -= work.state.constraints.jacobian[r, c] * multiplier[r]
    for c in range(effort.shape[0]):
        if joints.is_passive[c] != 0:
            effort[c] = 0.0  # removes round-off


@compiled_apart
def balance_loops(robot: Robot, cycle: CycleRecord, work: ClosedCycleRoom) -> int:
    """Write the efforts of the joints with the loop joints, and lambda into ``in_rows``."""
    joints = robot.mechanisms.by_type.loop_joints
    constraints, factors, vectors = work.state.constraints, work.factors, work.vectors
    effort = cycle.dynamics.joint_effort
    count, rank, seen = factor_constraints(joints, constraints, factors, vectors)
    status = balance_motions(robot, effort, count, rank, work)
    if status != REACHED:
        return status
    # the loop joints supply the efforts of the tree that the actuators do not supply
    for k in range(count):
        c = int(vectors.chosen[k])
        acting = vectors.balance[c]
        vectors.balance[c] = effort[c] - acting
        effort[c] = acting
    share_supply(
        constraints, factors, vectors, work.normal, work.normal_share,
        count, rank, seen, vectors.balance, vectors.in_rows,
    )  # fmt: skip
    return REACHED


@compiled_apart
def share_supply(
    constraints: Constraints,
    factors: Factors,
    vectors: LoopVectors,
    normal: Floats,
    normal_share: Floats,
    count: int,
    rank: int,
    seen: int,
    supply: Floats,
    out: Floats,
) -> None:
    """Write lambda by which the loop joints supply efforts.

    Parameters
    ----------
    constraints, factors, vectors
        After `factor_constraints`.
    normal, normal_share
        Workspace, see `share_among_rows`.
    count, rank, seen : int
        Result of `factor_constraints`.
    supply : (q,) array
        Efforts, which do no work in the motions that the loops allow.
    out : (r,) array
        Output.
    """
    rows = constraints.error.shape[0]
    in_basis(factors, vectors, count, rank, supply)
    share_among_rows(
        factors.rows, factors.order, rank, seen, rows, constraints.size,
        normal, normal_share, vectors.along, out,
    )  # fmt: skip
    for r in range(rows):
        out[r] /= constraints.size[r]


@compiled_apart
def project_on_motions(
    factors: Factors, vectors: LoopVectors, count: int, rank: int, effort: Floats, out: Floats
) -> None:
    """Write N^T tau: the power of efforts (q,) in each unit motion that the loops allow."""
    in_basis(factors, vectors, count, rank, effort)
    for j in range(count - rank):
        out[j] = vectors.along[rank + j]


@compiled
def in_basis(factors: Factors, vectors: LoopVectors, count: int, rank: int, effort: Floats) -> None:
    """Write [Q1 N]^T times efforts of the coordinates in the loops into ``along``."""
    for k in range(count):
        vectors.along[k] = effort[int(vectors.chosen[k])]
    to_basis(factors.rows, factors.reflections, rank, count, vectors.along)


@compiled_apart
def balance_motions(
    robot: Robot, effort: Floats, count: int, rank: int, work: ClosedCycleRoom
) -> int:
    """Write into ``balance`` the efforts of the joints in loops that do the work of the tree's."""
    joints = robot.mechanisms.by_type.loop_joints
    factors, actuation, vectors = work.factors, work.actuation, work.vectors
    motions = count - rank
    largest, driven = 0.0, 0
    for k in range(count):
        c = int(vectors.chosen[k])
        vectors.balance[c] = 0.0
        largest = max(largest, abs(effort[c]))
        if joints.is_passive[c] == 0:
            driven += 1
    project_on_motions(factors, vectors, count, rank, effort, vectors.across)
    # a row for each actuator: its power in each unit motion
    for j in range(motions):
        x = vectors.along
        write_unseen(factors.rows, factors.reflections, rank, count, j, x)
        row = 0
        for k in range(count):
            if joints.is_passive[int(vectors.chosen[k])] == 0:
                actuation.square_rows[row, j] = x[k]
                row += 1
    driven_rank, useful = factor_rows(
        actuation.square_rows,
        driven,
        motions,
        actuation.square_reflections,
        actuation.square_order,
        DEPENDENT_ACTUATORS,
    )
    to_basis(
        actuation.square_rows,
        actuation.square_reflections,
        driven_rank,
        motions,
        vectors.across,
    )
    for j in range(driven_rank, motions):
        if not abs(vectors.across[j]) <= BALANCED * largest:
            passive = unbalanced(robot, count, rank, driven_rank, work)
            return PASSIVE_IS_UNBALANCED + STATUSES * passive
    for k in range(count):
        vectors.along[k] = 1.0
    share_among_rows(
        actuation.square_rows,
        actuation.square_order,
        driven_rank,
        useful,
        driven,
        vectors.along,
        work.effort_normal,
        work.effort_normal_share,
        vectors.across,
        vectors.drives,
    )
    row = 0
    for k in range(count):
        c = int(vectors.chosen[k])
        if joints.is_passive[c] == 0:
            vectors.balance[c] = vectors.drives[row]
            row += 1
    return REACHED


@compiled_apart
def unbalanced(robot: Robot, count: int, rank: int, driven_rank: int, work: ClosedCycleRoom) -> int:
    """Return a passive coordinate of the motions in which no actuator can do work."""
    joints = robot.mechanisms.by_type.loop_joints
    vectors, actuation = work.vectors, work.actuation
    found, largest = 0, -1.0
    motions = count - rank
    for j in range(motions - driven_rank):
        write_unseen(
            actuation.square_rows,
            actuation.square_reflections,
            driven_rank,
            motions,
            j,
            vectors.across,
        )
        for k in range(count):
            vectors.balance[k] = 0.0
        for m in range(motions):
            x = vectors.along
            write_unseen(work.factors.rows, work.factors.reflections, rank, count, m, x)
            for k in range(count):
                vectors.balance[k] += vectors.across[m] * x[k]
        for k in range(count):
            c = int(vectors.chosen[k])
            if joints.is_passive[c] != 0 and abs(vectors.balance[k]) > largest:
                found, largest = c, abs(vectors.balance[k])
    return found
