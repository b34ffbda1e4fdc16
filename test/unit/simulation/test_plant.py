# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The plant: repeatable steps under held efforts, limits, stops and friction."""

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics import InputError, Model, Payload, UnknownNameError, load_model
from charmie_dynamics.errors import SimulationError
from charmie_dynamics.simulation import JointStops, Plant, simulate
from charmie_dynamics.simulation.integrators.methods import INTEGRATORS

STATE = ("time", "position", "velocity", "acceleration", "effort")


def state_of(plant: Plant) -> list[np.ndarray]:
    return [np.array(getattr(plant, name)) for name in STATE]


def same(first: list[np.ndarray], second: list[np.ndarray]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


@pytest.fixture
def start(charmie: Model) -> np.ndarray:
    position = charmie.zero_position()
    position[3:5] = 0.5, 0.41
    return position


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_run_after_a_reset_is_the_same_bit_for_bit(
    charmie: Model, start: np.ndarray, integrator: str
) -> None:
    plant = Plant(charmie, start, integrator=integrator, joint_stops=True, effort_limits=True)
    held = charmie.compute(start).actuator_effort
    runs = []
    for k in range(3):
        plant.advance(0.5 * k * held, steps=7)  # whatever has been before
        plant.reset(start)
        for share in (1.0, 0.8):
            plant.advance(share * held, steps=10)
        runs.append(state_of(plant))
    fresh = Plant(charmie, start, integrator=integrator, joint_stops=True, effort_limits=True)
    for share in (1.0, 0.8):
        fresh.advance(share * held, steps=10)
    assert all(same(run, state_of(fresh)) for run in runs)


def test_steps_at_once_are_steps_one_by_one(charmie: Model, start: np.ndarray) -> None:
    first, second = Plant(charmie, start), Plant(charmie, start)
    effort = 0.9 * charmie.compute(start).actuator_effort
    first.advance(effort, steps=20)
    for _ in range(20):
        second.advance(effort)
    assert same(state_of(first), state_of(second))


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_plant_is_a_run_in_steps(charmie: Model, start: np.ndarray, integrator: str) -> None:
    effort = 0.9 * charmie.compute(start).actuator_effort
    plant = Plant(charmie, start, integrator=integrator, step=1e-3)
    plant.advance(effort, steps=30)
    run = simulate(charmie, start, None, 0.03, effort, integrator, 1e-3, energy_tolerance=1.0)
    np.testing.assert_array_equal(run.position[-1], plant.position)
    np.testing.assert_array_equal(run.velocity[-1], plant.velocity)
    np.testing.assert_array_equal(run.acceleration[-1], plant.acceleration)
    for ours, theirs in zip(plant.energy, run.energy, strict=True):
        assert ours == pytest.approx(theirs[-1], rel=1e-12, abs=1e-12)


def test_accelerations_and_efforts_are_those_of_the_model(
    charmie: Model, start: np.ndarray
) -> None:
    plant = Plant(charmie, start)
    effort = 0.9 * charmie.compute(start).actuator_effort
    plant.advance(effort, steps=5)
    needed = charmie.compute(plant.position, plant.velocity, plant.acceleration).actuator_effort
    np.testing.assert_allclose(needed, plant.effort, atol=1e-9)
    np.testing.assert_array_equal(plant.effort, effort)


def test_what_is_returned_does_not_change_afterwards(charmie: Model, start: np.ndarray) -> None:
    plant = Plant(charmie, start)
    before = state_of(plant)
    kept = [getattr(plant, name) for name in STATE]
    plant.advance(np.zeros(21), steps=3)
    assert same(before, [np.array(each) for each in kept])


def test_efforts_stay_within_their_limits(charmie: Model, start: np.ndarray) -> None:
    rated = np.array([limit.effort for limit in charmie.actuator_limits()])
    asked = np.where(np.arange(21) % 2, -3.0, 0.5) * rated
    plant = Plant(charmie, start, effort_limits=True)
    plant.advance(asked)
    np.testing.assert_array_equal(plant.effort, np.clip(asked, -rated, rated))
    plant = Plant(charmie, start, effort_limits={"neck_pan_joint": 0.25})
    plant.advance(asked)
    expected = np.clip(asked, -rated, rated)
    expected[19] = np.clip(asked[19], -0.25, 0.25)
    np.testing.assert_array_equal(plant.effort, expected)


def test_a_stop_holds_a_joint_and_takes_its_energy(pendulum: Model) -> None:
    plant = Plant(pendulum, [1.0], [5.0], joint_stops=JointStops(stiffness=2e4, damping=40.0))
    most, energies = 0.0, []
    for _ in range(3000):
        plant.advance([8.0])
        most = max(most, plant.position[0])
        energies.append([float(each) for each in plant.energy])
    kinetic, gravitational, elastic, work, lost, error = np.array(energies).T
    assert 1.9 < most < 1.95
    assert elastic.max() > 1.0 and np.diff(lost).min() > -1e-12 and lost[-1] > 1.0
    balance = kinetic + gravitational + elastic - work + lost
    np.testing.assert_allclose(balance - balance[0], error - error[0], atol=1e-9)
    assert np.abs(error).max() < 0.02


def test_a_joint_rests_on_its_stop(pendulum: Model) -> None:
    stops = JointStops(stiffness=1e3, damping=20.0)
    plant = Plant(pendulum, [1.85], joint_stops=stops)
    plant.advance([15.0], steps=4000)
    depth = plant.position[0] - 1.9
    assert 1e3 * depth == pytest.approx(15.0 - 9.81 * np.sin(plant.position[0]), abs=1e-3)
    assert abs(plant.velocity[0]) < 1e-6


def test_default_stops_keep_charmie_within_its_ranges(charmie: Model, start: np.ndarray) -> None:
    rated = np.array([limit.effort for limit in charmie.actuator_limits()])
    plant = Plant(charmie, start, joint_stops=True, effort_limits=True)
    lower = np.array([limit.lower for limit in charmie.actuator_limits()])
    upper = np.array([limit.upper for limit in charmie.actuator_limits()])
    size = np.where(
        np.array(charmie.effort_units) == "N", 0.02, 0.5
    )  # they are fast when they get there
    for sign in (1.0, -1.0):
        for _ in range(40):
            plant.advance(sign * 0.4 * rated, steps=10)
            assert (plant.position > lower - size).all() and (plant.position < upper + size).all()


def test_a_robot_goes_on_with_another_load(charmie: Model, start: np.ndarray) -> None:
    plant = Plant(charmie, start)
    effort = charmie.compute(start).actuator_effort
    plant.advance(effort, steps=5)
    before = state_of(plant)
    loaded = charmie.with_loads({"left_tool": Payload(1.0)})
    plant.carry(loaded)
    assert same(before[:3], state_of(plant)[:3])
    expected = loaded.forward(plant.position, plant.velocity, effort).acceleration
    np.testing.assert_allclose(plant.acceleration, expected, atol=1e-10)
    with pytest.raises(InputError, match="expected a robot with base_x_joint"):
        plant.carry(load_model("scara"))


def test_a_step_that_cannot_be_taken_leaves_the_state_before_it(charmie: Model) -> None:
    position = charmie.zero_position()
    position[3] = 0.55
    plant = Plant(charmie, position)
    effort = np.zeros(21)
    effort[3] = -5e4  # pulls the lift out of its reach
    with pytest.raises(SimulationError, match=r"lift_actuator.*out of reach.*try") as caught:
        plant.advance(effort, steps=1000)
    assert caught.value.time == plant.time > 0.0
    assert np.isfinite(plant.position).all() and abs(plant.velocity).max() > 0.0
    charmie.compute(plant.position, plant.velocity)
    again = Plant(charmie, position)
    again.advance(effort, steps=round(plant.time / plant.step))
    np.testing.assert_array_equal(again.position, plant.position)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"step": 0.0}, InputError, "step: expected a finite number above 0, got 0"),
        ({"step": np.nan}, InputError, "step"),
        ({"integrator": "adaptive"}, UnknownNameError, "Valid: rk4, semi_implicit_euler"),
        ({"effort_limits": {"hing": 1.0}}, UnknownNameError, "did you mean 'hinge'"),
        ({"joint_stops": JointStops(stiffness=-1.0)}, InputError, "stiffness of joint stops"),
        ({"joint_stops": JointStops(damping=[1.0, 2.0])}, InputError, "damping of joint stops"),
    ],
)
def test_bad_options_are_refused(pendulum: Model, options: dict, error: type, text: str) -> None:
    with pytest.raises(error, match=text):
        Plant(pendulum, [0.0], **options)


def test_bad_states_and_efforts_are_refused(pendulum: Model) -> None:
    plant = Plant(pendulum, [0.0])
    with pytest.raises(InputError, match="effort: expected finite values, got nan for 'hinge'"):
        plant.advance([np.nan])
    with pytest.raises(InputError, match=r"effort: expected shape \(1,\), got \(2,\)"):
        plant.advance([0.0, 1.0])
    with pytest.raises(InputError, match="position: expected finite values"):
        plant.reset([np.inf])
    assert plant.time == 0.0
