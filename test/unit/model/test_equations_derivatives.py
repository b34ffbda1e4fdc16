# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Derivatives of efforts and of accelerations, through loops and springs, by differences."""

from __future__ import annotations

import numpy as np
import pytest
from all_robots import ROBOTS, robot
from differences import by_each
from random_states import random_state

from charmie_dynamics import Model

STEP = 1e-3  # rad or m, and of velocities and efforts as much in their units
State = tuple[np.ndarray, np.ndarray, np.ndarray]


@pytest.fixture(params=ROBOTS)
def model(request: pytest.FixtureRequest) -> Model:
    return robot(request.param)


@pytest.fixture(params=range(2))
def state(request: pytest.FixtureRequest, model: Model) -> State:
    return random_state(model, np.random.default_rng(request.param))


def by_differences(function, inputs: State, k: int, step: float = STEP) -> np.ndarray:
    """Return the derivatives (q, q) of a function of three arrays by array k."""

    def at(changed: np.ndarray) -> np.ndarray:
        return function(*inputs[:k], changed, *inputs[k + 1 :])

    return by_each(at, inputs[k], step).T


def agree(found: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
    """Compare to a tolerance that is relative to the largest value of each row.

    A row of zeros has round-off of the others.
    """
    rows = np.abs(expected).max(axis=1, keepdims=True)
    scale = np.maximum(rows, 1e-4 * rows.max())
    assert (np.abs(found - expected) <= tolerance * scale).all()


def test_derivatives_of_efforts_by_positions(model: Model, state: State) -> None:
    def effort(*inputs: np.ndarray) -> np.ndarray:
        return model.compute(*inputs).actuator_effort

    found = model.derivatives(*state).effort_by_position
    agree(found, by_differences(effort, state, 0), 1e-8)


def test_derivatives_of_efforts_by_velocities(model: Model, state: State) -> None:
    def effort(*inputs: np.ndarray) -> np.ndarray:
        return model.compute(*inputs).actuator_effort

    found = model.derivatives(*state).effort_by_velocity
    # efforts are quadratic in velocities: no step is too long, and a long one has less round-off
    agree(found, by_differences(effort, state, 1, 1.0), 1e-10)
    agree(found, 2.0 * model.equations(*state[:2]).coriolis_matrix, 1e-12)


def test_derivative_by_accelerations_is_the_mass_matrix(model: Model, state: State) -> None:
    found = model.derivatives(*state).effort_by_acceleration
    agree(found, model.equations(state[0]).mass_matrix, 1e-13)


def test_derivatives_at_rest_are_the_stiffness_which_springs_and_weights_make_symmetric(
    model: Model, state: State
) -> None:
    bare = model.with_loads(model.loads[0])  # wrenches that turn with a link have no potential
    stiffness = bare.derivatives(state[0]).effort_by_position
    np.testing.assert_allclose(
        stiffness, stiffness.T, rtol=1e-9, atol=1e-12 * np.abs(stiffness).max()
    )
    assert not bare.derivatives(state[0]).effort_by_velocity.any()


def forward_inputs(model: Model, state: State) -> State:
    """Return position, velocity and the efforts of some accelerations."""
    return state[0], state[1], model.compute(*state).actuator_effort


@pytest.mark.parametrize("k", range(3))
def test_derivatives_of_accelerations(model: Model, state: State, k: int) -> None:
    inputs = forward_inputs(model, state)

    def acceleration(*given: np.ndarray) -> np.ndarray:
        return model.forward(*given).acceleration

    found = model.forward_derivatives(*inputs)
    # round-off of an acceleration is that of the efforts times the inverse of the mass matrix
    agree(found[k], by_differences(acceleration, inputs, k), 1e-7)


def test_accelerations_of_a_change_of_efforts_undo_it(model: Model, state: State) -> None:
    forward = model.forward_derivatives(*forward_inputs(model, state))
    inverse = model.derivatives(*state)
    M = inverse.effort_by_acceleration
    product = M @ forward.acceleration_by_effort
    np.testing.assert_allclose(product, np.eye(len(M)), rtol=0.0, atol=1e-9)
    agree(-M @ forward.acceleration_by_position, inverse.effort_by_position, 1e-9)
    agree(-M @ forward.acceleration_by_velocity, inverse.effort_by_velocity, 1e-9)
