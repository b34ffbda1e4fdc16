# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The references of the loop benchmark are right, and its tables are complete."""

from __future__ import annotations

import importlib
from dataclasses import replace

import numpy as np
import pytest

from benchmarks import loops
from benchmarks.loops import LoopCase
from validation.multipliers import accelerations
from validation.problems.looped_robots import problems
from validation.problems.problem import Problem
from validation.references.loops import EXTENDED

PROBLEMS = {problem.name: problem for problem in problems()}


@pytest.fixture(scope="module", params=list(PROBLEMS))
def case(request: pytest.FixtureRequest) -> LoopCase:
    return LoopCase(PROBLEMS[request.param], states=2)


def moving(case: LoopCase, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a closed state near the start in extended precision."""
    return case.draw(np.random.default_rng(seed))


def test_references_are_closed_in_extended_precision(case: LoopCase) -> None:
    q, v = moving(case, 1)
    found = case.reference.terms(q, v)
    assert np.abs(found.opening).max() < 1e-17
    assert np.abs(found.jacobian @ v).max() < 1e-16


def test_accelerations_of_references_agree_with_free_bodies(case: LoopCase) -> None:
    known = case.reference
    q, v = (x.astype(float) for x in moving(case, 2))
    state = known.by_name(q), known.by_name(v)
    solved = accelerations(case.problem.urdf, case.problem.mechanisms, *state, {})
    expected = known.array(solved.acceleration)
    error = np.abs(known.acceleration(q, v) - expected).max()
    assert error < 1e-7 * np.abs(expected).max()
    assert solved.rank == case.model.constraints(*case.problem.start(case.model)).rank


def test_references_conserve_energy_and_closure(case: LoopCase) -> None:
    known = case.reference
    q, v = known.end(*case.start, 0.002, parts=1)
    begin, end = (sum(known.energy(known.motion(*x))) for x in (case.start, (q, v)))
    kinetic = known.energy(known.motion(q, v))[0]
    assert abs(end - begin) < 1e-9 * kinetic
    assert known.opening(known.motion(q, v)) < 1e-14


def test_efforts_of_references_cause_their_motion(case: LoopCase) -> None:
    """All forces but those of the actuators balance along a motion with closed loops."""
    known = case.reference
    q, v = (x.astype(EXTENDED) for x in moving(case, 3))
    effort, a = known.inverse(q, v, np.full(int(known.driven.sum()), 0.5, EXTENDED))
    terms = known.terms(q, v)
    load = terms.mass @ a + terms.bias
    load[known.driven] -= effort
    assert abs(load @ v) < 1e-14 * np.abs(terms.bias).max()


def test_efforts_of_this_package_are_exact(case: LoopCase) -> None:
    assert case.effort_error(case.our_efforts()) < loops.EFFORT


@pytest.mark.parametrize("program", ["pinocchio", "mujoco", "drake"])
def test_efforts_of_other_programs_agree(case: LoopCase, program: str) -> None:
    if program == "drake":
        pytest.importorskip("pydrake")
    module = importlib.import_module(f"validation.witnesses.{program}_runs")
    found = module.efforts(case.problem, case.efforts[0])
    assert case.effort_error(found) < 1e-10


def short(name: str) -> Problem:
    return replace(PROBLEMS[name], duration=0.05)


def test_tables_have_a_row_for_each_mechanism_and_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "problems", lambda: (short("four_bar_1"), short("stewart")))
    monkeypatch.setattr(loops, "STEPS", (20, 200))
    monkeypatch.setattr(loops, "TOLERANCES", (1e-4, 1e-6))
    monkeypatch.setattr(loops, "ATTEMPT_STEPS", 20)
    monkeypatch.setitem(loops.OTHERS, "absent", loops.Other("absent_runs"))
    monkeypatch.delitem(loops.OTHERS, "Exudyn")
    sections, missing = loops.measure(1)
    lines = sections["runs"].splitlines()[2:]
    programs = [loops.OURS, *loops.OTHERS]
    titles = [PROBLEMS[name].title for name in ("four_bar_1", "stewart")]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    assert [row[:2] for row in cells] == [[t, name] for t in titles for name in programs]
    assert [row[2] for row in cells if row[1] == "absent"] == ["not installed"] * 2
    assert any("absent_runs" in text for text in missing)
    for row in cells:
        if row[1] == loops.OURS:
            assert float(row[4]) <= loops.CLOSURE
            assert float(row[6]) <= loops.TARGET
    assert len(sections["summary"].splitlines()) == 2 + len(titles)
    times = [line.split("|")[1:-1] for line in sections["times"].splitlines()[2:]]
    assert [row[0].strip() for row in times] == titles
    assert all(len(row) == 1 + len(programs) and row[-1].strip() == "-" for row in times)
    assert len(sections["redundancy"].splitlines()) == 3 + len(loops.ATTEMPTS)


def test_benchmark_covers_mechanisms_with_and_without_redundant_constraints() -> None:
    ranks = {name: LoopCase(problem) for name, problem in PROBLEMS.items()}
    assert {name: (c.rank, c.rows) for name, c in ranks.items()} == {
        "four_bar_1": (2, 5),
        "A04": (4, 5),
        "delta": (18, 18),
        "stewart": (18, 18),
        "charmie": (4, 10),
        "spring_leg": (5, 8),
        "biped": (16, 22),
    }
