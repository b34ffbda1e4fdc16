# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The energies that a model gives, along motions and under forward dynamics."""

from __future__ import annotations

import numpy as np
import pytest
from all_robots import ROBOTS, WITH_LOOPS, robot
from differences import first_derivative
from random_states import random_motion

from charmie_dynamics import Model

STEP = 2e-3  # s


@pytest.fixture(params=ROBOTS)
def model(request: pytest.FixtureRequest) -> Model:
    return robot(request.param)


@pytest.mark.parametrize("seed", range(5))
def test_power_of_the_actuators_is_the_change_of_the_energy(model: Model, seed: int) -> None:
    bare = model.with_loads(model.loads[0])  # wrenches that turn with a link have no potential
    motion = random_motion(bare, np.random.default_rng(seed))

    def energy(time: float) -> float:
        position, velocity, _ = motion(np.array([time]))
        return bare.energy(position[0], velocity[0]).total

    position, velocity, acceleration = (array[0] for array in motion(np.zeros(1)))
    power = bare.compute(position, velocity, acceleration).actuator_effort @ velocity
    # round-off is that of the energy over a step
    slack = 1e-13 * abs(energy(0.0)) / STEP + 1e-8 * abs(power)
    assert power == pytest.approx(first_derivative(energy, 0.0, STEP), rel=1e-8, abs=slack)


@pytest.mark.parametrize("seed", range(3))
def test_power_of_wrenches_is_what_else_the_energy_gains(model: Model, seed: int) -> None:
    motion = random_motion(model, np.random.default_rng(seed))
    position, velocity, acceleration = (array[0] for array in motion(np.zeros(1)))
    effort = model.compute(position, velocity, acceleration).actuator_effort
    bare = model.with_loads(model.loads[0])
    expected = (effort - bare.compute(position, velocity, acceleration).actuator_effort) @ velocity
    found = model.equations(position, velocity).external_effort @ velocity
    scale = np.abs(effort * velocity).sum()
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12 * scale)
    gained = 0.0
    for link, wrench in model.loads[1].items():
        _, R = model.compute(position).frame(link)
        twist = model.jacobian(position, link) @ velocity
        gained += np.concatenate([R @ wrench.force, R @ wrench.torque]) @ twist
    assert found == pytest.approx(-gained, rel=1e-9, abs=1e-12 * scale)


def test_energy_stays_where_no_effort_acts(model: Model) -> None:
    # d/dt of the energy at the accelerations that forward dynamics finds
    bare = model.with_loads(model.loads[0])
    motion = random_motion(bare, np.random.default_rng(7))
    position, velocity, _ = (array[0] for array in motion(np.zeros(1)))
    acceleration = bare.forward(position, velocity).acceleration

    def energy(time: float) -> float:
        moved = position + time * velocity + 0.5 * time**2 * acceleration
        return bare.energy(moved, velocity + time * acceleration).total

    # a small step: the accelerations of light bodies are large
    rate = first_derivative(energy, 0.0, 1e-5)
    scale = abs(bare.equations(position).gravity_effort * velocity).sum()
    scale += abs(bare.equations(position).spring_effort * velocity).sum()
    assert abs(rate) < 1e-6 * scale + 1e-12 * abs(energy(0.0)) / 1e-5


@pytest.mark.parametrize("name", WITH_LOOPS)
def test_energy_of_the_tree_lacks_that_of_the_springs_alone(name: str) -> None:
    model = robot(name)
    motion = random_motion(model, np.random.default_rng(2))
    position, velocity, _ = (array[0] for array in motion(np.zeros(1)))
    state = model.compute(position, velocity)
    whole = model.energy(position, velocity)
    tree = model.open_tree().energy(state.joint_position, state.joint_velocity)
    assert whole.kinetic == pytest.approx(tree.kinetic, rel=1e-12)
    assert whole.gravitational == pytest.approx(tree.gravitational, rel=1e-12)
    assert (tree.elastic, whole.elastic > 0.0) == (0.0, True)


def test_gravitational_energy_is_weight_times_height(model: Model) -> None:
    motion = random_motion(model, np.random.default_rng(3))
    position = motion(np.zeros(1))[0][0]
    state = model.compute(position)
    tree = model.flat.tree
    expected = 0.0
    for name, mass, com in zip(model.flat.body_names, tree.mass, tree.p_body_com, strict=True):
        p, R = state.frame(name)
        expected -= mass * np.dot(model.mechanisms.gravity, p + R @ com)
    found = model.energy(position).gravitational
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12 * model.total_mass)
