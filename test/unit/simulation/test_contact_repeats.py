# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A world that is run again gives the same numbers, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from small_worlds import GROUND, world

from charmie_dynamics.simulation import Plant, World

HEAP = [
    GROUND,
    "a: {shape: sphere, size: [0.05], mass: 1.0, pose: [0, 0, 0.06, 0, 0, 0]}",
    "b: {shape: sphere, size: [0.05], mass: 2.0, pose: [0.03, 0.01, 0.18, 0, 0, 0]}",
    "c: {shape: sphere, size: [0.04], mass: 0.5, pose: [-0.02, 0.02, 0.31, 0, 0, 0], "
    "twist: [0, 0, -1, 3, 0, 0]}",
    "d: {shape: box, size: [0.1, 0.2, 0.04], mass: 0.5, pose: [0.2, 0, 0.1, 0.3, 0.2, 0]}",
]
LAWS = (
    "normal: calibrated, stiffness: 1.0e5, restitution: 0.6, friction: elasto_plastic, "
    "kinetic: 0.4, tangential_stiffness: 1.0e4, tangential_damping: 20.0"
)
STEP = 2e-4


def heap(count: int = len(HEAP)) -> World:
    return world(LAWS, *HEAP[:count])


def plant_of(loaded: World) -> Plant:
    start = loaded.position, loaded.velocity
    return Plant(loaded.model, *start, step=STEP, contacts=loaded.contacts)


def state_of(plant: Plant) -> list[np.ndarray]:
    return [plant.position, plant.velocity, plant.acceleration, np.array(plant.energy)]


def same(first: list[np.ndarray], second: list[np.ndarray]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("integrator", ["adaptive", "rk4"])
def test_a_second_run_and_a_second_load_give_the_same(integrator: str) -> None:
    loaded, again = heap(3), heap(3)
    runs = [each.simulate(0.1, integrator=integrator) for each in (loaded, loaded, again)]
    for run in runs[1:]:
        assert np.array_equal(run.time, runs[0].time)
        assert np.array_equal(run.position, runs[0].position)
        assert np.array_equal(run.velocity, runs[0].velocity)
        assert np.array_equal(run.contacts.normal_force, runs[0].contacts.normal_force)


def test_a_plant_gives_the_same_after_a_reset() -> None:
    loaded = heap()
    plant = plant_of(loaded)
    plant.advance([], steps=1000)
    first = state_of(plant)
    plant.reset(loaded.position, loaded.velocity)
    plant.advance([], steps=1000)
    assert same(state_of(plant), first)


def test_a_run_and_a_plant_in_the_same_steps_agree() -> None:
    loaded = heap()
    run = loaded.simulate(0.24, integrator="rk4", step=STEP)
    plant = plant_of(loaded)
    plant.advance([], steps=1200)
    # the step of a run is a whole part of its duration, which is another number by round-off
    assert plant.position == pytest.approx(run.position[-1], abs=1e-9)
    assert plant.velocity == pytest.approx(run.velocity[-1], abs=1e-7)
