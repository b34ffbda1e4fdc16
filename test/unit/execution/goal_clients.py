# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Clients of goals, and checks that take their time."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from charmie_dynamics.execution.execution import GoalOutcome
from charmie_dynamics.execution.goals import Code


class Delayed(Executor):
    """Makes each check when the time has come that a function returns (ns)."""

    def __init__(self, due: Callable[[], int]) -> None:
        self.due = due
        self.checks = list[tuple[int, Future[Any], Callable[[], Any]]]()

    def submit(
        self, function: Callable[..., Any], /, *arguments: Any, **options: Any
    ) -> Future[Any]:
        future: Future[Any] = Future()
        self.checks.append((self.due(), future, lambda: function(*arguments, **options)))
        return future

    def make(self, now: int) -> None:
        for check in [each for each in self.checks if each[0] <= now]:
            self.checks.remove(check)
            _, future, function = check
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(function())
                except Exception as error:
                    future.set_exception(error)


class Client:
    """Notes the result of its goal."""

    def __init__(self) -> None:
        self.is_cancel_requested = False
        self.outcome: GoalOutcome | None = None
        self.is_cancelled = False

    def end(self, outcome: GoalOutcome, is_cancelled: bool) -> None:
        assert self.outcome is None
        self.outcome, self.is_cancelled = outcome, is_cancelled

    @property
    def code(self) -> Code | None:
        return None if self.outcome is None else self.outcome.code
