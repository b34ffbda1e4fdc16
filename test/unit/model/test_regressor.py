# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The regressor: efforts are linear in the inertial parameters."""

from __future__ import annotations

import numpy as np
import pytest
from all_robots import ROBOTS, robot
from random_states import random_state

from charmie_dynamics import InputError, Model, OutOfReachError, Payload

State = tuple[np.ndarray, np.ndarray, np.ndarray]
PARAMETERS = ("m", "mx", "my", "mz", "xx", "xy", "yy", "xz", "yz", "zz")


@pytest.fixture(params=ROBOTS)
def model(request: pytest.FixtureRequest) -> Model:
    return robot(request.param)


@pytest.fixture(params=range(3))
def state(request: pytest.FixtureRequest, model: Model) -> State:
    return random_state(model, np.random.default_rng(request.param))


def test_regressor_times_parameters_is_the_effort_without_springs_and_wrenches(
    model: Model, state: State
) -> None:
    effort = model.compute(*state).actuator_effort
    terms = model.equations(*state[:2])
    expected = effort - terms.spring_effort - terms.external_effort
    found = model.regressor(*state) @ model.inertial_parameters
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12 * np.abs(effort).max())


def test_regressor_does_not_depend_on_masses(model: Model, state: State) -> None:
    link = next(reversed(model.tree.links))
    inertia = ((0.3, 0.02, 0.01), (0.02, 0.4, 0.03), (0.01, 0.03, 0.5))
    held = model.with_loads({link: Payload(1.5, (0.1, -0.2, 0.3), inertia)})
    regressor = model.regressor(*state)
    np.testing.assert_array_equal(held.regressor(*state), regressor)
    # and so finds what the payload adds, each parameter alone
    bare = model.with_loads()
    added = held.inertial_parameters - bare.inertial_parameters
    i = model.frame_names.index(link)
    assert not np.delete(added, range(10 * i, 10 * i + 10)).any()
    expected = held.compute(*state).actuator_effort - bare.compute(*state).actuator_effort
    scale = np.abs(bare.compute(*state).actuator_effort).max()
    np.testing.assert_allclose(regressor @ added, expected, rtol=0.0, atol=1e-11 * scale)


def test_parameters_of_a_payload_are_in_the_order_of_their_names(charmie: Model) -> None:
    mass, c = 2.0, np.array([0.1, 0.2, -0.3])
    inertia = np.array([[0.3, 0.02, 0.01], [0.02, 0.4, 0.03], [0.01, 0.03, 0.5]])
    held = charmie.with_loads({"left_tool": Payload(mass, tuple(c), inertia)})
    about_origin = inertia + mass * (c @ c * np.eye(3) - np.outer(c, c))
    by_name = dict(
        zip(
            held.inertial_parameter_names,
            held.inertial_parameters - charmie.inertial_parameters,
            strict=True,
        )
    )
    axes = {"x": 0, "y": 1, "z": 2}
    expected = {"m": mass, "mx": mass * c[0], "my": mass * c[1], "mz": mass * c[2]}
    for name in PARAMETERS[4:]:
        expected[name] = about_origin[axes[name[0]], axes[name[1]]]
    own = [name for name in by_name if name.startswith("left_tool ")]
    assert own == [f"left_tool {name}" for name in PARAMETERS]
    for name, value in expected.items():
        assert by_name[f"left_tool {name}"] == pytest.approx(value, rel=1e-12)


def test_parameters_are_ten_of_each_link(model: Model) -> None:
    links = model.flat.body_names
    assert model.inertial_parameters.shape == (10 * len(links),)
    names = model.inertial_parameter_names
    assert names == tuple(f"{link} {name}" for link in links for name in PARAMETERS)
    assert model.inertial_parameters[::10].sum() == pytest.approx(model.total_mass)


def test_columns_of_the_mass_matrix_follow_from_the_regressor(model: Model, state: State) -> None:
    position, zero = state[0], np.zeros_like(state[0])
    at_rest = model.regressor(position)
    columns = [
        (model.regressor(position, zero, e) - at_rest) @ model.inertial_parameters
        for e in np.eye(len(position))
    ]
    M = model.equations(position).mass_matrix
    scale = 1e-11 * max(np.abs(M).max(), np.abs(at_rest @ model.inertial_parameters).max())
    np.testing.assert_allclose(np.array(columns).T, M, rtol=0.0, atol=scale)


@pytest.mark.parametrize("name", ROBOTS)
def test_batch_is_single_calls_bit_for_bit(name: str) -> None:
    model = robot(name)
    rng = np.random.default_rng(4)
    states = [random_state(model, rng) for _ in range(4)]
    batch = model.regressor(*(np.array(array) for array in zip(*states, strict=True)))
    assert batch.shape == (4, len(model.actuator_names), len(model.inertial_parameters))
    for found, state in zip(batch, states, strict=True):
        np.testing.assert_array_equal(found, model.regressor(*state))


def test_bad_input_is_refused_as_by_compute(charmie: Model) -> None:
    position = charmie.zero_position()
    with pytest.raises(InputError, match=r"^velocity: expected shape \(21,\), got \(20,\)"):
        charmie.regressor(position, np.zeros(20))
    with pytest.raises(InputError, match=r"^acceleration: .*got nan for 'base_x_joint'"):
        charmie.regressor(position, None, np.full(21, np.nan))
    position[4] = 0.9
    with pytest.raises(OutOfReachError, match=r"^linear actuator 'torso_actuator': length 0\.9 m"):
        charmie.regressor(position)
    with pytest.raises(OutOfReachError, match=r"^sample 0: linear actuator 'torso_actuator'"):
        charmie.regressor(position[None])
