# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The kitchen moves in MuJoCo as here, and the benchmark of environments has all its rows."""

from __future__ import annotations

import pytest

from benchmarks import environments
from benchmarks.environments import OURS, THEIRS, Subject
from charmie_dynamics.learning import make_task

SUBJECTS = (
    Subject(OURS, "semi_implicit_euler", 10),
    Subject(OURS, "semi_implicit_euler", 20),
    Subject(THEIRS, "Euler", 20),
)


def test_the_arm_moves_as_in_mujoco() -> None:
    found = environments.compare(make_task("Reach-v0"), SUBJECTS, 1, 2)
    coarse, fine, theirs = (found.errors[subject] for subject in SUBJECTS)
    assert found.gap < 1e-4
    assert coarse == pytest.approx(2.0 * fine, rel=0.5)  # of the first order
    assert fine > 20.0 * found.gap
    assert theirs < 0.05
    assert not found.reasons


def test_rows_are_compared_with_the_fastest_own_row_that_is_as_exact() -> None:
    slow, fast, other = (Subject(OURS, "rk4", 20), Subject(OURS, "rk4", 10), SUBJECTS[2])
    times = {slow: 3.0, fast: 1.0, other: 6.0}
    assert environments.ratios_of({slow: 1e-3, fast: 1e-2, other: 2e-3}, times) == {other: 2.0}
    assert environments.ratios_of({slow: 1e-3, fast: 1e-2, other: 1e-2}, times) == {other: 6.0}
    assert environments.ratios_of({slow: 1e-3, fast: 1e-2, other: 1e-4}, times) == {}
    assert environments.ratios_of({slow: 1e-3, fast: 1e-2, other: 1.0}, times) == {}


def test_tables_of_scaling_and_workers_have_a_row_for_each_case() -> None:
    tasks = ("Reach-v0",)
    scaling = environments.scaling_table((1, 2), 0.01, tasks)
    assert sum("Reach-v0" in line for line in scaling.splitlines()) == 2
    workers, faults = environments.workers_table(jobs=2, count=2, steps=2, tasks=tasks)
    assert workers.count("| yes |") == 2
    assert faults == []
