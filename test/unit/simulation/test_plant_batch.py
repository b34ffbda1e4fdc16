# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Plants side by side move as each would alone."""

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics import CharmieError, InputError, Model, Payload, load_model
from charmie_dynamics.errors import SimulationError
from charmie_dynamics.numerics.jit import HAS_NUMBA
from charmie_dynamics.simulation import Plant, PlantBatch, World, load_world, world_of

COUNT, STEPS = 5, 30 if HAS_NUMBA else 2


@pytest.fixture(scope="module")
def athena() -> World:
    return load_world("athena")


@pytest.fixture(scope="module")
def arm() -> Model:
    return load_model("scara")


def efforts_of(model: Model, count: int = COUNT) -> np.ndarray:
    rng = np.random.default_rng(3)
    return 0.3 * rng.normal(size=(count, len(model.actuator_names)))


def assert_alike(batch: PlantBatch, plants: list[Plant]) -> None:
    np.testing.assert_array_equal(batch.position, [plant.position for plant in plants])
    np.testing.assert_array_equal(batch.velocity, [plant.velocity for plant in plants])
    np.testing.assert_array_equal(batch.effort, [plant.effort for plant in plants])
    np.testing.assert_array_equal(batch.time, [plant.time for plant in plants])


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit_euler"])
def test_each_moves_bit_for_bit_as_alone(athena: World, workers: int, integrator: str) -> None:
    model, effort = athena.model, efforts_of(athena.model)
    options = {"integrator": integrator, "step": 5e-4, "effort_limits": 8.0}
    scene = athena.contacts
    batch = PlantBatch(
        model, athena.position, count=COUNT, workers=workers, contacts=scene, **options
    )
    plants = [
        Plant(model, athena.position, contacts=scene.copied(), **options) for _ in range(COUNT)
    ]
    for _ in range(2):
        batch.advance(effort, STEPS)
        for plant, one in zip(plants, effort, strict=True):
            plant.advance(one, STEPS)
    assert_alike(batch, plants)
    table, own = batch.contacts(3), plants[3].contacts
    np.testing.assert_array_equal(table.normal_force, own.normal_force)
    assert batch.energy(2).work == plants[2].energy.work


def test_robots_with_loops_and_springs_move_as_alone() -> None:
    model = load_model("charmie_lar")
    effort, start = efforts_of(model), model.zero_position()
    batch = PlantBatch(model, start, count=COUNT, workers=2)
    plants = [Plant(model, start) for _ in range(COUNT)]
    batch.advance(effort, STEPS)
    for plant, one in zip(plants, effort, strict=True):
        plant.advance(one, STEPS)
    assert_alike(batch, plants)


def test_one_that_is_reset_begins_anew_while_the_others_go_on(arm: Model) -> None:
    effort = efforts_of(arm, 3)
    batch = PlantBatch(arm, arm.zero_position(), count=3)
    batch.advance(effort, STEPS)
    before = batch.position
    batch.reset([0.1] * 5, [[0.2] * 5], plants=[1], time=2.0)
    np.testing.assert_array_equal(batch.position[[0, 2]], before[[0, 2]])
    np.testing.assert_array_equal(batch.position[1], [0.1] * 5)
    batch.advance(effort, STEPS)
    alone = Plant(arm, [0.1] * 5, [0.2] * 5)
    alone.advance(effort[1], STEPS)
    np.testing.assert_array_equal(batch.position[1], alone.position)
    assert batch.time[1] == pytest.approx(2.0 + STEPS * 1e-3)


def test_one_that_carries_a_load_moves_with_it(arm: Model) -> None:
    tool = arm.tree.joints[-1].child
    effort, loaded = efforts_of(arm, 2), arm.with_loads({tool: Payload(2.0)})
    batch = PlantBatch(arm, arm.zero_position(), count=2)
    batch.carry(1, loaded)
    batch.advance(effort, STEPS)
    alone = Plant(loaded, arm.zero_position())
    alone.advance(effort[1], STEPS)
    np.testing.assert_array_equal(batch.position[1], alone.position)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # without the compiler numpy tells of them
def test_one_that_cannot_go_on_is_named_and_stops_no_other(arm: Model) -> None:
    effort = efforts_of(arm, 4)
    effort[[1, 3]] = 1e300
    batch = PlantBatch(arm, arm.zero_position(), count=4, workers=2)
    with pytest.raises(SimulationError, match=r"plant 1: .*; likewise plants 3"):
        batch.advance(effort, STEPS)
    assert sorted(batch.failures) == [1, 3]
    alone = Plant(arm, arm.zero_position())
    alone.advance(effort[2], STEPS)
    np.testing.assert_array_equal(batch.position[2], alone.position)
    assert batch.time[2] > batch.time[1]
    batch.reset(arm.zero_position(), plants=[1, 3])
    assert not batch.failures
    batch.advance(np.zeros((4, 5)), STEPS)


def test_too_many_contacts_are_refused_by_the_plant_that_has_them() -> None:
    world = world_of("""
contacts: {default: {normal: hooke, stiffness: 1.0e4}}
contact_slots: 1
entities:
  ground: {shape: plane}
  box: {shape: box, size: [0.1, 0.1, 0.1], mass: 1.0, pose: [0, 0, 0.06, 0, 0, 0]}
""")
    low = world.position.copy()
    low[2] -= 0.0099
    batch = PlantBatch(world.model, [world.position, low], contacts=world.contacts)
    with pytest.raises(SimulationError, match=r"plant 1: contacts: expected at most 1 points"):
        batch.advance(np.zeros((2, 0)), 20)
    assert sorted(batch.failures) == [1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "plants: expected one number of at least 1"),
        ({"count": 0}, "plants: expected one number of at least 1"),
        ({"count": 2, "velocity": [[0.0] * 5] * 3}, "got {'count': 2, 'velocity': 3}"),
        ({"count": 2, "workers": 0}, "workers: expected at least 1, got 0"),
        ({"count": 2, "velocity": [0.0] * 4}, r"velocity: expected shape \(5,\), got \(4,\)"),
    ],
)
def test_numbers_that_differ_are_refused(
    arm: Model, arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        PlantBatch(arm, arm.zero_position(), **arguments)


def test_efforts_and_plants_that_do_not_fit_are_refused(arm: Model) -> None:
    batch = PlantBatch(arm, arm.zero_position(), count=2)
    with pytest.raises(InputError, match=r"effort: expected shape \(2, 5\), got \(5,\)"):
        batch.advance(np.zeros(5))
    with pytest.raises(CharmieError, match="effort of sample 1: expected finite values"):
        batch.advance([[0.0] * 5, [np.nan] * 5])
    with pytest.raises(InputError, match="plant: expected a number from 0 to 1, got 2"):
        batch.reset(arm.zero_position(), plants=[2])
