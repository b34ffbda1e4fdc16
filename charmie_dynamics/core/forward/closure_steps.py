# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Steps of the search for closed positions, and the closure errors of the loops."""

from __future__ import annotations

import math
from typing import Any

from charmie_dynamics.core.arrays import FLOATING
from charmie_dynamics.core.inverse.floating_joints import pose_rate
from charmie_dynamics.core.inverse.records import Robot
from charmie_dynamics.numerics.blocks import floats_of
from charmie_dynamics.numerics.jit import compiled, compiled_apart
from charmie_dynamics.numerics.vectors import Floats

from .loop_records import ClosureRoom
from .orthogonal_factors import (
    factor_rows,
    from_basis,
    solve_positive,
    solve_rows,
    write_unseen,
)

# relative to the sizes of the constraints: residual of a row of the Jacobian due to round-off, and
# due to an open loop. A motion that moves the loops less counts as free: otherwise admissible
# errors of closed loops would cause motions of the order of one
MOVES_NOTHING = 1e-7


@compiled_apart
def write_change(robot: Robot, work: ClosureRoom, count: int, out: Any) -> None:
    """Write the change of all coordinates from that of the movable joints in ``along``.

    A linear actuator changes with its joint.
    """
    for c in range(out.shape[0]):
        out[c] = 0.0
    for k in range(count):
        out[int(work.vectors.chosen[k])] = work.vectors.along[k]
    actuators = robot.mechanisms.actuators
    for k in range(actuators.coordinate.shape[0]):
        c = actuators.coordinate[k]
        out[c] *= work.cycle.kinematics.actuator_lever[k] / work.cycle.inputs.position[c]


@compiled_apart
def move(robot: Robot, position: Floats, step: Any, out: Floats) -> None:
    """Write a position after a step, whose elements are those of a velocity."""
    tree, freedoms = robot.tree, robot.freedoms
    for c in range(step.shape[0]):
        entry = freedoms.position_entry[c]
        out[entry] = position[entry] + step[c]
    for i in range(tree.parent.shape[0]):
        if tree.joint_type[i] == FLOATING:
            c = tree.coordinate[i]
            first = freedoms.position_entry[c]
            x = position[first : first + 7]
            pose = (x[0], x[1], x[2], x[3], x[4], x[5], x[6])
            v = (step[c], step[c + 1], step[c + 2])
            found = pose_rate(pose, v, (step[c + 3], step[c + 4], step[c + 5]))
            square = 0.0
            for k in range(7):
                out[first + k] = position[first + k] + found[k]
                square += out[first + k] ** 2 if k > 2 else 0.0
            for k in range(3, 7):
                out[first + k] /= math.sqrt(square)


@compiled
def note_nearest(work: ClosureRoom, position: Floats) -> None:
    """Store a position with a smaller error than all before."""
    nearest = floats_of(work.nearest)
    for j in range(nearest.shape[0]):
        nearest[j] = position[j]


@compiled
def keep_sizes(work: ClosureRoom) -> None:
    """Store the current sizes of the constraints as the scale of their errors."""
    for r in range(work.row_size.shape[0]):
        work.row_size[r] = work.state.constraints.size[r]


@compiled
def error_of(work: ClosureRoom) -> float:
    """Return the Euclidean norm of all errors relative to their sizes."""
    total = 0.0
    for r in range(work.row_size.shape[0]):
        total += (work.state.constraints.error[r] / work.row_size[r]) ** 2
    return math.sqrt(total)


@compiled_apart
def factor_movable(work: ClosureRoom, count: int, least: float) -> tuple[int, int]:
    """Factor the Jacobian by movable coordinates, rows relative to size; as `factor_rows`."""
    constraints, factors = work.state.constraints, work.factors
    for r in range(constraints.error.shape[0]):
        for k in range(count):
            column = int(work.vectors.chosen[k])
            factors.rows[r, k] = constraints.jacobian[r, column] / work.row_size[r]
    rows = constraints.error.shape[0]
    return factor_rows(factors.rows, rows, count, factors.reflections, factors.order, least)


@compiled_apart
def solve_least_squares(work: ClosureRoom, count: int, length: int, rank: int, x: Floats) -> None:
    """Write the shortest of the x that make the factored rows closest to ``of_rows``.

    With L y = z the rows give z and T z: (1 + T^T T) z = b1 + T^T b2.
    """
    A, order, b = work.factors.rows, work.factors.order, work.vectors.of_rows
    if rank == count:  # no dependent rows, z = b
        solve_rows(A, length, work.factors.reflections, order, rank, b, x)
        return
    for i in range(rank):
        value = b[int(order[i])]
        for j in range(rank, count):
            value += A[j, i] * b[int(order[j])]
        x[i] = value
        for k in range(i + 1):
            value = 1.0 if i == k else 0.0
            for j in range(rank, count):
                value += A[j, i] * A[j, k]
            work.least[i, k] = value
    solve_positive(work.least, rank, x)
    for k in range(rank):
        for i in range(k):
            x[k] -= A[k, i] * x[i]
        x[k] /= A[k, k]
    for k in range(rank, length):
        x[k] = 0.0
    from_basis(A, work.factors.reflections, rank, length, x)


@compiled_apart
def widest(work: ClosureRoom) -> int:
    """Return the constraint with the largest error relative to its size."""
    found, largest = 0, -1.0
    for r in range(work.state.constraints.error.shape[0]):
        error = abs(work.state.constraints.error[r]) / work.row_size[r]
        if error > largest:
            found, largest = r, error
    return found


@compiled_apart
def freest(work: ClosureRoom, count: int, rank: int) -> int:
    """Return a coordinate that moves most in a motion that the constraints allow."""
    x = work.vectors.along
    found, largest = 0, -1.0
    for k in range(count - rank):
        write_unseen(work.factors.rows, work.factors.reflections, rank, count, k, x)
        for i in range(count):
            if abs(x[i]) > largest:
                found, largest = int(work.vectors.chosen[i]), abs(x[i])
    return found
