# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Step 4: recursive forward kinematics of the tree (multibody paper, eq. 15 to 19)."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.core.arrays import PRISMATIC, REVOLUTE, Kinematics, Tree
from charmie_dynamics.numerics.fused import multiply_add
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.rotations import compose, copy_matrix
from charmie_dynamics.numerics.trigonometry import sines_and_cosines
from charmie_dynamics.numerics.vectors import Floats, add, rotate, scale, store


def joint_terms(R_parent_joint: Floats, axis: Floats) -> tuple[Floats, Floats, Floats]:
    """Return what a joint's pose needs of its placement and axis, worked out once.

    By Rodrigues' formula the turn by q about the unit vector z is
    1 + sin q [z]x + (1 - cos q) [z]x [z]x. For the axes x, y and z this is the multibody paper's
    eq. 17 and 18, that is ZXZ(0, q, 0), ZXZ(pi/2, q, -pi/2) and ZXZ(0, 0, q); any other axis works
    as well.

    Parameters
    ----------
    R_parent_joint : (n, 3, 3) array
        Placement of the joints at position zero.
    axis : (n, 3) array
        Unit vectors in joint coordinates.

    Returns
    -------
    R_sine, R_versine : (n, 3, 3) array
        R_parent_joint [z]x and R_parent_joint [z]x [z]x.
    u_parent_axis : (n, 3) array
        R_parent_joint z.
    """
    cross = np.zeros((len(axis), 3, 3))
    for row, column, k, sign in ((0, 1, 2, -1), (0, 2, 1, 1), (1, 2, 0, -1)):
        cross[:, row, column] = sign * axis[:, k]
        cross[:, column, row] = -sign * axis[:, k]
    R_sine = R_parent_joint @ cross
    u_parent_axis = np.einsum("nij,nj->ni", R_parent_joint, axis)
    return R_sine, R_sine @ cross, u_parent_axis


@compiled
def forward_kinematics(tree: Tree, out: Kinematics) -> None:
    """Write the pose of every body in its parent and in the world, from the root outwards.

    Parameters
    ----------
    tree : Tree
        n bodies.
    out : Kinematics
        Joint positions are read, positions of the bodies' joints and poses are written.
    """
    body_joint, sine, cosine = out.body_joint, out.sine, out.cosine
    R_parent_body, p_parent_body = out.R_parent_frame, out.p_parent_frame
    R_world_body, p_world_body = out.R_world_frame, out.p_world_frame
    for i in range(tree.parent.shape[0]):
        c = tree.coordinate[i]
        body_joint[i] = (
            0.0 if c < 0 else tree.multiplier[i] * out.joint_position[c] + tree.offset[i]
        )
    sines_and_cosines(body_joint, sine, cosine)
    # two passes: in the first no body waits for another (3 % of the cycle)
    for i in range(tree.parent.shape[0]):
        if tree.joint_type[i] == REVOLUTE:
            turn(
                tree.R_parent_joint[i],
                tree.R_sine[i],
                tree.R_versine[i],
                sine[i],
                1.0 - cosine[i],
                R_parent_body[i],
            )
        else:
            copy_matrix(tree.R_parent_joint[i], R_parent_body[i])
        store(p_parent_body[i], tree.p_parent_joint[i])
        if tree.joint_type[i] == PRISMATIC:
            displacement = scale(body_joint[i], tree.u_parent_axis[i])  # eq. 1
            store(p_parent_body[i], add(tree.p_parent_joint[i], displacement))
    copy_matrix(R_parent_body[0], R_world_body[0])
    store(p_world_body[0], p_parent_body[0])
    for i in range(1, tree.parent.shape[0]):
        parent = tree.parent[i]
        compose(R_world_body[parent], R_parent_body[i], R_world_body[i])  # eq. 16
        # eq. 19 with A'' of body i (printed: of i - 1), which is zero in body coordinates
        moved = rotate(R_world_body[parent], p_parent_body[i])  # eq. 15
        store(p_world_body[i], add(p_world_body[parent], moved))


@compiled
def turn(
    R_parent_joint: Floats,
    R_sine: Floats,
    R_versine: Floats,
    sine: float,
    versine: float,
    R_parent_body: Floats,
) -> None:
    """Write the orientation of a body behind a revolute joint (eq. 18)."""
    for i in range(3):
        for j in range(3):
            R_parent_body[i, j] = multiply_add(
                versine, R_versine[i, j], multiply_add(sine, R_sine[i, j], R_parent_joint[i, j])
            )
