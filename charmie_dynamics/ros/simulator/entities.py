# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Services of simulation_interfaces about entities: the robot is the only one."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from geometry_msgs.msg import Accel, Point, Pose, Quaternion, Twist, Vector3
from rclpy.node import Node
from simulation_interfaces.msg import Bounds, EntityCategory, EntityState, Result
from simulation_interfaces.srv import (
    DeleteEntity,
    GetEntities,
    GetEntitiesStates,
    GetEntityInfo,
    GetEntityState,
    SetEntityState,
    SpawnEntity,
)

from charmie_dynamics.errors import CharmieError, InputError, choices, shown
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.ros.outputs.conversions import time_from_stamp
from charmie_dynamics.simulation.session.base_pose import BaseMotion, base_motion, put_base
from charmie_dynamics.simulation.session.filled import quaternion
from charmie_dynamics.simulation.session.session import Session

NO_SPAWNING = "the robot is the only entity: nothing is spawned or deleted"
UNIT = 1e-3  # by which the length of a quaternion may differ from one


class EntityServices:
    """Answers what is asked about entities.

    Parameters
    ----------
    node : Node
    session : Session
    world_frame : str
        With its prefix.
    """

    def __init__(self, node: Node, session: Session, world_frame: str) -> None:
        self._session, self._world = session, world_frame
        self._name = session.model.name
        for kind, name, answer in (
            (GetEntities, "get_entities", self._entities),
            (GetEntitiesStates, "get_entities_states", self._states),
            (GetEntityState, "get_entity_state", self._state),
            (SetEntityState, "set_entity_state", self._set_state),
            (GetEntityInfo, "get_entity_info", self._info),
            (SpawnEntity, "spawn_entity", _unsupported),
            (DeleteEntity, "delete_entity", _unsupported),
        ):
            node.create_service(kind, name, _guarded(answer))

    def _entities(
        self, request: GetEntities.Request, response: GetEntities.Response
    ) -> GetEntities.Response:
        response.result, response.entities = self._found(request.filters)
        return response

    def _states(
        self, request: GetEntitiesStates.Request, response: GetEntitiesStates.Response
    ) -> GetEntitiesStates.Response:
        response.result, response.entities = self._found(request.filters)
        response.states = [self._present_state() for _ in response.entities]
        return response

    def _state(
        self, request: GetEntityState.Request, response: GetEntityState.Response
    ) -> GetEntityState.Response:
        response.result = self._looked_up(request.entity)
        if response.result.result == Result.RESULT_OK:
            response.state = self._present_state()
        return response

    def _info(
        self, request: GetEntityInfo.Request, response: GetEntityInfo.Response
    ) -> GetEntityInfo.Response:
        response.result = self._looked_up(request.entity)
        if response.result.result == Result.RESULT_OK:
            model = self._session.model
            response.info.category.category = EntityCategory.CATEGORY_ROBOT
            response.info.description = (
                f"{len(model.actuator_names)} actuators, {model.total_mass:.2f} kg"
            )
        return response

    def _set_state(
        self, request: SetEntityState.Request, response: SetEntityState.Response
    ) -> SetEntityState.Response:
        response.result = self._looked_up(request.entity)
        if response.result.result != Result.RESULT_OK:
            return response
        session = self._session
        try:
            place = self._asked(request.state)
            now = BaseMotion(session.position, session.velocity)
            session.put(*put_base(session.model, now, *place))
        except CharmieError as error:
            code = SetEntityState.Response.INVALID_POSE
            response.result = Result(result=code, error_message=str(error))
        return response

    def _asked(self, state: EntityState) -> tuple[Floats, Floats, Floats]:
        """Return position, rotation and twist that a request asks for.

        Raises
        ------
        InputError
            For another frame, or numbers that are not finite.
        """
        frame = state.header.frame_id
        if frame not in ("", "world", self._world):
            raise InputError(f"expected the frame '{self._world}' or none, got '{shown(frame)}'")
        pose, twist = state.pose, state.twist
        p = _vector(pose.position)
        q = pose.orientation
        xyzw = np.array([q.x, q.y, q.z, q.w])
        moving = np.concatenate((_vector(twist.linear), _vector(twist.angular)))
        if not (np.isfinite(p).all() and np.isfinite(xyzw).all() and np.isfinite(moving).all()):
            raise InputError("expected finite numbers in pose and twist")
        if not abs(float(np.linalg.norm(xyzw)) - 1.0) < UNIT:
            raise InputError(f"expected a quaternion of length one, got {np.linalg.norm(xyzw):.6g}")
        return p, _rotation(xyzw / np.linalg.norm(xyzw)), moving

    def _present_state(self) -> EntityState:
        session = self._session
        moves = base_motion(session.model, session.position, session.velocity, session.acceleration)
        state = EntityState()
        state.header.frame_id = self._world
        state.header.stamp = time_from_stamp(session.now)
        x, y, z, w = map(float, quaternion(moves.rotation))
        state.pose = Pose(
            position=_message(Point, moves.position), orientation=Quaternion(x=x, y=y, z=z, w=w)
        )
        state.twist = Twist(
            linear=_message(Vector3, moves.velocity),
            angular=_message(Vector3, moves.angular_velocity),
        )
        state.acceleration = Accel(
            linear=_message(Vector3, moves.acceleration),
            angular=_message(Vector3, moves.angular_acceleration),
        )
        return state

    def _looked_up(self, name: str) -> Result:
        if name == self._name:
            return Result(result=Result.RESULT_OK)
        text = f"there is no entity '{shown(name)}'{choices(name, [self._name])}"
        return Result(result=Result.RESULT_NOT_FOUND, error_message=text)

    def _found(self, filters: Any) -> tuple[Result, list[str]]:
        """Return the entities that pass filters."""
        if filters.bounds.type != Bounds.TYPE_EMPTY:
            text = "expected no bounds: entities are not found by their place"
            return Result(result=Result.RESULT_FEATURE_UNSUPPORTED, error_message=text), []
        if filters.tags.tags:
            text = "expected no tags: entities have none"
            return Result(result=Result.RESULT_FEATURE_UNSUPPORTED, error_message=text), []
        try:
            matches = re.search(filters.filter, self._name) is not None
        except re.error as error:
            text = f"filter '{shown(filters.filter)}' is no regular expression: {error}"
            return Result(result=Result.RESULT_OPERATION_FAILED, error_message=text), []
        wanted = {category.category for category in filters.categories}
        fits = matches and (not wanted or EntityCategory.CATEGORY_ROBOT in wanted)
        return Result(result=Result.RESULT_OK), [self._name] if fits else []


def _guarded(answer: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return what answers as `answer` does, and says so where the robot cannot be computed."""

    def answered(request: Any, response: Any) -> Any:
        try:
            return answer(request, response)
        except CharmieError as error:
            code = Result.RESULT_OPERATION_FAILED
            response.result = Result(result=code, error_message=str(error))
            return response

    return answered


def _unsupported(_: Any, response: Any) -> Any:
    code = Result.RESULT_FEATURE_UNSUPPORTED
    response.result = Result(result=code, error_message=NO_SPAWNING)
    return response


def _vector(message: Any) -> Floats:
    return np.array([message.x, message.y, message.z])


def _message(kind: Any, values: Floats) -> Any:
    x, y, z = map(float, values)
    return kind(x=x, y=y, z=z)


def _rotation(xyzw: Floats) -> Floats:
    """Return the rotation matrix of a unit quaternion."""
    x, y, z, w = xyzw
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )
