# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Targets of position drives as commands of a simulated robot."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from charmie_dynamics import InputError, Model, UnknownNameError, load_model
from charmie_dynamics.simulation import load_world
from charmie_dynamics.simulation.session.session import Session
from charmie_dynamics.simulation.session.settings import SessionSettings
from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem

SHOULDER, GRIPPER = "left_arm_joint_2", "left_gripper_joint"
NAN = math.nan


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model()


@pytest.fixture(scope="module", params=["charmie", "kitchen"])
def session(request: pytest.FixtureRequest, model: Model) -> Session:
    system = SimulatedSystem.alone(model)
    if request.param == "kitchen":
        system = SimulatedSystem.of_world(load_world("kitchen", 1))
    return Session(system, SessionSettings(input_timeout=0.2))


@pytest.fixture(autouse=True)
def at_the_start(session: Session) -> None:
    session.reset()


def advance(session: Session, steps: int) -> None:
    end = session.steps + steps
    while session.steps < end:
        session.advance(end - session.steps)


def actuators(session: Session) -> Any:
    """Return position, velocity and effort of all actuators by name."""
    robot = session.system.robot
    assert robot is not None
    columns, now = robot.columns, session.sample()
    rows = now.position[columns.position], now.velocity[columns.velocity]
    values = zip(*rows, now.effort[columns.effort], strict=True)
    return dict(zip(robot.model.actuator_names, values, strict=True))


def gravity(model: Model, session: Session) -> float:
    position = [each[0] for each in actuators(session).values()]
    return float(model.compute(position).actuator_effort[model.actuator_names.index(SHOULDER)])


def test_a_target_is_followed_with_its_velocity_and_the_others_hold(
    session: Session, model: Model
) -> None:
    start = actuators(session)
    effort = gravity(model, session)
    session.take_targets([SHOULDER], [start[SHOULDER][0]], [0.4], [effort])
    advance(session, 150)
    moved = actuators(session)
    # critically damped drives lag behind for 2 / w at most, here 23 ms
    assert start[SHOULDER][0] + 0.4 * (0.15 - 0.023) < moved[SHOULDER][0]
    assert moved[SHOULDER][0] < start[SHOULDER][0] + 0.4 * 0.15 + 1e-3
    assert moved[SHOULDER][1] == pytest.approx(0.4, abs=0.01)
    for name in (f"right_arm_joint_{k}" for k in range(1, 7)):
        assert moved[name][0] == pytest.approx(start[name][0], abs=2e-4)


def test_targets_end_after_the_timeout_and_the_pose_is_held(session: Session) -> None:
    start = actuators(session)[SHOULDER][0]
    session.take_targets([SHOULDER], [start], [0.4])
    assert session.commands is not None
    advance(session, 199)
    assert session.commands.described() == "joint commands"
    advance(session, 301)
    assert session.commands.described() == "a constant pose"
    end = actuators(session)[SHOULDER]
    advance(session, 100)
    assert actuators(session)[SHOULDER][0] == pytest.approx(end[0], abs=1e-3)
    assert end[0] < start + 0.1


def test_an_effort_without_a_position_acts_alone(session: Session) -> None:
    session.take_targets([SHOULDER, GRIPPER], [NAN, NAN], [], [1.5, -0.02])
    advance(session, 1)
    now = actuators(session)
    assert now[SHOULDER][2] == 1.5 and now[GRIPPER][2] == -0.02


def test_a_velocity_without_a_position_damps(session: Session) -> None:
    speeds = []
    for velocity in ([], [0.0]):
        session.reset()
        session.take_targets([GRIPPER], [NAN], velocity, [-0.05])
        advance(session, 20)
        speeds.append(abs(actuators(session)[GRIPPER][1]))
    assert speeds[1] < 0.5 * speeds[0]


def test_targets_stop_at_the_ends_of_the_range(session: Session, model: Model) -> None:
    column = model.actuator_names.index(SHOULDER)
    upper = model.actuator_limits()[column].upper
    session.take_targets([SHOULDER], [upper - 0.01], [5.0])
    assert session.commands is not None
    advance(session, 100)
    position, velocity, _ = np.transpose([*actuators(session).values()])
    actuation = session.commands.effort(session.now, position, velocity)
    assert actuation.target is not None
    assert actuation.target.position[column] == upper
    assert actuation.target.velocity[column] == 0.0


def test_the_next_command_replaces_the_targets(session: Session) -> None:
    session.take_targets([SHOULDER], [actuators(session)[SHOULDER][0] + 0.1])
    advance(session, 10)
    efforts = np.linspace(-0.1, 0.1, 21)
    session.take_efforts(efforts)
    advance(session, 1)
    np.testing.assert_array_equal([each[2] for each in actuators(session).values()], efforts)


def test_a_command_between_the_same_steps_gives_the_same_bits(session: Session) -> None:
    found = set()
    for chunk in (1, 7, 50):
        session.reset()
        session.take_targets([SHOULDER, GRIPPER], [0.1, NAN], [0.3, 0.0], [2.0, 0.01])
        while session.steps < 50:
            advance(session, min(chunk, 50 - session.steps))
        found.add(session.position.tobytes())
    assert len(found) == 1


@pytest.mark.parametrize(
    ("names", "parts", "fault", "text"),
    [
        ([], ([], [], []), InputError, "at least one actuator"),
        (["elbow"], ([0.0], [], []), UnknownNameError, "actuator 'elbow' is unknown"),
        ([SHOULDER] * 2, ([0.0] * 2, [], []), InputError, "repeated"),
        ([SHOULDER], ([0.0] * 2, [], []), InputError, "1 values of position or none, got 2"),
        ([SHOULDER], ([math.inf], [], []), InputError, "finite position or NaN"),
        ([SHOULDER], ([], [], [-math.inf]), InputError, "finite effort or NaN"),
    ],
)
def test_commands_that_cannot_be_used_leave_the_active_one(
    session: Session, names: list[str], parts: Any, fault: type, text: str
) -> None:
    assert session.commands is not None
    session.take_targets([SHOULDER], [0.1])
    with pytest.raises(fault, match=text):
        session.take_targets(names, *parts)
    assert session.commands.described() == "joint commands"
    session.reset()
    with pytest.raises(fault, match=text):
        session.take_targets(names, *parts)
    assert session.commands.described() == "a constant pose"
