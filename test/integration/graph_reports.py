# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the node reports about the graph in its diagnostics, and how soon."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from graph import Checker

WITHIN = 1.0  # s, from the fault to its report
TRIES = 10  # the machine may be busy
RATE = 100.0  # Hz


def graph_status(
    checker: Checker,
    condition: Callable[[DiagnosticStatus], Any],
    what: str,
    node: str = "/charmie_dynamics",
    **options: Any,
) -> DiagnosticStatus:
    return checker.wait_for_status(
        f"{node}: graph", lambda status, _: condition(status), what, **options
    )


def is_ok(status: DiagnosticStatus) -> bool:
    return status.level == DiagnosticStatus.OK


def graph_statuses(checker: Checker) -> list[DiagnosticStatus]:
    """Return all statuses about the graph since the diagnostics were last cleared."""
    statuses = [s for array in checker.received["/diagnostics"] for s in array.status]
    return [status for status in statuses if status.name.endswith(": graph")]


def quickest(attempt: Callable[[], float]) -> float:
    """Return the least time of a few attempts, the first of which is usually quick enough."""
    times: list[float] = []
    while not times or (min(times) > WITHIN and len(times) < TRIES):
        times.append(attempt())
    return min(times)
