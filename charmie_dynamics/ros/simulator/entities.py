# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Services of simulation_interfaces about the entities that there are."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from simulation_interfaces.msg import Bounds, Result
from simulation_interfaces.srv import (
    GetEntities,
    GetEntitiesStates,
    GetEntityInfo,
    GetEntityState,
    SetEntityState,
)

from charmie_dynamics.errors import CharmieError, UnsupportedError, choices, shown
from charmie_dynamics.simulation.session.entity_changes import entity_motion, put_entity
from charmie_dynamics.simulation.session.session import Session

from .entity_messages import category_of, info_message, place_of, state_message

# of SetEntityState; several releases of simulation_interfaces 1 have no name for it
INVALID_POSE = 101


class EntityServices:
    """Services of simulation_interfaces about entities.

    Parameters
    ----------
    node : Node
    session : Session
    world_frame : str
        With its prefix.
    changed : callable
        Called after a static entity was moved.
    """

    def __init__(
        self, node: Node, session: Session, world_frame: str, changed: Callable[[], None]
    ) -> None:
        self._session, self._world, self._changed = session, world_frame, changed
        for kind, name, answer in (
            (GetEntities, "get_entities", self._entities),
            (GetEntitiesStates, "get_entities_states", self._states),
            (GetEntityState, "get_entity_state", self._state),
            (SetEntityState, "set_entity_state", self._set_state),
            (GetEntityInfo, "get_entity_info", self._info),
        ):
            node.create_service(kind, name, guarded(answer))

    def _entities(
        self, request: GetEntities.Request, response: GetEntities.Response
    ) -> GetEntities.Response:
        response.result, response.entities = self._found(request.filters)
        return response

    def _states(
        self, request: GetEntitiesStates.Request, response: GetEntitiesStates.Response
    ) -> GetEntitiesStates.Response:
        response.result, response.entities = self._found(request.filters)
        response.states = [self._present_state(name) for name in response.entities]
        return response

    def _state(
        self, request: GetEntityState.Request, response: GetEntityState.Response
    ) -> GetEntityState.Response:
        response.result = looked_up(self._session, request.entity)
        if response.result.result == Result.RESULT_OK:
            response.state = self._present_state(request.entity)
        return response

    def _info(
        self, request: GetEntityInfo.Request, response: GetEntityInfo.Response
    ) -> GetEntityInfo.Response:
        response.result = looked_up(self._session, request.entity)
        if response.result.result == Result.RESULT_OK:
            response.info = info_message(self._session.system, request.entity)
        return response

    def _set_state(
        self, request: SetEntityState.Request, response: SetEntityState.Response
    ) -> SetEntityState.Response:
        response.result = looked_up(self._session, request.entity)
        if response.result.result != Result.RESULT_OK:
            return response
        state, present = request.state, self._present_state(request.entity)
        # simulation_interfaces 2.1 added the flags
        pose = state.pose if getattr(request, "set_pose", True) else present.pose
        twist = state.twist if getattr(request, "set_twist", True) else present.twist
        try:
            place = place_of(state.header.frame_id, pose, twist, self._world)
            put_entity(self._session, request.entity, place)
        except UnsupportedError as error:
            code = Result.RESULT_OPERATION_FAILED
            response.result = Result(result=code, error_message=str(error))
        except CharmieError as error:
            response.result = Result(result=INVALID_POSE, error_message=str(error))
        self._changed()
        return response

    def _present_state(self, name: str) -> Any:
        session = self._session
        return state_message(entity_motion(session, name), session.now, self._world)

    def _found(self, filters: Any) -> tuple[Result, list[str]]:
        """Return the entities that pass filters."""
        if filters.bounds.type != Bounds.TYPE_EMPTY:
            text = "expected no bounds: filtering by position is not supported"
            return Result(result=Result.RESULT_FEATURE_UNSUPPORTED, error_message=text), []
        if filters.tags.tags:
            text = "expected no tags: entities have no tags"
            return Result(result=Result.RESULT_FEATURE_UNSUPPORTED, error_message=text), []
        system = self._session.system
        try:
            names = [
                name for name in system.entity_names if re.search(filters.filter, name) is not None
            ]
        except re.error as error:
            text = f"filter '{shown(filters.filter)}' is no regular expression: {error}"
            return Result(result=Result.RESULT_OPERATION_FAILED, error_message=text), []
        requested = {category.category for category in filters.categories}
        if requested:
            names = [name for name in names if category_of(system, name) in requested]
        return Result(result=Result.RESULT_OK), names


def looked_up(session: Session, name: str) -> Result:
    """Return whether an entity exists, with the existing ones if not."""
    names = session.system.entity_names
    if name in names:
        return Result(result=Result.RESULT_OK)
    text = f"there is no entity '{shown(name)}'{choices(name, names)}"
    return Result(result=Result.RESULT_NOT_FOUND, error_message=text)


def guarded(answer: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a function that answers as `answer` and reports errors in the result."""

    def answered(request: Any, response: Any) -> Any:
        try:
            return answer(request, response)
        except CharmieError as error:
            code = Result.RESULT_OPERATION_FAILED
            response.result = Result(result=code, error_message=str(error))
            return response

    return answered
