# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Events of a run: found exactly, counted by direction, and ends of it."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import Load, joint, link

from charmie_dynamics import Model
from charmie_dynamics.simulation import limit_events, simulate

INTEGRATORS = ["adaptive", "rk4"]

pytest.importorskip("scipy", reason="SciPy is missing")


@pytest.fixture
def stone(load: Load) -> Model:
    return load(
        joint("drop", "prismatic", "world", "stone", axis="0 0 1", lower=-1.0, upper=2.0),
        link("stone", 2.0),
    )


def zero(time: float, position: np.ndarray, velocity: np.ndarray) -> float:
    return float(position[0])


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_an_event_is_found_where_it_happens(stone: Model, integrator: str) -> None:
    run = simulate(
        stone, [0.5], [2.0], 1.0, None, integrator, 0.03, rtol=1e-10, atol=1e-12, events=[zero]
    )
    (times,) = run.event_times
    # 0.5 + 2 t - g t^2 / 2 = 0
    np.testing.assert_allclose(times, [(2.0 + np.sqrt(4.0 + 9.81)) / 9.81], rtol=1e-9)
    assert run.time[-1] == pytest.approx(1.0)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize(("direction", "count"), [(1.0, 1), (-1.0, 1), (0.0, 2)])
def test_an_event_counts_in_its_direction(
    stone: Model, integrator: str, direction: float, count: int
) -> None:
    def high(time: float, position: np.ndarray, velocity: np.ndarray) -> float:
        return float(position[0]) - 0.1

    high.direction = direction
    run = simulate(stone, [0.0], [2.0], 0.4, None, integrator, 0.01, events=[high])
    assert len(run.event_times[0]) == count


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("times", [None, [0.1, 0.2, 0.6]])
def test_a_terminal_event_ends_the_run(stone: Model, integrator: str, times: list | None) -> None:
    def end(time: float, position: np.ndarray, velocity: np.ndarray) -> float:
        return float(position[0])

    end.terminal = True
    run = simulate(stone, [0.5], None, 1.0, None, integrator, 0.01, times=times, events=[zero, end])
    when = np.sqrt(1.0 / 9.81)
    assert run.event_times[1] == pytest.approx([when], abs=1e-6)
    assert run.time[-1] == pytest.approx(when if times is None else 0.2, abs=1e-6)
    if times is None:
        assert run.position[-1, 0] == pytest.approx(0.0, abs=1e-6)
        assert run.velocity[-1, 0] == pytest.approx(-9.81 * when, abs=1e-5)
        assert len(run.energy.kinetic) == len(run.time)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_limit_of_an_actuator_is_an_event(stone: Model, integrator: str) -> None:
    lower, upper = limit_events(stone)
    assert (lower.name, upper.name) == ("drop lower limit", "drop upper limit")
    run = simulate(stone, [0.0], [1.0], 2.0, None, integrator, events=[lower, upper])
    assert run.position[-1, 0] == pytest.approx(-1.0, abs=1e-8)
    assert len(run.event_times[0]) == 1 and not len(run.event_times[1])
    free = limit_events(stone, terminal=False)
    run = simulate(stone, [0.0], [1.0], 1.0, None, integrator, events=free)
    assert run.position[-1, 0] < -2.0 and len(run.event_times[0]) == 1


def test_an_event_spares_a_run_what_comes_after_it(charmie: Model) -> None:
    position = charmie.zero_position()
    position[3] = 0.5
    effort = np.zeros(21)
    effort[3] = -5e3  # would pull the lift out of its reach within a chunk of steps
    run = simulate(charmie, position, None, 1.0, effort, "rk4", events=limit_events(charmie))
    assert run.position[-1, 3] == pytest.approx(0.38, abs=1e-9)
