# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The kitchen: names, directions of approach, drives, starts, forbidden contacts."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np

from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import World
from charmie_dynamics.simulation.session.simulated_system import within_limits

CAN, TABLES, GROUND, ROBOT = "can", ("table_1", "table_2"), "ground", "charmie"
ACTUATORS = (*(f"left_arm_joint_{k}" for k in range(1, 7)), "lift_actuator", "torso_actuator")
GRIPPER, TOOL, CLAWS = "left_gripper_joint", "left_tool", "left_claw"
FROM = (-0.6, 0.0)  # m, from where the hand approaches
DRIVE_FREQUENCY = 60.0  # rad/s, see `JointDrives`
GRIPPER_DAMPING = 0.15  # N m s/rad


def approach_of(can: Floats) -> Floats:
    """Return the horizontal directions (n, 3) in which the left hand approaches points (n, 3).

    They come from the left, so that the elbow keeps away from the body.
    """
    direction = np.zeros_like(can)
    direction[:, :2] = can[:, :2] - FROM
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    return direction


def upright(z: Floats) -> Floats:
    """Return R_world_tool (n, 3, 3) with z axes along vectors (n, 3), and y axes upwards."""
    y = np.tile([0.0, 0.0, 1.0], (len(z), 1))
    return np.stack([np.cross(y, z), y, z], axis=2)


def start_positions(world: World, poses: Mapping[str, Floats], count: int) -> Floats:
    """Return the start positions (n, p) with free entities at poses (n, 6).

    The rest pose is at the end of a range, with an error of its last digit.
    """
    return within_limits(world.model, world.positions(poses, count))


def forbidden_pairs(world: World, grips: bool) -> list[tuple[str, str]]:
    """Return the pairs of links whose contact is a collision.

    The robot must not touch tables and floor, itself, and the can except with the claws.

    Parameters
    ----------
    world : World
        The kitchen.
    grips : bool
        Whether the claws may touch the can.
    """
    links = sorted({shape.link for shape in world.contacts.shapes if shape.entity == ROBOT})
    own = [sorted(pair) for pair in world.description.contacts.self_pairs]
    free = [link for link in links if not (grips and link.startswith(f"{ROBOT}/{CLAWS}"))]
    return [
        *itertools.product(links, (*TABLES, GROUND)),
        *((link, CAN) for link in free),
        *((first, second) for first, second in own if first in links),
    ]
