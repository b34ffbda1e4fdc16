# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Services of simulation_interfaces about the entities that there are."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from simulation_interfaces.msg import Bounds, EntityCategory, Result
from simulation_interfaces.srv import (
    GetEntities,
    GetEntitiesStates,
    GetEntityInfo,
    GetEntityState,
    SetEntityState,
)

from charmie_dynamics.errors import CharmieError, InputError, UnsupportedError, choices, shown
from charmie_dynamics.model.description.world import BoundingVolume
from charmie_dynamics.model.description.world.named_poses import BOX
from charmie_dynamics.simulation.session.entity_bounds import entity_box, overlapping
from charmie_dynamics.simulation.session.entity_changes import entity_motion, put_entity
from charmie_dynamics.simulation.session.session import Session

from .bounds_messages import bounds_message, volume_of
from .entity_messages import info_message, place_of, state_message
from .offering import failure, offer, passes

CATEGORIES = (
    EntityCategory.CATEGORY_OBJECT,
    EntityCategory.CATEGORY_ROBOT,
    EntityCategory.CATEGORY_HUMAN,
    EntityCategory.CATEGORY_DYNAMIC_OBJECT,
    EntityCategory.CATEGORY_STATIC_OBJECT,
)
# parts of POSIX extended regular expressions: bracket expressions, and classes within these
BRACKETS = re.compile(r"\\.|\[\^?\]?(?:\[:[a-z]*:\]|[^\]])*\]", re.DOTALL)
CLASS = re.compile(r"\[:([a-z]*):\]")
CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r" \t",
    "digit": "0-9",
    "lower": "a-z",
    "punct": re.escape(string.punctuation),
    "space": r"\s",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
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
        answers = {
            "get_entities": self._entities,
            "get_entities_states": self._states,
            "get_entity_state": self._state,
            "set_entity_state": self._set_state,
            "get_entity_info": self._info,
            "set_entity_info": self._set_info,
            "get_entity_bounds": self._bounds,
        }
        offer(node, session, answers)

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
            response.info = info_message(self._session, request.entity)
        return response

    def _set_info(self, request: Any, response: Any) -> Any:
        response.result = looked_up(self._session, request.entity)
        if response.result.result != Result.RESULT_OK:
            return response
        category = request.info.category.category
        if category not in CATEGORIES:
            raise InputError(f"category: expected one of {list(CATEGORIES)}, got {category}")
        self._session.notes[request.entity] = request.info
        return response

    def _bounds(self, request: Any, response: Any) -> Any:
        response.result = looked_up(self._session, request.entity)
        if response.result.result == Result.RESULT_OK:
            corners = entity_box(self._session, request.entity)
            volume = None if corners is None else BoundingVolume(BOX, corners)
            response.bounds = bounds_message(volume)
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
            response.result = failure(Result.RESULT_OPERATION_FAILED, str(error))
        except CharmieError as error:
            response.result = failure(INVALID_POSE, str(error))
        self._changed()
        return response

    def _present_state(self, name: str) -> Any:
        session = self._session
        return state_message(entity_motion(session, name), session.now, self._world)

    def _found(self, filters: Any) -> tuple[Result, list[str]]:
        """Return the entities that pass filters."""
        session = self._session
        known = session.system.entity_names
        try:
            pattern = re.compile(python_pattern(filters.filter))
            names = [name for name in known if pattern.search(name) is not None]
        except re.error as error:
            text = f"filter '{shown(filters.filter)}' is no regular expression: {error}"
            return failure(Result.RESULT_OPERATION_FAILED, text), []
        infos = {name: info_message(session, name) for name in names}
        requested = {category.category for category in filters.categories}
        if requested:
            names = [name for name in names if infos[name].category.category in requested]
        names = [name for name in names if passes(filters.tags, infos[name].tags)]
        if filters.bounds.type != Bounds.TYPE_EMPTY:
            try:
                volume = volume_of(filters.bounds)
            except UnsupportedError as error:
                return failure(Result.RESULT_FEATURE_UNSUPPORTED, str(error)), []
            names = overlapping(session, names, volume)
        return Result(result=Result.RESULT_OK), names


def python_pattern(pattern: str) -> str:
    """Return a POSIX extended regular expression as one of Python.

    Raises
    ------
    re.error
        For an unknown class of characters.

    Examples
    --------
    >>> from charmie_dynamics.ros.simulator.entities import python_pattern
    >>> python_pattern("^crate_[[:digit:]]+$")
    '^crate_[0-9]+$'
    """

    def characters(match: re.Match[str]) -> str:
        if match[1] not in CLASSES:
            raise re.error(f"unknown class {match[0]}")
        return CLASSES[match[1]]

    return BRACKETS.sub(
        lambda part: CLASS.sub(characters, part[0]) if part[0][0] == "[" else part[0], pattern
    )


def looked_up(session: Session, name: str) -> Result:
    """Return whether an entity exists, with the existing ones if not."""
    names = session.system.entity_names
    if name in names:
        return Result(result=Result.RESULT_OK)
    text = f"there is no entity '{shown(name)}'{choices(name, names)}"
    return failure(Result.RESULT_NOT_FOUND, text)
