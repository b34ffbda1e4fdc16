# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Position drives of plants."""

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics import CharmieError, InputError, Model, load_model
from charmie_dynamics.simulation import JointDrives, Plant, PlantBatch, load_world
from charmie_dynamics.simulation.integrators.joint_laws import drive_gains
from charmie_dynamics.simulation.integrators.methods import INTEGRATORS


@pytest.fixture(scope="module")
def arm() -> Model:
    return load_model("scara")


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_the_effort_is_that_of_the_law(arm: Model, integrator: str) -> None:
    start, (stiffness, damping) = np.full(5, 0.1), drive_gains(arm, arm.zero_position(), 20.0)
    drives = JointDrives(stiffness, damping)
    plant = Plant(arm, start, integrator=integrator, step=1e-3, joint_drives=drives)
    plant.advance(np.full(5, 0.5), position=start + 0.01, velocity=np.full(5, 0.2))
    before = plant.position, plant.velocity
    plant.advance(np.full(5, 0.5))
    target = start + 0.01 + 0.2 * 1e-3
    expected = 0.5 + stiffness * (target - before[0]) + damping * (0.2 - before[1])
    # the effort of the last stage, which is at the beginning of the step with one stage
    tolerance = 1e-12 if integrator == "semi_implicit_euler" else 0.08
    np.testing.assert_allclose(plant.effort, expected, rtol=tolerance)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_actuators_follow_a_target_that_moves(arm: Model, integrator: str) -> None:
    plant = Plant(arm, arm.zero_position(), integrator=integrator, step=1e-3, joint_drives=True)
    hold = arm.compute(arm.zero_position()).actuator_effort
    rate = np.array([0.2, -0.1, 0.05, 0.3, 0.02])
    plant.advance(hold, 500, position=arm.zero_position(), velocity=rate)
    np.testing.assert_allclose(plant.velocity, rate, atol=4e-3)
    np.testing.assert_allclose(plant.position, 0.5 * rate, atol=4e-3)


def test_a_target_at_rest_is_reached_and_held(arm: Model) -> None:
    plant = Plant(arm, arm.zero_position(), joint_drives=True)
    target = np.array([0.3, -0.2, 0.1, 0.2, 0.05])
    plant.advance(arm.compute(target).actuator_effort, 3000, position=target)
    np.testing.assert_allclose(plant.position, target, atol=1e-6)


def test_a_query_with_a_horizon_is_no_step(arm: Model) -> None:
    plant = Plant(arm, arm.zero_position(), joint_drives=True)
    plant.advance(np.zeros(5), position=np.zeros(5), velocity=np.ones(5), acceleration=np.ones(5))
    arrays = plant.stepper.arrays
    before = arrays.target_position.copy(), arrays.target_velocity.copy()
    plant.stepper.table(horizon=0.5)
    np.testing.assert_array_equal((arrays.target_position, arrays.target_velocity), before)
    assert plant.stepper.finished == 0


def test_energies_stay_in_balance(arm: Model) -> None:
    plant = Plant(arm, arm.zero_position(), joint_drives=True)
    hold = arm.compute(arm.zero_position()).actuator_effort
    plant.advance(hold, 300, position=arm.zero_position(), velocity=np.full(5, 0.1))
    assert abs(plant.energy.error) < 1e-5 * plant.energy.work


@pytest.mark.parametrize(("integrator", "order"), [("rk4", 4), ("rosenbrock", 2)])
def test_the_order_of_a_method_holds_for_moving_targets(
    arm: Model, integrator: str, order: int
) -> None:
    drives = JointDrives(*drive_gains(arm, arm.zero_position(), 20.0))
    hold = arm.compute(arm.zero_position()).actuator_effort

    def end(step: float) -> np.ndarray:
        plant = Plant(
            arm, arm.zero_position(), integrator=integrator, step=step, joint_drives=drives
        )
        rate = np.array([0.3, -0.3, 0.3, 0.3, 0.03])
        plant.advance(hold, round(0.2 / step), position=np.zeros(5), velocity=rate)
        return plant.position

    exact = end(0.2 / 1600)
    errors = [np.abs(end(step) - exact).max() for step in (0.01, 0.005)]
    assert errors[0] / errors[1] > 0.8 * 2**order


def test_limits_hold_for_drives(arm: Model) -> None:
    plant = Plant(arm, arm.zero_position(), joint_drives=True, effort_limits=0.2)
    plant.advance(np.zeros(5), 20, position=np.full(5, 1.0))
    assert np.abs(plant.effort).max() == 0.2


def test_a_reset_moves_targets_to_the_start(arm: Model) -> None:
    plant = Plant(arm, arm.zero_position(), joint_drives=True)
    plant.advance(np.zeros(5), 50, position=np.full(5, 0.2), velocity=np.full(5, 1.0))
    start = np.full(5, 0.1)
    plant.reset(start)
    plant.advance(arm.compute(start).actuator_effort, 200)
    np.testing.assert_allclose(plant.position, start, atol=1e-9)


def test_plants_side_by_side_follow_their_own_targets(arm: Model) -> None:
    targets = np.random.default_rng(0).uniform(-0.2, 0.2, (3, 5))
    rates = 0.5 * targets
    batch = PlantBatch(arm, arm.zero_position(), count=3, joint_drives=True)
    batch.advance(np.zeros((3, 5)), 40, targets, rates)
    for k in range(3):
        plant = Plant(arm, arm.zero_position(), joint_drives=True)
        plant.advance(np.zeros(5), 40, targets[k], rates[k])
        np.testing.assert_array_equal(batch.position[k], plant.position)


def test_gains_by_name_replace_the_defaults_of_these_alone(arm: Model) -> None:
    name = arm.actuator_names[1]
    default, _ = drive_gains(arm, arm.zero_position(), 200.0)
    drives = JointDrives({name: 0.0}, {name: 0.0})
    plant = Plant(arm, arm.zero_position(), step=1e-6, joint_drives=drives)
    plant.advance(np.zeros(5), position=np.full(5, 1e-3))
    assert plant.effort[1] == 0.0
    assert plant.effort[0] == pytest.approx(1e-3 * default[0], rel=1e-3)


def test_suspensions_of_wheels_have_no_drive_in_a_world() -> None:
    world = load_world("charmie_wheeled")
    plant = world.plant(joint_drives=True)
    names = np.array(world.model.actuator_names)[plant.stepper.laws[6, plant.stepper.driven] == 0.0]
    assert len(names) == 8
    assert all("suspension" in name or "roller" in name for name in names)


def test_targets_without_drives_are_refused(arm: Model) -> None:
    with pytest.raises(InputError, match="expected a plant with joint_drives"):
        Plant(arm, arm.zero_position()).advance(np.zeros(5), position=np.zeros(5))
    batch = PlantBatch(arm, arm.zero_position(), count=2)
    with pytest.raises(InputError, match="expected a plant with joint_drives"):
        batch.advance(np.zeros((2, 5)), position=np.zeros((2, 5)))


@pytest.mark.parametrize("given", [-1.0, np.nan, np.inf, {"nobody": 1.0}, [1.0]])
def test_wrong_gains_are_refused(arm: Model, given: object) -> None:
    with pytest.raises(CharmieError, match="stiffness of joint drives"):
        Plant(arm, arm.zero_position(), joint_drives=JointDrives(given))  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [np.zeros(4), np.full(5, np.nan)])
def test_wrong_targets_are_refused(arm: Model, given: np.ndarray) -> None:
    plant = Plant(arm, arm.zero_position(), joint_drives=True)
    with pytest.raises(InputError, match="target position"):
        plant.advance(np.zeros(5), position=given)
