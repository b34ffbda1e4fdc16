# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inertials whose lengths do not fit the robot, as those in millimetres."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from .description_warnings import DescriptionWarning
from .robot import Collision, Joint, Link, Visual

# m: a smaller robot has links of unknown size
LEAST_SIZE = 0.3
# m: largest size of such a robot
UNKNOWN_SIZE = 3.0
# of the mass of the robot: lighter links are placeholders
LEAST_MASS = 1e-3
# of the size of the robot: centres of mass farther from the origin of their links are a mistake
FARTHEST = 3.0
CONSEQUENCE = "computed as given; check the units of the file, URDF expects m, kg and kg m^2"


def oversized_inertials(
    links: Mapping[str, Link],
    joints: Iterable[Joint],
    root: str,
    lines: Mapping[str, int],
    source: str,
) -> list[DescriptionWarning]:
    """Return warnings of links whose mass is distributed over more than the size of the robot.

    The size is the longest way between two links, from joint to joint, with their shapes; the size
    of meshes is not known. A radius of gyration may exceed it by the distance of the link's centre
    of mass from its origin, which may be three times as large.

    Parameters
    ----------
    links : mapping of str to Link
    joints : iterable of Joint
    root : str
        Name of the root.
    lines : mapping of str to int
        Line of each link in the file.
    source : str
        Name of the file.
    """
    size = _size(links, joints, root)
    if size < LEAST_SIZE:
        size = max(size, UNKNOWN_SIZE)
    found = []
    total = sum(link.inertial.mass for link in links.values() if link.inertial is not None)
    for name, link in links.items():
        body = link.inertial
        if body is None or not body.mass > LEAST_MASS * total:
            continue
        distance = math.hypot(*body.p_link_com)
        # sqrt of the largest moment by the mass: the trace bounds it, and is quicker
        gyration = 0.0
        if np.trace(body.inertia) > body.mass * size * size:
            largest = float(np.linalg.eigvalsh(body.inertia)[2])
            gyration = math.sqrt(max(largest, 0.0) / body.mass)
        is_far = distance > FARTHEST * size
        if gyration <= size + distance and not is_far:
            continue
        fault = (
            f"centre of mass at a distance of {distance:.3g} m"
            if is_far
            else f"radius of gyration of {gyration:.3g} m"
        )
        fault += f", larger than the robot ({size:.3g} m)"
        found.append(DescriptionWarning("link", name, fault, CONSEQUENCE, source, lines[name]))
    return found


def _size(links: Mapping[str, Link], joints: Iterable[Joint], root: str) -> float:
    """Return the longest way between two links (m)."""
    children: dict[str, list[Joint]] = {}
    for joint in joints:
        children.setdefault(joint.parent, []).append(joint)
    order = [root]
    for link in order:
        order += [joint.child for joint in children.get(link, ())]
    # the longest way from each link to one behind it
    ways: dict[str, float] = {}
    longest = 0.0
    for link in reversed(order):
        behind = [
            math.hypot(*joint.p_parent_joint) + ways[joint.child]
            for joint in children.get(link, ())
        ]
        shapes: tuple[Visual | Collision, ...] = (*links[link].visuals, *links[link].collisions)
        shape = max(map(_reach, shapes), default=0.0)
        first, second, *_ = *sorted([*behind, shape], reverse=True), 0.0
        ways[link] = first
        longest = max(longest, first + second)
    return longest


def _reach(shape: Visual | Collision) -> float:
    """Return how far a shape may reach from the origin of its link (m); 0 for a mesh."""
    if shape.kind == "mesh":
        return 0.0
    if isinstance(shape, Visual):
        return math.hypot(*shape.p_link_visual) + math.hypot(*shape.size)
    return math.hypot(*shape.p_link_collision) + math.hypot(*shape.size)
