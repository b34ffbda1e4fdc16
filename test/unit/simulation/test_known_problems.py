# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Short runs of problems with known answers; the long ones are in test/validation."""

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics.simulation import simulate
from validation.known_runs import FINE, SHARP, STEPS, run_problem
from validation.problems import (
    bricard,
    cart_pole,
    four_bars,
    free_box,
    governor,
    pendulum,
    slider_crank,
    squeezer,
)
from validation.problems.problem import Problem

SHORT = {
    "pendulum": (pendulum.problem(2.0), FINE),
    "squeezer": (squeezer.problem(), FINE),
    "Bricard": (bricard.problem(1.0), FINE),
    "slider-crank, pin": (slider_crank.problem(1.0), FINE),
    "slider-crank, slide": (slider_crank.problem(1.0, "slide"), STEPS),
    "two four-bars, past a singular position": (four_bars.problem(2, 2.0), STEPS),
    "free box": (free_box.problem(1.0), FINE),
    "cart-pole, past the bottom": (cart_pole.problem(1.0), SHARP),
    "governor": (governor.problem(0.5), FINE),
}


@pytest.mark.parametrize("name", SHORT)
def test_a_short_run_is_where_its_reference_is(name: str) -> None:
    problem, options = SHORT[name]
    outcome = run_problem(problem, **options)
    assert len(outcome.run.time) >= 2
    assert outcome.position_error < 1e-6
    assert outcome.energy_error < 1e-6
    assert outcome.run.constraint_error.max() < 1e-8


@pytest.mark.parametrize("integrator", ["adaptive", "RK45", "Radau", "BDF", "LSODA"])
def test_methods_of_varying_step_pass_singular_positions(integrator: str) -> None:
    problem = four_bars.problem(2, 4.0)  # twice through the lowest position
    model = problem.model()
    run = simulate(model, *problem.start(model), problem.duration, integrator=integrator)
    assert run.position[-1, 0] == pytest.approx(problem.answer["pivot_0"], abs=1e-3)
    assert run.constraint_error.max() < 1e-12
    assert np.abs(run.energy.error).max() < 1e-4 * np.ptp(run.energy.kinetic)


def test_forty_four_bars_pass_a_singular_position() -> None:
    problem = four_bars.problem(40, 1.5)
    model = problem.model()
    run = simulate(model, *problem.start(model), problem.duration)
    assert run.position[-1, 0] < -0.5 * np.pi  # below the horizontal
    assert run.position[-1, 0] == pytest.approx(problem.answer["pivot_0"], abs=1e-4)
    assert run.constraint_error.max() < 1e-12
    assert np.abs(run.energy.error).max() < 1e-4 * np.ptp(run.energy.kinetic)


@pytest.mark.parametrize("integrator", ["adaptive", "LSODA"])
@pytest.mark.parametrize("beside", [1e-7, 5e-6, -1e-4])
def test_a_run_gets_on_from_next_to_a_singular_position(integrator: str, beside: float) -> None:
    model = four_bars.problem(2).model()
    sign = np.array([1.0 if "pivot" in name else -1.0 for name in model.position_names])
    position, velocity = sign * (beside - 0.5 * np.pi), -4.0 * sign
    run = simulate(
        model, position, velocity, 0.2, integrator=integrator, rtol=1e-8, atol=1e-10,
        most_evaluations=5000,
    )  # fmt: skip
    np.testing.assert_allclose(run.velocity[-1], sign * run.velocity[-1, 0], atol=1e-6)
    assert np.abs(run.energy.error).max() < 1e-6 * np.ptp(run.energy.kinetic)


@pytest.mark.parametrize(
    ("problem", "rank"), [(squeezer.problem(0.005), 6), (bricard.problem(0.2), 4)]
)
def test_the_rank_of_redundant_constraints_is_told(problem: Problem, rank: int) -> None:
    model = problem.model()
    start, effort = problem.start(model), problem.constant_effort(model)
    run = simulate(model, *start, problem.duration, effort)
    assert set(run.constraint_rank) == {rank}


@pytest.mark.parametrize(
    ("integrator", "step", "share"),
    [
        ("adaptive", None, 1e-4),
        ("rk4", 2e-6, 1e-4),
        ("semi_implicit_euler", 1e-6, 5e-2),
        ("rosenbrock", 2e-6, 1e-2),
    ],
)
def test_what_dampers_take_is_lost(integrator: str, step: float | None, share: float) -> None:
    problem = governor.problem()
    model = problem.model()
    position, velocity = problem.start(model)
    velocity[1] = 0.5  # against the springs
    run = simulate(
        model, position, velocity, 0.002, integrator=integrator, step=step, energy_tolerance=1.0
    )
    lost = run.energy.lost
    assert lost[-1] > 0.1 and (np.diff(lost) >= -1e-12).all()
    assert np.abs(run.energy.error).max() < share * lost[-1]
