# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The tree without fixed links, with numbers or expressions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from charmie_dynamics.core.arrays import FIXED, FLOATING, PLANAR, PRISMATIC, REVOLUTE, Tree
from charmie_dynamics.core.inverse.forward_kinematics import joint_terms
from charmie_dynamics.numerics.vectors import Floats, Ints

from .engines import Engine, Expressions, choose_engine

# distance of entries of rotation matrices from zero and one due to round-off in the URDF
ROUND_OFF = 1e-14


class PlacedLinks(NamedTuple):
    """The n links of a tree in the bodies of the tree without fixed links.

    Attributes
    ----------
    body : (n,) array of int
        The body that contains each link.
    R_body_link, p_body_link : (n, 3, 3), (n, 3) array
        Pose of the link in it; positions may be expressions.
    """

    body: Ints
    R_body_link: Floats
    p_body_link: Expressions


def without_fixed_links(tree: Tree) -> tuple[Tree, PlacedLinks]:
    """Return a tree in which only the root is fixed: fixed links become parts of their parents.

    External loads are omitted: they do not belong to the equations of motion. Planar joints are
    replaced by single joints. Masses and positions may be expressions of SymPy.
    """
    tree, last = with_single_joints(tree)
    n = len(tree.parent)
    kept = [i for i in range(n) if i == 0 or tree.joint_type[i] != FIXED]
    number = {i: k for k, i in enumerate(kept)}
    owner = np.zeros(n, dtype=np.int64)  # index of the body that contains each link
    R_owner, p_owner = np.tile(np.eye(3), (n, 1, 1)), np.zeros((n, 3))
    R, p = np.array(tree.R_parent_joint), np.array(tree.p_parent_joint)
    if p.dtype == object:
        p_owner = p_owner.astype(object)
    for i in range(1, n):
        parent = tree.parent[i]
        R[i], p[i] = R_owner[parent] @ R[i], p_owner[parent] + _turned(R_owner[parent], p[i])
        if i in number:
            owner[i] = i
        else:
            owner[i], R_owner[i], p_owner[i] = owner[parent], R[i], p[i]
    mass, com, inertia = _joined(tree, owner, R_owner, p_owner)
    R = without_round_off(R)
    axis = without_round_off(np.array(tree.axis))
    R_sine, R_versine, u_parent_axis = joint_terms(R, axis)
    parents = [-1, *(number[int(owner[tree.parent[i]])] for i in kept[1:])]
    joined = tree._replace(
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
        R_sine=without_round_off(R_sine)[kept],
        R_versine=without_round_off(R_versine)[kept],
        u_parent_axis=without_round_off(u_parent_axis)[kept],
        scalar=tree.scalar[kept],
        external_force=np.zeros((len(kept), 3)),
        external_torque=np.zeros((len(kept), 3)),
    )
    bodies = np.array([number[int(owner[i])] for i in last], dtype=np.int64)
    return joined, PlacedLinks(bodies, without_round_off(R_owner)[last], p_owner[last])


def with_single_joints(tree: Tree) -> tuple[Tree, Ints]:
    """Return a tree whose planar joints are two prismatic joints, x and y, and a revolute one.

    The two links between them have no mass. The coordinates are the same.

    Returns
    -------
    tree : Tree
    last : (n,) array of int
        The row of each link.
    """
    planar = np.flatnonzero(tree.joint_type == PLANAR)
    if not len(planar):
        return tree, np.arange(len(tree.parent))
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
    return tree._replace(**own), last


def expressed(tree: Tree, engine: Engine) -> Tree:
    """Return a tree with expressions of an engine instead of floats, or of those of SymPy."""
    named = tree._asdict().items()
    kinds = "fO"  # floats and objects
    return tree._replace(
        **{k: engine.numbers(each) for k, each in named if each.dtype.kind in kinds}
    )


def beginning(tree: Tree, joints: int) -> Tree:
    """Return the tree of the root and the bodies that a number of first joints move."""
    bodies = joints + 1
    number = {-1: -1}
    count = 0
    for c, kind in zip(tree.coordinate[1:bodies], tree.joint_type[1:bodies], strict=True):
        if int(c) not in number:
            number[int(c)] = count
            count += width_of(int(kind))
    named = tree._asdict().items()
    first = {name: each if name == "gravity" else each[:bodies] for name, each in named}
    renumbered = [number[int(c)] for c in first["coordinate"]]
    return tree._replace(**{**first, "coordinate": np.array(renumbered, dtype=np.int64)})


def width_of(kind: int) -> int:
    """Return the number of coordinates of a joint of a tree without planar joints."""
    return 6 if kind == FLOATING else 1


def count_coordinates(tree: Tree) -> int:
    """Return the number of coordinates of a tree without planar joints."""
    joints = zip(tree.coordinate, tree.joint_type, strict=True)
    return max((int(c) + width_of(int(kind)) for c, kind in joints if c >= 0), default=0)


def count_positions(tree: Tree) -> int:
    """Return the number of positions: the coordinates, and the scalars of quaternions."""
    return count_coordinates(tree) + int((tree.joint_type == FLOATING).sum())


def _joined(
    tree: Tree, owner: np.ndarray, R_owner: Floats, p_owner: Expressions
) -> tuple[Expressions, Expressions, Expressions]:
    """Return mass, centre of mass and inertia about it of each body with its fixed links."""
    n = len(owner)
    alone = np.bincount(owner, minlength=n) == 1
    mass, com, inertia = tree.mass.copy(), tree.p_body_com.copy(), tree.inertia.copy()
    for body in np.flatnonzero(~alone):  # others are unchanged, without round-off
        parts = np.flatnonzero(owner == body)
        p = {i: p_owner[i] + _turned(R_owner[i], tree.p_body_com[i]) for i in parts}
        mass[body] = sum(tree.mass[i] for i in parts)
        first = sum((tree.mass[i] * p[i] for i in parts), np.zeros(3))
        com[body] = first / mass[body] if mass[body] != 0.0 else np.zeros(3)
        second: Expressions = -mass[body] * _about_origin(com[body])
        for i in parts:
            second = second + _turned(R_owner[i], _turned(R_owner[i], tree.inertia[i]).T)
            second = second + tree.mass[i] * _about_origin(p[i])
        inertia[body] = second
    return mass, com, inertia


def _turned(R: Floats, a: Expressions) -> Expressions:
    """Return R a; for expressions of SymPy without round-off in R."""
    if a.dtype != object:
        return np.asarray(R @ a)
    return np.asarray(choose_engine("sympy").numbers(without_round_off(R)) @ a)


def _about_origin(p: Expressions) -> Expressions:
    """Return the inertia of a unit mass at a point, about the origin."""
    return np.asarray(p @ p * np.eye(3, dtype=p.dtype) - np.outer(p, p))


def without_round_off(array: Floats) -> Floats:
    """Return an array of sines, cosines or components of axes without round-off."""
    whole = np.round(array)
    return np.where(np.abs(array - whole) < ROUND_OFF, whole, array)
