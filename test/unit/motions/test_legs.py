# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inverse kinematics of legs, against the forward kinematics of the model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from differences import first_derivative, second_derivative

from charmie_dynamics import Model, OutOfReachError, load_model
from charmie_dynamics.errors import UnsupportedError
from charmie_dynamics.motions import Legs


@pytest.fixture(scope="module", params=["athena", "quadruped"])
def robot(request: pytest.FixtureRequest) -> Model:
    return load_model(request.param)


def random_joints(model: Model, legs: Legs, seed: int, count: int = 1) -> np.ndarray:
    """Return hinges (count, l, 3) within the limits, the knees bent as in the rest pose."""
    limits = dict(zip(model.actuator_names, model.actuator_limits(), strict=True))
    hinges = [[limits[name] for name in names] for names in legs.joint_names]
    bounds = np.array([[(limit.lower, limit.upper) for limit in leg] for leg in hinges])
    low, high = bounds[..., 0], bounds[..., 1]
    middle, half = 0.5 * (low + high), 0.45 * (high - low)
    rng = np.random.default_rng(seed)
    return middle + half * rng.uniform(-1.0, 1.0, size=(count, *middle.shape))


def frames(model: Model, legs: Legs, joints: np.ndarray) -> np.ndarray:
    """Return the feet (l, 3) as the model places them."""
    position = model.zero_position()
    for names, values in zip(legs.joint_names, joints, strict=True):
        for name, value in zip(names, values, strict=True):
            position[model.position_names.index(name)] = value
    state = model.compute(position)
    return np.array([state.frame(name)[0] for name in legs.foot_names])


def test_feet_are_where_the_model_has_them(robot: Model) -> None:
    legs = Legs(robot)
    for joints in random_joints(robot, legs, 1, 20):
        np.testing.assert_allclose(
            legs.foot_positions(joints), frames(robot, legs, joints), rtol=0.0, atol=1e-14
        )


def test_hinges_are_found_again_from_the_feet(robot: Model) -> None:
    legs = Legs(robot)
    joints = random_joints(robot, legs, 2, 200)
    # with the foot beyond the axis of the first hinge
    ranges = {"athena": ((-1.2, 0.2), (0.1, 1.9)), "quadruped": ((-0.5, 1.3), (-1.7, -0.3))}
    for k, (low, high) in enumerate(ranges[robot.name], 1):
        joints[..., k] = np.clip(joints[..., k], low, high)
    feet = legs.foot_positions(joints)
    found = legs.joint_positions(feet)
    np.testing.assert_allclose(found, joints, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(legs.foot_positions(found), feet, rtol=0.0, atol=1e-14)


def course(legs: Legs) -> Callable[[float], np.ndarray]:
    """Return feet (l, 3) that move about the middle of what they reach."""
    knees = -1.2 if legs.names[0] == "front_left" else 1.2
    middle = legs.foot_positions(np.tile([0.1, -0.1 * knees, knees], (len(legs.names), 1)))
    phase = np.arange(3 * len(legs.names)).reshape(-1, 3)

    def at(t: float) -> np.ndarray:
        return middle + 0.02 * np.sin((1.0 + 0.1 * phase) * t + phase)

    return at


def test_velocities_and_accelerations_are_the_derivatives(robot: Model) -> None:
    legs = Legs(robot)
    feet = course(legs)
    for t in (0.0, 0.7, 2.1):
        rates = first_derivative(feet, t, 0.05), second_derivative(feet, t, 0.05)
        motion = legs.follow(feet(t), *rates)

        def hinges(s: float) -> np.ndarray:
            return legs.joint_positions(feet(s))

        np.testing.assert_allclose(motion.velocity, first_derivative(hinges, t, 0.05), atol=1e-8)
        np.testing.assert_allclose(
            motion.acceleration, second_derivative(hinges, t, 0.05), atol=1e-7
        )


def test_many_times_at_once_are_those_times_one_by_one(robot: Model) -> None:
    legs = Legs(robot)
    feet = np.array([course(legs)(t) for t in np.linspace(0.0, 3.0, 7)])
    rng = np.random.default_rng(3)
    rates = rng.normal(size=(2, *feet.shape))
    together = legs.follow(feet, *rates)
    for k in range(len(feet)):
        alone = legs.follow(feet[k], *rates[:, k])
        for one, all_of_them in zip(alone, together, strict=True):
            np.testing.assert_allclose(one, all_of_them[k], rtol=0.0, atol=1e-13)


def test_a_point_out_of_reach_is_refused_with_the_leg(robot: Model) -> None:
    legs = Legs(robot)
    feet = course(legs)(0.0)
    feet[1] *= 4.0
    with pytest.raises(OutOfReachError, match=r"the foot's point .* out of reach") as raised:
        legs.joint_positions(feet)
    assert raised.value.name == legs.names[1]


def test_a_point_inside_the_hip_is_refused() -> None:
    legs = Legs(load_model("quadruped"))
    feet = course(legs)(0.0)
    feet[0] = [0.28, 0.065, 0.0]
    with pytest.raises(OutOfReachError, match=r"'front_left'.* too near to the axis"):
        legs.joint_positions(feet)


def test_a_stretched_leg_has_positions_but_no_velocities() -> None:
    legs = Legs(load_model("quadruped"))
    feet = legs.foot_positions(np.tile([0.0, 0.0, -1e-10], (4, 1)))
    np.testing.assert_allclose(legs.joint_positions(feet), 0.0, atol=1e-6)
    with pytest.raises(OutOfReachError, match="lets it not move freely"):
        legs.follow(feet, np.zeros((4, 3)), np.zeros((4, 3)))


def test_a_robot_without_legs_is_refused(charmie: Model) -> None:
    with pytest.raises(UnsupportedError, match=r"links named 'LEG_foot', got 'charmie' without"):
        Legs(charmie)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('foot_joint" type="fixed"', 'foot_joint" type="prismatic"', "and a fixed one"),
        ('<axis xyz="0 0 1"/>', '<axis xyz="0 1 0"/>', "at right angles"),
        ('<axis xyz="0 0 1"/>', '<axis xyz="0 0.1 1"/>', "at right angles"),
    ],
)
def test_a_leg_of_another_kind_is_refused(old: str, new: str, words: str, tmp_path: Path) -> None:
    text = load_model("athena").tree.urdf
    assert old in text
    path = tmp_path / "robot.urdf"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    mechanisms = tmp_path / "robot.yaml"
    mechanisms.write_text("base_body: base_link\n", encoding="utf-8")
    with pytest.raises(UnsupportedError, match=words):
        Legs(load_model(path, mechanisms))
