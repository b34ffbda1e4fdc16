# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Links and joints in their order, as arrays: what of a flat robot the tree alone decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from charmie_dynamics.core import arrays
from charmie_dynamics.core.arrays import read_only
from charmie_dynamics.core.inverse.forward_kinematics import joint_terms
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.mimics import follow_mimics
from charmie_dynamics.model.description.robot import RobotTree

from .freedoms import CoordinateNames, axes_of_plane, flatten_freedoms, name_coordinates

CORE_TYPE = {
    "fixed": arrays.FIXED,
    "revolute": arrays.REVOLUTE,
    "continuous": arrays.REVOLUTE,
    "prismatic": arrays.PRISMATIC,
    "planar": arrays.PLANAR,
    "floating": arrays.FLOATING,
}


class NumberedTree(NamedTuple):
    """Arrays that follow from links and joints only."""

    links: list[str]
    numbers: dict[str, int]  # of the links
    names: CoordinateNames
    tree: arrays.Tree
    freedoms: arrays.Freedoms


def numbered_tree(robot: RobotTree, mechanisms: MechanismSet) -> NumberedTree:
    """Return the arrays of links and joints, which depend on two fields of the mechanisms only.

    So robots with a common tree, such as the candidates of a study, share these arrays.
    """
    key = mechanisms.passive_joints, mechanisms.gravity
    if key not in robot.flattened:
        links = _order_links(robot)
        index = {name: i for i, name in enumerate(links)}
        independent = [j for j in robot.joints if j.type != "fixed" and j.mimic is None]
        names = name_coordinates(independent, mechanisms.passive_joints)
        tree = _flatten_tree(robot, links, index, names.first, mechanisms)
        robot.flattened.clear()
        robot.flattened[key] = NumberedTree(
            links, index, names, tree, flatten_freedoms(tree, names)
        )
    found: NumberedTree = robot.flattened[key]
    return found


def _order_links(robot: RobotTree) -> list[str]:
    """Return the links with each parent before its children, branches in the order of the file."""
    children: dict[str, list[str]] = {}
    for joint in robot.joints:
        children.setdefault(joint.parent, []).append(joint.child)
    order: list[str] = []
    pending = [robot.root]
    while pending:
        link = pending.pop()
        order.append(link)
        pending.extend(reversed(children.get(link, [])))
    return order


def _flatten_tree(
    robot: RobotTree,
    links: Sequence[str],
    index: dict[str, int],
    coordinates: dict[str, int],
    mechanisms: MechanismSet,
) -> arrays.Tree:
    n = len(links)
    parent = np.full(n, -1, dtype=np.int64)
    joint_type = np.zeros(n, dtype=np.int64)
    axis = np.zeros((n, 3))
    R = np.tile(np.eye(3), (n, 1, 1))
    p = np.zeros((n, 3))
    coordinate = np.full(n, -1, dtype=np.int64)
    multiplier = np.zeros(n)
    offset = np.zeros(n)
    plane = np.zeros((n, 2, 3))
    scalar = np.full(n, -1, dtype=np.int64)
    mass = np.zeros(n)
    com = np.zeros((n, 3))
    inertia = np.zeros((n, 3, 3))
    followed = follow_mimics(robot.joints)
    floating = [joint.name for joint in robot.joints if joint.type == "floating"]
    for joint in robot.joints:
        i = index[joint.child]
        parent[i] = index[joint.parent]
        joint_type[i] = CORE_TYPE[joint.type]
        axis[i] = joint.axis
        R[i] = joint.R_parent_joint
        p[i] = joint.p_parent_joint
        if joint.type != "fixed":
            leader, multiplier[i], offset[i] = followed[joint.name]
            coordinate[i] = coordinates[leader]
        if joint.type == "planar":
            plane[i] = axes_of_plane(joint.axis) @ joint.R_parent_joint.T
        elif joint.type == "floating":
            scalar[i] = floating.index(joint.name)
    for i, name in enumerate(links):
        inertial = robot.links[name].inertial
        if inertial is not None:
            mass[i] = inertial.mass
            com[i] = inertial.p_link_com
            inertia[i] = inertial.inertia
    R_sine, R_versine, u_parent_axis = joint_terms(R, axis)
    tree = arrays.Tree(
        parent=parent,
        joint_type=joint_type,
        axis=axis,
        R_parent_joint=R,
        p_parent_joint=p,
        coordinate=coordinate,
        multiplier=multiplier,
        offset=offset,
        mass=mass,
        p_body_com=com,
        inertia=inertia,
        gravity=np.array(mechanisms.gravity, dtype=np.float64),
        R_sine=R_sine,
        R_versine=R_versine,
        u_parent_axis=u_parent_axis,
        u_parent_plane=plane,
        scalar=scalar,
        external_force=np.zeros((n, 3)),
        external_torque=np.zeros((n, 3)),
    )
    return read_only(tree)
