# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The base of a robot is put where its joints can have it."""

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics import InputError, Model, load_model
from charmie_dynamics.simulation.session.base_pose import (
    BaseMotion,
    base_frame,
    base_motion,
    put_base,
)


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model()


def turned(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize("angle", [0.0, 0.7, 3.0, np.pi, -2.5])
def test_pose_and_twist_are_reached(model: Model, angle: float) -> None:
    now = BaseMotion(model.zero_position(), np.linspace(-0.1, 0.1, 21))
    before = base_motion(model, now.position, now.velocity, 0.0 * now.velocity)
    place = before.position + np.array([1.0, -2.0, 0.0])
    rotation = turned(angle) @ before.rotation
    twist = np.array([0.2, 0.1, 0.0, 0.0, 0.0, -0.3])
    found = put_base(model, now, place, rotation, twist)
    after = base_motion(model, *found, 0.0 * now.velocity)
    np.testing.assert_allclose(after.position, place, atol=1e-9)
    np.testing.assert_allclose(after.rotation, rotation, atol=1e-9)
    np.testing.assert_allclose(np.append(after.velocity, after.angular_velocity), twist, atol=1e-9)
    np.testing.assert_array_equal(found.position[3:], now.position[3:])


@pytest.mark.parametrize(
    ("place", "twist", "text"),
    [([0.0, 0.0, 0.2], [0.0] * 6, "pose of the base.* 0.2 m"),
     ([0.0] * 3, [0.0, 0.0, 0.1, 0.0, 0.0, 0.0], "twist of the base.* 0.1 m")],
)  # fmt: skip
def test_what_the_joints_of_the_base_cannot_do_is_refused(
    model: Model, place: list[float], twist: list[float], text: str
) -> None:
    rest = model.zero_position()
    now = BaseMotion(rest, 0.0 * rest)
    before = base_motion(model, rest, 0.0 * rest, 0.0 * rest)
    with pytest.raises(InputError, match=text):
        put_base(model, now, before.position + place, before.rotation, np.array(twist))


def test_a_robot_on_a_fixed_base_can_stay_there_alone() -> None:
    scara = load_model("scara")
    rest = np.zeros(5)
    now = BaseMotion(rest, rest)
    before = base_motion(scara, rest, rest, rest)
    found = put_base(scara, now, before.position, before.rotation, np.zeros(6))
    np.testing.assert_array_equal(found.position, rest)
    with pytest.raises(InputError, match="none"):
        put_base(scara, now, before.position + 1.0, before.rotation, np.zeros(6))
    assert base_frame(scara) in scara.frame_names
