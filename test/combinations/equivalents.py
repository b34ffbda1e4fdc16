# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Other descriptions of the same robot in the same state.

Each function changes a copy of a description, and returns it with a function that maps the efforts
of its joints to those of the original; None where it does not apply.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from descriptions import (
    Description,
    Joint,
    JointMotion,
    Link,
    of_quaternion,
    plane_axes,
    rotation,
    rpy,
)
from differences import first_derivative
from generator import Random, random_rotation

from charmie_dynamics import Payload, Wrench

Efforts = dict[str, np.ndarray]  # of each independent joint
Mapped = tuple[Description, Callable[[Efforts], Efforts]] | None
MIRROR = np.diag([1.0, -1.0, 1.0])
X, Y, Z = np.eye(3)


def _same(efforts: Efforts) -> Efforts:
    return efforts


def in_another_order(robot: Description, rng: Random) -> Mapped:
    """Shuffle links, joints and mechanisms in their files."""
    robot.links = [robot.links[k] for k in rng.permutation(len(robot.links))]
    robot.joints = [robot.joints[k] for k in rng.permutation(len(robot.joints))]
    for section, entries in robot.mechanisms.items():
        if isinstance(entries, dict) and section != "linear_actuators":  # the first leads others
            names = list(entries)
            order = {names[k]: entries[names[k]] for k in rng.permutation(len(names))}
            robot.mechanisms[section] = order
    return robot, _same


def with_a_split_link(robot: Description, rng: Random) -> Mapped:
    """Move half of a link's mass, its springs and its loads to a link that is fixed to it."""
    heavy = [each for each in robot.links if each.mass]
    link = heavy[int(rng.integers(len(heavy)))]
    R, p = random_rotation(rng), rng.normal(size=3)
    link.mass *= 0.5
    link.inertia = 0.5 * link.inertia
    half = Link("half", link.mass, R.T @ (link.com - p), R.T @ link.inertia @ R)
    robot.links.append(half)
    robot.joints.append(Joint("weld", "fixed", link.name, half.name, p, R))
    for entry in robot.mechanisms.get("springs", {}).values():
        for end in ("base", "tip"):
            if entry[f"{end}_body"] == link.name:
                entry[f"{end}_body"] = half.name
                entry[f"{end}_point"] = R.T @ (entry[f"{end}_point"] - p)
    if link.name in robot.payloads:
        load = robot.payloads.pop(link.name)
        com = R.T @ (load.p_link_com - p)
        robot.payloads[half.name] = Payload(load.mass, com, R.T @ load.inertia @ R)
    if link.name in robot.wrenches:
        wrench = robot.wrenches.pop(link.name)
        torque = R.T @ (wrench.torque - np.cross(p, wrench.force))
        robot.wrenches[half.name] = Wrench(R.T @ wrench.force, torque)
    return robot, _same


def in_a_rotated_world(robot: Description, rng: Random) -> Mapped:
    """Put the robot on a rotated mount, and rotate gravity with it."""
    R = random_rotation(rng)
    robot.links.insert(0, Link("mount"))
    root = robot.links[1].name
    robot.joints.append(Joint("mounting", "fixed", "mount", root, rng.normal(size=3), R))
    gravity = robot.mechanisms.get("gravity", np.array([0.0, 0.0, -9.81]))
    robot.mechanisms["gravity"] = R @ gravity
    return robot, _same


def mirrored(robot: Description, rng: Random) -> Mapped:
    """Mirror everything at the plane y = 0; axes of turns are pseudovectors."""
    maps: dict[str, Any] = {}
    for link in robot.links:
        link.com, link.inertia = MIRROR @ link.com, MIRROR @ link.inertia @ MIRROR
    for joint in robot.joints:
        before = plane_axes(joint.axis)
        joint.p, joint.R = MIRROR @ joint.p, MIRROR @ joint.R @ MIRROR
        joint.axis = (1.0 if joint.kind == "prismatic" else -1.0) * (MIRROR @ joint.axis)
        if joint.kind == "planar":
            A = np.eye(3)
            A[:2, :2] = plane_axes(joint.axis) @ MIRROR @ before.T
            robot.motion[joint.name] = JointMotion(*(A @ each for each in robot.motion[joint.name]))
            maps[joint.name] = A.T
        elif joint.kind == "floating":
            A = np.diag([*np.diag(MIRROR), *-np.diag(MIRROR)])
            x, v, a = robot.motion[joint.name]
            x = np.concatenate((MIRROR @ x[:3], [-x[3], x[4], -x[5], x[6]]))
            robot.motion[joint.name] = JointMotion(x, A @ v, A @ a)
            maps[joint.name] = A
    for entries in (each for each in robot.mechanisms.values() if isinstance(each, dict)):
        for entry in entries.values():
            for key in entry:
                if key.endswith("_point") or key in (
                    "pivot",
                    "spring_anchor",
                    "axis",
                    "second_axis",
                ):
                    entry[key] = MIRROR @ np.array(entry[key])
            if entry.get("type") == "revolute":  # turns about it are mirrored
                for key in {"axis", "second_axis"} & set(entry):
                    entry[key] = -entry[key]
            if "second_rpy" in entry:
                roll, pitch, yaw = entry["second_rpy"]
                R = rotation(Z, yaw) @ rotation(Y, pitch) @ rotation(X, roll)
                entry["second_rpy"] = rpy(MIRROR @ R @ MIRROR)
    robot.mechanisms["gravity"] = MIRROR @ robot.mechanisms.get("gravity", np.array([0, 0, -9.81]))
    robot.payloads = {
        name: Payload(each.mass, MIRROR @ each.p_link_com, MIRROR @ each.inertia @ MIRROR)
        for name, each in robot.payloads.items()
    }
    robot.wrenches = {
        name: Wrench(MIRROR @ each.force, -MIRROR @ each.torque)
        for name, each in robot.wrenches.items()
    }
    return robot, lambda efforts: {
        name: maps.get(name, np.eye(len(each))) @ each for name, each in efforts.items()
    }


