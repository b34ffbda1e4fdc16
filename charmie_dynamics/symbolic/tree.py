# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The tree without fixed links, with numbers or expressions."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.core.arrays import FIXED, PLANAR, PRISMATIC, REVOLUTE, Tree
from charmie_dynamics.core.inverse.forward_kinematics import joint_terms
from charmie_dynamics.numerics.vectors import Floats

from .engines import Engine

# distance of entries of rotation matrices from zero and one due to round-off in the URDF
ROUND_OFF = 1e-14


def without_fixed_links(tree: Tree) -> Tree:
    """Return a tree in which only the root is fixed: fixed links become parts of their parents.

    External loads are omitted: they do not belong to the equations of motion. Planar joints are
    replaced by single joints.
    """
    tree = with_single_joints(tree)
    n = len(tree.parent)
    kept = [i for i in range(n) if i == 0 or tree.joint_type[i] != FIXED]
    number = {i: k for k, i in enumerate(kept)}
    owner = np.zeros(n, dtype=np.int64)  # index of the body that contains each link
    R_owner, p_owner = np.tile(np.eye(3), (n, 1, 1)), np.zeros((n, 3))
    R, p = np.array(tree.R_parent_joint), np.array(tree.p_parent_joint)
    for i in range(1, n):
        parent = tree.parent[i]
        R[i], p[i] = R_owner[parent] @ R[i], p_owner[parent] + R_owner[parent] @ p[i]
        if i in number:
            owner[i] = i
        else:
            owner[i], R_owner[i], p_owner[i] = owner[parent], R[i], p[i]
    mass, com, inertia = _joined(tree, owner, R_owner, p_owner)
    R = _clean(R)
    axis = _clean(np.array(tree.axis))
    R_sine, R_versine, u_parent_axis = joint_terms(R, axis)
    parents = [-1, *(number[int(owner[tree.parent[i]])] for i in kept[1:])]
    return tree._replace(
        parent=np.array(parents, dtype=np.int64),
        joint_type=tree.joint_type[kept],
        axis=axis[kept],
        R_parent_joint=R[kept],
        p_parent_joint=p[kept],
        coordinate=tree.coordinate[kept],
        multiplier=tree.multiplier[kept],
        offset=tree.offset[kept],
        mass=mass[kept],
        p_body_com=com[kept],
        inertia=inertia[kept],
        R_sine=_clean(R_sine)[kept],
        R_versine=_clean(R_versine)[kept],
        u_parent_axis=_clean(u_parent_axis)[kept],
        external_force=np.zeros((len(kept), 3)),
        external_torque=np.zeros((len(kept), 3)),
    )


def with_single_joints(tree: Tree) -> Tree:
    """Return a tree whose planar joints are two prismatic joints, x and y, and a revolute one.

    The two links between them have no mass. The coordinates are the same.
    """
    planar = np.flatnonzero(tree.joint_type == PLANAR)
    if not len(planar):
        return tree
    rows = np.repeat(np.arange(len(tree.parent)), np.where(tree.joint_type == PLANAR, 3, 1))
    last = np.searchsorted(rows, np.arange(len(tree.parent)), side="right") - 1
    parents = np.where(tree.parent < 0, -1, last[tree.parent])
    own = {
        name: each if name == "gravity" else each[rows].copy()
        for name, each in tree._asdict().items()
    }
    own["parent"] = parents[rows]
    for i in planar:
        turning = int(last[i])
        for k in range(2):
            slide = turning - 2 + k
            own["joint_type"][slide] = PRISMATIC
            own["axis"][slide] = tree.u_parent_plane[i, k]
            own["R_parent_joint"][slide] = np.eye(3)
            own["coordinate"][slide] += k
            for name in ("mass", "p_body_com", "inertia"):
                own[name][slide] = 0.0
        own["parent"][turning - 1 : turning + 1] = turning - 2, turning - 1
        own["p_parent_joint"][turning - 1 : turning + 1] = 0.0
        own["joint_type"][turning] = REVOLUTE
        own["coordinate"][turning] += 2
    return tree._replace(**own)


def expressed(tree: Tree, engine: Engine) -> Tree:
    """Return a tree with expressions instead of floats."""
    named = tree._asdict().items()
    return tree._replace(**{k: engine.numbers(each) for k, each in named if each.dtype.kind == "f"})


def beginning(tree: Tree, joints: int) -> Tree:
    """Return the tree of the root and the bodies that a number of first joints move."""
    bodies = joints + 1
    coordinates = [int(c) for c in dict.fromkeys(tree.coordinate[1:bodies])]
    number = {-1: -1, **{c: k for k, c in enumerate(coordinates)}}
    named = tree._asdict().items()
    first = {name: each if name == "gravity" else each[:bodies] for name, each in named}
    renumbered = [number[int(c)] for c in first["coordinate"]]
    return tree._replace(**{**first, "coordinate": np.array(renumbered, dtype=np.int64)})


def count_coordinates(tree: Tree) -> int:
    """Return the number of coordinates of a tree."""
    return int(tree.coordinate.max(initial=-1)) + 1


def _joined(
    tree: Tree, owner: np.ndarray, R_owner: Floats, p_owner: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return mass, centre of mass and inertia about it of each body with its fixed links."""
    n = len(owner)
    mass, first, second = np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3, 3))
    for i in range(n):
        p = p_owner[i] + R_owner[i] @ tree.p_body_com[i]
        own = R_owner[i] @ tree.inertia[i] @ R_owner[i].T
        mass[owner[i]] += tree.mass[i]
        first[owner[i]] += tree.mass[i] * p
        second[owner[i]] += own + tree.mass[i] * _about_origin(p)
    com = np.divide(first, mass[:, None], out=np.zeros((n, 3)), where=mass[:, None] != 0.0)
    alone = np.bincount(owner, minlength=n) == 1  # unchanged, without round-off
    com[alone], second_alone = tree.p_body_com[alone], tree.inertia[alone]
    inertia = second - mass[:, None, None] * np.array([_about_origin(p) for p in com])
    inertia[alone] = second_alone
    return mass, com, inertia


def _about_origin(p: Floats) -> Floats:
    """Return the inertia of a unit mass at a point, about the origin."""
    return np.asarray(p @ p * np.eye(3) - np.outer(p, p))


def _clean(array: Floats) -> Floats:
    """Return an array of sines, cosines or components of axes without round-off."""
    whole = np.round(array)
    return np.where(np.abs(array - whole) < ROUND_OFF, whole, array)
