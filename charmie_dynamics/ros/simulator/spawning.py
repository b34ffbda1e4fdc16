# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Services of simulation_interfaces for adding and removing entities."""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from typing import Any

from geometry_msgs.msg import Twist
from rclpy.node import Node
from simulation_interfaces.msg import Result, Spawnable
from simulation_interfaces.srv import DeleteEntity, GetSpawnables, SpawnEntity

from charmie_dynamics.errors import CharmieError, InputError, ModelFileError, OverlapError
from charmie_dynamics.model.description.package_robots import PACKAGE_ROBOTS
from charmie_dynamics.model.description.world import require_entity_name
from charmie_dynamics.simulation.session.entity_changes import NO_WORLD, delete, spawn
from charmie_dynamics.simulation.session.session import Session

from .entities import guarded, looked_up
from .entity_messages import place_of
from .resources import Resource, ResourceError, entity_of, resource_of

NAMESPACE = re.compile(r"/?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*")
GENERATED = "entity"  # for entities without a name
Codes = SpawnEntity.Response


class SpawnServices:
    """Adds and removes entities.

    Parameters
    ----------
    node : Node
    session : Session
    world_frame : str
        With its prefix.
    changed : callable
        Called when there are other entities.
    """

    def __init__(
        self, node: Node, session: Session, world_frame: str, changed: Callable[[], None]
    ) -> None:
        self._session, self._world, self._changed = session, world_frame, changed
        for kind, name, answer in (
            (SpawnEntity, "spawn_entity", self._spawn),
            (DeleteEntity, "delete_entity", self._delete),
            (GetSpawnables, "get_spawnables", self._spawnables),
        ):
            node.create_service(kind, name, guarded(answer))

    def _spawn(
        self, request: SpawnEntity.Request, response: SpawnEntity.Response
    ) -> SpawnEntity.Response:
        try:
            response.entity_name = self._spawned(request)
            response.result.result = Result.RESULT_OK
        except ResourceError as error:
            response.result = Result(result=error.code, error_message=str(error))
        self._changed()
        return response

    def _spawned(self, request: SpawnEntity.Request) -> str:
        """Spawn an entity and return its name."""
        system = self._session.system
        if system.world is None:
            raise ResourceError(Result.RESULT_FEATURE_UNSUPPORTED, NO_WORLD)
        _require_no_namespace(request.entity_namespace)
        given = resource_field(request)
        resource = resource_of(given.uri, given.resource_string)
        name = _name_for(request, resource, system.entities)
        pose = request.initial_pose
        try:
            place = place_of(pose.header.frame_id, pose.pose, Twist(), self._world)
        except InputError as error:
            raise ResourceError(Codes.INVALID_POSE, f"initial_pose: {error}") from error
        entity = entity_of(name, resource, system.world.description.materials)
        try:
            spawn(self._session, entity, place)
        except OverlapError as error:
            raise ResourceError(Codes.INVALID_POSE, str(error)) from error
        except ModelFileError as error:
            raise ResourceError(Codes.RESOURCE_PARSE_ERROR, str(error)) from error
        except CharmieError as error:
            raise ResourceError(Result.RESULT_OPERATION_FAILED, str(error)) from error
        return name

    def _delete(
        self, request: DeleteEntity.Request, response: DeleteEntity.Response
    ) -> DeleteEntity.Response:
        if self._session.system.world is None:
            code = Result.RESULT_FEATURE_UNSUPPORTED
            response.result = Result(result=code, error_message=NO_WORLD)
            return response
        response.result = looked_up(self._session, request.entity)
        if response.result.result == Result.RESULT_OK:
            delete(self._session, request.entity)
            self._changed()
        return response

    def _spawnables(
        self, request: GetSpawnables.Request, response: GetSpawnables.Response
    ) -> GetSpawnables.Response:
        response.result.result = Result.RESULT_OK
        if request.sources:
            names = ", ".join(request.sources)
            response.result.error_message = f"unknown sources: {names}"
        response.spawnables = [
            _spawnable(name, robot.description) for name, robot in PACKAGE_ROBOTS.items()
        ]
        return response


def resource_field(message: Any) -> Any:
    """Return the part of a message that has the field `uri`.

    simulation_interfaces 2 moved it into `entity_resource`.
    """
    return getattr(message, "entity_resource", message)


def _spawnable(uri: str, description: str) -> Spawnable:
    result = Spawnable(description=description)
    resource_field(result).uri = uri
    return result


def _require_no_namespace(namespace: str) -> None:
    if namespace and not NAMESPACE.fullmatch(namespace):
        text = f"entity_namespace: expected a name of ROS 2, got '{namespace}'"
        raise ResourceError(Codes.NAMESPACE_INVALID, text)
    if namespace:
        text = "entity_namespace: expected an empty one: spawned entities have no topics"
        raise ResourceError(Result.RESULT_FEATURE_UNSUPPORTED, text)


def _name_for(request: SpawnEntity.Request, resource: Resource, taken: Container[str]) -> str:
    """Return the name of the new entity, a different one if that is allowed."""
    name = request.name or resource.name
    if not name and not request.allow_renaming:
        text = "expected a name, or allow_renaming: the resource has none"
        raise ResourceError(Codes.NAME_INVALID, text)
    name = name or GENERATED
    try:
        require_entity_name(name, "spawn_entity")
    except ModelFileError as error:
        raise ResourceError(Codes.NAME_INVALID, str(error)) from error
    if name in taken and not request.allow_renaming:
        text = f"there is an entity '{name}' already, expected another name or allow_renaming"
        raise ResourceError(Codes.NAME_NOT_UNIQUE, text)
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found
