# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""URDF files as other programs need them, read and moved without this package."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


class UrdfLink(NamedTuple):
    """Mass (kg), centre of mass in the link (m), inertia about it in the link's axes (kg m^2)."""

    mass: float
    centre: Any
    inertia: Any


class UrdfJoint(NamedTuple):
    """A joint: its place and axes in the parent, its axis in the child."""

    name: str
    kind: str
    parent: str
    child: str
    place: Any
    axes: Any
    axis: Any


class LinkMotion(NamedTuple):
    """Place of a link's origin, its axes, its velocity and angular velocity in world axes."""

    place: Any
    axes: Any
    velocity: Any
    spin: Any

    def at(self, point: Any) -> tuple[Any, Any]:
        """Return place and velocity of a point that is fixed in the link."""
        arm = self.axes @ np.asarray(point, dtype=float)
        return self.place + arm, self.velocity + np.cross(self.spin, arm)


class UrdfTree:
    """Links and joints of a URDF, parents before children."""

    def __init__(self, urdf: str) -> None:
        robot = ElementTree.fromstring(urdf.encode())
        self.links = {_name(link): _link(link) for link in robot.findall("link")}
        joints = [_joint(joint) for joint in robot.findall("joint")]
        (self.root,) = set(self.links) - {joint.child for joint in joints}
        self.joints: list[UrdfJoint] = []
        pending = [self.root]
        while pending:
            parent = pending.pop()
            found = [joint for joint in joints if joint.parent == parent]
            self.joints += found
            pending += [joint.child for joint in found]

    def motion(
        self, position: Mapping[str, float], velocity: Mapping[str, float]
    ) -> dict[str, LinkMotion]:
        """Return how the links stand and move; joints that are not named are at zero."""
        nothing = np.zeros(3)
        moved = {self.root: LinkMotion(nothing, np.eye(3), nothing, nothing)}
        for joint in self.joints:
            parent = moved[joint.parent]
            place, speed = parent.at(joint.place)
            axes = parent.axes @ joint.axes
            spin = parent.spin
            q, v = position.get(joint.name, 0.0), velocity.get(joint.name, 0.0)
            if joint.kind == "prismatic":
                along = axes @ joint.axis
                place = place + q * along
                speed = speed + np.cross(spin, q * along) + v * along
            elif joint.kind in ("revolute", "continuous"):
                spin = spin + v * (axes @ joint.axis)
                axes = axes @ Rotation.from_rotvec(q * joint.axis).as_matrix()
            elif joint.kind != "fixed":
                raise ValueError(f"joint '{joint.name}' is {joint.kind}")
            moved[joint.child] = LinkMotion(place, axes, speed, spin)
        return moved

    def carries_mass(self, link: str) -> bool:
        """Return whether a link or one that is fixed to it has a mass."""
        fixed = [j.child for j in self.joints if j.kind == "fixed" and j.parent == link]
        return self.links[link].mass > 0.0 or any(map(self.carries_mass, fixed))


def _name(element: ElementTree.Element) -> str:
    return element.get("name", "")


def _link(element: ElementTree.Element) -> UrdfLink:
    inertial = element.find("inertial")
    if inertial is None:
        return UrdfLink(0.0, np.zeros(3), np.zeros((3, 3)))
    centre, axes = _origin(inertial)
    mass, inertia = inertial.find("mass"), inertial.find("inertia")
    xx, xy, xz, yy, yz, zz = (
        0.0 if inertia is None else float(inertia.get(key, "0")) for key in INERTIA
    )
    matrix = np.array([(xx, xy, xz), (xy, yy, yz), (xz, yz, zz)])
    kilograms = 0.0 if mass is None else float(mass.get("value", "0"))
    return UrdfLink(kilograms, centre, axes @ matrix @ axes.T)


def _joint(element: ElementTree.Element) -> UrdfJoint:
    ends = {end: element.find(end) for end in ("parent", "child")}
    parent, child = ("" if end is None else end.get("link", "") for end in ends.values())
    axis = element.find("axis")
    vector = np.array(("1 0 0" if axis is None else axis.get("xyz", "1 0 0")).split(), float)
    return UrdfJoint(
        *(_name(element), element.get("type", ""), parent, child),
        *_origin(element),
        vector / np.linalg.norm(vector),
    )


def _origin(element: ElementTree.Element) -> tuple[Any, Any]:
    origin = element.find("origin")
    text = {} if origin is None else origin.attrib
    xyz, rpy = (np.array(text.get(key, "0 0 0").split(), float) for key in ("xyz", "rpy"))
    return xyz, Rotation.from_euler("xyz", rpy).as_matrix()
