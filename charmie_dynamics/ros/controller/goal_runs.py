# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Goals on their way from acceptance to result: checked, started, watched, ended."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from charmie_dynamics.collision.clearance import ShapeDistances
from charmie_dynamics.execution.execution import Beginning, GoalOutcome, Plan, plan_from
from charmie_dynamics.execution.goal_check import fault_of_path
from charmie_dynamics.execution.goals import Code, Goal, GoalError
from charmie_dynamics.execution.robot_controller import RobotController
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.model.model import Model

# s for which the check of a goal, in another thread, may keep a cycle waiting
SWITCH_INTERVAL = 0.0002
# s until a moving group begins a newer goal, in addition to twice the time of the last check
LEAD, LONGEST_LEAD = 0.05, 1.0
# checks of one goal whose begin changes; after MOST_LATE that last too long the group stops
MOST_CHECKS, MOST_LATE = 8, 2
REPLACED = "replaced by a newer goal"


class Client(Protocol):
    """Who requested a goal, and gets its result."""

    @property
    def is_cancel_requested(self) -> bool:
        """Whether the goal is to end."""

    def end(self, outcome: GoalOutcome, is_cancelled: bool) -> None:
        """Report the end of the goal."""


@dataclass(eq=False)
class _Waiting:
    """A goal that is checked, or waits for its start; `client` is None for those of a topic.

    `check` is None until the group is at rest. It began at the stamp `begun`.
    """

    goal: Goal
    client: Client | None
    check: Future[_Checked] | None
    begun: int
    checks: int = 1
    late: int = 0
    is_timed: bool = False
    is_accepted: bool = False

    @property
    def begins_soon(self) -> bool:
        """Whether the goal is checked, and not waiting for the start that it states."""
        if not self.is_accepted or self.check is None or not self.check.done():
            return False
        return self.check.result().plan.beginning.time != self.goal.start


class _Checked(NamedTuple):
    """A planned goal, and why it cannot be executed; empty: it can."""

    plan: Plan
    fault: str


