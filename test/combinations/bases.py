# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Bases for random robots: joints on a ramp, Swedish wheels, a floating joint."""

from __future__ import annotations

import numpy as np
from descriptions import Description, Joint, JointMotion, Link, rotation
from generator import Random, add_joint, random_motion, random_rotation

UP = np.array([0.0, 0.0, 1.0])
EARTH, MARK = "earth", "mark"


def turn(angle: float) -> np.ndarray:
    """Return a rotation about z."""
    return rotation(UP, angle)


def _add_mark(robot: Description, rng: Random) -> None:
    """Add a frame that is fixed to the first link; its z axis is that of the link."""
    base = robot.mechanisms["base_body"]
    R, p = turn(rng.uniform(-3.0, 3.0)), 0.3 * rng.normal(size=3)
    robot.links.append(Link(MARK))
    robot.joints.append(Joint(MARK, "fixed", base, MARK, p, R))


def add_planar_base(robot: Description, rng: Random) -> None:
    """Put the first link on two slides and a turn, in any order, on a ramp."""
    base, parent = robot.links[0].name, EARTH
    robot.links.append(Link(EARTH))
    heading = rng.uniform(-3.0, 3.0)
    axes = [turn(a)[:, 0] for a in (heading, heading + rng.uniform(0.8, 2.3))]
    order = rng.permutation(3).tolist()
    R = random_rotation(rng)
    for k in order:
        child = f"base_{k}"
        axis = axes[k] if k < 2 else float(rng.choice([-1.0, 1.0])) * UP
        kind = "prismatic" if k < 2 else str(rng.choice(["revolute", "continuous"]))
        joint = Joint(f"{child}_joint", kind, parent, child, 0.2 * rng.normal(size=3), R, axis)
        robot.links.append(Link(child))
        robot.joints.append(joint)
        robot.motion[joint.name] = random_motion(kind, rng)
        parent, R = child, turn(rng.uniform(-3.0, 3.0))
    robot.joints.append(Joint("mount", "fixed", parent, base, 0.2 * rng.normal(size=3), R))
    robot.mechanisms["base_joints"] = [f"base_{k}_joint" for k in order]
    robot.mechanisms["base_body"] = base
    _add_mark(robot, rng)


def add_floating_base(robot: Description, rng: Random) -> None:
    """Put the first link on a floating joint."""
    base = robot.links[0].name
    robot.links.append(Link(EARTH))
    joint = Joint("base_joint", "floating", EARTH, base, rng.normal(size=3), random_rotation(rng))
    robot.joints.append(joint)
    robot.motion[joint.name] = random_motion("floating", rng)
    robot.mechanisms["base_body"] = base
    _add_mark(robot, rng)


def add_swedish_wheels(robot: Description, rng: Random) -> None:
    """Put the first link on three to five Swedish wheels, and on a floating joint."""
    add_floating_base(robot, rng)
    base, count = robot.links[0].name, int(rng.integers(3, 6))
    floor = -float(rng.uniform(0.2, 0.5))
    rollers, contacts = {}, []
    for k in range(count):
        wheel = add_joint(robot, "continuous", base, rng, f"wheel_{k}")
        angle = 2.0 * np.pi * (k + rng.uniform(-0.3, 0.3)) / count
        x, y, _ = turn(angle)[:, 0]
        radius = float(rng.uniform(0.05, 0.15))
        wheel.p = np.array([x, y, floor + radius])
        # a level axle, from the middle of the base outwards or inwards
        axle = turn(angle + rng.uniform(-0.3, 0.3))[:, 0] * float(rng.choice([-1.0, 1.0]))
        wheel.axis = wheel.R.T @ axle
        rollers[wheel.child] = {"angle": float(rng.uniform(0.5, 1.4) * rng.choice([-1.0, 1.0]))}
        contacts.append([x, y, floor])
        robot.motion[wheel.name] = JointMotion(*np.zeros((3, 1)))
    robot.mechanisms.update(rollers=rollers, wheel_contacts=contacts)
