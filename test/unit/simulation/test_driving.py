# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""CHARMIE on Swedish wheels stands, drives and tips over in its world."""

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics import InputError, load_model
from charmie_dynamics.errors import UnknownNameError
from charmie_dynamics.simulation import EntityEfforts, Plant
from validation.driven_robot import NAME, DrivenRobot
from validation.tip_over import falls_at, predicted_load

STILL = (0.0, 0.0, 0.0)
SETTLES = 1.0  # s
# axis of the roller at the floor; seen from above the four form a diamond
AXES = {
    "front_left_wheel": (1.0, 1.0),
    "front_right_wheel": (1.0, -1.0),
    "rear_left_wheel": (1.0, -1.0),
    "rear_right_wheel": (1.0, 1.0),
}


@pytest.fixture(scope="module")
def settled() -> DrivenRobot:
    driven = DrivenRobot()
    driven.follow(STILL, SETTLES)
    return driven


@pytest.mark.parametrize("wheel", AXES)
def test_a_wheel_feels_friction_along_its_roller_and_none_across(
    settled: DrivenRobot, wheel: str
) -> None:
    world = settled.world
    plant = Plant(world.model, world.position, contacts=world.contacts)
    position, velocity = world.position.copy(), np.zeros(len(world.model.velocity_names))
    position[world.columns(NAME, "position")] = settled.position
    axis = np.array((*AXES[wheel], 0.0)) / np.sqrt(2.0)
    base = world.columns(NAME, "velocity")[:2]
    friction = []
    for direction in (axis, np.array((-axis[1], axis[0], 0.0))):
        velocity[base] = 0.1 * direction[:2]  # with a wheel that does not turn
        plant.reset(position, velocity)
        # of the floor, which is the first body, so that it is taken along
        friction.append(plant.contacts.of(f"{NAME}/{wheel}").friction_force[0])
    along, across = friction
    assert along @ axis > 20.0
    np.testing.assert_allclose(along, (along @ axis) * axis, atol=0.01 * np.linalg.norm(along))
    assert np.linalg.norm(across) < 0.01 * np.linalg.norm(along)


def test_it_settles_on_its_springs_and_stands_still(settled: DrivenRobot) -> None:
    before = settled.follow(STILL, 0.5)[-1]
    after = settled.follow(STILL, 0.5)[-1]
    assert before.position[2] == pytest.approx(-0.0046, abs=2e-4)
    assert np.abs(np.subtract(after.true, before.true)).max() < 1e-5
    assert np.abs(after.velocity).max() < 1e-4


def test_wheels_carry_the_weight_as_the_model_tells(settled: DrivenRobot) -> None:
    sample = settled.look()
    assert sample.loads.sum() == pytest.approx(9.81 * settled.robot.total_mass, rel=1e-4)
    np.testing.assert_allclose(sample.loads, sample.by_model, atol=0.5)
    zero_moment_point = sample.stability.zero_moment_point[:2]
    np.testing.assert_allclose(sample.pressure, zero_moment_point, atol=1e-4)


@pytest.mark.parametrize("asked", [(0.0, 0.4, 0.0), (0.4, 0.0, 0.0), (0.0, 0.0, 0.8)])
def test_it_drives_where_its_wheels_are_to_take_it(asked: tuple[float, float, float]) -> None:
    driven = DrivenRobot()
    driven.follow(STILL, 0.3)
    samples = driven.follow(lambda time: min(1.0, time / 0.3) * np.array(asked), 1.5)
    mean = np.mean([s.velocity for s in samples[-60:]], axis=0)
    np.testing.assert_allclose(mean, asked, atol=0.03 * max(asked))
    last = samples[-1]
    np.testing.assert_allclose(last.odometry, last.true, atol=0.01 * max(np.abs(last.true)))
    for sample in samples:  # speeding up, too
        point = sample.stability.zero_moment_point[:2]
        np.testing.assert_allclose(sample.pressure, point, atol=2e-3)


def test_it_tips_over_where_its_margin_is_zero() -> None:
    load = predicted_load("push", "front")
    assert load == pytest.approx(107.0, abs=2.0)
    assert not falls_at("push", "front", 0.9 * load, rise=1.5)
    assert falls_at("push", "front", 1.1 * load, rise=1.5)


def test_a_law_that_does_not_fit_its_robot_is_refused(settled: DrivenRobot) -> None:
    world = settled.world
    law = EntityEfforts(world, {NAME: lambda time, position, velocity: np.zeros(3)})
    with pytest.raises(InputError, match=f"effort of '{NAME}'"):
        law(0.0, world.position, world.velocity)
    with pytest.raises(UnknownNameError, match="entity 'charly' is unknown"):
        EntityEfforts(world, {"charly": lambda time, position, velocity: np.zeros(30)})


def test_a_plant_without_contacts_has_no_table_of_them() -> None:
    model = load_model("scara")
    with pytest.raises(InputError, match=r"expected contacts=world\.contacts"):
        _ = Plant(model, model.zero_position()).contacts
