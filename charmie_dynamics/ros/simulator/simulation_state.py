# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Services of simulation_interfaces about time: play, pause, step, reset and features."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future
from simulation_interfaces.msg import Result, SimulationState, SimulatorFeatures
from simulation_interfaces.srv import (
    GetSimulationState,
    GetSimulatorFeatures,
    ResetSimulation,
    SetSimulationState,
    StepSimulation,
)

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.simulation.session.session import PlayState, Session

from .offering import failure, type_of
from .player import Player
from .resources import FORMATS

STATES = {
    PlayState.STOPPED: SimulationState.STATE_STOPPED,
    PlayState.PLAYING: SimulationState.STATE_PLAYING,
    PlayState.PAUSED: SimulationState.STATE_PAUSED,
    # version 1.0 has no names for them
    PlayState.NO_WORLD: 4,
    PlayState.LOADING_WORLD: 5,
}
# by the service, of which the installed version must define the type: names in SimulatorFeatures
FEATURES = {
    "get_entities": ("ENTITY_TAGS", "ENTITY_BOUNDS_BOX", "ENTITY_BOUNDS_CONVEX",
                     "ENTITY_CATEGORIES"),
    "get_entity_bounds": ("ENTITY_BOUNDS",),
    "get_entity_state": ("ENTITY_STATE_GETTING",),
    "set_entity_state": ("ENTITY_STATE_SETTING",),
    "get_entity_info": ("ENTITY_INFO_GETTING",),
    "set_entity_info": ("ENTITY_INFO_SETTING",),
    "get_named_poses": ("NAMED_POSES",),
    "get_named_pose_bounds": ("POSE_BOUNDS",),
    "reset_simulation": ("SIMULATION_RESET", "SIMULATION_RESET_TIME", "SIMULATION_RESET_STATE"),
    "get_simulation_state": ("SIMULATION_STATE_GETTING",),
    "set_simulation_state": ("SIMULATION_STATE_SETTING", "SIMULATION_STATE_PAUSE"),
    "step_simulation": ("STEP_SIMULATION_SINGLE", "STEP_SIMULATION_MULTIPLE",
                        "STEP_SIMULATION_ACTION"),
    "load_world": ("WORLD_LOADING", "WORLD_RESOURCE_STRING"),
    "unload_world": ("WORLD_UNLOADING",),
    "get_current_world": ("WORLD_INFO_GETTING",),
    "get_available_worlds": ("AVAILABLE_WORLDS", "WORLD_TAGS"),
}  # fmt: skip
# not of a robot alone
FEATURES_OF_A_WORLD = {
    "spawn_entity": ("SPAWNING", "SPAWNING_RESOURCE_STRING"),
    "spawn_entities": ("SPAWNING_ENTITIES",),
    "delete_entity": ("DELETING",),
    "get_spawnables": ("SPAWNABLES",),
    "reset_simulation": ("SIMULATION_RESET_SPAWNED",),
}
DOCUMENTS = "docs/simulation.md of charmie_dynamics"
NOT_PAUSED = "expected a paused simulation: pause it first"
BUSY = "steps are already in progress; cancel them first"
# a second or two of work; of more steps other requests are answered in between
MOST_AT_ONCE = 10_000
UNTIL_THE_END = 0.1  # s for sending the response


