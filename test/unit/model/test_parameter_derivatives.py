# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Derivatives of efforts by numbers of a robot's files, against those of robots with other ones."""

from __future__ import annotations

import numpy as np
import pytest
from all_robots import WITH_LOOPS, robot
from differences import first_derivative
from random_states import random_state

from charmie_dynamics import InputError, Model, UnknownNameError
from charmie_dynamics.model.equations.file_parameters import file_parameters

State = tuple[np.ndarray, np.ndarray, np.ndarray]
SECTIONS = (
    *("linear_actuators", "springs", "balance_mechanisms", "gravity"),
    *("rotors", "joint_springs", "friction", "joints.to_thumb.damping"),
)


def with_number(model: Model, name: str, value: float) -> Model:
    """Return a robot that is described with another value of a number."""
    return Model(*file_parameters(model.robot)[name].changed(value)).with_loads(*model.loads)


def by_differences(model: Model, name: str, state: State) -> np.ndarray:
    def effort(value: float) -> np.ndarray:
        return with_number(model, name, value).compute(*state).actuator_effort

    value = model.parameters[name]
    return first_derivative(effort, value, 2e-4 * max(abs(value), 1.0))


def of_mechanisms(model: Model) -> list[str]:
    return [name for name in model.parameters if name.startswith(SECTIONS)]


def changes_alone(model: Model, name: str, state: State) -> bool:
    """Tell whether a number can change by itself; the crane's balance mechanisms have some."""
    try:
        model.derivatives(*state, parameters=[name])
    except InputError:
        return False
    return True


@pytest.mark.parametrize("name", WITH_LOOPS)
def test_derivatives_by_numbers_of_mechanisms(name: str) -> None:
    model = robot(name)
    state = random_state(model, np.random.default_rng(1))
    numbers = [one for one in of_mechanisms(model) if changes_alone(model, one, state)]
    sections = {number.partition(".")[0].partition("[")[0] for number in numbers}
    assert {"rotors" if name == "arm" else "springs", "linear_actuators", "gravity"} <= sections
    found = model.derivatives(*state, parameters=numbers).effort_by_parameter
    assert found.shape == (len(model.actuator_names), len(numbers))
    noise = 1e-9 * np.abs(model.compute(*state).actuator_effort).max()
    for column, number in zip(found.T, numbers, strict=True):
        expected = by_differences(model, number, state)
        slack = noise + 1e-8 * np.abs(expected).max()
        np.testing.assert_allclose(column, expected, rtol=0.0, atol=slack, err_msg=number)


def test_order_of_the_columns_is_that_of_the_names(charmie: Model) -> None:
    numbers = ["inertials.head.mass", "springs.torso_spring.stiffness", "gravity[0]"] * 3
    numbers += ["springs.torso_spring.tip_point[0]"] * 8  # more than are taken at once
    state = random_state(charmie, np.random.default_rng(1))
    found = charmie.derivatives(*state, parameters=numbers).effort_by_parameter
    for column, name in zip(found.T, numbers, strict=True):
        alone = charmie.derivatives(*state, parameters=[name]).effort_by_parameter[:, 0]
        np.testing.assert_allclose(column, alone, rtol=1e-12, atol=1e-12 * np.abs(alone).max())


def test_number_that_does_not_exist_is_refused_with_the_nearest(charmie: Model) -> None:
    with pytest.raises(UnknownNameError, match=r"'springs.torso_spring.stifness'.*stiffness"):
        charmie.derivatives(charmie.zero_position(), parameters=["springs.torso_spring.stifness"])


def test_number_that_cannot_change_by_itself_is_refused_with_the_other(charmie: Model) -> None:
    name = "balance_mechanisms.lift_balance_left.pivot[1]"
    expected = r"expected one that can change by itself; .*: spring_anchor must lie in the plane"
    with pytest.raises(InputError, match=expected):
        charmie.derivatives(charmie.zero_position(), parameters=[name])
