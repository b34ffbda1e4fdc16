# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Robots from their description, and variants: with loads, without friction, without loops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from charmie_dynamics.core.inverse.records import Robot
from charmie_dynamics.numerics.blocks import places_of
from charmie_dynamics.numerics.vectors import Floats

from .description.mechanisms import MechanismSet
from .description.robot import RobotTree
from .flat.block_layout import BlockLayout
from .flat.flatten import flatten
from .flat.prepared_robot import PreparedRobot
from .flat.requirements import require_limits_within_reach, require_rest_pose_within_limits
from .loads import Payload, Wrench, load


def prepare_robot(
    tree: RobotTree, mechanisms: MechanismSet, source: str = "mechanisms"
) -> PreparedRobot:
    """Return a robot from its description; `source` is the name of the mechanisms file.

    Raises
    ------
    ModelFileError
        Where the mechanisms do not fit the tree.
    """
    flat = flatten(tree, mechanisms, source)
    layout = BlockLayout(flat, mechanisms.base_body or tree.root)
    robot = PreparedRobot(tree, mechanisms, flat, flat, layout)
    require_limits_within_reach(robot, source)
    require_rest_pose_within_limits(robot, source)
    return robot


def with_loads(
    robot: PreparedRobot, payloads: Mapping[str, Payload], wrenches: Mapping[str, Wrench]
) -> PreparedRobot:
    """Return a robot with other loads; see `Model.with_loads`."""
    loads = payloads, wrenches
    return robot.with_flat(load(robot.unloaded, *loads), loads=loads)


def with_own_gravity(robot: PreparedRobot) -> tuple[PreparedRobot, Floats]:
    """Return a copy of a robot, and the array (3,) of its gravity, which may be changed."""
    own = with_loads(robot, *robot.loads)
    first = places_of(Robot, own.flat.sizes)[1]["tree.gravity"].first
    return own, own.flat.blocks.floats[first : first + 3]


def without_friction(robot: PreparedRobot) -> PreparedRobot:
    """Return a robot without friction; the robot itself if its files define none."""
    return robot.cache[_smooth] if robot.flat.sizes.e else robot


def _smooth(robot: PreparedRobot) -> PreparedRobot:
    joints = tuple(replace(joint, friction=None) for joint in robot.tree.joints)
    tree, mechanisms = replace(robot.tree, joints=joints), replace(robot.mechanisms, friction={})
    return with_loads(prepare_robot(tree, mechanisms), *robot.loads)


def without_loops(robot: PreparedRobot) -> PreparedRobot:
    """Return a robot without loop joints, whose passive joints may be anywhere; else the robot.

    For the kinematics of what the loops do not move, where they may not close.
    """
    return robot.cache[_unlooped] if robot.flat.sizes.r else robot


def _unlooped(robot: PreparedRobot) -> PreparedRobot:
    none: dict[str, Any] = {"loop_joints": (), "passive_joints": ()}
    return with_loads(prepare_robot(robot.tree, replace(robot.mechanisms, **none)), *robot.loads)


def open_tree(robot: PreparedRobot) -> PreparedRobot:
    """Return the bare tree of a robot; see `Model.open_tree`."""
    mechanisms = robot.mechanisms
    linear = {part.name for part in mechanisms.linear_actuators}
    bare = MechanismSet(
        gravity=mechanisms.gravity,
        base_body=mechanisms.base_body,
        rotors={name: own for name, own in mechanisms.rotors.items() if name not in linear},
    )
    return with_loads(prepare_robot(without_friction(robot).tree, bare), *robot.loads)
