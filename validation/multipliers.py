# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Accelerations and reactions of any mechanism by Newton, Euler and multipliers, in NumPy.

An independent witness for trees with loop joints: reads the URDF and the mechanisms file itself,
takes the links as free bodies, and all joints, those of the tree and those that close loops, as
constraints on their accelerations. Slow and short.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import yaml

from .urdf_tree import LinkMotion, UrdfTree

TREE = {"continuous": "revolute"}
RANK = 1e-9  # of singular values relative to the largest


class Solution(NamedTuple):
    """What a state under efforts leads to."""

    acceleration: dict[str, float]  # of the joints of the tree
    reaction: dict[str, Any]  # (6,) by the first body on the second at its point, world axes
    rank: int  # of the constraints of the loops in the coordinates of the tree
    rows: int
    undetermined: dict[str, bool]  # whether another reaction would do as well


def accelerations(
    urdf: str,
    mechanisms: str,
    position: Mapping[str, float],
    velocity: Mapping[str, float],
    effort: Mapping[str, float],
) -> Solution:
    """Return accelerations of the joints and reactions of the loop joints.

    The state is given by all joints of the tree, those without drives included, with closed loops.
    Where reactions are undetermined the smallest ones that do are returned.
    """
    tree, file = UrdfTree(urdf), yaml.safe_load(mechanisms) or {}
    motion = tree.motion(position, velocity)
    moving = [link for link in tree.links if link != tree.root]
    number = {link: 6 * k for k, link in enumerate(moving)}
    size = 6 * len(number)
    gravity = np.array(file.get("gravity", (0.0, 0.0, -9.81)))
    mass, load = _bodies(tree, number, motion, gravity)
    for spring in file.get("springs", {}).values():
        _add_spring(spring, motion, number, load)
    rows: list[Any] = []
    right: list[float] = []
    owners: list[str] = []
    for joint in tree.joints:
        along = motion[joint.child].axes @ joint.axis
        if joint.name in effort:
            force = effort[joint.name] * along
            _add_effort(joint.kind, force, motion, (joint.parent, joint.child), number, load)
        entry = {
            "type": TREE.get(joint.kind, joint.kind),
            "first_body": joint.parent,
            "first_point": joint.place,
            "second_body": joint.child,
            "axis": joint.axes @ joint.axis,
        }
        for row, value in _constraint(entry, motion, number, size):
            rows, right, owners = [*rows, row], [*right, value], [*owners, ""]
    tree_rows = len(rows)
    for name, entry in file.get("loop_joints", {}).items():
        for row, value in _constraint(entry, motion, number, size):
            rows, right, owners = [*rows, row], [*right, value], [*owners, name]
    D, gamma = np.array(rows), np.array(right)
    # eq. 24: D M^-1 D^T lambda = gamma - D M^-1 g, by least squares; massless links have M = 0,
    # so that the whole system is solved instead
    matrix = np.block([[mass, -D.T], [D, np.zeros((len(D), len(D)))]])
    scale = 1.0 / np.sqrt(np.maximum(np.abs(np.diag(mass)), 1e-3))
    scales = np.concatenate((scale, np.ones(len(D))))
    solved = (
        scales
        * np.linalg.lstsq(
            scales[:, None] * matrix * scales, scales * np.concatenate((load, gamma)), rcond=1e-12
        )[0]
    )
    bodies, multipliers = solved[:size], solved[size:]
    nothing = np.zeros(6)
    found = {}
    for joint in tree.joints:
        parent, child = (
            bodies[number[link] : number[link] + 6] if link in number else nothing
            for link in (joint.parent, joint.child)
        )
        found[joint.name] = _joint_acceleration(joint, motion, parent, child, velocity)
    reaction, undetermined = {}, {}
    free = _null_space(D.T)
    for name, entry in file.get("loop_joints", {}).items():
        mine = np.array([owner == name for owner in owners])
        second = entry["second_body"]
        at = number.get(second)
        sign, link = (1.0, second) if at is not None else (-1.0, entry["first_body"])
        at = number[link] if at is None else at
        total = sign * (multipliers[mine] @ D[mine][:, at : at + 6])
        arm = motion[second].at(entry.get("second_point", (0.0, 0.0, 0.0)))[0] - motion[link].place
        reaction[name] = np.concatenate((total[:3], total[3:] - np.cross(arm, total[:3])))
        undetermined[name] = bool(np.abs(free[mine]).max(initial=0.0) > RANK)
    rank = np.linalg.matrix_rank(D, tol=RANK * np.linalg.norm(D, 2)) - np.linalg.matrix_rank(
        D[:tree_rows], tol=RANK * np.linalg.norm(D, 2)
    )
    return Solution(found, reaction, int(rank), len(D) - tree_rows, undetermined)


def _bodies(
    tree: UrdfTree, number: Mapping[str, int], motion: Mapping[str, LinkMotion], gravity: Any
) -> tuple[Any, Any]:
    """Return mass matrix and loads of the free links, about their origins, in world axes."""
    size = 6 * len(number)
    mass, load = np.zeros((size, size)), np.zeros(size)
    for link, at in number.items():
        body, moves = tree.links[link], motion[link]
        s, w = moves.axes @ body.centre, moves.spin
        S = _cross(s)
        inertia = moves.axes @ body.inertia @ moves.axes.T - body.mass * S @ S
        mass[at : at + 3, at : at + 3] = body.mass * np.eye(3)
        mass[at : at + 3, at + 3 : at + 6] = -body.mass * S
        mass[at + 3 : at + 6, at : at + 3] = body.mass * S
        mass[at + 3 : at + 6, at + 3 : at + 6] = inertia
        load[at : at + 3] = body.mass * (gravity - np.cross(w, np.cross(w, s)))
        load[at + 3 : at + 6] = body.mass * np.cross(s, gravity) - np.cross(w, inertia @ w)
    return mass, load


