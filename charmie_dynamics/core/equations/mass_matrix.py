# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mass matrix, Coriolis matrix and gravity efforts of the open tree by composite rigid bodies.

What degree of freedom j moves has the composite inertia I_j, and its axis S_j the rate
S'_j = v_carrier x S_j (`spatial_motion`). For i = j and each i before it (Featherstone, Rigid Body
Dynamics Algorithms, 2008, section 6.2; Echeandia and Wensing 2021, algorithm 1, with B twice that
of their equations):

    M_ij = S_i . I_j S_j
    C_ij = S_i . (I_j S'_j + B_j S_j / 2)
    C_ji = S'_i . I_j S_j + S_i . B_j^T S_j / 2

C v is the bias of the inertial forces, C is made of Christoffel symbols of M, and so d/dt M - 2 C
is skew-symmetric and 2 C the derivative of the bias by v.

The velocity of a floating joint is given in the axes of its body: the linear part u and the angular
part w. So its axes S_k turn by their own motion, too. With v = S (u; w) that is v x S_k = S A_k,
where A is made of the numbers of the velocity alone:

    A = | [w]x  [u]x |
        |  0    [w]x |

and the Coriolis matrix gets M A in the columns of the joint. That adds nothing to C v, as
A (u; w) = 0, but without it d/dt M - 2 C is not skew-symmetric. The derivative of the bias by v,
twice the Coriolis matrix elsewhere, gets it once. (Featherstone, sections 2.9 and 3.5.)
"""

from __future__ import annotations

from charmie_dynamics.core.arrays import FLOATING, Freedoms, Kinematics, Tree
from charmie_dynamics.core.inverse.records import Robot
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
def write_mass_and_coriolis(freedoms: Freedoms, spatial: Spatial, M: Floats, C: Floats) -> None:
    """Write both matrices of the open tree.

    Parameters
    ----------
    freedoms : Freedoms
    spatial : Spatial
        Of the state.
    M, C : (q, q) array
        Output, in the coordinates of the joints; mimic joints are added to their leaders.
    """
    for row in range(M.shape[0]):
        for column in range(M.shape[0]):
            M[row, column] = 0.0
            C[row, column] = 0.0
    for j in range(freedoms.freedom_body.shape[0]):
        add_pairs(freedoms, spatial, j, M, C)


@compiled
def add_pairs(freedoms: Freedoms, spatial: Spatial, j: int, M: Floats, C: Floats) -> None:
    """Add what degree of freedom `j` makes with itself and with each one before it."""
    body = freedoms.freedom_body[j]
    s_angular, s_linear = spatial.joint_angular[j], spatial.joint_linear[j]
    p_angular, p_linear = apply_inertia(spatial, body, s_angular, s_linear)
    d_angular, d_linear = apply_inertia(
        spatial, body, spatial.rate_angular[j], spatial.rate_linear[j]
    )
    # B_j S_j / 2 and B_j^T S_j / 2, whose linear part is zero
    l = spatial.momentum[body]  # noqa: E741
    drift = spatial.drift[body]
    b_angular = add(d_angular, scale(0.5, rotate(drift, s_angular)))
    b_linear = subtract(d_linear, cross(l, s_angular))
    t_angular = add(scale(0.5, rotate_back(drift, s_angular)), cross(l, s_linear))
    column = freedoms.freedom_coordinate[j]
    M[column, column] += dot(s_angular, p_angular) + dot(s_linear, p_linear)
    C[column, column] += dot(s_angular, b_angular) + dot(s_linear, b_linear)
    i = freedoms.freedom_before[j]
    while i >= 0:
        row = freedoms.freedom_coordinate[i]
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
        i = freedoms.freedom_before[i]


@compiled
def turn_with_floating_bodies(tree: Tree, kinematics: Kinematics, M: Floats, C: Floats) -> None:
    """Add to the columns of floating joints that their axes turn with the body, see above.

    Parameters
    ----------
    tree, kinematics : Tree, Kinematics
        After step 3.
    M, C : (q, q) array
        Mass matrix, which is read, and Coriolis matrix or derivative by velocities.
    """
    if kinematics.joint_scalar.shape[0] == 0:
        return
    velocity = kinematics.joint_velocity
    for i in range(tree.parent.shape[0]):
        if tree.joint_type[i] == FLOATING:
            c = tree.coordinate[i]
            u = (velocity[c], velocity[c + 1], velocity[c + 2])
            w = (velocity[c + 3], velocity[c + 4], velocity[c + 5])
            for row in range(M.shape[0]):
                m = (M[row, c], M[row, c + 1], M[row, c + 2])
                n = (M[row, c + 3], M[row, c + 4], M[row, c + 5])
                # a row m times [w]x is m x w
                slides = cross(m, w)
                hinges = add(cross(m, u), cross(n, w))
                for k in range(3):
                    C[row, c + k] += slides[k]
                    C[row, c + 3 + k] += hinges[k]


@compiled
def write_gravity(robot: Robot, spatial: Spatial, effort: Floats) -> None:
    """Write the efforts (q,) that hold the weight of the open tree: S_j . I_j (0; -g)."""
    for c in range(effort.shape[0]):
        effort[c] = 0.0
    freedoms = robot.freedoms
    upward = scale(-1.0, robot.tree.gravity)
    for j in range(freedoms.freedom_body.shape[0]):
        body = freedoms.freedom_body[j]
        torque = cross(spatial.first_moment[body], upward)
        along = dot(spatial.joint_linear[j], upward)
        effort[freedoms.freedom_coordinate[j]] += (
            dot(spatial.joint_angular[j], torque) + spatial.mass[body] * along
        )
