# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Searches against optima that are known.

Efforts are linear in the stiffness and the pretension of a spring, so that the smallest peak is
that of a linear program, and the smallest root mean square that of least squares.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog
from study_texts import study_of

from charmie_dynamics.studies import LocalSearch, Study, weighted_sum
from charmie_dynamics.studies.engine.methods import (
    MethodResult,
    _best_rows,
    _of_searches,
    run_method,
)
from charmie_dynamics.studies.engine.study_job import StudyJob
from charmie_dynamics.tasks.engine import SerialEngine
from charmie_dynamics.tasks.journal import Journal

TORSO = "torso_actuator"
VARIABLES = (
    "stiffness: {path: springs.torso_spring.stiffness, bounds: [1000, 9000]}\n"
    "pretension: {path: springs.torso_spring.pretension, bounds: [0, 200]}"
)
TENSION = "tension: {spring_tension: torso_spring, max: %g}"


@cache
def lines() -> tuple[np.ndarray, ...]:
    """Return effort and tension at zero (N,), and their slopes (N, 2)."""
    study = study_of(variables=VARIABLES)

    def signals(x: np.ndarray) -> np.ndarray:
        outcome = study.evaluator.outcome(x)
        return np.stack((outcome.effort(TORSO), outcome.spring_tension("torso_spring")))

    base = np.array([2000.0, 50.0])
    at = signals(base)
    slope = np.stack([(signals(base + step) - at) / step.max() for step in np.diag([900.0, 90.0])])
    zero = at - np.einsum("kij,k->ij", slope, base)
    return zero[0], slope[:, 0].T, zero[1], slope[:, 1].T


def smallest_peak(most: float) -> float:
    """Return the smallest peak of the torso's effort with a tension up to `most`."""
    effort, by_effort, tension, by_tension = lines()
    ones = np.ones((len(effort), 1))
    A = np.block([[by_effort, -ones], [-by_effort, -ones], [by_tension, 0.0 * ones]])
    b = np.concatenate((-effort, effort, most - tension))
    found = linprog([0, 0, 1], A, b, bounds=[(1000, 9000), (0, 200), (0, None)], method="highs")
    return float(found.fun)


def run(folder: Path, study: Study, name: str, **options: int) -> MethodResult:
    with SerialEngine(StudyJob(study), Journal(folder, "study")) as engine:
        return run_method(engine, name, options, name)


def test_the_smallest_root_mean_square_is_that_of_least_squares() -> None:
    study = study_of(objectives=f"torso: {{rms: {TORSO}}}")
    k = "springs.torso_spring.pretension"
    pretension = dict(study.evaluator.base.parameters)[k]
    effort, by_effort, _, _ = lines()
    a, b = effort + by_effort[:, 1] * pretension, by_effort[:, 0]
    best = np.clip(-(a @ b) / (b @ b), 1000.0, 9000.0)
    found = LocalSearch(study, weighted_sum(np.ones(1), study.scales())).run(study.start)
    assert found.candidate[0] == pytest.approx(best, rel=1e-4)
    assert found.values[0] == pytest.approx(np.sqrt(np.mean((a + b * best) ** 2)), rel=1e-9)
    assert found.evaluations < 30


@pytest.mark.parametrize("most", [600.0, 420.0])
def test_the_smallest_peak_is_that_of_the_linear_program(most: float) -> None:
    study = study_of(variables=VARIABLES, constraints=TENSION % most)
    found = LocalSearch(study, weighted_sum(np.ones(1), study.scales())).run(study.start)
    assert found.values[0] == pytest.approx(smallest_peak(most), rel=1e-6)
    assert found.values[1] <= most * (1.0 + 2e-6)


def test_a_start_beyond_a_constraint_is_led_within() -> None:
    study = study_of(variables=VARIABLES, constraints=TENSION % 300.0)
    start = np.array([8500.0, 150.0])
    assert not study.feasible(study.evaluator.evaluate(start).values[None])[0]
    found = LocalSearch(study, weighted_sum(np.ones(1), study.scales())).run(start)
    assert study.feasible(found.values[None])[0]
    assert found.values[0] == pytest.approx(smallest_peak(300.0), rel=1e-6)


def test_variables_with_steps_stay() -> None:
    steps = "\nfree: {path: springs.torso_spring.free_length, steps: [0.15, 0.18, 0.2]}"
    study = study_of(variables=VARIABLES + steps)
    start = np.array([3000.0, 20.0, 0.2])
    found = LocalSearch(study, weighted_sum(np.ones(1), study.scales())).run(start)
    assert (found.tried[:, 2] == 0.2).all()
    assert found.values[0] < study.evaluator.evaluate(start).values[0]


def test_what_is_maximised_becomes_large() -> None:
    study = study_of(
        objectives="slack: {spring_slack: torso_spring, maximise: true}",
        constraints=TENSION % 500.0,
    )
    found = LocalSearch(study, weighted_sum(np.ones(1), study.scales())).run(study.start)
    stiffer = study.evaluator.evaluate(study.start).values
    assert found.values[0] > stiffer[0]
    assert found.values[1] == pytest.approx(500.0, rel=1e-5)


