# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Linear actuators as parts of a tree: those with mass, across two joints, or on one joint.

A barrel or a rod with mass, and both of an actuator across two joints, become links: a barrel on
two crossed hinges at the base pin, a rod that slides along it, and a spherical loop joint at the
tip pin. An actuator of one joint keeps moving it, and all joints of its links are passive. One
across two joints moves its rod, and one of the two joints is passive.

The links have their origins at the pins, and x from the base pin to the tip pin. They are named
``NAME_cross``, ``NAME_barrel`` and ``NAME_piston``, the loop joint ``NAME_tip``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.errors import ModelFileError, choices, shown
from charmie_dynamics.numerics.rotations import plane_across
from charmie_dynamics.numerics.vectors import Floats

from ..robot import SINGLE_JOINTS, Inertial, Joint, JointType, Limit, Link, RobotTree
from .linear_actuators import AS_LINKS, CylinderPart, LinearActuator
from .loop_joints import LoopJoint, turn_about
from .mechanism_set import MechanismSet

UNLIMITED = Limit(-math.inf, math.inf, math.inf, math.inf)
LEAST_SINE = 0.1  # between a hinge and the actuator, for the barrel to turn about it


class LinkPose(NamedTuple):
    """Place (3,) and rotation (3, 3) of a link in the root with all joints at zero."""

    p: Floats
    R: Floats


def with_cylinders(
    tree: RobotTree, mechanisms: MechanismSet, source: str
) -> tuple[RobotTree, MechanismSet]:
    """Return a robot with the links of its linear actuators, and each joint moved by one.

    Applied again, it moves the links to the pins of the actuators and keeps their inertials.

    Parameters
    ----------
    tree : RobotTree
    mechanisms : MechanismSet
    source : str
        Name of the mechanisms file, for messages.

    Raises
    ------
    ModelFileError
        For joints that no linear actuator can span, and names that are taken.
    """
    parts = [*mechanisms.linear_actuators, *mechanisms.load_sharing]
    wholes = [part for part in parts if part.across or part.barrel or part.rod]
    first = {part.joint: part.name for part in reversed(parts) if not part.across}
    if not wholes and len(first) == len(mechanisms.linear_actuators):
        return tree, mechanisms
    builder = _Builder(tree, mechanisms, source)
    placed = {part.name: builder.placed(part) for part in wholes}
    parts = [placed.get(part.name, part) for part in parts]
    leads = {part.name for part in parts if part.across or first[part.joint] == part.name}
    return builder.tree(), replace(
        builder.mechanisms(),
        linear_actuators=tuple(part for part in parts if part.name in leads),
        load_sharing=tuple(part for part in parts if part.name not in leads),
    )