class SimulationStateServices:
    """Services of simulation_interfaces about time.

    Parameters
    ----------
    node : Node
    session : Session
    player : Player
    """

    def __init__(self, node: Node, session: Session, player: Player) -> None:
        self._node, self._session, self._player = node, session, player
        services: tuple[tuple[Any, str, Any], ...] = (
            (GetSimulatorFeatures, "get_simulator_features", self._features),
            (GetSimulationState, "get_simulation_state", self._get_state),
            (SetSimulationState, "set_simulation_state", self._set_state),
            (StepSimulation, "step_simulation", self._step),
            (ResetSimulation, "reset_simulation", self._reset),
        )
        # else no other request could be answered while many steps are being made
        group = ReentrantCallbackGroup()
        for kind, name, answer in services:
            node.create_service(kind, name, answer, callback_group=group)

    def _features(
        self, _: GetSimulatorFeatures.Request, response: GetSimulatorFeatures.Response
    ) -> GetSimulatorFeatures.Response:
        features = features_of(FEATURES)
        if not self._session.system.is_alone:
            features += features_of(FEATURES_OF_A_WORLD)
            response.features.spawn_formats = list(FORMATS)
        response.features.features = features
        response.features.custom_info = DOCUMENTS
        return response

    def _get_state(
        self, _: GetSimulationState.Request, response: GetSimulationState.Response
    ) -> GetSimulationState.Response:
        response.state.state = STATES[self._session.state]
        response.result = Result(result=Result.RESULT_OK, error_message=self._session.fault)
        return response

    def _set_state(
        self, request: SetSimulationState.Request, response: SetSimulationState.Response
    ) -> SetSimulationState.Response:
        requested, session = request.state.state, self._session
        response.result.result = Result.RESULT_OK
        if requested == STATES[session.state] and not self._player.is_stepping:
            response.result.result = SetSimulationState.Response.ALREADY_IN_TARGET_STATE
        elif requested == SimulationState.STATE_QUITTING:
            self._node.create_timer(UNTIL_THE_END, _end)
            if session.is_active:
                session.stop()
            self._player.follow_state()
        elif not session.is_active:
            response.result = failure(
                SetSimulationState.Response.INCORRECT_TRANSITION,
                f"expected a robot or a world; the state is: {session.state.value}",
            )
        elif requested == SimulationState.STATE_PLAYING:
            session.play()
            self._player.follow_state()
        elif requested == SimulationState.STATE_PAUSED:
            session.pause()
            self._player.follow_state()
        elif requested == SimulationState.STATE_STOPPED:
            session.stop()
            self._player.follow_state()
        else:
            response.result = failure(
                SetSimulationState.Response.INCORRECT_TRANSITION,
                f"expected stopped (0), playing (1), paused (2) or quitting (3), got {requested}",
            )
        return response

    async def _step(
        self, request: StepSimulation.Request, response: StepSimulation.Response
    ) -> StepSimulation.Response:
        refusal = refusal_of_steps(self._session, self._player)
        try:
            if not refusal and request.steps > MOST_AT_ONCE:
                steps = _Steps(request.steps)
                self._player.step_in_turns(steps)
                refusal = await steps.future
            elif not refusal:
                self._player.step(request.steps)
        except CharmieError as error:
            refusal = str(error)
        response.result = result_of(refusal)
        return response

    def _reset(
        self, request: ResetSimulation.Request, response: ResetSimulation.Response
    ) -> ResetSimulation.Response:
        scope, kinds = request.scope, ResetSimulation.Request
        if not self._session.is_active:
            text = f"expected a robot or a world; the state is: {self._session.state.value}"
            response.result = failure(Result.RESULT_INCORRECT_STATE, text)
            return response
        if scope == kinds.SCOPE_DEFAULT:
            scope = kinds.SCOPE_ALL
        known = kinds.SCOPE_TIME | kinds.SCOPE_STATE
        if not self._session.system.is_alone:
            known |= kinds.SCOPE_SPAWNED
        if scope != kinds.SCOPE_ALL and scope & ~known:
            spawned = "spawned (4), " if known & kinds.SCOPE_SPAWNED else ""
            response.result = Result(
                result=Result.RESULT_FEATURE_UNSUPPORTED,
                error_message=f"scope {scope}: expected time (1), state (2), {spawned}some of them "
                "or all (255)" + ("" if spawned else "; a robot alone has no spawned entities"),
            )
            return response
        try:
            self._session.reset(
                time=bool(scope & kinds.SCOPE_TIME),
                state=bool(scope & kinds.SCOPE_STATE),
                spawned=bool(scope & kinds.SCOPE_SPAWNED),
            )
        except CharmieError as error:
            response.result = result_of(str(error))
            return response
        self._player.follow_state()
        response.result.result = Result.RESULT_OK
        return response


class _Steps:
    """Many steps of one request, made in turns."""

    def __init__(self, steps: int) -> None:
        self.steps = self.at_once = steps
        self.completed = 0
        self.future = Future()

    def note(self, completed: int) -> bool:
        self.completed = completed
        return True

    def end(self, cause: str) -> None:
        left = f"; {self.steps - self.completed} steps were omitted" if cause else ""
        self.future.set_result(cause + left)


def features_of(table: Mapping[str, tuple[str, ...]]) -> list[int]:
    """Return the features of a table that the installed version defines."""
    return [
        getattr(SimulatorFeatures, name)
        for service, names in table.items()
        for name in names
        if type_of(service) is not None and hasattr(SimulatorFeatures, name)
    ]


def refusal_of_steps(session: Session, player: Player) -> str:
    """Return why no steps can be made now; empty: they can."""
    if session.state is not PlayState.PAUSED:
        return f"{NOT_PAUSED}; it is {session.state.value}"
    return BUSY if player.is_stepping else ""


def result_of(fault: str) -> Result:
    """Return a result: a failure with its cause, or success."""
    code = Result.RESULT_OPERATION_FAILED if fault else Result.RESULT_OK
    return Result(result=code, error_message=fault)


def _end() -> None:
    os.kill(os.getpid(), signal.SIGINT)
