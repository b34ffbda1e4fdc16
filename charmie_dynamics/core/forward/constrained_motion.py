# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forward dynamics with loop joints: accelerations and multipliers (contact paper, eq. 20 to 27).

    M a + h = u + D^T lambda,   D a = gamma - 2 alpha Phi' - beta^2 Phi

With a = a_p + N w, where a_p is the shortest a of the second equation and the columns of N are an
orthonormal basis of D N = 0, lambda drops out:

    (N^T M N) w = N^T (u - h - M a_p)

so that the mass matrix must be regular only along the motions that the loops allow: passive joints
may move massless bodies. lambda follows as in `loop_forces`. (The printed method, eq. 24 and 25,
inverts M and D M^-1 D^T, which is singular where constraints depend on each other.)

All equations are in the coordinates of the actuators: with the ratio G of linear actuators
(`transmission`) D becomes D G, and D G' v is subtracted from gamma.
"""

from __future__ import annotations

import math
from typing import Any

from charmie_dynamics.core.arrays import MASS_IS_SINGULAR, OVERFLOW, REACHED
from charmie_dynamics.core.equations.kernels import TYPES, RobotAddresses
from charmie_dynamics.core.inverse.cycle import STATUSES, has_non_finite
from charmie_dynamics.core.inverse.external_power import external_power
from charmie_dynamics.core.inverse.records import Robot, sizes_in
from charmie_dynamics.core.inverse.spring_damping import damping_power
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.blocks import first_numbers, floats_of, lay_out
from charmie_dynamics.numerics.jit import compiled_apart, compiled_for
from charmie_dynamics.numerics.vectors import Floats

from .articulated_bodies import SMALLEST_PIVOT
from .idle_motions import is_idle
from .loop_balance import project_on_motions, share_supply
from .loop_constraints import factor_constraints
from .loop_records import ConstrainedRoom, ForwardTerms
from .orthogonal_factors import product_of, solve_positive, solve_rows, write_unseen


@compiled_for(*TYPES)
def run_constrained_forward(
    addresses: Address,
    position: Floats,
    velocity: Floats,
    effort: Floats,
    workspace: Floats,
    out: Floats,
) -> int:
    """Compute the accelerations that result from efforts in a robot with loop joints.

    Parameters
    ----------
    addresses, position, velocity, effort, workspace, out
        See `core.equations.kernels`: the efforts are those of the coordinates, zero for passive
        ones; the workspace is a `ConstrainedRoom`, the output `ForwardTerms`.

    Returns
    -------
    int
        As `run_cycle`; or MASS_IS_SINGULAR with a coordinate.
    """
    at = first_numbers(RobotAddresses, addresses)
    sizes = sizes_in(at.ints)
    q = sizes.q
    robot = lay_out(Robot, at.ints, at.floats, sizes)
    work = lay_out(ConstrainedRoom, at.ints, workspace, sizes)
    terms = lay_out(ForwardTerms, at.ints, out, sizes)
    equations = floats_of(work.equations)
    # the accelerations do not count
    status = call_at(
        at.run_equations, addresses, position, velocity, effort, equations, floats_of(work.terms)
    )
    if status != REACHED:
        return status
    call_at(at.run_loop_constraints, at.ints, at.floats, equations, floats_of(work.state))
    found, motion = work.terms, terms.motion
    for c in range(q):
        total = found.gravity_effort[c] + found.spring_effort[c] + found.external_effort[c]
        total += found.friction_effort[c]
        motion.friction_effort[c] = found.friction_effort[c]
        total += product_of(found.coriolis_matrix[c], velocity, 0, q)
        work.rest[c] = total - effort[c]
    demand_accelerations(robot, work, terms)
    status = solve_motion(robot, work, terms)
    if status != REACHED:
        return status
    motion.external_power[0] = external_power(robot, work.equations.cycle.kinematics)
    motion.damping_power[0] = damping_power(robot, work.equations.cycle)
    return OVERFLOW if has_non_finite(motion.forward_acceleration) else REACHED


@compiled_apart
def demand_accelerations(robot: Robot, work: ConstrainedRoom, terms: ForwardTerms) -> None:
    """Write errors and the right side of D a, relative to sizes, into ``in_rows``.

    The Jacobian is converted to the coordinates of the actuators.
    """
    constraints, kinematics = work.state.constraints, work.equations.cycle.kinematics
    transmission = work.equations.transmission
    inputs = work.equations.cycle.inputs
    joints = robot.mechanisms.by_type.loop_joints
    alpha, beta = joints.stabilization[0], joints.stabilization[1]
    has_ratios = robot.mechanisms.actuators.coordinate.shape[0] > 0
    for r in range(constraints.error.shape[0]):
        rate, drift = 0.0, 0.0
        for c in range(constraints.jacobian.shape[1]):
            rate += constraints.jacobian[r, c] * kinematics.joint_velocity[c]
            drift += constraints.jacobian_rate[r, c] * kinematics.joint_velocity[c]
            if has_ratios:
                changing = transmission.ratio_rate[c] * inputs.velocity[c]
                drift += constraints.jacobian[r, c] * changing
                constraints.jacobian[r, c] *= transmission.ratio[c]
        terms.constraint_error[r] = constraints.error[r]
        terms.constraint_rate[r] = rate
        terms.constraint_size[r] = constraints.size[r]
        demand = -drift - 2.0 * alpha * rate - beta * beta * constraints.error[r]
        work.vectors.in_rows[r] = demand / constraints.size[r]


@compiled_apart
def solve_motion(robot: Robot, work: ConstrainedRoom, terms: ForwardTerms) -> int:
    """Write accelerations and multipliers."""
    constraints, factors, vectors = work.state.constraints, work.factors, work.vectors
    joints = robot.mechanisms.by_type.loop_joints
    # named once, since the place of an array is computed where it is named
    M, rest, loop_count = work.terms.mass_matrix, work.rest, joints.loop_count
    chosen, along, balance = vectors.chosen, vectors.along, vectors.balance
    acceleration = terms.motion.forward_acceleration
    q = rest.shape[0]
    count, rank, seen = factor_constraints(joints, constraints, factors, vectors)
    # after the coordinates in the loops the others
    others = count
    for c in range(q):
        acceleration[c] = 0.0
        if loop_count[c] == 0:
            chosen[others] = c
            others += 1
    terms.constraint_rank[0] = rank
    solve_rows(
        factors.rows, count, factors.reflections, factors.order, rank, vectors.in_rows, along
    )
    for k in range(count):
        acceleration[int(chosen[k])] = along[k]
    status = add_free_motion(robot, work, count, rank, acceleration)
    if status != REACHED:
        return status
    # efforts that the loop joints have to supply
    for k in range(count):
        c = int(chosen[k])
        balance[c] = rest[c] + product_of(M[c], acceleration, 0, q)
    share_supply(
        constraints, factors, vectors, work.normal, work.normal_share,
        count, rank, seen, vectors.balance, terms.multiplier_force,
    )  # fmt: skip
    return REACHED


@compiled_apart
def add_free_motion(
    robot: Robot, work: ConstrainedRoom, count: int, rank: int, acceleration: Floats
) -> int:
    """Add N w to a_p.

    The motions are the unconstrained ones of the coordinates in the loops, then the other
    coordinates.
    Idle motions without inertia get no acceleration.
    """
    q = acceleration.shape[0]
    motions = count - rank
    free = motions + q - count
    M, chosen = work.terms.mass_matrix, work.vectors.chosen
    basis, reduced, w = work.basis, work.reduced, work.vectors.across
    # u - h - M a_p
    for c in range(q):
        work.vectors.balance[c] = -(work.rest[c] + product_of(M[c], acceleration, 0, q))
    for m in range(motions):
        write_unseen(work.factors.rows, work.factors.reflections, rank, count, m, basis[m])
    massless = 0
    while True:
        project_on_motions(work.factors, work.vectors, count, rank, work.vectors.balance, w)
        for m in range(motions, free):
            w[m] = work.vectors.balance[int(chosen[count + m - motions])]
        reduce_masses(work, count, rank, massless)
        singular = solve_positive(reduced, free, w)
        if singular < 0:
            break
        if singular >= motions:
            return MASS_IS_SINGULAR + STATUSES * int(chosen[count + singular - motions])
        row = min(massless, motions - 1)
        write_massless(work, count, singular, motions, work.massless[row])
        spatial, constraints = work.state.spatial, work.state.constraints
        idle = massless < motions and is_idle(robot, spatial, constraints, work.vectors.along)
        if not idle:
            found, largest = 0, -1.0
            for k in range(count):
                if abs(basis[singular, k]) > largest:
                    found, largest = int(chosen[k]), abs(basis[singular, k])
            return MASS_IS_SINGULAR + STATUSES * found
        massless += 1
    for k in range(count):
        total = 0.0
        for m in range(motions):
            total += basis[m, k] * w[m]
        acceleration[int(chosen[k])] += total
    for m in range(motions, free):
        acceleration[int(chosen[count + m - motions])] = w[m]
    return REACHED


@compiled_apart
def reduce_masses(work: ConstrainedRoom, count: int, rank: int, massless: int) -> None:
    """Write the lower half of N^T M N, plus y y^T of the first massless motions y.

    A motion whose inertia is round-off gets zero.
    """
    motions = count - rank
    M, basis, moved, reduced = work.terms.mass_matrix, work.basis, work.moved, work.reduced
    chosen, along = work.vectors.chosen, work.vectors.along
    q = M.shape[0]
    free = motions + q - count
    largest = 0.0
    for m in range(motions):
        for c in range(q):
            moved[m, c] = 0.0
        for k in range(count):
            part = basis[m, k]
            column = int(chosen[k])
            for c in range(q):
                moved[m, c] += part * M[column, c]
        terms = 0.0
        for k in range(count):
            along[k] = moved[m, int(chosen[k])]
            terms += abs(basis[m, k] * along[k])
        for n in range(m):
            reduced[m, n] = product_of(basis[n], along, 0, count)
        total = product_of(basis[m], along, 0, count)
        reduced[m, m] = total if total > SMALLEST_PIVOT * terms else 0.0
        largest = max(largest, reduced[m, m])
    largest = largest if largest > 0.0 else 1.0
    for y in range(massless):
        for m in range(motions):
            for n in range(m + 1):
                reduced[m, n] += largest * work.massless[y, m] * work.massless[y, n]
    for m in range(motions, free):
        c = int(chosen[count + m - motions])
        for n in range(motions):
            reduced[m, n] = moved[n, c]
        for n in range(motions, m + 1):
            reduced[m, n] = M[c, int(chosen[count + n - motions])]


@compiled_apart
def write_massless(work: ConstrainedRoom, count: int, singular: int, motions: int, y: Any) -> None:
    """Write the motion without inertia that belongs to a singular row of the factored N^T M N.

    Parameters
    ----------
    work : ConstrainedRoom
        After `solve_positive`. Output: in ``along`` the unit velocities (q,) of the motion.
    count, singular, motions : int
        Number of coordinates in loops, the singular row, number of motions.
    y : array
        Output: the motion in the basis, of length one.
    """
    square = 1.0
    for i in range(motions):
        y[i] = 1.0 if i == singular else 0.0
    for i in range(singular - 1, -1, -1):
        total = work.reduced[singular, i]
        for k in range(i + 1, singular):
            total += work.reduced[k, i] * y[k]
        y[i] = -total / work.reduced[i, i]
        square += y[i] * y[i]
    for i in range(singular + 1):
        y[i] /= math.sqrt(square)
    for c in range(work.rest.shape[0]):
        work.vectors.along[c] = 0.0
    for k in range(count):
        c = int(work.vectors.chosen[k])
        for m in range(singular + 1):
            work.vectors.along[c] += y[m] * work.basis[m, k]
