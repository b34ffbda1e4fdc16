# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Constraints of loop joints: their Jacobian and its time derivative.

The rows are those of `core.forward.loop_constraints`: the components of the velocity of the second
body, less that of the first body, along unit wrenches. Here all vectors are in the axes of the
first body, in which the directions of most rows are constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.core.arrays import Tree
from charmie_dynamics.core.mechanisms.loop_joints import AXIS, DISTANCE, ORIENTATION, LoopJoints

from .engines import Engine, Expressions
from .floating import position_rates
from .kinematics import Pose, dual, freedoms_of, poses
from .tree import PlacedLinks, count_coordinates, expressed, without_round_off


class LoopTerms(NamedTuple):
    """The constraints: jacobian acceleration + jacobian_rate velocity = 0; (r, v) matrices."""

    jacobian: Expressions
    jacobian_rate: Expressions


class LoopEnd(NamedTuple):
    """A body on the way from the common ancestor to one end of a loop joint."""

    body: int
    sign: int  # 1: towards the second body, -1: towards the first body
    R_first_body: Expressions
    p_first_body: Expressions


def loop_terms(
    tree: Tree,
    links: PlacedLinks,
    joints: LoopJoints,
    engine: Engine,
    position: Sequence[Any],
    velocity: Sequence[Any],
) -> LoopTerms:
    """Return the constraints of the loop joints.

    Parameters
    ----------
    tree, links
        Results of `without_fixed_links`.
    joints : LoopJoints
        For the links; points may be expressions.
    engine : Engine
    position, velocity : sequence of symbol
    """
    tree = expressed(tree, engine)
    placed = poses(tree, engine, position)
    freedoms = [freedoms_of(tree, engine, i) if i else [] for i in range(len(placed))]
    D = np.full((len(joints.row_joint), count_coordinates(tree)), engine.number(0), dtype=object)
    for k in range(len(joints.first_body)):
        first, second = int(joints.first_body[k]), int(joints.second_body[k])
        R_first = engine.numbers(links.R_body_link[first])
        way = _between(tree, placed, engine, int(links.body[first]), int(links.body[second]))
        R, place = way.second
        p = _point(engine, links, first, joints.p_first_point[k])
        q = place + R @ _point(engine, links, second, joints.p_second_point[k])
        for r in np.flatnonzero(joints.row_joint == k):
            form = joints.row_form[r]
            u = R_first @ engine.numbers(without_round_off(joints.u_first[r]))
            if form == DISTANCE:
                d = q - p
                u = d / (d @ d) ** engine.half()
            turns = form in (ORIENTATION, AXIS)
            for body, sign, R_body, p_body in way.ends:
                for c, linear, angular in freedoms[body]:
                    w = R_body @ angular
                    rate = w if turns else R_body @ linear + dual(w) @ (q - p_body)
                    D[r, c] += sign * (u @ rate)
    changes = position_rates(tree, engine, position, velocity)
    rate = np.full(D.shape, engine.number(0), dtype=object)
    for row, each in np.ndenumerate(D):
        for x, change in zip(position, changes, strict=True):
            rate[row] += engine.module.sympify(each).diff(x) * change
    return LoopTerms(D, rate)


class Member(NamedTuple):
    """The distance of two points of links, and its derivative (v,) by the velocities."""

    length: Any
    gradient: Expressions


def member(
    tree: Tree, links: PlacedLinks, engine: Engine, position: Sequence[Any], ends: Sequence[Any]
) -> Member:
    """Return the distance of two points.

    Parameters
    ----------
    tree, links, engine, position
        As for `loop_terms`.
    ends : sequence
        Link and point of the first end, then of the second.
    """
    tree = expressed(tree, engine)
    first, first_point, second, second_point = ends
    bodies = int(links.body[first]), int(links.body[second])
    way = _between(tree, poses(tree, engine, position), engine, *bodies)
    p = _point(engine, links, first, first_point)
    q = way.second.p_parent_body + way.second.R_parent_body @ _point(
        engine, links, second, second_point
    )
    length = ((q - p) @ (q - p)) ** engine.half()
    gradient = np.full(count_coordinates(tree), engine.number(0), dtype=object)
    for body, sign, R_body, p_body in way.ends:
        for c, linear, angular in freedoms_of(tree, engine, body):
            rate = R_body @ linear + dual(R_body @ angular) @ (q - p_body)
            gradient[c] += sign * ((q - p) @ rate) / length
    return Member(length, gradient)


class LoopWay(NamedTuple):
    """The bodies between the ends of a loop joint, and the pose of the second body."""

    ends: list[LoopEnd]
    second: Pose


def _between(
    tree: Tree, placed: Sequence[Pose], engine: Engine, first: int, second: int
) -> LoopWay:
    """Return the bodies from the common ancestor to two bodies, in the axes of the first body."""
    above = [_path(tree, body) for body in (first, second)]
    common = next(body for body in above[0] if body in above[1])
    R, p = engine.numbers(np.eye(3)), engine.numbers(np.zeros(3))
    ends = []
    for body in above[0][: above[0].index(common)]:
        ends.append(LoopEnd(body, -1, R, p))
        R = R @ placed[body].R_parent_body.T
        p = p - R @ placed[body].p_parent_body
    for body in reversed(above[1][: above[1].index(common)]):
        p = p + R @ placed[body].p_parent_body
        R = R @ placed[body].R_parent_body
        ends.append(LoopEnd(body, 1, R, p))
    return LoopWay(ends, Pose(R, p))


def _path(tree: Tree, body: int) -> list[int]:
    """Return a body and its ancestors."""
    path = [body]
    while tree.parent[path[-1]] >= 0:
        path.append(int(tree.parent[path[-1]]))
    return path


def _point(engine: Engine, links: PlacedLinks, link: int, point: Any) -> Expressions:
    """Return a point of a link in the axes of its body."""
    R, p = engine.numbers(links.R_body_link[link]), engine.numbers(links.p_body_link[link])
    return np.asarray(p + R @ engine.numbers(point))