class GoalRuns:
    """Goals of all groups. One of a group runs, one waits, and one more is checked at most.

    Every executed path has been checked. A goal is planned and checked in another thread, from the
    state in which it will begin. If the group is in another state then, or the check lasts too
    long, that is repeated; the group stops in the end, to begin at rest.

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
    log : callable, optional
        Takes the text of an unexpected fault.

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
        log: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._controller, self._refusal = controller, refusal
        self._distances, self._is_checked = distances, is_checked
        self._log = log
        self._waiting: dict[str, list[_Waiting]] = {}
        # stamps of the last two samples (ns), and s of a check for each point of a trajectory
        self._before = self._now = 0
        self._pace = 0.0
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
            if goal.is_present_pose:
                self._end_at_once(group, goal, client, now)
                return
            waiting = _Waiting(goal, client, None, now)
            self._check(group, waiting, now)
        except Exception as error:  # no goal may end the process
            self._refuse(group, client, error)
            return
        goals = self._waiting.setdefault(group, [])
        if len(goals) > 1:
            self._withdraw(group, goals.pop(), REPLACED)
        goals.append(waiting)

    def advance(self, now: int) -> None:
        """Start goals whose check and time have come, and end those that are cancelled."""
        if now != self._now:
            self._before, self._now = self._now, now
        for group in list(self._waiting):
            for waiting in list(self._waiting.get(group, ())):
                if waiting.client is not None and waiting.client.is_cancel_requested:
                    self._remove(group, waiting)
                    self._cancel(group, waiting.client)
                elif waiting in self._waiting.get(group, ()):
                    self._advance_one(group, waiting, now)
        for group, client in list(self.clients.items()):
            if client is not None and client.is_cancel_requested:
                self._controller.execution.stop(group, now)
                del self.clients[group]
                self._cancel(group, client)

    def _end_at_once(self, group: str, goal: Goal, client: Client | None, now: int) -> None:
        """End a goal without a motion, and the others of the group, if the robot is there."""
        self._controller.require_present(group, goal)
        self.end_waiting(REPLACED, group)
        self.finish(self._controller.stop_group(group, now, REPLACED))
        self._end(client, GoalOutcome(group, Code.SUCCESSFUL, ""))

    def _check(self, group: str, waiting: _Waiting, now: int) -> None:
        """Begin to plan and check a goal."""
        execution, goal = self._controller.execution, waiting.goal
        lead = min(LEAD + 2.0 * self._pace * len(goal.trajectory.time), LONGEST_LEAD)
        beginning = execution.beginning(group, goal, now, round(lead * NANOSECONDS))
        is_checked, model = self._is_checked, self._controller.model
        arguments = model, group, goal, beginning, self._distances, is_checked
        waiting.check = self._checks.submit(_checked, *arguments)
        waiting.begun, waiting.is_timed = now, False

    def _advance_one(self, group: str, waiting: _Waiting, now: int) -> None:
        """Start a goal if its time has come; check it again if it began elsewhere."""
        execution, goal = self._controller.execution, waiting.goal
        try:
            if waiting.check is None:
                if execution.is_at_rest(group, now):
                    self._check(group, waiting, now)
                return
            if not waiting.check.done():
                return
            if not waiting.is_timed:
                waiting.is_timed = True
                self._pace = (now - waiting.begun) / NANOSECONDS / len(goal.trajectory.time)
            plan, fault = waiting.check.result()
            if fault:
                raise GoalError(Code.INVALID_GOAL, f"{group}: {fault}")
            if not waiting.is_accepted:
                waiting.is_accepted = True
                self._replace_earlier(group, waiting)
            is_flexible, time = plan.beginning.is_at_rest, plan.beginning.time
            # a path that begins before the last sample would be entered with a jump
            is_late = not is_flexible and time < self._before
            if is_late or not execution.is_current(group, plan, now):
                self._check_again(group, waiting, now, is_late)
                return
            if time > now and not is_flexible:
                return
            self._replace_earlier(group, waiting, is_beginning=True)
            self._remove(group, waiting)
            replaced = execution.begin(group, goal, plan, now)
        except Exception as error:  # no goal may end the process
            self._remove(group, waiting)
            self._refuse(group, waiting.client, error)
            return
        if replaced is not None:
            self.finish([replaced])
        self.clients[group] = waiting.client

    def _check_again(self, group: str, waiting: _Waiting, now: int, is_late: bool) -> None:
        """Check a goal from another begin; at last from rest."""
        if waiting.checks >= MOST_CHECKS:
            raise GoalError(
                Code.INVALID_GOAL,
                f"{group}: expected a begin that can be foreseen, which changed "
                f"{waiting.checks} times",
            )
        waiting.checks, waiting.late = waiting.checks + 1, waiting.late + is_late
        if waiting.late < MOST_LATE or self._controller.execution.is_at_rest(group, now):
            self._check(group, waiting, now)
            return
        waiting.check = None
        self.finish(self._controller.stop_group(group, now, REPLACED))

    def _replace_earlier(self, group: str, waiting: _Waiting, is_beginning: bool = False) -> None:
        """End the goals that came before; one that is about to begin only if this one begins."""
        for earlier in list(self._waiting[group]):
            if earlier is waiting:
                return
            if is_beginning or not earlier.begins_soon:
                self._remove(group, earlier)
                self._withdraw(group, earlier, REPLACED)

    def _remove(self, group: str, waiting: _Waiting) -> None:
        goals = [each for each in self._waiting.get(group, ()) if each is not waiting]
        self._waiting[group] = goals
        if not goals:
            del self._waiting[group]

    def _withdraw(self, group: str, waiting: _Waiting, reason: str) -> None:
        if waiting.check is not None:
            waiting.check.cancel()
        self._end(waiting.client, GoalOutcome(group, Code.INVALID_GOAL, f"{group}: {reason}"))

    def _refuse(self, group: str, client: Client | None, error: Exception) -> None:
        """End a goal with the reason; log one that is not expected."""
        if isinstance(error, GoalError):
            code, text = error.code, str(error)
        else:
            code, text = Code.INVALID_GOAL, f"{group}: {type(error).__name__}: {error}"
            self._log(f"goal not executed: {text}")
        self._end(client, GoalOutcome(group, code, text))

    @property
    def waiting(self) -> list[tuple[str, int | None]]:
        """Groups of the goals that are checked or wait, and the starts that these state (ns)."""
        return [
            (group, waiting.goal.start)
            for group, goals in self._waiting.items()
            for waiting in goals
        ]

    def finish(self, outcomes: list[GoalOutcome]) -> None:
        """Report the ends of goals that were executed."""
        for outcome in outcomes:
            self._end(self.clients.pop(outcome.group, None), outcome)

    def end_waiting(self, reason: str, *groups: str) -> None:
        """End the goals of these groups, or of all, that are not executed yet."""
        for group in groups or tuple(self._waiting):
            for waiting in self._waiting.pop(group, []):
                self._withdraw(group, waiting, reason)

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


def _checked(
    model: Model,
    group: str,
    goal: Goal,
    beginning: Beginning,
    distances: ShapeDistances | None,
    is_checked: bool,
) -> _Checked:
    """Plan and check a goal, in any thread."""
    plan = plan_from(model, group, goal, beginning)
    held = beginning.present.position
    return _Checked(plan, fault_of_path(model, plan.path, held, distances) if is_checked else "")
