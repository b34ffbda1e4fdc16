# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mass matrix, Coriolis matrix and gravity efforts of the open tree by composite rigid bodies.

Body j with all that it carries has the composite inertia I_j, and its joint the axis S_j, whose
rate is S'_j = v_parent x S_j. For body i = j and each body i before it (Featherstone, Rigid Body
Dynamics Algorithms, 2008, section 6.2; Echeandia and Wensing 2021, algorithm 1, with B twice that
of their equations):

    M_ij = S_i . I_j S_j
    C_ij = S_i . (I_j S'_j + B_j S_j / 2)
    C_ji = S'_i . I_j S_j + S_i . B_j^T S_j / 2

C v is the bias of the inertial forces, C is made of Christoffel symbols of M, and so d/dt M - 2 C
is skew-symmetric and 2 C the derivative of the bias by v.
"""

from __future__ import annotations

from charmie_dynamics.core.arrays import Tree
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import (
    Floats,
    add,
    cross,
    dot,
    rotate,
    rotate_back,
    scale,
    subtract,
)

from .records import Spatial
from .spatial_motion import apply_inertia


@compiled
def write_mass_and_coriolis(tree: Tree, spatial: Spatial, M: Floats, C: Floats) -> None:
    """Write both matrices of the open tree.

    Parameters
    ----------
    tree : Tree
        n bodies.
    spatial : Spatial
        Of the state.
    M, C : (q, q) array
        Output, in the coordinates of the joints; mimic joints are added to their leaders.
    """
    for row in range(M.shape[0]):
        for column in range(M.shape[0]):
            M[row, column] = 0.0
            C[row, column] = 0.0
    for j in range(1, tree.parent.shape[0]):
        if tree.coordinate[j] >= 0:
            add_pairs(tree, spatial, j, M, C)


@compiled
def add_pairs(tree: Tree, spatial: Spatial, j: int, M: Floats, C: Floats) -> None:
    """Add what body `j` makes with itself and with each body before it."""
    s_angular, s_linear = spatial.joint_angular[j], spatial.joint_linear[j]
    p_angular, p_linear = apply_inertia(spatial, j, s_angular, s_linear)
    d_angular, d_linear = apply_inertia(spatial, j, spatial.rate_angular[j], spatial.rate_linear[j])
    # B_j S_j / 2 and B_j^T S_j / 2, whose linear part is zero
    l = spatial.momentum[j]  # noqa: E741
    b_angular = add(d_angular, scale(0.5, rotate(spatial.drift[j], s_angular)))
    b_linear = subtract(d_linear, cross(l, s_angular))
    t_angular = add(scale(0.5, rotate_back(spatial.drift[j], s_angular)), cross(l, s_linear))
    column = tree.coordinate[j]
    M[column, column] += dot(s_angular, p_angular) + dot(s_linear, p_linear)
    C[column, column] += dot(s_angular, b_angular) + dot(s_linear, b_linear)
    i = tree.parent[j]
    while i > 0:
        row = tree.coordinate[i]
        if row >= 0:
            a, v = spatial.joint_angular[i], spatial.joint_linear[i]
            inertia = dot(a, p_angular) + dot(v, p_linear)
            M[row, column] += inertia
            M[column, row] += inertia
            C[row, column] += dot(a, b_angular) + dot(v, b_linear)
            C[column, row] += (
                dot(spatial.rate_angular[i], p_angular)
                + dot(spatial.rate_linear[i], p_linear)
                + dot(a, t_angular)
            )
        i = tree.parent[i]


@compiled
def write_gravity(tree: Tree, spatial: Spatial, effort: Floats) -> None:
    """Write the efforts (q,) that hold the weight of the open tree: S_j . I_j (0; -g)."""
    for c in range(effort.shape[0]):
        effort[c] = 0.0
    upward = scale(-1.0, tree.gravity)
    for j in range(1, tree.parent.shape[0]):
        c = tree.coordinate[j]
        if c >= 0:
            torque = cross(spatial.first_moment[j], upward)
            along = dot(spatial.joint_linear[j], upward)
            effort[c] += dot(spatial.joint_angular[j], torque) + spatial.mass[j] * along
