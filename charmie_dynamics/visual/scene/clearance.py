# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Clearance for arcs and arrows next to the bodies, from the visuals of the links."""

from __future__ import annotations

import math

import numpy as np

from charmie_dynamics.model.description.robot import Joint, RobotTree, Visual
from charmie_dynamics.visual.shapes.shape import Floats

SLICES = 9  # samples of a visual in each direction
SIDES = 24


def arc_clearance(tree: RobotTree, joint: Joint, size: float) -> tuple[float, float]:
    """Return offset along the axis and radius (m) of the smallest arc clear of both bodies.

    Without clearance between the bodies that the joint connects, the arc gets a radius outside
    them; of equal radii the one with the smallest offset is taken. The centre of an arc of a joint
    above the floor, z = 0 of the root, is above it at the zero position.

    Parameters
    ----------
    tree : RobotTree
    joint : Joint
        Revolute; the arc is in the frame of its child.
    size : float
        Of the robot, as a multiple of CHARMIE.
    """
    least, gap = 0.07 * size, 0.015 * size
    parent_points = _own_solids(tree, joint.parent) - joint.p_parent_joint
    points = np.concatenate(
        [_moved_solids(tree, joint.child), parent_points @ joint.R_parent_joint]
    )
    along = points @ joint.axis
    radius = np.linalg.norm(points - along[:, None] * joint.axis, axis=1)
    height, up = _height_and_slope(tree, joint)
    best = (0.0, math.inf)
    for step in range(13):
        for sign in (1.0, -1.0):
            offset = sign * step * 0.008 * size
            if height >= 0.0 > height + up * offset:
                continue
            near = radius[np.abs(along - offset) < gap]
            needed = max(least, float(near.max()) + gap if len(near) else 0.0)
            if needed < best[1] - 1e-9:
                best = (offset, needed)
    return best


def arrow_clearance(tree: RobotTree, joint: Joint, size: float) -> float:
    """Return the distance (m) of a clear arrow along a slide from the frame of its child."""
    points = _moved_solids(tree, joint.child)
    distance = np.linalg.norm(points, axis=1)
    beside = np.linalg.norm(points - (points @ joint.axis)[:, None] * joint.axis, axis=1)
    near = distance[beside < 0.3 * size]
    return min(float(near.max()) + 0.02 * size, 0.6 * size) if len(near) else 0.0


def _height_and_slope(tree: RobotTree, joint: Joint) -> tuple[float, float]:
    """Return z of a joint and of its axis in the root, with all joints at zero."""
    p, axis = joint.p_parent_joint, joint.R_parent_joint @ joint.axis
    below = tree.joint_of(joint.parent)
    while below is not None:
        p = below.p_parent_joint + below.R_parent_joint @ p
        axis = below.R_parent_joint @ axis
        below = tree.joint_of(below.parent)
    return float(p[2]), float(axis[2])


def _moved_solids(tree: RobotTree, link: str) -> Floats:
    """Return points (n, 3) on the visuals of a link, or of its child links if it has none."""
    if tree.links[link].visuals:
        return _own_solids(tree, link)
    parts = [np.zeros((0, 3))]
    for joint in tree.joints:
        if joint.parent == link:
            child_points = _moved_solids(tree, joint.child)
            parts.append(child_points @ joint.R_parent_joint.T + joint.p_parent_joint)
    return np.concatenate(parts)


def _own_solids(tree: RobotTree, link: str) -> Floats:
    """Return points (n, 3) on the visuals of a link."""
    return np.concatenate([np.zeros((0, 3)), *map(_surface, tree.links[link].visuals)])


def _surface(visual: Visual) -> Floats:
    """Return points (n, 3) on a visual, in the coordinates of its link; none for a mesh."""
    steps = np.linspace(-1.0, 1.0, SLICES)
    if visual.kind == "box":
        grid = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3)
        points = grid[np.abs(grid).max(axis=1) == 1.0] * np.array(visual.size) / 2.0
    elif visual.kind == "mesh":
        return np.zeros((0, 3))
    else:
        around, across = np.meshgrid(np.arange(SIDES) * (2.0 * math.pi / SIDES), steps)
        radius = np.sqrt(1.0 - across**2) if visual.kind == "sphere" else np.ones_like(across)
        height = visual.size[0] if visual.kind == "sphere" else visual.size[1] / 2.0
        points = np.stack(
            [
                visual.size[0] * radius * np.cos(around),
                visual.size[0] * radius * np.sin(around),
                height * across,
            ],
            axis=-1,
        ).reshape(-1, 3)
    result: Floats = points @ visual.R_link_visual.T + visual.p_link_visual
    return result


def legend_clearance(tree: RobotTree, link: str, size: float) -> float:
    """Return the clearance (m) to the right of a body."""
    points = _moved_solids(tree, link)
    widest = float(np.abs(points[:, :2]).max()) if len(points) else 0.0
    return widest + 0.6 * size
