# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forward dynamics against a witness that knows nothing but free bodies and multipliers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics import Model, load_model
from validation.multipliers import Solution, accelerations
from validation.problems import (
    bricard,
    chain,
    four_bar,
    four_bars,
    governor,
    slider_crank,
    squeezer,
)
from validation.problems.problem import Problem, named_values

ROOT = Path(__file__).resolve().parents[2]
PROBLEMS = (
    squeezer.problem(),
    bricard.problem(),
    bricard.problem(width=0.0),
    governor.problem(),
    slider_crank.problem(),
    slider_crank.problem(cut="slide"),
    four_bars.problem(2),
    four_bars.problem(5),
    chain.problem(10),
    *(four_bar.problem(seed) for seed in range(6)),
    *(four_bar.problem(seed, kind="spherical") for seed in range(6, 9)),
)


def solved(
    problem: Problem, position: Mapping[str, float], velocity: Mapping[str, float]
) -> Solution:
    return accelerations(problem.urdf, problem.mechanisms, position, velocity, problem.effort)


def named(names: tuple[str, ...], values: np.ndarray) -> dict[str, float]:
    return dict(zip(names, map(float, values), strict=True))


@pytest.fixture(params=PROBLEMS, ids=lambda problem: problem.title)
def problem(request: pytest.FixtureRequest) -> Problem:
    return request.param


def test_accelerations_at_the_start_agree(problem: Problem) -> None:
    model = problem.model()
    found = model.forward(*problem.start(model), problem.constant_effort(model))
    expected = solved(problem, problem.position, problem.velocity).acceleration
    values = named_values({n: expected[n] for n in model.velocity_names}, model.velocity_names)
    scale = max(1.0, np.abs(values).max())
    np.testing.assert_allclose(found.acceleration, values, atol=1e-10 * scale)


def elsewhere(problem: Problem, model: Model, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a closed state near the start that moves at random."""
    rng = np.random.default_rng(seed)
    position, velocity = problem.start(model)
    position = position + rng.uniform(-0.02, 0.02, len(position))
    return model.project(position, velocity + rng.uniform(-1.0, 1.0, len(velocity)))


@pytest.mark.parametrize("seed", range(2))
def test_accelerations_and_ranks_elsewhere_agree(problem: Problem, seed: int) -> None:
    model = problem.model()
    position, velocity = elsewhere(problem, model, seed)
    found = model.forward(position, velocity, problem.constant_effort(model))
    names = model.velocity_names
    expected = solved(problem, named(names, position), named(names, velocity))
    values = named_values({n: expected.acceleration[n] for n in names}, names)
    scale = max(1.0, np.abs(values).max())
    np.testing.assert_allclose(found.acceleration, values, atol=1e-8 * scale)
    if len(model.mechanisms.loop_joints):
        constraints = model.constraints(position, velocity)
        assert constraints.rank == expected.rank


def test_rods_of_the_delta_robot_transmit_what_free_bodies_need() -> None:
    model = load_model("delta")
    rng = np.random.default_rng(5)
    start = model.zero_position() + rng.uniform(-0.1, 0.1, len(model.position_names))
    position, velocity = model.project(start, rng.uniform(-1.0, 1.0, len(start)))
    effort = dict(zip(model.actuator_names, (1.0, -2.0, -3.0), strict=True))
    found = model.forward(position, velocity, list(effort.values()))
    urdf, mechanisms = (ROOT / "robots" / name for name in ("delta.urdf", "delta_mechanisms.yaml"))
    expected = accelerations(
        *(urdf.read_text(encoding="utf-8"), mechanisms.read_text(encoding="utf-8")),
        *(named(model.velocity_names, values) for values in (position, velocity)),
        effort,
    )
    assert (expected.rank, expected.rows) == (18, 18)
    values = [expected.acceleration[name] for name in model.velocity_names]
    scale = np.abs(values).max()
    np.testing.assert_allclose(found.acceleration, values, atol=1e-8 * scale)
    for name, reaction in expected.reaction.items():
        assert not expected.undetermined[name]
        np.testing.assert_allclose(found.loop_force(name), reaction, atol=1e-8)


def test_bricard_is_said_to_have_rank_4_of_5() -> None:
    problem = bricard.problem()
    model = problem.model()
    found = model.constraints(*problem.start(model))
    assert (found.rank, len(found.jacobian)) == (4, 5)
    assert found.mobility == 1


def test_flat_four_bars_lose_a_constraint_each() -> None:
    problem = four_bars.problem(3)
    model = problem.model()
    flat = {f"pivot_{i}": -0.5 * np.pi for i in range(4)}
    flat |= {f"corner_{i}": 0.5 * np.pi for i in range(3)}
    upright = model.constraints(*problem.start(model))
    lying = model.constraints(named_values(flat, model.position_names))
    assert (upright.rank, lying.rank) == (6, 3)
