# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Steps by the action of simulation_interfaces, which can be watched and cancelled."""

from __future__ import annotations

from functools import partial
from typing import Any

from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future
from simulation_interfaces.action import SimulateSteps

from charmie_dynamics.simulation.session.session import Session

from .player import Player
from .simulation_state import refusal_of_steps, result_of

MOST_FEEDBACKS = 100  # of a goal


class SteppingAction:
    """Makes steps while other callbacks are handled in between.

    Parameters
    ----------
    node : Node
    session : Session
    player : Player
    """

    def __init__(self, node: Node, session: Session, player: Player) -> None:
        self._session, self._player = session, player
        # otherwise no request of the action could be handled during its execution
        group = ReentrantCallbackGroup()
        self._server = ActionServer(
            node,
            SimulateSteps,
            "simulate_steps",
            self._execute,
            handle_accepted_callback=self._begin,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
            callback_group=group,
        )

    def _begin(self, goal: Any) -> None:
        # at acceptance: a call that follows must find the steps begun, to be able to end them
        steps = _Steps(goal)
        fault = refusal_of_steps(self._session, self._player)
        if fault or not steps.steps:
            steps.end(fault)
        else:
            self._player.step_in_turns(steps)
        goal.execute(partial(self._execute, steps=steps))

    async def _execute(self, goal: Any, *, steps: _Steps) -> SimulateSteps.Result:
        fault = await steps.future
        if not fault:
            goal.succeed()
        elif goal.is_cancel_requested:
            goal.canceled()
        else:
            goal.abort()
        return SimulateSteps.Result(result=result_of(fault))

    def close(self) -> None:
        """Destroy the server; call before the node is destroyed."""
        self._server.destroy()


class _Steps:
    """Steps of one goal."""

    def __init__(self, goal: Any) -> None:
        self.steps: int = goal.request.steps
        # bounds the number of feedback messages
        self.at_once = 1 + (self.steps - 1) // MOST_FEEDBACKS
        self.completed = 0
        self.future = Future()
        self._goal = goal

    def note(self, completed: int) -> bool:
        self.completed = completed
        feedback = SimulateSteps.Feedback()
        feedback.completed_steps = completed
        feedback.remaining_steps = self.steps - completed
        self._goal.publish_feedback(feedback)
        return not self._goal.is_cancel_requested

    def end(self, cause: str) -> None:
        self.future.set_result(cause)
