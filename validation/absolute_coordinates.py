# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A robot in absolute coordinates, as section 2 of the paper on contacts has it.

Every moving body hangs on the world by a floating joint, and all joints of the tree are loop
joints, whose reactions are Lagrange multipliers (eq. 1 to 27). Made of a URDF as text, without the
package, so that the two can be held against each other.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import NamedTuple

import numpy as np
import yaml
from scipy.spatial.transform import Rotation

from charmie_dynamics import Model, State, Wrench
from charmie_dynamics.numerics.vectors import Floats

from .urdf_tree import UrdfTree

MOVABLE = {"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic"}
Pose = tuple[Floats, Floats]


class AbsoluteRobot(NamedTuple):
    """Files of a robot in absolute coordinates; its joints have the names of those of the tree."""

    urdf: str
    mechanisms: str
    poses: dict[str, Pose]  # of the moving bodies in the world with all joints at zero
    joints: dict[str, str]  # moving body: the joint that carries it in the tree


def absolute_coordinates(urdf: str, gravity: tuple[float, float, float]) -> AbsoluteRobot:
    """Return a robot whose joints are all cut, fixed ones excepted.

    Raises
    ------
    ValueError
        For a joint that mimics another and for a moving body without mass: neither can be in
        absolute coordinates.
    """
    root, tree = ElementTree.fromstring(urdf.encode()), UrdfTree(urdf)
    at_zero = tree.motion({}, {})
    elements = {joint.get("name"): joint for joint in root.findall("joint")}
    loops, carried = {}, {}
    for joint in tree.joints:
        if joint.kind == "fixed":
            continue
        if elements[joint.name].find("mimic") is not None:
            raise ValueError(f"joint '{joint.name}' follows another joint")
        if not tree.carries_mass(joint.child):
            raise ValueError(f"body '{joint.child}' has no mass")
        loops[joint.name] = {
            "type": MOVABLE[joint.kind],
            "first_body": joint.parent,
            "first_point": joint.place.tolist(),
            "second_body": joint.child,
            "second_point": [0.0, 0.0, 0.0],
            "axis": (joint.axes @ joint.axis).tolist(),
        }
        carried[joint.child] = joint.name
        root.remove(elements[joint.name])
        pose = at_zero[joint.child].place, at_zero[joint.child].axes
        root.append(_floating(tree.root, joint.child, pose))
    poses = {body: (at_zero[body].place, at_zero[body].axes) for body in carried}
    content = {"robot": root.get("name"), "gravity": list(gravity), "loop_joints": loops}
    return AbsoluteRobot(
        ElementTree.tostring(root, encoding="unicode"),
        yaml.safe_dump(content, sort_keys=False),
        poses,
        carried,
    )


def absolute_state(
    robot: AbsoluteRobot, absolute: Model, state: State
) -> tuple[Floats, Floats, Floats]:
    """Return position (7 n,), velocity and acceleration (6 n,) of the bodies of a state."""
    rows: dict[str, tuple[Floats, Floats, Floats]] = {}
    for body, (p_world_zero, R_world_zero) in robot.poses.items():
        motion = state.motion(body)
        R_body_world = motion.rotation.T
        spin = R_body_world @ motion.angular_velocity
        linear = R_body_world @ motion.velocity
        rows[f"{body}_flight"] = (
            np.concatenate(
                (
                    R_world_zero.T @ (motion.position - p_world_zero),
                    Rotation.from_matrix(R_world_zero.T @ motion.rotation).as_quat(),
                )
            ),
            np.concatenate((linear, spin)),
            np.concatenate(
                (
                    R_body_world @ motion.acceleration - np.cross(spin, linear),
                    R_body_world @ motion.angular_acceleration,
                )
            ),
        )
    order = list(dict.fromkeys(name.rpartition("/")[0] for name in absolute.position_names))
    position, velocity, acceleration = (
        np.concatenate([rows[joint][k] for joint in order]) for k in range(3)
    )
    return position, velocity, acceleration


def joint_efforts_as_wrenches(tree: Model, state: State, effort: Floats) -> dict[str, Wrench]:
    """Return what efforts of the joints do to the links, by link."""
    total: dict[str, Floats] = {}
    values = dict(zip(tree.actuator_names, effort, strict=True))
    for joint in tree.tree.joints:
        if joint.name not in values:
            continue
        p_world_child, R_world_child = state.frame(joint.child)
        p_world_parent, R_world_parent = state.frame(joint.parent)
        along = values[joint.name] * R_world_child @ joint.axis
        none = np.zeros(3)
        force, torque = (along, none) if joint.type == "prismatic" else (none, along)
        arm = np.cross(p_world_child - p_world_parent, force)
        for link, rotation, f, t in (
            (joint.child, R_world_child, force, torque),
            (joint.parent, R_world_parent, -force, -torque - arm),
        ):
            wrench = np.concatenate((rotation.T @ f, rotation.T @ t))
            total[link] = total.get(link, np.zeros(6)) + wrench
    return {
        link: Wrench(tuple(wrench[:3]), tuple(wrench[3:]))
        for link, wrench in total.items()
        if link != tree.tree.root
    }


def tree_reactions(tree: Model, state: State, effort: Floats) -> dict[str, Floats]:
    """Return by joint what it transmits to its child (6,): force, torque about the child's origin.

    World axes, without the effort of its actuator. By Newton's and Euler's laws for all that the
    joint carries, from the motion of the links alone.
    """
    gravity = np.array(tree.mechanisms.gravity)
    values = dict(zip(tree.actuator_names, effort, strict=True))
    children: dict[str, list[str]] = {}
    for joint in tree.tree.joints:
        children.setdefault(joint.parent, []).append(joint.child)

    def needed(link: str, about: Floats) -> Floats:
        """Return the load that moves a link and all it carries, about a point."""
        motion, inertial = state.motion(link), tree.tree.links[link].inertial
        total = np.zeros(6)
        if inertial is not None and inertial.mass > 0.0:
            arm = motion.rotation @ inertial.p_link_com
            inertia = motion.rotation @ inertial.inertia @ motion.rotation.T
            w, dw = motion.angular_velocity, motion.angular_acceleration
            centre = motion.acceleration + np.cross(dw, arm) + np.cross(w, np.cross(w, arm))
            force = inertial.mass * (centre - gravity)
            torque = inertia @ dw + np.cross(w, inertia @ w)
            torque = torque + np.cross(motion.position + arm - about, force)
            total = np.concatenate((force, torque))
        return sum((needed(child, about) for child in children.get(link, [])), total)

    found = {}
    for joint in tree.tree.joints:
        if joint.name in values:
            p_world_child, R_world_child = state.frame(joint.child)
            load = needed(joint.child, p_world_child)
            along = values[joint.name] * R_world_child @ joint.axis
            load[:3] -= along if joint.type == "prismatic" else 0.0
            load[3:] -= 0.0 if joint.type == "prismatic" else along
            found[joint.name] = load
    return found


def _floating(world: str, child: str, pose: Pose) -> ElementTree.Element:
    joint = ElementTree.Element("joint", name=f"{child}_flight", type="floating")
    ElementTree.SubElement(joint, "parent", link=world)
    ElementTree.SubElement(joint, "child", link=child)
    p, R = pose
    rpy = Rotation.from_matrix(R).as_euler("xyz")
    ElementTree.SubElement(joint, "origin", xyz=_numbers(p), rpy=_numbers(rpy))
    return joint


def _numbers(values: Floats) -> str:
    return " ".join(repr(float(value)) for value in values)
