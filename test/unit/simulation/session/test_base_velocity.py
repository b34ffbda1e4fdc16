# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Velocities of the base as commands of a simulated robot, on base joints and on wheels."""

from __future__ import annotations

import math

import numpy as np
import pytest

from charmie_dynamics import InputError, load_model
from charmie_dynamics.simulation import load_world
from charmie_dynamics.simulation.session.entity_changes import entity_motion
from charmie_dynamics.simulation.session.session import Session
from charmie_dynamics.simulation.session.settings import SessionSettings
from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem

TWIST = [0.3, 0.1, 0.0, 0.0, 0.0, 0.4]
SHOULDER = "left_arm_joint_2"
HOLDS, DRIVES = "a constant pose", "a constant pose and a velocity of the base"


def system_of(name: str) -> SimulatedSystem:
    if name == "charmie":
        return SimulatedSystem.alone(load_model())
    return SimulatedSystem.of_world(load_world(name))


@pytest.fixture(scope="module", params=["charmie", "charmie_wheeled"])
def session(request: pytest.FixtureRequest) -> Session:
    # a wheel slips on its rollers, above all while it accelerates
    return Session(system_of(request.param), SessionSettings(input_timeout=0.2, imu=False))


@pytest.fixture(autouse=True)
def at_the_start(session: Session) -> None:
    session.reset()


def advance(session: Session, seconds: float) -> None:
    end = session.now + round(1e9 * seconds)
    while session.now < end:
        session.advance(10_000)


def drive(session: Session, seconds: float, twist: list[float] = TWIST) -> None:
    """Command a velocity ten times a second."""
    for _ in range(round(10.0 * seconds)):
        session.take_velocity(twist)
        advance(session, 0.1)


def velocity(session: Session) -> np.ndarray:
    """Return the true velocity of the base in its own axes: along x and y, about z."""
    robot = session.system.robot
    assert robot is not None
    motion = entity_motion(session, robot.name)
    x, y, _ = motion.velocity @ motion.rotation
    return np.array([x, y, motion.angular_velocity[2]])


def in_force(session: Session) -> str:
    assert session.commands is not None
    return session.commands.described()


def test_the_base_drives_in_its_own_axes_and_then_stops_smoothly(session: Session) -> None:
    drive(session, 1.0)
    np.testing.assert_allclose(velocity(session), [0.3, 0.1, 0.4], atol=0.01)
    assert in_force(session) == DRIVES
    speeds = []
    for _ in range(60):
        advance(session, 0.01)
        speeds.append(velocity(session)[2])
    # it ends 0.1 s after the last step of `drive`, then slows down by 1 rad/s^2; rollers yield
    np.testing.assert_allclose(speeds[:9], 0.4, atol=0.01)
    assert np.abs(np.diff(speeds)).max() < 0.025
    assert abs(speeds[-1]) < 0.01
    before = entity_motion(session, session.system.entity_names[-1]).position
    advance(session, 0.3)
    after = entity_motion(session, session.system.entity_names[-1]).position
    np.testing.assert_allclose(after, before, atol=1e-3)


def test_faster_velocities_keep_their_direction_up_to_the_rated_rates(session: Session) -> None:
    drive(session, 3.0, [30.0, 15.0, 0.0, 0.0, 0.0, 0.0])
    x, y, _ = velocity(session)
    robot = session.system.robot
    assert robot is not None
    rated = np.array([limit.velocity for limit in robot.model.actuator_limits()])
    rates = np.abs(session.velocity[robot.columns.velocity])
    assert y / x == pytest.approx(0.5, abs=0.02)
    assert 0.98 < (rates / rated).max() < 1.02


@pytest.mark.parametrize("twist", [[math.nan] * 6, [0.1] * 3, [0.1] * 5 + [math.inf]])
def test_a_velocity_that_cannot_be_used_leaves_the_active_one(
    session: Session, twist: list[float]
) -> None:
    with pytest.raises(InputError, match="cmd_vel"):
        session.take_velocity(twist)
    assert in_force(session) == HOLDS
    drive(session, 0.5)
    before = velocity(session)
    with pytest.raises(InputError, match="cmd_vel"):
        session.take_velocity(twist)
    advance(session, 0.05)
    np.testing.assert_allclose(velocity(session), before, atol=0.1)


def test_a_robot_without_a_base_refuses_velocities() -> None:
    session = Session(load_model("scara"), SessionSettings())
    with pytest.raises(
        InputError, match="base joints that move its base_body, or with Swedish wheels"
    ):
        session.take_velocity(TWIST)


def test_the_arms_keep_their_commands_while_the_base_drives(session: Session) -> None:
    robot = session.system.robot
    assert robot is not None
    column = robot.model.actuator_names.index(SHOULDER)
    session.take_velocity(TWIST)
    session.take_targets([SHOULDER], [], [], [1.5])
    advance(session, 0.1)
    assert session.sample().effort[robot.columns.effort[column]] == 1.5
    assert in_force(session) == "joint commands and a velocity of the base"
    np.testing.assert_allclose(velocity(session), [0.075, 0.025, 0.1], atol=0.01)


def test_efforts_of_some_actuators_leave_the_base_to_its_velocity(session: Session) -> None:
    robot = session.system.robot
    assert robot is not None
    column = robot.model.actuator_names.index(SHOULDER)
    efforts = np.full(len(robot.model.actuator_names), np.nan)
    efforts[column] = 1.5
    session.take_velocity(TWIST)
    for _ in range(10):
        session.take_efforts(efforts)
        advance(session, 0.01)
    assert session.sample().effort[robot.columns.effort[column]] == 1.5
    np.testing.assert_allclose(velocity(session), [0.075, 0.025, 0.1], atol=0.01)
    advance(session, 0.2)  # the timeout
    assert not in_force(session).startswith("joint commands")


def test_the_newest_command_of_the_base_applies(session: Session) -> None:
    robot = session.system.robot
    assert robot is not None
    base = [name for name in robot.model.actuator_names if "base" in name or "wheel_" in name]
    commands = (
        lambda: session.take_targets(base[:1], [], [0.0]),
        lambda: session.take_efforts(np.zeros(len(robot.model.actuator_names))),
    )
    for command in commands:
        session.take_velocity(TWIST)
        assert in_force(session).endswith("a velocity of the base")
        command()
        assert not in_force(session).endswith("a velocity of the base")
    session.take_velocity(TWIST)
    assert in_force(session) == "effort commands and a velocity of the base"
    session.reset()
    assert in_force(session) == HOLDS


def test_joints_of_the_base_hold_the_place_that_they_reached() -> None:
    session = Session(system_of("charmie"), SessionSettings(input_timeout=0.2))
    drive(session, 1.0)
    reached = session.position[1]
    session.take_targets(["base_x_joint"], [session.position[0]])
    advance(session, 0.15)
    assert session.position[1] == pytest.approx(reached, abs=0.01)


def test_the_same_velocities_give_the_same_bits(session: Session) -> None:
    found = set()
    for chunk in (1, 7, 50):
        session.reset()
        session.take_velocity(TWIST)
        while session.steps < 50:
            session.advance(min(chunk, 50 - session.steps))
        found.add(session.position.tobytes())
    assert len(found) == 1
