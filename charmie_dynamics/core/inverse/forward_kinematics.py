# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Step 4: recursive forward kinematics of the tree (multibody paper, eq. 15 to 19)."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.core.arrays import (
    FLOATING,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    Kinematics,
    Tree,
)
from charmie_dynamics.core.mechanisms.auxiliary_bodies import place_in_world
from charmie_dynamics.numerics.fused import multiply_add
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.rotations import (
    compose,
    copy_matrix,
    write_matrix_of_quaternion,
)
from charmie_dynamics.numerics.trigonometry import sines_and_cosines
from charmie_dynamics.numerics.vectors import Floats, add, rotate, scale, store


def joint_terms(R_parent_joint: Floats, axis: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the constants of a joint's pose from its placement and axis.

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
    place_joints(tree, out)
    # two passes: in the first no body waits for another (3 % of the cycle)
    for i in range(tree.parent.shape[0]):
        place_in_parent(tree, i, out)
    for i in range(tree.parent.shape[0]):
        place_body(tree, i, out)


@compiled
def place_joints(tree: Tree, out: Kinematics) -> None:
    """Write the position of each body's joint with its sine and cosine."""
    body_joint = out.body_joint
    for i in range(tree.parent.shape[0]):
        c = tree.coordinate[i]
        if tree.joint_type[i] == PLANAR:
            c += 2  # its angle
        body_joint[i] = (
            0.0 if c < 0 else tree.multiplier[i] * out.joint_position[c] + tree.offset[i]
        )
    sines_and_cosines(body_joint, out.sine, out.cosine)


@compiled
def place_in_parent(tree: Tree, i: int, out: Kinematics) -> None:
    """Write the pose of body `i` in its parent."""
    R_parent_body = out.R_parent_frame[i]
    p_parent_body = out.p_parent_frame[i]
    if tree.joint_type[i] == REVOLUTE or tree.joint_type[i] == PLANAR:
        turn(
            tree.R_parent_joint[i],
            tree.R_sine[i],
            tree.R_versine[i],
            out.sine[i],
            1.0 - out.cosine[i],
            R_parent_body,
        )
    else:
        copy_matrix(tree.R_parent_joint[i], R_parent_body)
    store(p_parent_body, tree.p_parent_joint[i])
    if tree.joint_type[i] == PRISMATIC:
        displacement = scale(out.body_joint[i], tree.u_parent_axis[i])  # eq. 1
        store(p_parent_body, add(tree.p_parent_joint[i], displacement))
    elif tree.joint_type[i] == PLANAR:
        c = tree.coordinate[i]
        plane = tree.u_parent_plane[i]
        displacement = add(
            scale(out.joint_position[c], plane[0]), scale(out.joint_position[c + 1], plane[1])
        )
        store(p_parent_body, add(tree.p_parent_joint[i], displacement))
    elif tree.joint_type[i] == FLOATING:
        place_floating(tree, i, out)


@compiled
def place_floating(tree: Tree, i: int, out: Kinematics) -> None:
    """Write the pose of body `i`, behind a floating joint, in its parent."""
    c = tree.coordinate[i]
    q = out.joint_position
    R_parent_joint = tree.R_parent_joint[i]
    p_joint_body = (q[c], q[c + 1], q[c + 2])
    store(out.p_parent_frame[i], add(tree.p_parent_joint[i], rotate(R_parent_joint, p_joint_body)))
    # in the place of R_world_frame, which is written later
    R_joint_body = out.R_world_frame[i]
    scalar = out.joint_scalar[tree.scalar[i]]
    write_matrix_of_quaternion(q[c + 3], q[c + 4], q[c + 5], scalar, R_joint_body)
    compose(R_parent_joint, R_joint_body, out.R_parent_frame[i])


@compiled
def place_body(tree: Tree, i: int, out: Kinematics) -> None:
    """Write the pose of body `i` in the world, after that of its parent."""
    if tree.parent[i] < 0:
        copy_matrix(out.R_parent_frame[i], out.R_world_frame[i])
        store(out.p_world_frame[i], out.p_parent_frame[i])
    else:
        # eq. 15, 16 and 19 with A'' of body i (printed: of i - 1), which is zero in body axes
        place_in_world(tree.parent[i], i, out)


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