def test_candidates_that_cannot_be_are_passed_by_and_told(tmp_path: Path) -> None:
    # shorter bars do not reach the ends of the lift
    bars = ", ".join(f"balance_mechanisms.lift_balance_{s}.bar_length" for s in ("left", "right"))
    study = study_of(
        variables=f"bar: {{paths: [{bars}], bounds: [0.05, 0.5]}}",
        objectives="lift: {peak: lift_actuator}",
    )
    found = LocalSearch(study, weighted_sum(np.ones(1), study.scales())).run(study.start)
    assert np.isfinite(found.values).all()
    assert found.values[0] <= study.evaluator.evaluate(study.start).values[0]
    undefined = np.isnan(found.tried_values).any(axis=1)
    assert [bool(reason) for reason in found.reasons] == list(undefined)


def test_gradients_find_the_optimum_in_less_than_a_tenth_of_the_evaluations(
    tmp_path: Path,
) -> None:
    study = study_of(variables=VARIABLES, constraints=TENSION % 420.0)
    best = smallest_peak(420.0)
    by_gradients = LocalSearch(study, weighted_sum(np.ones(1), study.scales())).run(study.start)
    by_population = run(tmp_path, study, "global", generations=20, population=8)
    assert by_gradients.values[0] == pytest.approx(best, rel=1e-6)
    assert by_population.best_values[0, 0] == pytest.approx(best, rel=1e-6)
    assert by_gradients.evaluations < 0.1 * len(by_population.candidates)
    # the population alone comes near it, too
    only = by_population.values[: -by_gradients.evaluations]
    assert np.nanmin(only[study.feasible(only), 0]) == pytest.approx(best, rel=0.1)


def test_a_convex_front_is_that_of_linear_programs(tmp_path: Path) -> None:
    study = study_of(
        variables=VARIABLES,
        objectives=f"torso: {{peak: {TORSO}}}\ntension: {{spring_tension: torso_spring}}",
    )
    front = run(tmp_path, study, "pareto", points=5, iterations=100).best_values
    assert len(front) >= 4
    for peak, tension in front:
        assert peak == pytest.approx(smallest_peak(tension), rel=1e-3)


def test_a_front_that_is_not_convex_is_found_in_its_middle(tmp_path: Path) -> None:
    # the tension grows with the stiffness in a line, the negative of the root mean square in a
    # curve that is hollow the wrong way: the sum of both is smallest at an end
    study = study_of(
        objectives=f"tension: {{spring_tension: torso_spring}}\n"
        f"torso: {{rms: {TORSO}, maximise: true}}",
    )
    effort, by_effort, tension, by_tension = lines()
    numbers = study.evaluator.base.parameters
    pretension = numbers["springs.torso_spring.pretension"]
    a, b = effort + by_effort[:, 1] * pretension, by_effort[:, 0]
    turn = -(a @ b) / (b @ b)
    assert turn < 9000.0
    result = run(tmp_path, study, "pareto", points=7, iterations=100)
    stiffness, front = result.best[:, 0], result.best_values
    for k, (t, rms) in zip(stiffness, front, strict=True):
        assert t == pytest.approx((tension + by_tension @ [k, pretension]).max(), rel=1e-9)
        assert rms == pytest.approx(np.sqrt(np.mean((a + b * k) ** 2)), rel=1e-9)
    inside = (stiffness > 1001.0) & (stiffness < 8999.0)
    assert inside.sum() >= 3


def test_fronts_and_searches_of_equal_seeds_are_equal(tmp_path: Path) -> None:
    study = study_of(variables=VARIABLES, constraints=TENSION % 420.0)
    one, other = (
        run(tmp_path / name, study, "global", generations=3, population=5) for name in "ab"
    )
    np.testing.assert_array_equal(one.candidates, other.candidates)
    np.testing.assert_array_equal(one.values, other.values)


def test_an_optimum_on_its_constraint_is_feasible_despite_round_off() -> None:
    study = study_of(variables=VARIABLES, constraints=TENSION % 500.0)
    assert study.names == ("torso", "tension")
    values = np.array([[40.0, 500.0 * (1.0 + 1e-12)], [60.0, 400.0]])
    assert _best_rows(study, values, 1) == [0]


def test_searches_are_never_worse_than_what_was_evaluated_before() -> None:
    study = study_of(variables=VARIABLES)
    candidates, values = np.array([[1000.0, 0.0], [2000.0, 50.0]]), np.array([[60.0], [40.0]])
    search = {"candidates": candidates[:1], "values": values[:1], "reasons": np.array([""]),
              "best": candidates[0], "best_values": values[0]}  # fmt: skip
    found = _of_searches(study, [search], "local", (candidates, values, np.array(["", ""])))
    np.testing.assert_array_equal(found.best, candidates[1:])
