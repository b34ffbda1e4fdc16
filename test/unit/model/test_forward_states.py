# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""States of forward dynamics: their loads, friction, and efforts that are none."""

from __future__ import annotations

from pathlib import Path

import floating_robots
import numpy as np
import pytest
from all_robots import ROBOTS, robot
from random_states import random_state

from charmie_dynamics import InputError, Model, load_model


@pytest.mark.parametrize("name", ROBOTS)
def test_every_number_of_the_state_is_that_of_inverse_dynamics(name: str) -> None:
    model = robot(name)
    position, velocity, _ = random_state(model, np.random.default_rng(2))
    effort = 0.1 * model.compute(position).actuator_effort
    state = model.forward(position, velocity, effort)
    kinematics = {array: getattr(state.kinematics, array) for array in model.layout.kinematics}
    expected = model.compute(position, velocity, state.acceleration)
    for array, found in kinematics.items():
        np.testing.assert_array_equal(found, getattr(expected.kinematics, array), err_msg=array)
    assert state.has_dynamics
    np.testing.assert_array_equal(state.block, expected.block)


@pytest.mark.parametrize("asked", ["actuator_effort", "base_wrench", "spring_tension", "dynamics"])
def test_loads_are_there_whichever_is_asked_for_first(charmie: Model, asked: str) -> None:
    position, velocity, _ = random_state(charmie, np.random.default_rng(4))
    state = charmie.forward(position, velocity)
    expected = charmie.compute(position, velocity, state.acceleration)
    found, wanted = getattr(state, asked), getattr(expected, asked)
    if asked == "dynamics":
        found, wanted = found.link_force, wanted.link_force
    if asked == "spring_tension":
        found, wanted = list(found.values()), list(wanted.values())
    np.testing.assert_array_equal(found, wanted)


def test_arrays_of_a_state_stay_valid(charmie: Model) -> None:
    position, velocity, _ = random_state(charmie, np.random.default_rng(4))
    state = charmie.forward(position, velocity)
    place = state.frame("head")[0]
    kept = place.copy()
    assert state.actuator_effort.shape == (21,)
    charmie.forward(position + 0.01, velocity)
    np.testing.assert_array_equal(place, kept)
    np.testing.assert_array_equal(state.frame("head")[0], kept)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_efforts_that_are_no_finite_numbers_are_refused_by_name(
    charmie: Model, value: float
) -> None:
    effort = np.zeros(21)
    effort[4] = value
    position = charmie.zero_position()
    with pytest.raises(InputError, match=r"effort: expected finite.*'torso_actuator'"):
        charmie.forward(position, effort=effort)
    with pytest.raises(InputError, match=r"effort of sample 1.*'torso_actuator'"):
        charmie.forward(np.tile(position, (2, 1)), effort=[np.zeros(21), effort])


def test_efforts_of_floating_robots_are_those_of_the_actuators(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(floating_robots.random_urdf(np.random.default_rng(0)), encoding="utf-8")
    model = load_model(urdf=path)
    position = model.zero_position()
    count = len(model.actuator_names)
    for shape in (len(model.velocity_names), count + 1):
        with pytest.raises(InputError, match=rf"effort: expected shape \({count},\)"):
            model.forward(position, effort=np.zeros(shape))
    bad = np.zeros(count)
    bad[1] = np.nan
    with pytest.raises(InputError, match=rf"effort: .* for '{model.actuator_names[1]}'"):
        model.forward(position, effort=bad)
    with pytest.raises(InputError, match=rf"effort of sample 0: .*'{model.actuator_names[1]}'"):
        model.forward(position[None], effort=bad[None])


def test_loads_that_overflow_are_refused_when_they_are_asked_for(charmie: Model) -> None:
    effort = np.zeros(21)
    effort[0] = 1e306  # along x
    position = charmie.zero_position()
    position[1] = 1e4  # m along y: the torque about the origin is no number
    assert np.isfinite(charmie.forward(position, effort=effort).acceleration).all()
    with pytest.raises(InputError, match=r"effort: so large"):
        charmie.forward(position, effort=effort).actuator_effort  # noqa: B018
    with pytest.raises(InputError, match=r"sample 1: .*not finite"):
        charmie.forward(  # noqa: B018
            np.tile(position, (2, 1)), effort=np.array([0.0 * effort, effort])
        ).actuator_effort
