# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The cycle runs on numbers that carry derivatives, and gives those of all its results."""

from __future__ import annotations

import numpy as np
import pytest
from differences import first_derivative, second_derivative
from random_states import random_state

from charmie_dynamics import Model
from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.inverse.cycle import run_cycle, run_steps
from charmie_dynamics.core.inverse.records import CycleRecord, Robot, sizes_in
from charmie_dynamics.numerics.addresses import Blocks
from charmie_dynamics.numerics.blocks import lay_out, places_of
from charmie_dynamics.numerics.derivatives import as_duals, as_jets
from charmie_dynamics.numerics.jit import compiled, ready


@compiled
def run_duals(ints, robot_numbers, block):
    sizes = sizes_in(ints)
    robot = lay_out(Robot, ints, as_duals(robot_numbers), sizes)
    return run_steps(robot, lay_out(CycleRecord, ints, as_duals(block), sizes), True)


@compiled
def run_jets(ints, floats, block):
    sizes = sizes_in(ints)
    robot = lay_out(Robot, ints, floats, sizes)
    return run_steps(robot, lay_out(CycleRecord, ints, as_jets(block), sizes), False)


def block_of(model: Model, inputs: np.ndarray, floats: np.ndarray | None = None) -> np.ndarray:
    block = np.zeros(model.layout.size)
    blocks = model.flat.blocks if floats is None else Blocks(model.flat.blocks.ints, floats)
    state = inputs.reshape(3, -1)
    assert ready(run_cycle)(*blocks.addresses, *state, block, True) == REACHED
    return block


def agree(found: np.ndarray, expected: np.ndarray, rtol: float) -> None:
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * abs(expected).max())


@pytest.mark.parametrize("name", ["charmie", "crane"])
def test_duals_give_derivatives_of_all_results_by_the_inputs(
    request: pytest.FixtureRequest, name: str
) -> None:
    model: Model = request.getfixturevalue(name)
    rng = np.random.default_rng(8)
    inputs = np.concatenate(random_state(model, rng))
    directions = rng.uniform(-1.0, 1.0, (len(inputs), 7))
    block = np.zeros((model.layout.size, 8))
    block[: len(inputs)] = np.column_stack([inputs, directions])
    robot = np.zeros((len(model.flat.blocks.floats), 8))
    robot[:, 0] = model.flat.blocks.floats
    assert run_duals(model.flat.blocks.ints, robot, block) == REACHED
    plain = block_of(model, inputs)
    np.testing.assert_allclose(block[:, 0], plain, rtol=1e-13, atol=1e-13 * abs(plain).max())
    for k in range(7):

        def along(t: float, k: int = k) -> np.ndarray:
            return block_of(model, inputs + t * directions[:, k])

        expected = first_derivative(along, 0.0, 1e-3)
        agree(block[:, 1 + k], expected, 1e-8)


@pytest.mark.parametrize("name", ["charmie", "crane"])
def test_duals_give_derivatives_by_numbers_of_the_robot(
    request: pytest.FixtureRequest, name: str
) -> None:
    model: Model = request.getfixturevalue(name)
    floats = model.flat.blocks.floats
    places = places_of(Robot, model.flat.sizes)[1]
    rng = np.random.default_rng(9)
    inputs = np.concatenate(random_state(model, rng))
    robot = np.zeros((len(floats), 8))
    robot[:, 0] = floats
    names = ["tree.mass", "tree.p_body_com", "tree.inertia", "mechanisms.springs.stiffness"]
    names += ["mechanisms.springs.free_length", "mechanisms.actuators.F", "tree.p_parent_joint"]
    for k, each in enumerate(names):
        first, shape = places[each]
        count = int(np.prod(shape))
        robot[first : first + count, 1 + k] = rng.uniform(-1.0, 1.0, count)
    block = np.zeros((model.layout.size, 8))
    block[: len(inputs), 0] = inputs
    assert run_duals(model.flat.blocks.ints, robot, block) == REACHED
    effort = model.layout.index("actuator_effort")
    for k in range(7):

        def along(t: float, k: int = k) -> np.ndarray:
            return block_of(model, inputs, floats + t * robot[:, 1 + k])[effort]

        agree(block[effort, 1 + k], first_derivative(along, 0.0, 1e-3), 1e-7)
        assert abs(block[effort, 1 + k]).max() > 1e-3


@pytest.mark.parametrize("name", ["charmie", "crane"])
def test_jets_give_rate_and_acceleration_of_all_poses(
    request: pytest.FixtureRequest, name: str
) -> None:
    model: Model = request.getfixturevalue(name)
    position, velocity, acceleration = random_state(model, np.random.default_rng(10))
    block = np.zeros((model.layout.size, 4))
    block[: len(position), :3] = np.column_stack([position, velocity, acceleration])
    assert run_jets(model.flat.blocks.ints, model.flat.blocks.floats, block) == REACHED
    places = np.concatenate(
        [model.layout.index(name).ravel() for name in ("p_world_frame", "R_world_frame")]
    )

    def at(t: float) -> np.ndarray:
        now = position + t * velocity + 0.5 * t * t * acceleration
        return block_of(model, np.concatenate([now, velocity, acceleration]))[places]

    agree(block[places, 1], first_derivative(at, 0.0, 4e-3), 1e-9)
    agree(block[places, 2], second_derivative(at, 0.0, 4e-3), 1e-8)
