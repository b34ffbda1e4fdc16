# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The benchmark of a second of motion: its table, and that its errors are those of the steps."""

from __future__ import annotations

from benchmarks import report, simulation
from benchmarks.simulation import OURS, THEIRS, Row, SimulationCosts


def cells(line: str) -> list[str]:
    return line.strip("| ").split(" | ")


def test_times_stand_beside_what_is_wanted() -> None:
    rows = (
        Row(OURS, "rk4", 1e-3, 1e-6, 12e-3),
        Row(OURS, "rk4", 4e-3, 1e-4, 4e-3),
        Row(THEIRS, "RK4", 1e-3, 1e-3, 30e-3),
        Row(THEIRS, "Euler", 1e-4, 1e-5, 18e-3),
        Row(OURS, "adaptive", None, reason="no SciPy"),
    )
    head, _, *lines = report.simulation_table(SimulationCosts(rows)).splitlines()
    table = [cells(line) for line in lines]
    assert cells(head)[:2] == ["program", "method"]
    assert table[0][4:] == ["12.0 (at most 15: met)", "1.0"]
    assert table[1][2:5] == ["4", "1.0e-04", "4.0"]
    assert table[2][-1] == "7.5 (at least 2: met)"
    assert table[3][-1] == "1.5 (at least 2: **not met**)"
    assert "not timed: no SciPy" in lines[4]
    assert not SimulationCosts(rows).complete


def test_a_shorter_step_has_a_smaller_error() -> None:
    costs = simulation.measure(1, ((OURS, "rk4", 2e-3), (OURS, "rk4", 4e-3)))
    assert costs.complete
    fine, coarse = costs.rows
    assert 0.0 < fine.error < 0.2 * coarse.error < 1e-3
