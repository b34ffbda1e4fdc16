# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""States of entities as messages of simulation_interfaces, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from geometry_msgs.msg import Accel, Point, Pose, Quaternion, Twist, Vector3
from simulation_interfaces.msg import EntityCategory, EntityInfo, EntityState

from charmie_dynamics.errors import InputError, shown
from charmie_dynamics.model.description.world import Entity, ShapeEntity
from charmie_dynamics.model.equations.point_motion import PointMotion
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.ros.outputs.conversions import time_from_stamp
from charmie_dynamics.simulation.session.base_pose import rotation_of
from charmie_dynamics.simulation.session.entity_changes import EntityPlace
from charmie_dynamics.simulation.session.message_buffers import quaternion
from charmie_dynamics.simulation.session.session import Session
from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem

UNIT = 1e-3  # by which the length of a quaternion may differ from one
WORLD = "world"  # name of the world frame in simulation_interfaces


def place_of(frame_id: str, pose: Any, twist: Any, world_frame: str) -> EntityPlace:
    """Return the place for a requested pose and twist.

    Parameters
    ----------
    frame_id : str
        In which they are; empty: the world.
    pose, twist : geometry_msgs/msg/Pose, geometry_msgs/msg/Twist
    world_frame : str
        With its prefix.

    Raises
    ------
    InputError
        For another frame, or numbers that are not finite.
    """
    if not is_world(frame_id, world_frame):
        raise InputError(f"expected the frame '{world_frame}' or none, got '{shown(frame_id)}'")
    p, q = _vector(pose.position), pose.orientation
    xyzw = np.array([q.x, q.y, q.z, q.w])
    moving = np.concatenate((_vector(twist.linear), _vector(twist.angular)))
    if not (np.isfinite(p).all() and np.isfinite(xyzw).all() and np.isfinite(moving).all()):
        raise InputError("expected finite numbers in pose and twist")
    if not abs(float(np.linalg.norm(xyzw)) - 1.0) < UNIT:
        raise InputError(f"expected a quaternion of length one, got {np.linalg.norm(xyzw):.6g}")
    return EntityPlace(p, rotation_of(xyzw / np.linalg.norm(xyzw)), moving)


def state_message(moves: PointMotion, stamp: int, world_frame: str) -> EntityState:
    """Return the state of an entity at a time (ns)."""
    state = EntityState()
    state.header.frame_id = world_frame
    state.header.stamp = time_from_stamp(stamp)
    x, y, z, w = map(float, quaternion(moves.rotation))
    state.pose = Pose(
        position=_message(Point, moves.position), orientation=Quaternion(x=x, y=y, z=z, w=w)
    )
    state.twist = Twist(
        linear=_message(Vector3, moves.velocity), angular=_message(Vector3, moves.angular_velocity)
    )
    state.acceleration = Accel(
        linear=_message(Vector3, moves.acceleration),
        angular=_message(Vector3, moves.angular_acceleration),
    )
    return state


def is_world(frame_id: str, world_frame: str) -> bool:
    """Return whether a frame is the world; no frame denotes it, too."""
    return frame_id in ("", WORLD, world_frame)


def category_of(system: SimulatedSystem, name: str) -> int:
    """Return the category of an entity: robots have actuators, objects are static or dynamic."""
    if any(robot.name == name for robot in system.robots):
        return int(EntityCategory.CATEGORY_ROBOT)
    model, own = system.model, f"{name}/"
    if any(coordinate.startswith(own) for coordinate in model.velocity_names):
        return int(EntityCategory.CATEGORY_DYNAMIC_OBJECT)
    return int(EntityCategory.CATEGORY_STATIC_OBJECT)


def info_message(session: Session, name: str) -> EntityInfo:
    """Return category, description and tags of an entity: its own, or those that were set."""
    noted: EntityInfo | None = session.notes.get(name)
    if noted is not None:
        return noted
    system, info = session.system, EntityInfo()
    info.category.category = category_of(system, name)
    model = next((robot.model for robot in system.robots if robot.name == name), None)
    if model is not None:
        info.description = f"{len(model.actuator_names)} actuators, {model.total_mass:.2f} kg"
    else:
        info.description = _described(system.entities[name])
    return info


def _described(entity: Entity) -> str:
    if not isinstance(entity, ShapeEntity):
        return f"{len(entity.tree.links)} links"
    size = entity.size if entity.mesh is None else 2.0 * entity.mesh.half_size
    sizes = " x ".join(f"{x:g} m" for x in size)
    mass = f"{entity.mass:g} kg" if entity.moves == "free" else "fixed"
    return ", ".join(filter(None, (entity.shape, sizes, mass)))


def _vector(message: Any) -> Floats:
    return np.array([message.x, message.y, message.z])


def _message(kind: Any, values: Floats) -> Any:
    x, y, z = map(float, values)
    return kind(x=x, y=y, z=z)
