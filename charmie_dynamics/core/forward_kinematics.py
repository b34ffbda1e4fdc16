"""Step 4: recursive forward kinematics of the tree (multibody paper, eq. 15 to 19)."""

from __future__ import annotations

from .arrays import PRISMATIC, REVOLUTE, Tree
from .jit import compiled
from .rotations import compose, copy_matrix, from_axis_angle
from .vectors import Floats, add, rotate, scale, store


@compiled
def forward_kinematics(
    tree: Tree,
    joint_position: Floats,
    R_parent_body: Floats,
    p_parent_body: Floats,
    R_world_body: Floats,
    p_world_body: Floats,
) -> None:
    """Write the pose of every body in its parent and in the world, from the root outwards.

    Parameters
    ----------
    tree : Tree
        n bodies.
    joint_position : (q,) array
        Coordinates (rad or m).
    R_parent_body, R_world_body : (n or more, 3, 3) array
        Output.
    p_parent_body, p_world_body : (n or more, 3) array
        Output (m).
    """
    for i in range(tree.parent.shape[0]):
        store(p_parent_body[i], tree.p_parent_joint[i])
        copy_matrix(tree.R_parent_joint[i], R_parent_body[i])
        c = tree.coordinate[i]
        if c >= 0:
            q = tree.multiplier[i] * joint_position[c] + tree.offset[i]
            if tree.joint_type[i] == REVOLUTE:
                # eq. 18; R_world_body[i] holds the turn of the joint for a moment
                from_axis_angle(tree.axis[i], q, R_world_body[i])
                compose(tree.R_parent_joint[i], R_world_body[i], R_parent_body[i])
            elif tree.joint_type[i] == PRISMATIC:
                displacement = rotate(tree.R_parent_joint[i], scale(q, tree.axis[i]))  # eq. 1
                store(p_parent_body[i], add(tree.p_parent_joint[i], displacement))
        parent = tree.parent[i]
        if parent < 0:
            copy_matrix(R_parent_body[i], R_world_body[i])
            store(p_world_body[i], p_parent_body[i])
        else:
            compose(R_world_body[parent], R_parent_body[i], R_world_body[i])  # eq. 16
            # eq. 19 with A'' of body i (printed: of i - 1), which is zero in body coordinates
            moved = rotate(R_world_body[parent], p_parent_body[i])  # eq. 15
            store(p_world_body[i], add(p_world_body[parent], moved))
