# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A world as one tree: all its entities hang on the link `world`, by fixed or floating joints.

Functions for robots therefore apply to worlds, without what `merge_mechanisms` omits. The names of
an entity's links, joints and mechanisms begin with the entity's name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from ..description_warnings import DescriptionWarning
from ..mechanisms import MechanismSet
from ..mechanisms.linear_actuators import LinearActuator
from ..mechanisms.mechanism import Mechanism
from ..mechanisms.sections import SECTIONS
from ..robot import Joint, Limit, Link, Mimic, RobotTree, Rotor, Vector3
from .entities import Entity, RobotEntity, ShapeEntity
from .placement import EntityPose

WORLD = "world"
FREE = "moves"  # the floating joint of an entity: can/moves
UNLIMITED = Limit(-np.inf, np.inf, 0.0, 0.0)


def name_in(entity: str, name: str) -> str:
    """Return the name in the world of a part of an entity."""
    return f"{entity}/{name}"


def merge_trees(name: str, entities: Iterable[Entity]) -> RobotTree:
    """Return the tree of a world."""
    links: dict[str, Link] = {WORLD: Link(WORLD, None)}
    joints: list[Joint] = []
    rotors: dict[str, Rotor] = {}
    warnings: list[DescriptionWarning] = []
    for entity in entities:
        if isinstance(entity, ShapeEntity):
            is_free = entity.moves == "free"
            links[entity.name] = Link(entity.name, entity.inertial() if is_free else None)
            joints.append(_joint_to_world(entity, entity.name))
            continue
        for link in entity.tree.links.values():
            own = name_in(entity.name, link.name)
            links[own] = replace(link, name=own)
        joints.append(_joint_to_world(entity, name_in(entity.name, entity.tree.root)))
        joints += [_renamed_joint(entity.name, joint) for joint in entity.tree.joints]
        for joint_name, rotor in entity.tree.rotors.items():
            rotors[name_in(entity.name, joint_name)] = rotor
        warnings += (_renamed_warning(entity.name, each) for each in entity.tree.warnings)
    return RobotTree(name, WORLD, links, tuple(joints), "", tuple(warnings), rotors)


def merge_mechanisms(gravity: Vector3, entities: Sequence[Entity]) -> MechanismSet:
    """Return the mechanisms of all robots of a world, under the gravity of the world.

    A world omits what the files of its robots define for one robot alone: gravity, base body, wheel
    contacts, rollers, payload links, tracked points, contact thresholds and sources.
    """
    robots = [entity for entity in entities if isinstance(entity, RobotEntity)]
    parts: dict[str, Any] = {
        section: tuple(
            _renamed_part(robot.name, part)
            for robot in robots
            for part in getattr(robot.mechanisms, section)
        )
        for section in SECTIONS
    }
    return MechanismSet(
        gravity=gravity,
        base_joints=_all_names(robots, "base_joints"),
        passive_joints=_all_names(robots, "passive_joints"),
        rest_pose=_all_entries(robots, "rest_pose"),
        friction=_all_entries(robots, "friction"),
        rotors=_all_entries(robots, "rotors"),
        **parts,
    )


def _joint_to_world(entity: Entity, link: str) -> Joint:
    # a floating joint is at identity in the world, so that its position is the entity's pose
    is_free = entity.moves == "free"
    pose = EntityPose(np.zeros(3), np.eye(3)) if is_free else entity.pose
    return Joint(
        name_in(entity.name, FREE),
        "floating" if is_free else "fixed",
        WORLD,
        link,
        pose.p_world_body,
        pose.R_world_body,
        np.array([1.0, 0.0, 0.0]),
        UNLIMITED,
    )


def _renamed_joint(entity: str, joint: Joint) -> Joint:
    mimic = joint.mimic
    if mimic is not None:
        mimic = Mimic(name_in(entity, mimic.joint), mimic.multiplier, mimic.offset)
    return replace(
        joint,
        name=name_in(entity, joint.name),
        parent=name_in(entity, joint.parent),
        child=name_in(entity, joint.child),
        mimic=mimic,
    )


def _renamed_warning(entity: str, warning: DescriptionWarning) -> DescriptionWarning:
    if warning.element == "element":
        return warning
    return replace(warning, name=name_in(entity, warning.name))


def _renamed_part(entity: str, part: Mechanism) -> Mechanism:
    named = {field.name for field in fields(part)} & {"name", *part.links, *part.joints}
    found: dict[str, Any] = {field: name_in(entity, getattr(part, field)) for field in named}
    if isinstance(part, LinearActuator) and part.across:
        found["across"] = tuple(name_in(entity, joint) for joint in part.across)
        found["joint"] = ""
    return replace(part, **found)


def _all_names(robots: Iterable[RobotEntity], field: str) -> tuple[str, ...]:
    return tuple(
        name_in(robot.name, name) for robot in robots for name in getattr(robot.mechanisms, field)
    )


def _all_entries(robots: Iterable[RobotEntity], field: str) -> dict[str, Any]:
    return {
        name_in(robot.name, name): value
        for robot in robots
        for name, value in getattr(robot.mechanisms, field).items()
    }
