# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Coordinates that move joints at several places of the tree: mimics apart from their leaders.

The sweeps of `articulated_bodies` visit one place after another and cannot free such a coordinate
at a single place. They keep these coordinates locked. An acceleration of one such coordinate alone
then needs the force W = I S at each of its joints. The freedoms before the joint yield to this
force on the way to the root:

    K = S . W        W_before += W - U K / D

The forces at the joints of these coordinates form the Schur complement of the mass matrix, with a
row for each of these coordinates. Its solution gives their accelerations x. A column of the other
coordinates is then solved with u - K x in place of u.
"""

from __future__ import annotations

from charmie_dynamics.core.inverse.records import Robot
from charmie_dynamics.numerics.branches import all_lanes, where
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats, add, scale

from .articulated_bodies import (
    FINE_PIVOT,
    SMALLEST_PIVOT,
    accelerate_bodies,
    along_axis,
    begin_forces,
    factorise,
    force_on,
    hand_on,
    size_along,
    times_inertia,
    yield_to_efforts,
)
from .records import ForwardRoom, SharedCoordinates


@compiled
def factorise_all(robot: Robot, work: ForwardRoom) -> int:
    """Write the factors that `solve` needs, after `write_bodies`.

    Parameters
    ----------
    robot : Robot
    work : ForwardRoom

    Returns
    -------
    int
        As `factorise`.
    """
    found = factorise(robot, work)
    out = work.shared
    if found >= 0 or out.size.shape[0] == 0:
        return found
    for i in range(out.size.shape[0]):
        out.size[i] = 0.0
        for j in range(out.size.shape[0]):
            out.complement[i, j] = 0.0
    for c in range(work.rotor.shape[0]):
        j = -1 - robot.freedoms.solved_at[c]
        if j >= 0:
            out.size[j] = work.rotor[c]
            out.complement[j, j] = work.rotor[c]
    for j in range(out.size.shape[0]):
        add_row(robot, work, j)
    found = decompose(work)
    for c in range(robot.freedoms.solved_at.shape[0]):
        if found >= 0 and robot.freedoms.solved_at[c] == -1 - found:
            return c
    return -1


@compiled
def add_row(robot: Robot, work: ForwardRoom, j: int) -> None:
    """Write K of coordinate number `j`, and add its row to the Schur complement's lower half."""
    freedoms, bodies, out, sweep = robot.freedoms, work.bodies, work.shared, work.sweep
    begin_forces(sweep)
    for d in range(bodies.inverse.shape[0] - 1, -1, -1):
        before = freedoms.freedom_before[d]
        c = freedoms.freedom_coordinate[d]
        at = freedoms.solved_at[c]
        torque, force = force_on(sweep, d)
        along = along_axis(bodies, d, torque, force)
        if at >= 0:
            other = freedoms.freedom_beside[d]
            if other >= 0:  # the sweep has visited those at the same place
                along = along + out.coupling[c, j]
            out.coupling[c, j] = along
            if at == d:
                yielding = -along * bodies.inverse[d]
                for i in range(j + 1):
                    out.complement[j, i] += yielding * out.coupling[c, i]
                torque = add(torque, scale(yielding, bodies.push_torque[d]))
                force = add(force, scale(yielding, bodies.push_force[d]))
        elif at == -1 - j:
            own_torque, own_force = times_inertia(bodies, d)
            out.complement[j, j] += 2.0 * along + along_axis(bodies, d, own_torque, own_force)
            out.size[j] += size_along(bodies, d)
            torque, force = add(torque, own_torque), add(force, own_force)
        else:
            i = -1 - at
            out.complement[max(i, j), min(i, j)] += along
        if before >= 0:
            hand_on(sweep, before, torque, force)


@compiled
def decompose(work: ForwardRoom) -> int:
    """Replace the lower triangle of the Schur complement by L and 1 / D of L D L^T.

    Returns
    -------
    int
        The first row whose D is too small, or -1.
    """
    out, is_poor = work.shared, work.bodies.is_poor
    A = out.complement
    for j in range(out.size.shape[0]):
        for k in range(j):
            for i in range(k):
                A[j, k] -= A[j, i] * A[k, i]
        for k in range(j):
            entry = A[j, k]
            A[j, k] = entry * A[k, k]
            A[j, j] -= A[j, k] * entry
        if not all_lanes(A[j, j] > SMALLEST_PIVOT * out.size[j]):
            return j
        is_poor[0] = where(A[j, j] > FINE_PIVOT * out.size[j], is_poor[0], 1.0)
        A[j, j] = 1.0 / A[j, j]
    return -1


@compiled
def solve(robot: Robot, work: ForwardRoom, column: Floats) -> None:
    """Replace a column of efforts by M^-1 times it.

    Parameters
    ----------
    robot : Robot
    work : ForwardRoom
        After `factorise_all`; the sweep is written.
    column : (q,) array
        Efforts in the coordinates of the joints (N or N m), then their accelerations.
    """
    out, solved_at = work.shared, robot.freedoms.solved_at
    for j in range(out.value.shape[0]):
        out.value[j] = 0.0
    yield_to_efforts(robot, work, column)
    if out.value.shape[0] > 0:
        for c in range(column.shape[0]):
            if solved_at[c] < 0:
                out.value[-1 - solved_at[c]] += column[c]
        solve_complement(out)
        for c in range(column.shape[0]):
            if solved_at[c] < 0:
                column[c] = out.value[-1 - solved_at[c]]
    accelerate_bodies(robot, work, column)


@compiled
def solve_complement(out: SharedCoordinates) -> None:
    """Replace the remaining efforts of the shared coordinates by their accelerations."""
    A, x = out.complement, out.value
    count = x.shape[0]
    for j in range(count):
        for k in range(j):
            x[j] -= A[j, k] * x[k]
    for j in range(count - 1, -1, -1):
        x[j] = x[j] * A[j, j]
        for k in range(j + 1, count):
            x[j] -= A[k, j] * x[k]
