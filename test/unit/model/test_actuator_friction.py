# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of joints and linear actuators, from the mechanisms file."""

from __future__ import annotations

import numpy as np
import pytest
from random_states import random_state

from charmie_dynamics import Model
from charmie_dynamics.model.description.mechanisms import parse_mechanisms
from charmie_dynamics.model.flat.friction_laws import TRANSITION, UNRATED

YAML = """
friction:
  slew: {viscous: 2.0, coulomb: 3.0}
  jib_cylinder: {viscous: 40.0, coulomb: 100.0}
"""


@pytest.fixture(scope="module")
def names(crane: Model) -> tuple[str, ...]:
    return crane.actuator_names


@pytest.fixture(scope="module")
def rough(crane: Model, data) -> Model:
    text = (data / "crane.yaml").read_text(encoding="utf-8") + YAML
    return Model(crane.tree, parse_mechanisms(text, "crane.yaml"))


def effort(rough: Model, names: tuple[str, ...], **velocity: float) -> dict[str, float]:
    moving = np.array([velocity.get(name, 0.0) for name in names])
    found = zip(names, rough.friction_effort(moving).tolist(), strict=True)
    return {name: value for name, value in found if value}


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_friction_opposes_the_motion(rough: Model, names: tuple, sign: float) -> None:
    found = effort(rough, names, slew=sign * 0.5, jib_cylinder=sign * 0.2, travel=sign)
    assert found == {"slew": sign * 4.0, "jib_cylinder": sign * 108.0}


def test_friction_at_rest_is_zero(rough: Model, names: tuple) -> None:
    assert effort(rough, names) == {}


def test_coulomb_friction_is_a_ramp_at_a_small_share_of_the_rated_velocity(
    crane: Model, rough: Model, names: tuple
) -> None:
    rated = crane.actuator_limits()[names.index("slew")].velocity
    slow = 0.5 * TRANSITION * (rated if 0.0 < rated < np.inf else UNRATED)
    found = effort(rough, names, slew=slow)
    assert found["slew"] == pytest.approx(2.0 * slow + 0.5 * 3.0)


def test_a_model_without_friction_has_none(crane: Model, names: tuple) -> None:
    assert effort(crane, names, slew=1.0, jib_cylinder=1.0) == {}


def test_friction_within_a_linear_actuator_does_not_load_its_pins(
    crane: Model, rough: Model
) -> None:
    position, velocity, _ = random_state(crane, np.random.default_rng(1))
    smooth, found = crane.compute(position, velocity), rough.compute(position, velocity)
    assert (found.actuator_effort != smooth.actuator_effort).any()
    assert smooth.dynamics and found.dynamics
    np.testing.assert_array_equal(
        found.dynamics.actuator_pin_force, smooth.dynamics.actuator_pin_force
    )
    np.testing.assert_array_equal(
        found.dynamics.actuator_pin_torque, smooth.dynamics.actuator_pin_torque
    )
