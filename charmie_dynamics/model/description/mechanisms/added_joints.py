# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Joints that a mechanisms file adds to a tree: loop joints with coordinates, joint relations.

A loop joint with limits, friction, a spring, a rotor or a motor becomes a joint of the tree, which
moves a link without mass in the first link. A fixed loop joint connects this link, ``NAME_link``,
to the second link. So all that acts on joints of the tree acts on it, in its own coordinate.

A joint relation, sum of c_i q_i = constant, becomes a chain of sliders along one axis, from the
root, on links without mass. Slider i mimics joint i with the multiplier c_i. A loop joint of the
type ``plane`` keeps the end of the chain at the constant: one constraint, whose Jacobian are the
coefficients, so that efforts are transmitted by its transpose.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from charmie_dynamics.errors import ModelFileError, choices, shown
from charmie_dynamics.numerics.vectors import Floats

from ..robot import SINGLE_JOINTS, Joint, JointRelation, JointType, Limit, Link, Mimic, RobotTree
from ..urdf import rpy_from_rotation
from .loop_joints import AS_JOINTS, NO_AXIS, LoopJoint, poses_at_zero, turn_about
from .mechanism_set import MechanismSet

X = np.array([1.0, 0.0, 0.0])


def with_added_joints(
    tree: RobotTree, mechanisms: MechanismSet, source: str
) -> tuple[RobotTree, MechanismSet]:
    """Return a robot with the joints that its mechanisms file adds; applied again, the same.

    Parameters
    ----------
    tree : RobotTree
    mechanisms : MechanismSet
    source : str
        Name of the mechanisms file, for messages.

    Raises
    ------
    ModelFileError
        For relations of joints that do not exist, and names that are taken.
    """
    named = {spring.joint for spring in mechanisms.joint_springs}
    named |= {part.joint for part in mechanisms.linear_actuators}
    named |= {*mechanisms.friction, *mechanisms.rotors, *mechanisms.rest_pose}
    named -= {joint.name for joint in tree.joints}
    loaded = [
        part
        for part in mechanisms.loop_joints
        if part.has_joint or (part.name in named and part.type in AS_JOINTS)
    ]
    # links that do not exist are found by the checks of all mechanisms
    loaded = [part for part in loaded if {part.first_body, part.second_body} <= set(tree.links)]
    if not loaded and not mechanisms.joint_relations:
        return tree, mechanisms
    builder = _Builder(tree, mechanisms, source)
    for part in loaded:
        builder.add_loop_joint(part)
    for name, relation in mechanisms.joint_relations.items():
        builder.add_relation(name, relation)
    return builder.tree(), builder.mechanisms()


def relation_sliders(tree: RobotTree, loop: LoopJoint) -> tuple[Joint, ...]:
    """Return the sliders of a relation, whose end a loop joint keeps; none for any other."""
    joints = {joint.name: joint for joint in tree.joints}
    sliders: list[Joint] = []
    link = tree.root
    while loop.type == "plane" and (joint := joints.get(f"{loop.name}_{len(sliders) + 1}")):
        if joint.parent != link or joint.mimic is None or joint.child != f"{joint.name}_link":
            return ()
        sliders.append(joint)
        link = joint.child
    return tuple(sliders) if link == loop.second_body and loop.first_body == tree.root else ()


def relation_links(tree: RobotTree, loops: Iterable[LoopJoint]) -> list[str]:
    """Return the links of the sliders of all relations."""
    return [slider.child for loop in loops for slider in relation_sliders(tree, loop)]


def relation_of(loop: LoopJoint, sliders: tuple[Joint, ...]) -> JointRelation:
    """Return the relation of `relation_sliders`."""
    mimics = [slider.mimic for slider in sliders if slider.mimic is not None]
    offset = sum(mimic.offset for mimic in mimics)
    return JointRelation(
        {mimic.joint: mimic.multiplier for mimic in mimics}, loop.first_point[0] - offset
    )