def _constraint(
    entry: Mapping[str, Any], motion: Mapping[str, LinkMotion], number: Mapping[str, int], size: int
) -> list[tuple[Any, float]]:
    """Return rows of D and gamma of a joint between two links."""
    i, j = entry["first_body"], entry["second_body"]
    first, second = motion[i], motion[j]
    p, dp = first.at(entry.get("first_point", (0.0, 0.0, 0.0)))
    q, dq = second.at(entry.get("second_point", (0.0, 0.0, 0.0)))
    d, dd = q - p, dq - dp
    si, sj = p - first.place, q - second.place
    wi, wj = first.spin, second.spin
    # accelerations of the points without those of the links
    bias = np.cross(wj, np.cross(wj, sj)) - np.cross(wi, np.cross(wi, si))

    def row(of_points: Any, of_first: Any, of_second: Any) -> Any:
        """Return the row of u . (ddq - ddp) + of_first . alpha_i + of_second . alpha_j."""
        out = np.zeros(size)
        if i in number:
            out[number[i] : number[i] + 6] = np.concatenate(
                (-of_points, of_first - np.cross(si, of_points))
            )
        if j in number:
            out[number[j] : number[j] + 6] = np.concatenate(
                (of_points, of_second + np.cross(sj, of_points))
            )
        return out

    kind, none = entry["type"], np.zeros(3)
    if kind == "distance":
        return [(row(d, none, none), float(-d @ bias - dd @ dd))]
    across = np.eye(3)
    if kind in ("revolute", "prismatic"):
        axis = first.axes @ np.array(entry["axis"], dtype=float)
        axis /= np.linalg.norm(axis)
        x = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
        x /= np.linalg.norm(x)
        across = np.array([x, np.cross(axis, x), axis])
    found = []
    for u in across[:2] if kind == "prismatic" else np.eye(3):
        if kind != "prismatic":
            found.append((row(u, none, none), float(-u @ bias)))
            continue
        du = np.cross(wi, u)  # of a direction that is fixed in the first body
        value = -u @ bias - 2.0 * du @ dd - np.cross(wi, du) @ d
        found.append((row(u, np.cross(u, d), none), float(value)))
    if kind in ("revolute", "prismatic", "fixed"):
        for u in across[:2] if kind == "revolute" else across:
            found.append((row(none, -u, u), float(-np.cross(wi, u) @ (wj - wi))))
    return found


def _joint_acceleration(
    joint: Any, motion: Mapping[str, LinkMotion], parent: Any, child: Any, velocity: Any
) -> float:
    """Return the acceleration of a joint from those of its links."""
    first, second = motion[joint.parent], motion[joint.child]
    along = second.axes @ joint.axis
    if joint.kind in ("revolute", "continuous"):
        rate = velocity.get(joint.name, 0.0)
        relative = child[3:] - parent[3:] - np.cross(first.spin, rate * along)
        return float(along @ relative)
    if joint.kind == "prismatic":
        arm, w = second.place - first.place, first.spin
        speed = velocity.get(joint.name, 0.0) * along
        carried = parent[:3] + np.cross(parent[3:], arm) + np.cross(w, np.cross(w, arm))
        return float(along @ (child[:3] - carried - 2.0 * np.cross(w, speed)))
    return 0.0


def _add_effort(
    kind: str,
    force: Any,
    motion: Mapping[str, LinkMotion],
    links: tuple[str, str],
    number: Mapping[str, int],
    load: Any,
) -> None:
    parent, child = links
    for link, sign in ((child, 1.0), (parent, -1.0)):
        if link not in number:
            continue
        at = number[link]
        if kind == "prismatic":
            arm = motion[child].place - motion[link].place
            load[at : at + 3] += sign * force
            load[at + 3 : at + 6] += sign * np.cross(arm, force)
        else:
            load[at + 3 : at + 6] += sign * force


def _add_spring(
    spring: Mapping[str, Any],
    motion: Mapping[str, LinkMotion],
    number: Mapping[str, int],
    load: Any,
) -> None:
    ends = [
        (link, *motion[link].at(spring[f"{end}_point"]))
        for end in ("base", "tip")
        for link in (spring[f"{end}_body"],)
    ]
    (_, p, dp), (_, q, dq) = ends
    length = float(np.linalg.norm(q - p))
    direction = (q - p) / length
    tension = spring["stiffness"] * (length - spring["free_length"]) + spring.get("pretension", 0.0)
    if spring.get("acts", "tension") == "tension" and length <= spring["free_length"]:
        tension = 0.0
    tension += spring.get("damping", 0.0) * float(direction @ (dq - dp))
    for (link, place, _), sign in zip(ends, (1.0, -1.0), strict=True):
        if link in number:
            at, force = number[link], sign * tension * direction
            load[at : at + 3] += force
            load[at + 3 : at + 6] += np.cross(place - motion[link].place, force)


def _null_space(matrix: Any) -> Any:
    """Return a basis (n, k) of what the matrix (m, n) takes to zero."""
    _, values, rows = np.linalg.svd(matrix)
    rank = int((values > RANK * values[0]).sum())
    return rows[rank:].T


def _cross(vector: Any) -> Any:
    x, y, z = vector
    return np.array([(0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)])
