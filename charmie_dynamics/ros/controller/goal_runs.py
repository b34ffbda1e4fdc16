# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Goals on their way from acceptance to result: checked, started, watched, ended."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import NamedTuple, Protocol

from charmie_dynamics.collision.clearance import ShapeDistances
from charmie_dynamics.execution.execution import GoalOutcome
from charmie_dynamics.execution.goal_check import fault_of_path
from charmie_dynamics.execution.goals import Code, Goal, GoalError
from charmie_dynamics.execution.robot_controller import RobotController

# s for which the check of a goal, in another thread, may keep a cycle waiting
SWITCH_INTERVAL = 0.0002


class Client(Protocol):
    """Who requested a goal, and gets its result."""

    @property
    def is_cancel_requested(self) -> bool:
        """Whether the goal is to end."""

    def end(self, outcome: GoalOutcome, is_cancelled: bool) -> None:
        """Report the end of the goal."""


class _Waiting(NamedTuple):
    """A goal that is checked, or waits for its start; `client` is None for those of a topic."""

    goal: Goal
    client: Client | None
    check: Future[str]


class GoalRuns:
    """Goals of all groups. At most one of a group runs, and one waits.

    Parameters
    ----------
    controller : RobotController
    refusal : callable
        Returns why no goal can be executed now; empty: it can.
    distances : ShapeDistances, optional
        Pairs of shapes that may not touch.
    is_checked : bool
        False: goals are executed without a check of the robot's limits.
    checks : Executor, optional
        Makes the checks; default: another thread.

    Attributes
    ----------
    clients : dict of str to Client
        Of the goals that are executed, by group.
    ended : Counter of str
        Goals by the name of their `Code`, and those that were cancelled.
    last_fault : str
        Of the last goal that did not succeed.
    """

    def __init__(
        self,
        controller: RobotController,
        refusal: Callable[[], str],
        distances: ShapeDistances | None = None,
        is_checked: bool = True,
        checks: Executor | None = None,
    ) -> None:
        self._controller, self._refusal = controller, refusal
        self._distances, self._is_checked = distances, is_checked
        self._waiting: dict[str, _Waiting] = {}
        self.clients: dict[str, Client | None] = {}
        self.ended: Counter[str] = Counter()
        self.last_fault = ""
        self._checks = checks or ThreadPoolExecutor(max_workers=1)
        sys.setswitchinterval(SWITCH_INTERVAL)

    def accept(self, group: str, make: Callable[[], Goal], client: Client | None, now: int) -> None:
        """Take a goal: check it, and end it at once if it cannot be executed."""
        try:
            refusal = self._refusal()
            if refusal:
                raise GoalError(Code.INVALID_GOAL, f"{group}: {refusal}")
            goal = make()
            path = self._controller.execution.planned(group, goal, now)
        except GoalError as error:
            self._end(client, GoalOutcome(group, error.code, str(error)))
            return
        before = self._waiting.pop(group, None)
        if before is not None:
            self._end(
                before.client,
                GoalOutcome(group, Code.INVALID_GOAL, f"{group}: replaced by a newer goal"),
            )
        held = self._controller.desired(now).position
        check: Future[str] = Future()
        if self._is_checked:
            arguments = self._controller.model, path, held, self._distances
            check = self._checks.submit(fault_of_path, *arguments)
        else:
            check.set_result("")
        self._waiting[group] = _Waiting(goal, client, check)

    def advance(self, now: int) -> None:
        """Start goals whose check and time have come, and end those that are cancelled."""
        for group, waiting in list(self._waiting.items()):
            if waiting.client is not None and waiting.client.is_cancel_requested:
                del self._waiting[group]
                self._cancel(group, waiting.client)
            elif waiting.check.done():
                self._try_to_start(group, waiting, now)
        for group, client in list(self.clients.items()):
            if client is not None and client.is_cancel_requested:
                self._controller.execution.stop(group, now)
                del self.clients[group]
                self._cancel(group, client)

    def _try_to_start(self, group: str, waiting: _Waiting, now: int) -> None:
        goal, client, check = waiting
        fault = check.result()
        if not fault and goal.start is not None and goal.start > now:
            return
        del self._waiting[group]
        try:
            if fault:
                raise GoalError(Code.INVALID_GOAL, f"{group}: {fault}")
            replaced = self._controller.execution.start(group, goal, now)
        except GoalError as error:
            self._end(client, GoalOutcome(group, error.code, str(error)))
            return
        if replaced is not None:
            self.finish([replaced])
        self.clients[group] = client

    def finish(self, outcomes: list[GoalOutcome]) -> None:
        """Report the ends of goals that were executed."""
        for outcome in outcomes:
            self._end(self.clients.pop(outcome.group, None), outcome)

    def end_waiting(self, reason: str, *groups: str) -> None:
        """End the goals of these groups, or of all, that are not executed yet."""
        for group in groups or tuple(self._waiting):
            waiting = self._waiting.pop(group, None)
            if waiting is not None:
                text = f"{group}: {reason}"
                self._end(waiting.client, GoalOutcome(group, Code.INVALID_GOAL, text))

    def close(self) -> None:
        """End the thread of the checks."""
        self._checks.shutdown(wait=True, cancel_futures=True)

    def _cancel(self, group: str, client: Client) -> None:
        self.ended["CANCELLED"] += 1
        client.end(GoalOutcome(group, Code.SUCCESSFUL, f"{group}: cancelled"), is_cancelled=True)

    def _end(self, client: Client | None, outcome: GoalOutcome) -> None:
        self.ended[outcome.code.name] += 1
        if outcome.code != Code.SUCCESSFUL:
            self.last_fault = outcome.text
        if client is not None:
            client.end(outcome, is_cancelled=False)