class _Builder:
    """Links, joints and loop joints of linear actuators, added one after another."""

    def __init__(self, tree: RobotTree, mechanisms: MechanismSet, source: str) -> None:
        self._tree, self._mechanisms, self._source = tree, mechanisms, source
        self._links = dict(tree.links)
        self._joints = {joint.name: joint for joint in tree.joints}
        self._loops = {loop.name: loop for loop in mechanisms.loop_joints}
        self._passive = dict.fromkeys(mechanisms.passive_joints)
        self._driver_of: dict[str, str] = {  # joints that linear actuators move or replace
            part.joint: part.name for part in mechanisms.linear_actuators if not part.across
        }

    def tree(self) -> RobotTree:
        return replace(self._tree, links=self._links, joints=tuple(self._joints.values()))

    def mechanisms(self) -> MechanismSet:
        old = self._mechanisms
        parts: dict[str, Any] = {
            "loop_joints": tuple(self._loops.values()),
            "passive_joints": tuple(self._passive),
            "joint_groups": {
                group: tuple(self._actuator(name) for name in names)
                for group, names in old.joint_groups.items()
            },
            "grippers": {name: self._actuator(joint) for name, joint in old.grippers.items()},
        }
        return replace(old, **parts)

    def _actuator(self, name: str) -> str:
        """Return the linear actuator in the place of a passive joint, else the name."""
        return self._driver_of.get(name, name) if name in self._passive else name

    def placed(self, part: LinearActuator) -> LinearActuator:
        """Add the links of an actuator, and return it with its own joint."""
        chain = self._chain(part)
        if any(link not in self._tree.links for link in (part.base_body, part.tip_body)) or any(
            name not in self._joints for name in chain
        ):
            return part  # the checks of all mechanisms name the missing link or joint
        whole = replace(part, has_links=True)
        swing, lean, stroke = whole.link_joints
        links = [f"{part.name}_{link}" for link in ("cross", "barrel", "piston")]
        loop = f"{part.name}_tip"
        if not part.has_links:
            taken = {**self._links, **self._joints, **self._loops}
            for name in (*links, *whole.link_joints, loop):
                if name in taken:
                    raise self._fault(part, f"its own part '{shown(name)}' has the name of another "
                                            "part of the robot; expected another name")  # fmt: skip
        length, R = self._line(part, chain)
        solids = None, part.barrel, part.rod
        for name, solid, sign in zip(links, solids, (1.0, 1.0, -1.0), strict=True):
            old = self._links.get(name)
            inertial = _inertial(solid, sign) if old is None else old.inertial
            self._links[name] = Link(name, inertial)
        x, y, z = np.eye(3)
        none = np.zeros(3)
        self._add(swing, "continuous", part.base_body, links[0], np.array(part.base_point), R, z)
        self._add(lean, "continuous", links[0], links[1], none, np.eye(3), y)
        self._add(stroke, "prismatic", links[1], links[2], length * x, np.eye(3), x)
        self._loops[loop] = LoopJoint(
            loop, "spherical", links[2], part.tip_body, second_point=part.tip_point
        )
        self._passive.update(dict.fromkeys((swing, lean)))
        if not part.across:
            self._passive[stroke] = None
            return whole
        if not part.has_links:
            self._passive[self._replaced(part)] = None
        return replace(whole, joint=stroke)

    def _add(self, name: str, kind: JointType, parent: str, child: str,
             p: Floats, R: Floats, axis: Floats) -> None:  # fmt: skip
        self._joints[name] = Joint(name, kind, parent, child, p, R, axis, UNLIMITED)

    def _chain(self, part: LinearActuator) -> tuple[str, ...]:
        """Return the joints that an actuator moves, the one nearer to the root first.

        Raises
        ------
        ModelFileError
            If it spans two that do not follow each other, or its pins are elsewhere.
        """
        if not part.across:
            return (part.joint,)
        single = [
            joint.name
            for joint in self._tree.joints
            if joint.type in SINGLE_JOINTS and joint.mimic is None
        ]
        for name in part.across:
            if name not in single:
                raise self._fault(
                    part,
                    f"'{shown(name)}' is no independent revolute, continuous or prismatic joint"
                    f"{choices(name, single)}",
                    "joints",
                )
        one, other = (self._joints[name] for name in part.across)
        if self._body(other.parent) != one.child:
            one, other = other, one
        if self._body(other.parent) != one.child:
            raise self._fault(
                part,
                f"joints '{shown(part.across[0])}' and '{shown(part.across[1])}' are not adjacent; "
                f"expected one whose child is the parent of the other. {AS_LINKS}",
                "joints",
            )
        known = [link for link in (part.base_body, part.tip_body) if link in self._tree.links]
        ends = {self._body(one.parent), other.child}
        if len(known) == 2 and {self._body(link) for link in known} != ends:
            raise self._fault(
                part,
                f"expected one pin before joint '{shown(one.name)}' and one behind "
                f"'{shown(other.name)}' (on '{shown(one.parent)}' and on '{shown(other.child)}', "
                f"or on bodies fixed to them), got '{shown(part.base_body)}' and "
                f"'{shown(part.tip_body)}'. {AS_LINKS}",
            )
        return one.name, other.name

    def _replaced(self, part: LinearActuator) -> str:
        """Return the joint in whose place an actuator across two is the actuator."""
        for name in part.across[::-1]:
            if name not in self._passive:
                if self._driver_of.setdefault(name, part.name) == part.name:
                    return name
        movers = " and ".join(
            f"'{shown(self._driver_of[name])}' moves '{shown(name)}'"
            if name in self._driver_of
            else f"'{shown(name)}' is one of passive_joints"
            for name in part.across
        )
        raise self._fault(
            part,
            f"expected a joint in whose place it is the actuator, but {movers}. Omit joints that "
            "linear actuators span from passive_joints, and span two joints by two at most",
            "joints",
        )

    def _line(self, part: LinearActuator, chain: tuple[str, ...]) -> tuple[float, Floats]:
        """Return the length with all joints at zero, and the rotation of the barrel in its link.

        On the inverted branch that of the same length there, so that `zero_position` is closed.
        z is the axis of the first hinge of the chain that is not along the line.
        """
        moved = {part.joint: self._inverted(part)} if part.branch == "inverted" else {}
        base, tip = self._pose(part.base_body, moved), self._pose(part.tip_body, moved)
        d = tip.p + tip.R @ part.tip_point - base.p - base.R @ part.base_point
        length = float(np.linalg.norm(d))
        if length < 1e-9:
            raise self._fault(
                part,
                "its pins are in the same place with all joints at zero; expected a length above "
                "0, move the zero of a joint",
            )
        x = base.R.T @ d / length
        z = plane_across(x)[1]
        for name in reversed(chain):
            joint = self._joints[name]
            axis = base.R.T @ self._pose(joint.child, moved).R @ joint.axis
            across = axis - (axis @ x) * x
            if joint.type != "prismatic" and np.linalg.norm(across) > LEAST_SINE:
                z = across / np.linalg.norm(across)
        return length, np.column_stack([x, np.cross(z, x), z])

    def _inverted(self, part: LinearActuator) -> float:
        """Return the other position of a joint with the length of joint zero."""
        joint = self._joints[part.joint]
        carrier = self._pose(joint.child)
        F, G = (
            carrier.R.T @ (pose.p + pose.R @ point - carrier.p)
            for pose, point in (
                (self._pose(part.base_body), part.base_point),
                (self._pose(part.tip_body), part.tip_point),
            )
        )
        if self._body(part.base_body) == joint.child:
            F, G = G, F
        if joint.type == "prismatic":
            return float(-2.0 * joint.axis @ (G - F))
        F, G = (point - (point @ joint.axis) * joint.axis for point in (F, G))
        return 2.0 * math.atan2(joint.axis @ np.cross(G, F), G @ F)

    def _pose(self, link: str, moved: Mapping[str, float] | None = None) -> LinkPose:
        """Return the pose of a link with some joints at other positions than zero.

        The offsets of mimic joints are left out: both pins share them.
        """
        pose = LinkPose(np.zeros(3), np.eye(3))
        while (joint := self._tree.joint_of(link)) is not None:
            p, R = joint.p_parent_joint, joint.R_parent_joint
            q = (moved or {}).get(joint.name, 0.0)
            if joint.type == "prismatic":
                p = p + q * (R @ joint.axis)
            elif q:
                R = R @ turn_about(joint.axis, q)
            pose, link = LinkPose(p + R @ pose.p, R @ pose.R), joint.parent
        return pose

    def _body(self, link: str) -> str:
        """Return the movable body, or the root, that a link is fixed to."""
        joint = self._tree.joint_of(link)
        while joint is not None and joint.type == "fixed":
            link = joint.parent
            joint = self._tree.joint_of(link)
        return link

    def _fault(self, part: LinearActuator, message: str, *key: str) -> ModelFileError:
        place = self._mechanisms.where(self._source, "linear_actuators", part.name, *key)
        return ModelFileError(f"{place}: {part.title} '{shown(part.name)}': {message}")


def _inertial(solid: CylinderPart | None, sign: float) -> Inertial | None:
    if solid is None:
        return None
    centre = np.array([sign * solid.center, 0.0, 0.0])
    return Inertial(solid.mass, centre, np.diag([0.0, solid.inertia, solid.inertia]))
