# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Identities of the equations of motion, at random states of robots of all kinds."""

from __future__ import annotations

import numpy as np
import pytest
from all_robots import ROBOTS, WITH_LOOPS, robot
from differences import by_each, first_derivative
from random_states import random_state

from charmie_dynamics import Model

STEP = 1e-3  # rad or m, of differences
State = tuple[np.ndarray, np.ndarray, np.ndarray]


@pytest.fixture(params=ROBOTS)
def model(request: pytest.FixtureRequest) -> Model:
    return robot(request.param)


@pytest.fixture(params=range(3))
def state(request: pytest.FixtureRequest, model: Model) -> State:
    return random_state(model, np.random.default_rng(request.param))


def agree(found: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
    """Compare to a relative tolerance of the largest value."""
    error = np.abs(found - expected).max()
    assert error <= tolerance * np.abs(expected).max()


def mass_matrix_rates(model: Model, position: np.ndarray) -> np.ndarray:
    """Return the derivatives of the mass matrix by each position, (q, q, q)."""
    return by_each(lambda q: model.equations(q).mass_matrix, position, STEP)


def test_columns_of_the_mass_matrix_are_efforts_of_unit_accelerations(
    model: Model, state: State
) -> None:
    position, velocity, _ = state
    at_rest = model.compute(position, velocity).actuator_effort
    columns = [
        model.compute(position, velocity, e).actuator_effort - at_rest for e in np.eye(len(at_rest))
    ]
    expected = np.array(columns).T
    # what is left of efforts of another size has their round-off
    scale = np.maximum(np.abs(expected).max(axis=1), np.abs(at_rest))
    difference = np.abs(model.equations(position, velocity).mass_matrix - expected)
    assert (difference / scale[:, None]).max() < 1e-12


def test_mass_matrix_is_symmetric_to_the_bit_and_positive_definite(
    model: Model, state: State
) -> None:
    M = model.equations(*state[:2]).mass_matrix
    np.testing.assert_array_equal(M, M.T)
    assert np.linalg.eigvalsh(M).min() > 0.0


def test_mass_matrix_does_not_depend_on_velocities(model: Model, state: State) -> None:
    position, velocity, _ = state
    moving, still = model.equations(position, velocity), model.equations(position)
    np.testing.assert_array_equal(moving.mass_matrix, still.mass_matrix)
    np.testing.assert_array_equal(moving.gravity_effort, still.gravity_effort)
    np.testing.assert_array_equal(moving.spring_effort, still.spring_effort)
    assert not still.coriolis_matrix.any()


def test_terms_add_up_to_the_effort(model: Model, state: State) -> None:
    position, velocity, acceleration = state
    terms = model.equations(position, velocity)
    effort = terms.mass_matrix @ acceleration + terms.coriolis_matrix @ velocity
    effort += terms.gravity_effort + terms.spring_effort + terms.external_effort
    expected = model.compute(position, velocity, acceleration).actuator_effort
    agree(effort, expected, 1e-12)


def test_coriolis_matrix_times_velocities_is_what_velocities_add_to_the_effort(
    model: Model, state: State
) -> None:
    position, velocity, _ = state
    moving = model.compute(position, velocity).actuator_effort
    still = model.compute(position).actuator_effort
    found = model.equations(position, velocity).coriolis_matrix @ velocity
    scale = np.abs([moving, still]).max()
    np.testing.assert_allclose(found, moving - still, rtol=0.0, atol=1e-12 * scale)


def test_coriolis_matrix_is_made_of_christoffel_symbols(model: Model, state: State) -> None:
    position, velocity, _ = state
    rates = mass_matrix_rates(model, position)  # k, i, j
    # Gamma_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2
    by_k = rates.transpose(1, 2, 0)
    symbols = 0.5 * (by_k + by_k.swapaxes(1, 2) - rates)
    expected = symbols @ velocity
    agree(model.equations(position, velocity).coriolis_matrix, expected, 1e-8)


def test_rate_of_the_mass_matrix_less_twice_the_coriolis_matrix_is_skew(
    model: Model, state: State
) -> None:
    position, velocity, _ = state
    rate = first_derivative(
        lambda t: model.equations(position + t * velocity).mass_matrix, 0.0, STEP
    )
    skew = rate - 2.0 * model.equations(position, velocity).coriolis_matrix
    assert np.abs(skew + skew.T).max() <= 1e-9 * np.abs(skew).max()


def test_coriolis_matrix_is_linear_in_the_velocities(model: Model, state: State) -> None:
    position, velocity, other = state

    def coriolis(v: np.ndarray) -> np.ndarray:
        return model.equations(position, v).coriolis_matrix

    agree(coriolis(2.0 * velocity - other), 2.0 * coriolis(velocity) - coriolis(other), 1e-12)
    # Gamma_ijk = Gamma_ikj
    agree(coriolis(velocity) @ other, coriolis(other) @ velocity, 1e-11)


def test_gravity_effort_is_the_change_of_the_gravitational_energy(
    model: Model, state: State
) -> None:
    expected = by_each(lambda q: model.energy(q).gravitational, state[0], STEP)
    agree(model.equations(state[0]).gravity_effort, expected, 1e-8)


def test_spring_effort_is_the_change_of_the_elastic_energy(model: Model, state: State) -> None:
    expected = by_each(lambda q: model.energy(q).elastic, state[0], STEP)
    found = model.equations(state[0]).spring_effort
    assert found.any() == bool(model.spring_names)
    agree(found, expected, 1e-8)


def test_kinetic_energy_is_half_of_velocities_times_momenta(model: Model, state: State) -> None:
    position, velocity, _ = state
    M = model.equations(position, velocity).mass_matrix
    energy = model.energy(position, velocity)
    assert energy.kinetic == pytest.approx(0.5 * velocity @ M @ velocity, rel=1e-12)
    assert energy.total == energy.kinetic + energy.gravitational + energy.elastic
    assert model.energy(position).kinetic == 0.0


def test_open_tree_carries_springs_and_loops_no_more() -> None:
    for name in WITH_LOOPS:
        tree = robot(name).open_tree()
        assert tree.actuator_names == tree.joint_names == robot(name).joint_names
        assert not tree.spring_names
        assert not tree.mechanisms.linear_actuators
