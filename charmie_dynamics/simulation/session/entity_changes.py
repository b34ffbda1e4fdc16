# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Changes of the entities of a simulated world: add, remove, move."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from charmie_dynamics.errors import InputError, UnsupportedError
from charmie_dynamics.model.description.world import Entity, RobotEntity
from charmie_dynamics.model.description.world.merging import FREE, name_in
from charmie_dynamics.model.description.world.placement import EntityPose
from charmie_dynamics.model.equations.point_motion import PointMotion
from charmie_dynamics.numerics.vectors import Floats

from .base_pose import BaseMotion, base_joints, base_motion, floating_joint, put_base
from .session import Session
from .simulated_system import SimulatedSystem

NO_WORLD = "a robot alone: expected a simulator with a world for adding and removing entities"


class EntityPlace(NamedTuple):
    """Target pose and velocity of an entity, in world axes.

    Attributes
    ----------
    position, rotation : (3,), (3, 3) array
        Of its frame, see `SimulatedSystem.frame_of`.
    twist : (6,) array
        Linear, angular velocity.
    """

    position: Floats
    rotation: Floats
    twist: Floats


def entity_motion(session: Session, entity: str) -> PointMotion:
    """Return the motion of an entity, in world axes."""
    frame = session.system.frame_of(entity)
    motion = session.position, session.velocity, session.acceleration
    return base_motion(session.model, *motion, frame)


def is_still(system: SimulatedSystem, entity: str) -> bool:
    """Return whether no joint can move the frame of an entity."""
    frame = system.frame_of(entity)
    if floating_joint(system.model, frame) is not None:
        return False
    return system.world is not None and not base_joints(system.model, frame)


def put_entity(session: Session, entity: str, place: EntityPlace) -> None:
    """Move an entity at once.

    Raises
    ------
    InputError
        If its joints cannot reach the pose, or it overlaps others; nothing is changed.
    UnsupportedError
        If an entity that cannot move is given a velocity.
    """
    system = session.system
    if is_still(system, entity):
        if place.twist.any():
            raise UnsupportedError(f"'{entity}' does not move: expected no twist")
        here = session.model.kinematics(session.position).frame(system.frame_of(entity))
        present = system.entities[entity]
        moved = replace(present, pose=_root_at(present.pose, here, place))
        session.exchange(_with(system, moved), (entity,))
        return
    now = BaseMotion(session.position, session.velocity)
    frame = "" if system.world is None else system.frame_of(entity)
    after = put_base(session.model, now, *place, frame=frame)
    session.put(*after, () if system.world is None else (entity,))


def spawn(session: Session, entity: Entity, place: EntityPlace) -> None:
    """Add an entity.

    Raises
    ------
    CharmieError
        If the place is not possible; nothing is changed.
    """
    session.exchange(with_entity(session.system, entity, place), (entity.name,))


def with_entity(system: SimulatedSystem, entity: Entity, place: EntityPlace) -> SimulatedSystem:
    """Return a world with a further entity.

    Raises
    ------
    CharmieError
        If its name is taken, or it cannot be placed there.
    """
    if system.world is None:
        raise UnsupportedError(NO_WORLD)
    if entity.name in system.entities:
        raise InputError(f"there is an entity '{entity.name}' already")
    pose = EntityPose(place.position, place.rotation)
    new = system.with_entities([*system.entities.values(), replace(entity, pose=pose)])
    # the place refers to the base of a robot, which may differ from its root
    return _with_base_at(new, entity, place) if isinstance(entity, RobotEntity) else new


def delete(session: Session, entity: str) -> None:
    """Remove an entity.

    Raises
    ------
    InputError
        If it is the robot whose topics are published, or the last entity that can move.
    """
    system = session.system
    if system.world is None:
        raise UnsupportedError(NO_WORLD)
    system.world.require(entity)
    if system.robot is not None and entity == system.robot.name:
        raise InputError(f"'{entity}' cannot be removed: its topics are published")
    left = [other for name, other in system.entities.items() if name != entity]
    new = system.with_entities(left) if left else None
    if new is None or not new.model.velocity_names:
        raise InputError(f"'{entity}' cannot be removed: it is the last movable entity")
    session.exchange(new, ())


def _root_at(root: EntityPose, frame: tuple[Floats, Floats], place: EntityPlace) -> EntityPose:
    """Return the pose of a root that moves rigidly with a frame to a new place."""
    p, R = frame
    turn = place.rotation @ R.T
    return EntityPose(place.position + turn @ (root.p_world_body - p), turn @ root.R_world_body)


def _with_base_at(
    system: SimulatedSystem, entity: RobotEntity, place: EntityPlace
) -> SimulatedSystem:
    """Return a world in which the frame of a robot starts at a place."""
    frame = system.frame_of(entity.name)
    joint = floating_joint(system.model, frame)
    start = BaseMotion(system.position, system.velocity)
    if joint is None or joint.name == name_in(entity.name, FREE):
        here = system.model.kinematics(start.position).frame(frame)
        pose = _root_at(system.entities[entity.name].pose, here, place)
        return _with(system, replace(entity, pose=pose))
    # its own floating joint sets the place: its root is the world
    system = _with(system, replace(entity, pose=EntityPose(np.zeros(3), np.eye(3))))
    position = put_base(system.model, start, *place, frame=frame).position
    own = {
        name[len(entity.name) + 1 :]: float(value)
        for name, value in zip(system.model.position_names, position, strict=True)
        if name.startswith(f"{joint.name}/")
    }
    return _with(system, replace(entity, position={**entity.position, **own}))


def _with(system: SimulatedSystem, entity: Entity) -> SimulatedSystem:
    """Return the world with an entity replaced by the one of the same name."""
    others = (entity if e.name == entity.name else e for e in system.entities.values())
    return system.with_entities(list(others))