def _chain(robot: Description, joint: Joint, steps: list[tuple[str, str, np.ndarray]]) -> None:
    """Replace a joint by single joints, each with a name, a type and an axis.

    The axes of slides and all but the last turn are those of the joint at position zero.
    """
    robot.joints.remove(joint)
    parent, p, R = joint.parent, joint.p, joint.R
    for name, kind, axis in steps:
        child = joint.child if name == steps[-1][0] else f"{name}_carrier"
        if child != joint.child:
            robot.links.append(Link(child))
        robot.joints.append(Joint(name, kind, parent, child, p, R, axis))
        parent, p, R = child, np.zeros(3), np.eye(3)
    if joint.name in robot.mechanisms.get("passive_joints", ()):
        robot.mechanisms["passive_joints"].remove(joint.name)
        robot.mechanisms["passive_joints"].extend(name for name, _, _ in steps)


def with_single_joints_for_planar(robot: Description, rng: Random) -> Mapped:
    """Write planar joints as two prismatic joints and a continuous one."""
    planar = robot.independent("planar")
    for joint in planar:
        x, y = plane_axes(joint.axis)
        names = [f"{joint.name}_{k}" for k in "xyr"]
        kinds = "prismatic", "prismatic", "continuous"
        _chain(robot, joint, list(zip(names, kinds, (x, y, joint.axis), strict=True)))
        motion = robot.motion.pop(joint.name)
        for k, name in enumerate(names):
            robot.motion[name] = JointMotion(*(each[k : k + 1] for each in motion))

    def back(efforts: Efforts) -> Efforts:
        for joint in planar:
            own = [efforts.pop(f"{joint.name}_{k}") for k in "xyr"]
            efforts[joint.name] = np.concatenate(own)
        return efforts

    return (robot, back) if planar else None


def with_single_joints_for_floating(robot: Description, rng: Random) -> Mapped:
    """Write floating joints as three prismatic joints and turns about x, y and z."""
    floating = robot.independent("floating")
    ratios = {}
    for joint in floating:
        names = [f"{joint.name}_{k}" for k in ("x", "y", "z", "rx", "ry", "rz")]
        kinds = ["prismatic"] * 3 + ["continuous"] * 3
        _chain(robot, joint, list(zip(names, kinds, (X, Y, Z, X, Y, Z), strict=True)))
        x, v, a = robot.motion.pop(joint.name)
        R = of_quaternion(x[3:])
        angles = np.array(
            [
                np.arctan2(-R[1, 2], R[2, 2]),
                np.arctan2(R[0, 2], np.hypot(R[0, 0], R[0, 1])),
                np.arctan2(-R[0, 1], R[0, 0]),
            ]
        )
        if abs(np.cos(angles[1])) < 0.2:
            return None
        T = _velocity_of_single_joints(angles)
        rates = np.linalg.solve(T, v)
        T_rate = first_derivative(
            lambda t, s=angles, r=rates[3:]: _velocity_of_single_joints(s + t * r), 0.0, 2e-3
        )
        accelerations = np.linalg.solve(T, a - T_rate @ rates)
        position = np.concatenate((x[:3], angles))
        for k, name in enumerate(names):
            robot.motion[name] = JointMotion(
                *(each[k : k + 1] for each in (position, rates, accelerations))
            )
        ratios[joint.name] = names, np.linalg.inv(T).T

    def back(efforts: Efforts) -> Efforts:
        for name, (names, ratio) in ratios.items():
            efforts[name] = ratio @ np.concatenate([efforts.pop(each) for each in names])
        return efforts

    return (robot, back) if floating else None


def _velocity_of_single_joints(angles: np.ndarray) -> np.ndarray:
    """Return the velocity (6,) of the body, in its axes, for the rates of the six joints."""
    Rx, Ry, Rz = (rotation(axis, q) for axis, q in zip((X, Y, Z), angles, strict=True))
    T = np.zeros((6, 6))
    T[:3, :3] = (Rx @ Ry @ Rz).T
    T[3:, 3:] = np.array([(Ry @ Rz).T @ X, Rz.T @ Y, Z]).T
    return T


EQUIVALENTS = {
    each.__name__: each
    for each in (
        in_another_order,
        with_a_split_link,
        in_a_rotated_world,
        mirrored,
        with_single_joints_for_planar,
        with_single_joints_for_floating,
    )
}
