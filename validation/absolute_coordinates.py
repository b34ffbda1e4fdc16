# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A robot as the paper on multibody dynamics with contacts has it (section 2): in absolute coordinates.

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
    root = ElementTree.fromstring(urdf.encode())
    world = _root_link(root)
    poses = _poses(root, world)
    loops, carried = {}, {}
    for joint in root.findall("joint"):
        kind, name = joint.get("type", ""), joint.get("name", "")
        if kind == "fixed":
            continue
        parent, child = _link(joint, "parent"), _link(joint, "child")
        if joint.find("mimic") is not None:
            raise ValueError(f"joint '{name}' follows another joint")
        if not _has_mass(root, child):
            raise ValueError(f"body '{child}' has no mass")
        p_parent_joint, R_parent_joint = _origin(joint)
        loops[name] = {
            "type": MOVABLE[kind],
            "first_body": parent,
            "first_point": p_parent_joint.tolist(),
            "second_body": child,
            "second_point": [0.0, 0.0, 0.0],
            "axis": (R_parent_joint @ _axis(joint)).tolist(),
        }
        carried[child] = name
        root.remove(joint)
        root.append(_floating(world, child, poses[child]))
    content = {"robot": root.get("name"), "gravity": list(gravity), "loop_joints": loops}
    return AbsoluteRobot(
        ElementTree.tostring(root, encoding="unicode"),
        yaml.safe_dump(content, sort_keys=False),
        {body: poses[body] for body in carried},
        carried,
    )


def absolute_state(
    robot: AbsoluteRobot, absolute: Model, state: State
) -> tuple[Floats, Floats, Floats]:
    """Return position (7 n,), velocity and acceleration (6 n,) of the bodies in a state of the tree."""
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


def _root_link(root: ElementTree.Element) -> str:
    children = {_link(joint, "child") for joint in root.findall("joint")}
    (world,) = [name for link in root.findall("link") if (name := link.get("name")) not in children]
    return str(world)


def _poses(root: ElementTree.Element, world: str) -> dict[str, Pose]:
    """Return the poses of all links with all joints at zero."""
    poses, pending = {world: (np.zeros(3), np.eye(3))}, [world]
    while pending:
        parent = pending.pop()
        for joint in root.findall("joint"):
            if _link(joint, "parent") == parent:
                p_world_parent, R_world_parent = poses[parent]
                p_parent_joint, R_parent_joint = _origin(joint)
                child = _link(joint, "child")
                poses[child] = (
                    p_world_parent + R_world_parent @ p_parent_joint,
                    R_world_parent @ R_parent_joint,
                )
                pending.append(child)
    return poses


def _floating(world: str, child: str, pose: Pose) -> ElementTree.Element:
    joint = ElementTree.Element("joint", name=f"{child}_flight", type="floating")
    ElementTree.SubElement(joint, "parent", link=world)
    ElementTree.SubElement(joint, "child", link=child)
    p, R = pose
    rpy = Rotation.from_matrix(R).as_euler("xyz")
    ElementTree.SubElement(joint, "origin", xyz=_numbers(p), rpy=_numbers(rpy))
    return joint


def _has_mass(root: ElementTree.Element, link: str) -> bool:
    """Return whether a link or one that is fixed to it has a mass."""
    for element in root.findall("link"):
        mass = element.find("inertial/mass")
        if element.get("name") == link and mass is not None and float(mass.get("value", "0")) > 0.0:
            return True
    return any(
        _has_mass(root, _link(joint, "child"))
        for joint in root.findall("joint")
        if joint.get("type") == "fixed" and _link(joint, "parent") == link
    )


def _link(joint: ElementTree.Element, end: str) -> str:
    element = joint.find(end)
    return "" if element is None else element.get("link", "")


def _origin(joint: ElementTree.Element) -> Pose:
    origin = joint.find("origin")
    text = {} if origin is None else origin.attrib
    xyz, rpy = (np.array(text.get(key, "0 0 0").split(), float) for key in ("xyz", "rpy"))
    return xyz, Rotation.from_euler("xyz", rpy).as_matrix()


def _axis(joint: ElementTree.Element) -> Floats:
    element = joint.find("axis")
    axis = np.array(("1 0 0" if element is None else element.get("xyz", "1 0 0")).split(), float)
    return axis / np.linalg.norm(axis)


def _numbers(values: Floats) -> str:
    return " ".join(repr(float(value)) for value in values)