class _Builder:
    def __init__(self, tree: RobotTree, mechanisms: MechanismSet, source: str) -> None:
        self._tree, self._mechanisms, self._source = tree, mechanisms, source
        self._links = dict(tree.links)
        self._joints = {joint.name: joint for joint in tree.joints}
        self._loops = {part.name: part for part in mechanisms.loop_joints}
        self._passive = list(mechanisms.passive_joints)
        self._friction = dict(mechanisms.friction)

    def tree(self) -> RobotTree:
        return replace(self._tree, links=self._links, joints=tuple(self._joints.values()))

    def mechanisms(self) -> MechanismSet:
        changed: dict[str, Any] = {
            "loop_joints": tuple(self._loops.values()),
            "passive_joints": tuple(self._passive),
            "friction": self._friction,
            "joint_relations": {},
        }
        return replace(self._mechanisms, **changed)

    def add_loop_joint(self, part: LoopJoint) -> None:
        """Add the joint of a loop joint, which then is fixed."""
        lower, upper = part.limits or (-math.inf, math.inf)
        limit = Limit(lower, upper, part.effort_limit or math.inf, part.velocity_limit or math.inf)
        kind: JointType = "prismatic" if part.type == "prismatic" else "revolute"
        if kind == "revolute" and part.limits is None:
            kind = "continuous"
        axis = np.array(part.axis) / np.linalg.norm(part.axis)
        place = "loop_joints", part.name
        friction = None
        if not part.driven:
            self._passive.append(part.name)
            friction = self._friction.pop(part.name, None)
        joint = Joint(
            part.name, kind, part.first_body, f"{part.name}_link", np.array(part.first_point),
            np.eye(3), axis, limit, friction=friction,
        )  # fmt: skip
        self._add(joint, place)
        self._loops[part.name] = LoopJoint(
            part.name, "fixed", joint.child, part.second_body, second_point=part.second_point,
            second_rpy=part.second_rpy or self._orientation(part, axis),
        )  # fmt: skip

    def _orientation(self, part: LoopJoint, axis: Floats) -> tuple[float, float, float] | None:
        """Return the orientation at zero: that with all joints at zero, turned to the axis."""
        if part.second_axis == NO_AXIS:
            return None
        poses = poses_at_zero(self._tree)
        R: Floats = poses[part.first_body][1].T @ poses[part.second_body][1]
        own = R @ (np.array(part.second_axis) / np.linalg.norm(part.second_axis))
        turn = np.cross(own, axis)
        sine, cosine = float(np.linalg.norm(turn)), float(own @ axis)
        if sine > 0.0:
            R = turn_about(turn / sine, math.atan2(sine, cosine)) @ R
        elif cosine < 0.0:
            across = np.cross(axis, np.eye(3)[int(np.argmin(abs(axis)))])
            R = turn_about(across / np.linalg.norm(across), math.pi) @ R
        return rpy_from_rotation(R)

    def add_relation(self, name: str, relation: JointRelation) -> None:
        """Add the chain of sliders of a relation, and the loop joint at its end."""
        place = "joint_relations", name
        if name in self._loops:
            raise self._fault(place, "this name is used more than once among mechanisms")
        link = self._tree.root
        single = [each.name for each in self._joints.values() if each.type in SINGLE_JOINTS]
        for k, (joint, coefficient) in enumerate(relation.coefficients.items()):
            if joint not in single:
                raise self._fault(
                    (*place, "coefficients", joint),
                    f"'{shown(joint)}' is no revolute, continuous or prismatic joint"
                    f"{choices(joint, single)}",
                )
            if coefficient == 0.0:
                raise self._fault(
                    (*place, "coefficients", joint), "expected a coefficient other than 0"
                )
            own = f"{name}_{k + 1}"
            limit, mimic = Limit(-math.inf, math.inf, 0.0, 0.0), Mimic(joint, coefficient, 0.0)
            slider = Joint(
                own, "prismatic", link, f"{own}_link", np.zeros(3), np.eye(3), X, limit, mimic
            )
            self._add(slider, place)
            link = slider.child
        self._loops[name] = LoopJoint(
            name, "plane", self._tree.root, link, axis=(1.0, 0.0, 0.0),
            first_point=(relation.constant, 0.0, 0.0),
        )  # fmt: skip

    def _add(self, joint: Joint, place: tuple[str, str]) -> None:
        for name, taken in ((joint.name, self._joints), (joint.child, self._links)):
            if name in taken:
                raise self._fault(
                    place, f"its own part '{shown(name)}' has the name of another part of the "
                           "robot; expected another name"
                )  # fmt: skip
        self._joints[joint.name] = joint
        self._links[joint.child] = Link(joint.child, None)

    def _fault(self, path: tuple[str, ...], message: str) -> ModelFileError:
        subject = f"{path[0]}: '{shown(path[1])}'"
        return ModelFileError(
            f"{self._mechanisms.where(self._source, *path)}: {subject}: {message}"
        )
