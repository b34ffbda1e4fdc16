# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Odometry of Swedish wheels, and the efforts that drive them."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics import InputError, Model, ModelFileError, load_model
from charmie_dynamics.control import SwedishWheels, WheelDrive
from charmie_dynamics.errors import UnsupportedError
from charmie_dynamics.model.description.package_robots import model_files
from charmie_dynamics.model.description.robot import Roller
from charmie_dynamics.simulation import simulate

RADIUS = 0.1015
A_AND_B = 0.4  # m, half of track and wheelbase together
VELOCITIES = np.random.default_rng(3).uniform(-1.0, 1.0, size=(5, 3))


@pytest.fixture(scope="module")
def robot() -> Model:
    return load_model("charmie_wheeled")


@pytest.fixture(scope="module")
def wheels(robot: Model) -> SwedishWheels:
    return SwedishWheels(robot)


def with_rollers(model: Model, rollers: dict[str, Roller]) -> Model:
    return Model(model.tree, replace(model.mechanisms, rollers=rollers))


@pytest.mark.parametrize("velocity", VELOCITIES)
def test_rates_are_those_of_the_closed_form(wheels: SwedishWheels, velocity: np.ndarray) -> None:
    x, y, yaw = velocity
    turn = A_AND_B * yaw
    expected = np.array((y + x - turn, y - x + turn, y - x - turn, y + x + turn)) / RADIUS
    np.testing.assert_allclose(wheels.rates(velocity), expected, rtol=1e-12)


@pytest.mark.parametrize("velocity", VELOCITIES)
def test_rates_are_those_of_the_textbook(wheels: SwedishWheels, velocity: np.ndarray) -> None:
    """Siegwart, Nourbakhsh and Scaramuzza, section 3.2.3: alpha, beta, gamma; x is forward."""
    forward, left, yaw = velocity[1], -velocity[0], velocity[2]
    for k, (ahead, aside) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
        alpha, away = math.atan2(aside, ahead), 0.2 * math.sqrt(2.0)
        beta = 0.5 * math.pi - alpha  # the axle points to the left
        gamma = -aside * ahead * 0.25 * math.pi
        angle = alpha + beta + gamma
        rolled = (
            math.sin(angle) * forward - math.cos(angle) * left - away * math.cos(beta + gamma) * yaw
        )
        rate = rolled / (RADIUS * math.cos(gamma))
        assert wheels.rates(velocity)[k] == pytest.approx(rate, rel=1e-12)


@pytest.mark.parametrize("velocity", VELOCITIES)
def test_odometry_undoes_it(wheels: SwedishWheels, velocity: np.ndarray) -> None:
    rates = wheels.rates(velocity)
    np.testing.assert_allclose(wheels.base_velocity(rates), velocity, atol=1e-14)
    np.testing.assert_allclose(wheels.slip(rates), 0.0, atol=1e-13)
    one, two, three, four = rates
    closed = (
        one - two - three + four,
        one + two + three + four,
        (-one + two - three + four) / A_AND_B,
    )
    np.testing.assert_allclose(wheels.base_velocity(rates), 0.25 * RADIUS * np.array(closed))


def test_slip_is_what_no_motion_of_the_base_explains(wheels: SwedishWheels) -> None:
    rates = wheels.rates((0.2, 0.4, -0.3)) + np.array((0.8, 0.0, 0.0, 0.0))
    slip = wheels.slip(rates)
    assert np.abs(wheels.matrix.T @ slip).max() < 1e-12  # square to all motions: least squares
    np.testing.assert_allclose(slip, (0.2, 0.2, -0.2, -0.2), atol=1e-12)


def test_rollers_all_alike_leave_a_motion_unknown(robot: Model) -> None:
    alike = {name: Roller(0.25 * math.pi) for name in robot.mechanisms.rollers}
    with pytest.raises(UnsupportedError, match="4 wheels do not determine the motion"):
        SwedishWheels(with_rollers(robot, alike))


def test_robot_without_rollers_is_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"'charmie'.*got no rollers"):
        SwedishWheels(load_model())


def test_wrong_numbers_are_named(robot: Model, wheels: SwedishWheels) -> None:
    with pytest.raises(InputError, match=r"base_velocity.*3"):
        wheels.rates((0.0, 1.0))
    with pytest.raises(InputError, match=r"rates.*rear_left_wheel"):
        wheels.base_velocity((0.0, 1.0, math.nan, 0.0))
    with pytest.raises(InputError, match="gain"):
        WheelDrive(robot, (0.0, 0.1, 0.0), gain=-1.0)


ENTRY = "front_left_wheel: {angle: 0.7853981633974483}"
REFUSED = {
    "front_left_weel: {angle: 0.7}": r"'front_left_weel' is no link.*'front_left_wheel'",
    "base: {angle: 0.7}": r"'base' turns about no axle; expected a link on a revolute",
    "front_left_wheel: {angle: 0.0}": r"rollers\.front_left_wheel\.angle: expected an angle",
    "front_left_wheel: {angle: 1.8}": r"rollers\.front_left_wheel\.angle: 1\.8 is greater",
    "front_left_wheel: {}": r"'angle' is a required property",
    "front_left_wheel: {angle: 0.7, turn: 1}": r"unknown key 'turn'",
}


@pytest.mark.parametrize("entry", REFUSED)
def test_rollers_of_a_file_are_checked(tmp_path: Path, entry: str) -> None:
    urdf, mechanisms = model_files("charmie_wheeled", "")
    assert mechanisms is not None
    text = mechanisms.read_text(encoding="utf-8")
    assert text.count(ENTRY) == 1
    path = tmp_path / "mechanisms.yaml"
    path.write_text(text.replace(ENTRY, entry), encoding="utf-8")
    line = text[: text.index(ENTRY)].count("\n") + 1
    with pytest.raises(ModelFileError, match=f"line {line}: .*{REFUSED[entry]}"):
        load_model(urdf, path)


def test_driven_wheels_reach_their_rates_while_the_rest_keeps_its_pose(robot: Model) -> None:
    """In free space without gravity, where only the wheels' inertia has to be overcome."""
    free = Model(robot.tree, replace(robot.mechanisms, gravity=(0.0, 0.0, 0.0)))
    pose = free.zero_position()
    drive = WheelDrive(free, lambda time: (0.1, 0.2 * min(time / 0.1, 1.0), 0.0), pose=pose)
    run = simulate(free, pose, None, 0.2, drive, "rk4", 1e-3)
    places = [free.velocity_names.index(name) for name in drive.wheels.joint_names]
    np.testing.assert_allclose(
        run.velocity[-1, places], drive.wheels.rates((0.1, 0.2, 0.0)), rtol=1e-2
    )
    held = [free.position_names.index(name) for name in ("torso_actuator", "left_arm_joint_2")]
    assert np.abs(run.position[:, held] - pose[held]).max() < 2e-3


def test_no_effort_is_asked_of_what_has_no_drive(robot: Model) -> None:
    drive = WheelDrive(robot, (0.0, 5.0, 0.0), gain=10.0)
    position = robot.zero_position() + 0.01
    effort = dict(zip(robot.actuator_names, drive(0.0, position, np.full(36, 0.3)), strict=True))
    undriven = [name for name in effort if name.endswith(("_suspension_joint", "_roller_joint"))]
    assert [effort[name] for name in undriven] == [0.0] * 8
    assert [effort[name] for name in drive.wheels.joint_names] == [12.0] * 4  # rated
    assert effort["neck_pan_joint"] < 0.0  # back to its pose
