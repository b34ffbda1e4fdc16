# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The two-stage Rosenbrock method: linearly implicit, of second order, L-stable.

With the state u, its rate f and a matrix A, the derivative of f:

    (1 - g h A) k1 = f(u)
    (1 - g h A) k2 = f(u + h k1) - 2 k1
    u += h (3 k1 + k2) / 2

with g = 1 - 1 / sqrt(2) (Verwer, Spee, Blom and Hundsdorfer, A Second-Order Rosenbrock Method
Applied to Photochemical Dispersion Problems, SIAM J. Sci. Comput. 20 (1999) 1456). The order holds
for any A. So A omits small terms: the derivatives of the rates of quaternions, and those of the
efforts of actuators.

The positions are eliminated. With the derivatives K and D of the efforts by position and velocity,
stops and friction included, each stage solves

    (M + g h D + (g h)^2 K) k_v = M r_v - g h K r_p        k_p = r_p + g h k_v

With loop joints, A contains the accelerations along the motions that the loops allow at the
beginning of the step, the columns of N, of the efforts of the open tree:

    N^T (M + g h D + (g h)^2 K) N w = g h N^T (K r_p + (D + g h K) r_v)        k_v = r_v - N w

The derivatives of N and of the forces of the loop joints are omitted. A small share of the largest
inertia is added to all: idle motions may have none.
"""

from __future__ import annotations

import math

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.equations.records import DerivativeTerms
from charmie_dynamics.core.inverse.records import sizes_in
from charmie_dynamics.core.linear_equations import factorise_matrix, solve_with_factors
from charmie_dynamics.numerics.addresses import call_at
from charmie_dynamics.numerics.blocks import lay_out
from charmie_dynamics.numerics.jit import compiled, compiled_apart
from charmie_dynamics.numerics.vectors import Floats

from .joint_loads import load_slopes
from .step_arrays import PlantAddresses, StepArrays

GAMMA = 1.0 - 1.0 / math.sqrt(2.0)
SINGULAR = -2
LEAST_INERTIA = 1e-11  # relative to the largest


@compiled
def linearise(plant: PlantAddresses, step: StepArrays, h: float) -> int:
    """Write M, K and the factors of the matrix of the stages.

    Parameters
    ----------
    plant : PlantAddresses
    step : StepArrays
        With the rates of the first stage.
    h : float
        Step (s).

    Returns
    -------
    int
        As `run_derivatives`, or SINGULAR.
    """
    status = call_at(
        plant.run_derivatives, plant.derivatives,
        step.stage.position, step.stage_velocity, step.acceleration,
        step.derivative_workspace, step.derivative_out,
    )  # fmt: skip
    if status != REACHED:
        return status
    terms = derivatives_in(plant, step)
    v = step.velocity.shape[0]
    M, D, K = terms.effort_by_acceleration, terms.effort_by_velocity, terms.effort_by_position
    share = GAMMA * h
    for i in range(v):
        by_position, by_velocity = load_slopes(step, i)
        K[i, i] += by_position
        D[i, i] += by_velocity
    if plant.run_free_motions != 0:
        return linearise_motions(plant, step, terms, share)
    for i in range(v):
        for j in range(v):
            step.factors[i * v + j] = M[i, j] + share * (D[i, j] + share * K[i, j])
    return REACHED if factorise_matrix(step.factors, step.pivots, v) else SINGULAR


@compiled_apart
def linearise_motions(
    plant: PlantAddresses, step: StepArrays, terms: DerivativeTerms, share: float
) -> int:
    """Write N and the factors of the matrix of w, with ones after the motions."""
    M, D, K = terms.effort_by_acceleration, terms.effort_by_velocity, terms.effort_by_position
    v, N, column = step.velocity.shape[0], step.motions, step.mean_velocity
    count = call_at(
        plant.run_free_motions, plant.robot_ints, plant.robot_floats,
        step.forward_workspace, step.forward_out, N,
    )  # fmt: skip
    step.motion_count[0] = count
    largest = 0.0
    for n in range(count):
        inertia = 0.0
        for i in range(v):
            column[i] = 0.0
            for j in range(v):
                x = N[n * v + j]
                column[i] += (M[i, j] + share * (D[i, j] + share * K[i, j])) * x
                inertia += N[n * v + i] * M[i, j] * x
        largest = max(largest, inertia)
        for m in range(count):
            total = 0.0
            for i in range(v):
                total += N[m * v + i] * column[i]
            step.factors[m * v + n] = total
    for n in range(v):
        if n < count:
            step.factors[n * v + n] += LEAST_INERTIA * largest
            continue
        for m in range(v):
            step.factors[m * v + n] = step.factors[n * v + m] = 1.0 if m == n else 0.0
    return REACHED if factorise_matrix(step.factors, step.pivots, v) else SINGULAR


@compiled
def derivatives_in(plant: PlantAddresses, step: StepArrays) -> DerivativeTerms:
    """Return the result of `run_derivatives`."""
    sizes = sizes_in(plant.robot_ints)
    return lay_out(DerivativeTerms, plant.robot_ints, step.derivative_out, sizes)


@compiled
def solve_stage(
    plant: PlantAddresses, step: StepArrays, r_v: Floats, r_p: Floats, h: float, k_v: Floats
) -> None:
    """Write k_v (v,) of a stage, after `linearise`.

    Parameters
    ----------
    plant : PlantAddresses
    step : StepArrays
    r_v, r_p : (v,) array
        The rates of the velocities and of the positions, the latter as velocities.
    h : float
        Step (s).
    k_v : (v,) array
        Output.
    """
    terms = derivatives_in(plant, step)
    M, K = terms.effort_by_acceleration, terms.effort_by_position
    v = k_v.shape[0]
    right = step.effort  # no longer needed
    if plant.run_free_motions != 0:
        solve_motions(step, terms, r_v, r_p, GAMMA * h, k_v)
        return
    for i in range(v):
        total = 0.0
        for j in range(v):
            total += M[i, j] * r_v[j] - GAMMA * h * K[i, j] * r_p[j]
        right[i] = total
    solve_with_factors(step.factors, step.pivots, right, k_v)


@compiled_apart
def solve_motions(
    step: StepArrays, terms: DerivativeTerms, r_v: Floats, r_p: Floats, share: float, k_v: Floats
) -> None:
    """Write k_v (v,) of a stage with loop joints."""
    D, K = terms.effort_by_velocity, terms.effort_by_position
    v, N, count = k_v.shape[0], step.motions, step.motion_count[0]
    right, change, w = step.effort, step.mean_velocity, step.mean_velocity_sum
    for i in range(v):
        change[i] = 0.0
        for j in range(v):
            change[i] += K[i, j] * (r_p[j] + share * r_v[j]) + D[i, j] * r_v[j]
    for m in range(v):
        total = 0.0
        if m < count:
            for i in range(v):
                total += N[m * v + i] * change[i]
        right[m] = share * total
    solve_with_factors(step.factors, step.pivots, right, w)
    for i in range(v):
        k_v[i] = r_v[i]
        for m in range(count):
            k_v[i] -= N[m * v + i] * w[m]
