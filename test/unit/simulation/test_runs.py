# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a run gives out, what it refuses, and what its errors say."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from charmie_dynamics import InputError, Model, UnknownNameError
from charmie_dynamics.errors import SimulationError
from charmie_dynamics.simulation import simulate


@pytest.mark.parametrize("integrator", ["adaptive", "rk4"])
def test_the_same_run_is_the_same_bit_for_bit(charmie: Model, integrator: str) -> None:
    position = charmie.zero_position()
    position[3:5] = 0.5, 0.41
    runs = [simulate(charmie, position, None, 0.05, None, integrator) for _ in range(2)]
    for name in ("time", "position", "velocity", "acceleration", "effort"):
        np.testing.assert_array_equal(*(getattr(run, name) for run in runs))
    for parts in zip(*(run.energy for run in runs), strict=True):
        np.testing.assert_array_equal(*parts)


def test_a_run_has_all_its_arrays(charmie: Model) -> None:
    effort = charmie.compute(charmie.zero_position()).actuator_effort
    run = simulate(charmie, charmie.zero_position(), None, 0.01, 0.9 * effort, "rk4")
    k = len(run.time)
    assert k == 11
    assert run.position.shape == run.velocity.shape == run.acceleration.shape == (k, 21)
    np.testing.assert_array_equal(run.effort, np.tile(0.9 * effort, (k, 1)))
    assert all(part.shape == (k,) for part in run.energy)
    assert run.constraint_error.tolist() == run.constraint_rank.tolist() == [0] * k
    with pytest.raises(UnknownNameError, match=r"loop joint 'pin' is unknown. Valid: none"):
        run.constraint_force("pin")
    for n in range(k):
        found = charmie.forward(run.position[n], run.velocity[n], run.effort[n].copy())
        np.testing.assert_allclose(run.acceleration[n], found.acceleration, atol=1e-9)
        energy = charmie.energy(run.position[n], run.velocity[n])
        assert run.energy.stored[n] == pytest.approx(energy.total, rel=1e-12)


def test_work_is_that_of_the_actuators(pendulum: Model) -> None:
    for integrator in ("adaptive", "rk4"):
        run = simulate(pendulum, [0.0], None, 1.0, [2.0], integrator, rtol=1e-9)
        np.testing.assert_allclose(run.energy.work, 2.0 * run.position[:, 0], atol=1e-8)


def test_the_motion_that_controllers_command_is_followed(pendulum: Model) -> None:
    def law(time: float, position: np.ndarray, velocity: np.ndarray) -> np.ndarray:
        return 9.81 * np.sin(position) + 100.0 * (0.5 - position) - 20.0 * velocity

    run = simulate(pendulum, [0.0], None, 2.0, law, "rk4")
    t = run.time
    np.testing.assert_allclose(
        run.position[:, 0], 0.5 - 0.5 * (1.0 + 10.0 * t) * np.exp(-10.0 * t), atol=1e-6
    )


def failing(cause: str) -> Callable[..., object]:
    def law(time: float, position: np.ndarray, velocity: np.ndarray) -> object:
        if time < 0.1:
            return [0.0]
        return {"nan": [np.nan], "shape": [0.0, 0.0], "text": "pull"}[cause]

    return law


@pytest.mark.parametrize("integrator", ["adaptive", "rk4"])
@pytest.mark.parametrize(
    ("cause", "text"),
    [
        ("nan", "effort: expected finite values, got nan for 'hinge'"),
        ("shape", r"effort: expected shape \(1,\), got \(2,\)"),
        ("text", "effort: expected numbers"),
    ],
)
def test_an_effort_that_is_none_ends_the_run(
    pendulum: Model, integrator: str, cause: str, text: str
) -> None:
    with pytest.raises(SimulationError, match=text) as caught:
        simulate(pendulum, [1.0], None, 1.0, failing(cause), integrator)
    assert 0.05 < caught.value.time < 0.2


@pytest.mark.parametrize("integrator", ["adaptive", "rk4"])
def test_an_effort_that_is_none_from_the_start_is_told(pendulum: Model, integrator: str) -> None:
    with pytest.raises(SimulationError, match="at 0 s: effort"):
        simulate(pendulum, [1.0], None, 1.0, lambda t, p, v: [np.nan], integrator)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"position": [0.0, 1.0]}, r"position: expected shape \(1,\)"),
        ({"velocity": [np.inf]}, "velocity: expected finite values"),
        ({"duration": 0.0}, "duration: expected a finite number above 0, got 0"),
        ({"duration": np.inf}, "duration"),
        ({"effort": [np.nan]}, "effort: expected finite values, got nan for 'hinge'"),
        ({"step": -1.0}, "step: expected a finite number above 0"),
        ({"rtol": 0.0}, "rtol: expected a finite number above 0"),
        ({"atol": np.nan}, "atol"),
        ({"times": [0.0, 2.0]}, "times: expected numbers from 0 to the duration, 1 s"),
        ({"times": [0.2, 0.1]}, "times: expected finite numbers .* that increase"),
        ({"times": ["soon"]}, "times: expected numbers"),
    ],
)
def test_bad_input_is_refused(pendulum: Model, changes: dict, text: str) -> None:
    given = {"position": [0.0], "velocity": None, "duration": 1.0, **changes}
    with pytest.raises(InputError, match=text):
        simulate(pendulum, **given)


def test_a_run_that_does_not_get_on_says_so(pendulum: Model) -> None:
    pytest.importorskip("scipy", reason="SciPy is missing")

    def chattering(time: float, position: np.ndarray, velocity: np.ndarray) -> np.ndarray:
        return -50.0 * np.sign(velocity + 1e-9 * np.sin(1e7 * time))

    with pytest.raises(SimulationError, match=r"(more than 3000 evaluations|get on).*'hinge'"):
        simulate(pendulum, [1.0], None, 10.0, chattering, "RK45", most_evaluations=3000)


def test_a_robot_out_of_its_reach_is_told_with_the_time(charmie: Model) -> None:
    position = charmie.zero_position()
    position[3] = 0.5
    effort = np.zeros(21)
    effort[3] = -5e3
    for integrator in ("adaptive", "rk4"):
        with pytest.raises(SimulationError, match=r"'lift_actuator': length .* out of reach"):
            simulate(charmie, position, None, 1.0, effort, integrator)


def test_scipy_is_imported_where_it_is_needed_alone() -> None:
    code = (
        "import sys; from charmie_dynamics import load_model; "
        "from charmie_dynamics.simulation import simulate; m = load_model('scara'); "
        "simulate(m, m.zero_position(), None, 0.01, None, 'rk4'); "
        "sys.exit('scipy.integrate' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize("integrator", ["adaptive", "rk4"])
def test_the_balance_is_that_since_the_start_whatever_times_are_asked_for(
    pendulum: Model, integrator: str
) -> None:
    run = simulate(pendulum, [1.0], None, 1.0, [2.0], integrator, times=[0.5, 1.0])
    start = pendulum.energy([1.0]).total
    expected = run.energy.stored - start - run.energy.work
    np.testing.assert_allclose(run.energy.error, expected)
    assert abs(run.energy.error).max() < 1e-3
    # steps between the times count, too
    with pytest.raises(SimulationError, match="balance"):
        simulate(pendulum, [1.0], None, 1.0, None, "RK45", times=[1.0], rtol=0.1, atol=1e-6,
                 energy_tolerance=1e-6)  # fmt: skip
