# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Ends a run with the largest differences that were found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import pytest

from validation.pinocchio_reference import Differences


@pytest.fixture
def record(request: pytest.FixtureRequest) -> Callable[[Differences], None]:
    """Keeps what a test found, for the end of the run and the results file."""

    def keep(differences: Differences) -> None:
        request.node.user_properties.extend(asdict(differences).items())

    return keep


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    largest: dict[str, tuple[float, str]] = {}
    reports = [
        report
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, [])
        if report.when == "call"
    ]
    for report in reports:
        for quantity, value in report.user_properties:
            found = (value, report.nodeid.partition("[")[2].rstrip("]"))
            largest[quantity] = max(largest.get(quantity, found), found)
    if largest:
        terminalreporter.section("largest relative differences from Pinocchio")
        for quantity, (value, robot) in largest.items():
            terminalreporter.write_line(f"{quantity:<18} {value:.1e}  {robot}")
