# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Equations of motion in the coordinates that are not passive, of robots with loop joints.

Without loop joints no coordinate is passive, and the functions return their arguments. With them
all velocities v follow from those u of the independent coordinates (`Reduction`):

    v = G u        a = G u' + drift v

Idle motions are motions of passive coordinates that move no loop, as the spin of a rod between two
ball joints. A `Reduction` keeps them at rest; the equations let them follow without effort.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from charmie_dynamics.core.equations.records import EquationTerms
from charmie_dynamics.model.flat.loop_cycles import Motion
from charmie_dynamics.model.flat.prepared_robot import PreparedRobot
from charmie_dynamics.numerics.blocks import places_of
from charmie_dynamics.numerics.vectors import Floats, Ints

from .constraints import Reduction, loop_constraints, reduction
from .evaluation import Inputs, of_each, rows_of
from .results import Equations

ROUND_OFF = 1e-12  # relative: smaller inertias of idle motions count as zero


def independent_coordinates(robot: PreparedRobot) -> Ints:
    """Return the coordinates that are not passive."""
    return np.flatnonzero(robot.flat.mechanisms.by_type.loop_joints.is_passive == 0)


def reduced_equations(robot: PreparedRobot, inputs: Inputs, terms: Equations) -> Equations:
    """Return the terms of the equations for the coordinates that are not passive.

    Parameters
    ----------
    robot : PreparedRobot
    inputs : Inputs
        The states of the terms.
    terms : Equations
        Of all coordinates.
    """
    if robot.flat.sizes.r == 0:
        return terms
    sizes = robot.flat.sizes._replace(q=len(independent_coordinates(robot)))
    _, places, _, size = places_of(EquationTerms, sizes)

    def block_of(n: int, motion: Motion, found: Reduction) -> Floats:
        reduced = _reduced_terms(found, terms.of_sample(n), motion[1])
        return np.concatenate([term.ravel() for term in reduced])

    return Equations(_reduced(robot, inputs, (size,), block_of), places)


def reduced_columns(robot: PreparedRobot, inputs: Inputs, columns: Floats) -> Floats:
    """Return G^T times columns (..., v, k) of all coordinates: those of the independent ones."""
    if robot.flat.sizes.r == 0:
        return columns
    many = columns.reshape(-1, *columns.shape[-2:])
    shape = len(independent_coordinates(robot)), columns.shape[-1]
    return _reduced(robot, inputs, shape, lambda n, _, found: found.ratio.T @ many[n])


def _reduced(
    robot: PreparedRobot,
    inputs: Inputs,
    shape: tuple[int, ...],
    compute: Callable[[int, Motion, Reduction], Floats],
) -> Floats:
    """Return the results (..., *shape) of a function of number, motion and reduction of a state."""
    rows, leading = rows_of(robot, inputs)

    def compute_at(n: int, motion: Motion) -> Floats:
        found = reduction(robot.flat, motion, loop_constraints(robot, motion))
        return compute(n, motion, found)

    result = np.empty((len(rows[0]), *shape))
    for n, own in enumerate(of_each(rows, leading, compute_at)):
        result[n] = own
    return result.reshape(*leading, *shape)


def without_idle_effort(found: Reduction, M: Floats) -> Floats:
    """Return G (v, k) for accelerations of idle motions N that need no effort: N^T M G = 0.

    Parameters
    ----------
    found : Reduction
    M : (v, v) array
        Mass matrix of the open tree. Idle motions without inertia keep the G of the reduction.
    """
    G = found.ratio
    moved: Floats = G + idle_response(found, M, M @ G)
    return moved


def idle_response(found: Reduction, M: Floats, effort: Floats) -> Floats:
    """Return the accelerations N w of idle motions under efforts (v, k): N^T (M N w + effort) = 0.

    Idle motions without inertia do not accelerate.
    """
    N = found.idle_motions
    if not N.size:
        return np.zeros_like(effort)
    values, axes = np.linalg.eigh(N.T @ M @ N)
    terms = abs(N).T @ abs(M) @ abs(N)
    heavy = values > ROUND_OFF * terms.max(initial=0.0)
    axes = N @ axes[:, heavy]
    response: Floats = -axes @ ((axes.T @ effort) / values[heavy, None])
    return response


def _reduced_terms(found: Reduction, terms: Equations, velocity: Floats) -> EquationTerms:
    """Return the terms of the independent coordinates at a state of velocity (v,)."""
    M, C = terms.mass_matrix, terms.coriolis_matrix
    G = without_idle_effort(found, M)
    by_velocity = G.T @ (C + M @ found.drift)
    # idle motions have velocities of their own, whose effort counts as external
    idle_velocity = velocity - G @ velocity[found.index]
    return EquationTerms(
        mass_matrix=G.T @ M @ G,
        coriolis_matrix=by_velocity @ G,
        gravity_effort=G.T @ terms.gravity_effort,
        spring_effort=G.T @ terms.spring_effort,
        external_effort=G.T @ terms.external_effort + by_velocity @ idle_velocity,
        friction_effort=G.T @ terms.friction_effort,
    )
