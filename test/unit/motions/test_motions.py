# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from differences import first_derivative

from charmie_dynamics import CharmieError, Model, UnknownNameError, load_model
from charmie_dynamics.motions import GAITS, MOTION_NAMES, make_motion

OF_CHARMIE = [name for name in MOTION_NAMES if name not in GAITS]


def test_motion_of_the_multibody_paper_is_that_of_the_reference(
    charmie: Model, reference: Path
) -> None:
    motion = make_motion("paper_5s", charmie)
    samples = json.loads((reference / "motion_5s.json").read_text(encoding="utf-8"))["samples"]
    assert motion.duration == 5.0
    keys = [
        ("joint_position", "actuator_length"),
        ("joint_velocity", "actuator_rate"),
        ("joint_acceleration", "actuator_acceleration"),
    ]
    for k, sample in enumerate(samples):
        if k == 25:  # the acceleration changes its sign here
            continue
        for got, (joints, actuators) in zip(motion.at(0.1 * k), keys, strict=True):
            values = {**sample["input"][joints], **sample["input"][actuators]}
            expected = [values[name] for name in charmie.actuator_names]
            np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-11)


def test_motion_of_the_multibody_paper_ends_at_rest(charmie: Model) -> None:
    motion = make_motion("paper_5s", charmie)
    np.testing.assert_allclose(motion.at(5.0)[1], 0.0, atol=1e-15)
    assert motion.at(9.0)[0].tolist() == motion.at(5.0)[0].tolist()
    assert motion.at(-1.0)[0].tolist() == motion.at(0.0)[0].tolist()


def test_motion_of_the_forward_kinematics_paper_is_steady(charmie: Model) -> None:
    motion = make_motion("paper_20s", charmie)
    assert motion.duration == 20.0
    position, velocity, acceleration = (
        dict(zip(charmie.actuator_names, values, strict=True)) for values in motion.at(8.0)
    )
    expected = {
        "base_x_joint": (0.04, 0.005),
        "base_yaw_joint": (8.0 * math.pi / 36.0, math.pi / 36.0),
        "lift_actuator": (0.44, 0.005),
        "torso_actuator": (0.37, 0.0025),
        "right_arm_joint_6": (8.0 * math.pi / 36.0, math.pi / 36.0),
        "neck_pan_joint": (8.0 * math.pi / 72.0, math.pi / 72.0),
        "neck_tilt_joint": (8.0 * math.pi / 72.0, math.pi / 72.0),
    }
    for name, values in expected.items():
        assert (position[name], velocity[name]) == pytest.approx(values, rel=1e-14)
    assert set(acceleration.values()) == {0.0}


def test_motion_of_the_forward_kinematics_paper_moves_the_lift_as_the_reference_says(
    charmie: Model, reference: Path
) -> None:
    motion = make_motion("paper_20s", charmie)
    samples = json.loads((reference / "motion_20s.json").read_text(encoding="utf-8"))["samples"]
    for sample in samples[::8]:
        state = charmie.kinematics(*motion.at(sample["time"]))
        for joint in ("lift_joint", "torso_joint"):
            k = charmie.joint_names.index(joint)
            got = [state.joint_position[k], state.joint_velocity[k], state.joint_acceleration[k]]
            np.testing.assert_allclose(got, sample[joint], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", OF_CHARMIE)
def test_velocity_and_acceleration_are_the_derivatives(charmie: Model, name: str) -> None:
    motion = make_motion(name, charmie)
    for t in (0.7, 1.9, 3.3, 4.4):
        _, velocity, acceleration = motion.at(t)
        for order, got in ((0, velocity), (1, acceleration)):
            numeric = first_derivative(lambda x, order=order: motion.at(x)[order], t, 0.02)
            np.testing.assert_allclose(got, numeric, rtol=1e-9, atol=1e-10)


def test_wave_stays_within_the_limits_and_below_the_rated_velocities(
    charmie: Model, crane: Model
) -> None:
    for model in (charmie, crane):
        motion = make_motion("wave", model)
        samples = [motion.at(t) for t in np.linspace(0.0, motion.duration, 2001)]
        position, velocity, _ = (np.array(x) for x in zip(*samples, strict=True))
        for i, limit in enumerate(model.actuator_limits()):
            assert limit.lower < position[:, i].min() <= position[:, i].max() < limit.upper
            assert np.abs(velocity[:, i]).max() < limit.velocity


def test_wave_moves_every_actuator(charmie: Model, crane: Model) -> None:
    for model in (charmie, crane):
        motion = make_motion("wave", model)
        position = np.array([motion.at(t)[0] for t in np.linspace(0.0, motion.duration, 201)])
        assert (np.ptp(position, axis=0) > 1e-3).all()


def test_wave_moves_a_robot_without_rated_velocities(tmp_path: Path) -> None:
    path = tmp_path / "unrated.urdf"
    path.write_text(re.sub(r'velocity="[^"]*"', 'velocity="0"', load_model("scara").tree.urdf))
    model = load_model(path)
    assert not any(limit.velocity for limit in model.actuator_limits())
    motion = make_motion("wave", model)
    position = np.array([motion.at(t)[0] for t in np.linspace(0.0, motion.duration, 201)])
    assert (np.ptp(position, axis=0) > 1e-3).all()


def test_wave_closes_on_itself(charmie: Model) -> None:
    motion = make_motion("wave", charmie)
    for start, end in zip(motion.at(0.0), motion.at(motion.duration), strict=True):
        np.testing.assert_allclose(start, end, atol=1e-12)


def test_unknown_motion_is_refused_with_the_nearest_name(charmie: Model) -> None:
    with pytest.raises(UnknownNameError, match=r"'paper_5' is unknown; did you mean 'paper_5s'"):
        make_motion("paper_5", charmie)


@pytest.mark.parametrize("name", ["paper_5s", "paper_20s", "workday"])
def test_motion_of_charmie_needs_that_robot(crane: Model, name: str) -> None:
    with pytest.raises(CharmieError, match=rf"'{name}' needs the actuator '.*crane"):
        make_motion(name, crane)
