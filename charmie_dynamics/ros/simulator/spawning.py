# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Services of simulation_interfaces for adding and removing entities."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from typing import Any

from geometry_msgs.msg import Twist
from rclpy.node import Node
from simulation_interfaces.msg import Result, Spawnable
from simulation_interfaces.srv import DeleteEntity, GetSpawnables, SpawnEntity

from charmie_dynamics.errors import (
    CharmieError,
    MissingFileError,
    ModelFileError,
    OverlapError,
    UnknownNameError,
    choices,
    shown,
)
from charmie_dynamics.model.description.package_robots import PACKAGE_ROBOTS
from charmie_dynamics.model.description.world import require_entity_name
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation.session.entity_changes import (
    NO_WORLD,
    EntityPlace,
    delete,
    with_entity,
)
from charmie_dynamics.simulation.session.session import Session
from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem

from .entities import looked_up
from .entity_messages import is_world, place_of
from .offering import failure, offer, resource_field
from .resources import Resource, ResourceError, entity_of, resource_of

NAMESPACE = re.compile(r"/?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*")
GENERATED = "entity"  # for entities without a name
Codes = SpawnEntity.Response
ENTITIES_SPAWN_FAILED = 150  # of SpawnEntities, which version 1.0 lacks
UNLOADED = "no world is loaded: load a world first"


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
    frame_prefix : str
    """

    def __init__(
        self,
        node: Node,
        session: Session,
        world_frame: str,
        changed: Callable[[], None],
        frame_prefix: str = "",
    ) -> None:
        self._session, self._world, self._changed = session, world_frame, changed
        self._prefix = frame_prefix
        answers = {
            "spawn_entity": self._spawn,
            "spawn_entities": self._spawn_all,
            "delete_entity": self._delete,
            "get_spawnables": self._spawnables,
        }
        offer(node, session, answers)

    def _spawn(
        self, request: SpawnEntity.Request, response: SpawnEntity.Response
    ) -> SpawnEntity.Response:
        present = self._session.system, self._session.position
        try:
            system, _, name = self._with_spawned(*present, (), request)
            self._session.exchange(system, (name,))
            response.entity_name, response.result.result = name, Result.RESULT_OK
        except ResourceError as error:
            response.result = failure(error.code, str(error))
        self._changed()
        return response

    def _spawn_all(self, request: Any, response: Any) -> Any:
        """Spawn all entities, or none if one of them is refused."""
        from simulation_interfaces.msg import SpawnResult

        system, position, refused = self._session.system, self._session.position, 0
        names: list[str] = []
        for each in request.spawn_requests:
            result = SpawnResult()
            try:
                system, position, name = self._with_spawned(system, position, names, each)
                names.append(name)
                result.entity_name = name
                result.result.result = Result.RESULT_OK
            except ResourceError as error:
                result.result = failure(error.code, str(error))
                refused += 1
            response.results.append(result)
        if not refused:
            self._session.exchange(system, names)
            self._changed()
            response.result.result = Result.RESULT_OK
            return response
        for result in response.results:
            if result.result.result == Result.RESULT_OK:
                text = "not spawned, since other entities of the request were refused"
                result.result = failure(Result.RESULT_OPERATION_FAILED, text)
                result.entity_name = ""
        text = f"{refused} of {len(response.results)} entities were refused; none was spawned"
        response.result = failure(ENTITIES_SPAWN_FAILED, text)
        return response

    def _with_spawned(
        self, system: SimulatedSystem, position: Floats, before: Sequence[str], request: Any
    ) -> tuple[SimulatedSystem, Floats, str]:
        """Return the system with one more entity, its position (p,), and the entity's name.

        Parameters
        ----------
        system : SimulatedSystem
            With the entities before it of the same request.
        position : (p,) array
            Of that system.
        before : sequence of str
            Names of these entities.
        request : SpawnEntity or SpawnEntity.Request

        Raises
        ------
        ResourceError
            If it cannot be spawned; nothing is changed.
        """
        _require_world(self._session)
        _require_no_namespace(request.entity_namespace)
        given = resource_field(request)
        resource = resource_of(given.uri, given.resource_string)
        name = _name_for(request, resource, system.entities)
        try:
            place = self._place(system, position, request.initial_pose)
        except CharmieError as error:
            raise ResourceError(Codes.INVALID_POSE, f"initial_pose: {error}") from error
        world = system.world
        entity = entity_of(name, resource, {} if world is None else world.description.materials)
        try:
            system = with_entity(system, entity, place)
            state = self._session.require_possible(system, [*before, name])
        except OverlapError as error:
            raise ResourceError(Codes.INVALID_POSE, str(error)) from error
        except MissingFileError as error:
            raise ResourceError(Codes.MISSING_ASSETS, str(error)) from error
        except ModelFileError as error:
            raise ResourceError(Codes.RESOURCE_PARSE_ERROR, str(error)) from error
        except CharmieError as error:
            raise ResourceError(Result.RESULT_OPERATION_FAILED, str(error)) from error
        return system, state.position, name

    def _place(self, system: SimulatedSystem, position: Floats, pose: Any) -> EntityPlace:
        """Return the place of a pose in the world or in a frame of the simulator."""
        frame_id = pose.header.frame_id
        place = place_of("", pose.pose, Twist(), self._world)
        if is_world(frame_id, self._world):
            return place
        frame = system.link_of(frame_id.removeprefix(self._prefix))
        known = system.model.frame_names
        if frame not in known:
            raise UnknownNameError(f"frame '{shown(frame_id)}' is unknown{choices(frame, known)}")
        p, R = system.model.kinematics(position).frame(frame)
        return place._replace(position=p + R @ place.position, rotation=R @ place.rotation)

    def _delete(
        self, request: DeleteEntity.Request, response: DeleteEntity.Response
    ) -> DeleteEntity.Response:
        _require_world(self._session)
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


def _require_world(session: Session) -> None:
    if session.system.is_alone:
        raise ResourceError(Result.RESULT_FEATURE_UNSUPPORTED, NO_WORLD)
    if session.system.world is None:
        raise ResourceError(Result.RESULT_INCORRECT_STATE, UNLOADED)


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


def _name_for(request: Any, resource: Resource, taken: Container[str]) -> str:
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
