# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The method by the generalised inertia matrix (GIM) and Christoffel symbols.

The mass matrix comes from composite rigid bodies, the Coriolis matrix from its derivatives
(Christoffel symbols of the first kind), gravity from the derivatives of the potential energy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from charmie_dynamics.core.arrays import FLOATING, Tree

from .bias import SymbolicTerms
from .engines import Engine, Expressions
from .floating import commutators, momentum_commutators, rate_matrix
from .kinematics import (
    BodyInertia,
    Pose,
    composite_inertials,
    dual,
    freedoms_of,
    poses,
    potential_energy,
)
from .tree import count_coordinates, expressed


def terms_by_christoffel_symbols(
    tree: Tree, engine: Engine, position: Sequence[Any], velocity: Sequence[Any]
) -> SymbolicTerms:
    """Return the terms of the equations of motion of a tree of numbers."""
    tree = expressed(tree, engine)
    placed = poses(tree, engine, position)
    composite = composite_inertials(tree, placed)
    mass_matrix = composite_mass_matrix(tree, engine, placed, composite)
    energy = engine.module.sympify(potential_energy(tree, composite[0]))
    S = rate_matrix(tree, engine, position)
    gravity = np.array([energy.diff(q) for q in position], dtype=object) @ S
    coriolis = christoffel_matrix(engine, mass_matrix, position, velocity, S)
    if FLOATING in tree.joint_type:
        turning = mass_matrix @ commutators(tree, engine, velocity)
        momentum = mass_matrix @ np.array(velocity, dtype=object)
        turning = turning - turning.T + momentum_commutators(tree, engine, momentum)
        coriolis = coriolis + engine.half() * turning
    return SymbolicTerms(mass_matrix, coriolis, gravity)


def composite_mass_matrix(
    tree: Tree, engine: Engine, placed: Sequence[Pose], composite: Sequence[BodyInertia]
) -> Expressions:
    """Return the mass matrix (v, v) of the coordinates.

    Column j contains the momenta, for a unit rate of joint j, along the joints that support it.
    """
    v = count_coordinates(tree)
    result = np.full((v, v), engine.number(0), dtype=object)
    own = [[], *(freedoms_of(tree, engine, i) for i in range(1, len(placed)))]
    for j, freedom in ((j, each) for j, freedoms in enumerate(own) for each in freedoms):
        m, h, inertia = composite[j]
        _, linear, angular = freedom
        force = m * linear + dual(angular) @ h
        torque = inertia @ angular + dual(h) @ linear
        i = j
        while i > 0:
            for a, along, about in own[i]:
                value = along @ force + about @ torque
                result[a, freedom.coordinate] += value
                if i != j:
                    result[freedom.coordinate, a] += value
            R, p = placed[i]
            force = R @ force
            torque = R @ torque + dual(p) @ force
            i = int(tree.parent[i])
    return result


def christoffel_matrix(
    engine: Engine,
    mass_matrix: Expressions,
    position: Sequence[Any],
    velocity: Sequence[Any],
    rates: Expressions,
) -> Expressions:
    """Return C with C_ij = sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) v_k / 2.

    The derivatives are those along the velocities, with the `rates` (p, v) of the positions.
    """
    n = len(velocity)
    slope = np.full((n, n, n), engine.number(0), dtype=object)  # dM_ij/dq_k
    for i in range(n):
        for j in range(i, n):
            by_position = np.array([mass_matrix[i, j].diff(q) for q in position], dtype=object)
            slope[i, j] = slope[j, i] = by_position @ rates
    result = np.full((n, n), engine.number(0), dtype=object)
    for i, j, k in np.ndindex(n, n, n):
        symbol = slope[i, j, k] + slope[i, k, j] - slope[j, k, i]
        result[i, j] += engine.half() * symbol * velocity[k]
    return result
