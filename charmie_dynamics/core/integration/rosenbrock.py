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
"""

from __future__ import annotations

import math

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.equations.kernels import RobotAddresses
from charmie_dynamics.core.equations.records import DerivativeTerms
from charmie_dynamics.core.inverse.records import sizes_in
from charmie_dynamics.core.linear_equations import factorise_matrix, solve_with_factors
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.blocks import lay_out
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats, Ints

from .joint_loads import load_slopes
from .step_arrays import StepArrays

GAMMA = 1.0 - 1.0 / math.sqrt(2.0)
SINGULAR = -2


@compiled
def linearise(
    run_derivatives: Address,
    robot: RobotAddresses,
    laws: Floats,
    index: Ints,
    arrays: StepArrays,
    h: float,
) -> int:
    """Write M, K and the factors of the matrix of the stages.

    Parameters
    ----------
    run_derivatives : Address
    robot : tuple
        Addresses of the robot.
    laws, index, arrays
        Of `run_stages`; rates are those of the first stage.
    h : float
        Step (s).

    Returns
    -------
    int
        As `run_derivatives`, or SINGULAR.
    """
    inputs = (arrays.stage_position, arrays.stage_velocity, arrays.acceleration)
    room, out = arrays.more_room, arrays.derivative_out
    status = call_at(run_derivatives, robot, inputs, room, out)
    if status != REACHED:
        return status
    ints = robot[0]
    terms = lay_out(DerivativeTerms, ints, out, sizes_in(ints))
    v = arrays.velocity.shape[0]
    M, D, K = terms.effort_by_acceleration, terms.effort_by_velocity, terms.effort_by_position
    share = GAMMA * h
    for i in range(v):
        by_position, by_velocity = load_slopes(laws, index, arrays, i)
        K[i, i] += by_position
        D[i, i] += by_velocity
        for j in range(v):
            arrays.factors[i * v + j] = M[i, j] + share * (D[i, j] + share * K[i, j])
    return REACHED if factorise_matrix(arrays.factors, index[v:], v) else SINGULAR


@compiled
def solve_stage(
    ints: Address, index: Ints, arrays: StepArrays, rates: tuple[Floats, Floats, Floats], h: float
) -> None:
    """Write k_v of a stage.

    Parameters
    ----------
    ints : Address
        Of the block of a `Robot`.
    index, arrays
        As for `linearise`, after it.
    rates : tuple of array
        r_v and r_p (v,), the latter as velocities, and the output k_v.
    h : float
    """
    r_v, r_p, out = rates
    terms = lay_out(DerivativeTerms, ints, arrays.derivative_out, sizes_in(ints))
    M, K = terms.effort_by_acceleration, terms.effort_by_position
    v = out.shape[0]
    right = arrays.effort  # no longer needed
    for i in range(v):
        total = 0.0
        for j in range(v):
            total += M[i, j] * r_v[j] - GAMMA * h * K[i, j] * r_p[j]
        right[i] = total
    solve_with_factors(arrays.factors, index[v:], right, out)
