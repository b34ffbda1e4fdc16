# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Targets of position drives as commands of a simulated robot."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from charmie_dynamics import InputError, Model, UnknownNameError, load_model
from charmie_dynamics.model.description.files import share_file
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


def test_held_targets_stay_until_the_next_command(model: Model) -> None:
    session = Session(model, SessionSettings(input_timeout=0.2, hold_joint_commands=True))
    target = actuators(session)[SHOULDER][0] + 0.1
    effort = gravity(model, session)
    session.take_targets([SHOULDER], [target], [], [effort])
    assert session.commands is not None
    advance(session, 1000)
    assert session.commands.described() == "joint commands"
    assert actuators(session)[SHOULDER][0] == pytest.approx(target, abs=2e-3)
    session.take_efforts(np.zeros(21))
    advance(session, 201)
    assert session.commands.described() == "a constant pose"


def columns_of_commands(model: Model, *names: str) -> list[int]:
    return [model.actuator_names.index(name) for name in names]


def actuation(session: Session) -> Any:
    """Return the present actuation of the robot."""
    assert session.commands is not None
    position, velocity, _ = np.transpose([*actuators(session).values()])
    return session.commands.effort(session.now, position, velocity)


def test_commands_of_several_senders_apply_together(session: Session, model: Model) -> None:
    start = actuators(session)
    columns = columns_of_commands(model, SHOULDER, GRIPPER)
    session.take_targets([SHOULDER], [start[SHOULDER][0]], [0.4])
    advance(session, 50)
    session.take_targets([GRIPPER, SHOULDER], [-0.2, NAN], [], [0.02, NAN])
    target = actuation(session).target
    assert target.velocity[columns].tolist() == [0.4, 0.0]
    assert target.position[columns] == pytest.approx([start[SHOULDER][0] + 0.05 * 0.4, -0.2])
    efforts = np.full(21, NAN)
    efforts[columns[1]] = 0.03
    session.take_efforts(efforts)
    now = actuation(session)
    assert now.target.velocity[columns[0]] == 0.4 and now.effort[columns[1]] == 0.03
    assert now.target.stiffness[columns[1]] == 0.0


def test_the_command_of_each_actuator_ends_by_itself(session: Session, model: Model) -> None:
    start = actuators(session)
    columns = columns_of_commands(model, SHOULDER, GRIPPER)
    session.take_targets([SHOULDER], [start[SHOULDER][0]], [0.4])
    advance(session, 150)
    session.take_targets([GRIPPER], [-0.2])
    advance(session, 51)
    # held by the tracking of trajectories, without a drive
    assert (actuation(session).target.stiffness[columns] > 0.0).tolist() == [False, True]
    assert session.commands is not None
    held = actuators(session)[SHOULDER][0]
    advance(session, 148)
    assert session.commands.described() == "joint commands"
    assert actuators(session)[SHOULDER][0] == pytest.approx(held, abs=5e-3)
    advance(session, 2)
    assert session.commands.described() == "a constant pose"


def test_targets_of_some_actuators_leave_the_efforts_of_the_others(
    session: Session, model: Model
) -> None:
    efforts = np.linspace(-0.1, 0.1, 21)
    session.take_efforts(efforts)
    advance(session, 100)
    session.take_targets([GRIPPER], [-0.2])
    others = np.arange(21) != columns_of_commands(model, GRIPPER)[0]
    now = actuation(session)
    np.testing.assert_array_equal(now.effort[others], efforts[others])
    assert not now.target.stiffness[others].any()
    advance(session, 101)  # the efforts have ended
    assert session.commands is not None
    assert (actuation(session).effort != efforts)[others].all()
    assert session.commands.described() == "joint commands"


def test_a_message_without_any_value_changes_nothing(session: Session) -> None:
    session.take_targets([SHOULDER], [0.1], [0.4])
    before = actuation(session).target
    session.take_targets([SHOULDER, GRIPPER], [NAN, NAN])
    np.testing.assert_array_equal(actuation(session).target, before)


# a joint, and its command interfaces, as in a section of a URDF
INTERFACES = {
    SHOULDER: ("position", "velocity"),
    "left_arm_joint_3": ("effort",),
    "head_mimic": (),
    GRIPPER: ("position", "effort"),
}


@pytest.fixture(scope="module")
def controlled(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """CHARMIE with command interfaces of four joints, of which one mimics another."""
    joints = "".join(
        f"<joint name='{name}'>"
        + "".join(f"<command_interface name='{kind}'/>" for kind in kinds)
        + "</joint>"
        for name, kinds in INTERFACES.items()
    )
    mimic = f"""<link name="antenna"/><joint name="head_mimic" type="revolute">
    <parent link="head"/><child link="antenna"/><axis xyz="0 0 1"/><mimic joint="{GRIPPER}"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>"""
    text = share_file("urdf", "charmie.urdf").read_text()
    section = f"{mimic}<ros2_control name='all' type='system'>{joints}</ros2_control></robot>"
    path = tmp_path_factory.mktemp("robot") / "charmie.urdf"
    path.write_text(text.replace("</robot>", section))
    mechanisms = share_file("config", "charmie_mechanisms.yaml")
    return Session(load_model(path, mechanisms), SessionSettings())


def test_shorter_arrays_have_the_values_of_the_joints_with_the_interface(
    controlled: Session,
) -> None:
    controlled.reset()
    start = actuators(controlled)
    controlled.take_targets([*INTERFACES], [1.0, -0.2], [0.3], [1.5, 0.02])
    assert controlled.commands is not None
    robot = controlled.system.robot
    assert robot is not None
    position, velocity, _ = np.transpose([*start.values()])
    effort, _, target = controlled.commands.effort(0, position, velocity)
    assert target is not None
    columns = [robot.model.actuator_names.index(n) for n in INTERFACES if n != "head_mimic"]
    assert target.position[columns].tolist() == [1.0, 0.0, -0.2]
    assert target.velocity[columns].tolist() == [0.3, 0.0, 0.0]
    assert (target.stiffness[columns] > 0.0).tolist() == [True, False, True]
    assert effort[columns].tolist() == [0.0, 1.5, 0.02]


def test_values_of_mimic_joints_are_ignored(controlled: Session) -> None:
    controlled.reset()
    controlled.take_targets([*INTERFACES], [1.0, NAN, 0.7, -0.2])
    assert controlled.commands is not None and controlled.system.robot is not None
    target, model = actuation(controlled).target, controlled.system.robot.model
    columns = columns_of_commands(model, SHOULDER, GRIPPER)
    assert target.position[columns].tolist() == [1.0, -0.2]
    with pytest.raises(UnknownNameError, match="actuator 'lift_joint' is unknown"):
        controlled.take_targets(["lift_joint"], [0.1])  # moved by a linear actuator


@pytest.mark.parametrize(
    ("parts", "fault", "text"),
    [
        (([1.0], [], []), InputError, "4 values of position or none, got 1; .* declares 2"),
        (([], [], [0.0] * 3), InputError, "4 values of effort or none, got 3"),
    ],
)
def test_arrays_that_fit_no_joints_are_refused(
    controlled: Session, parts: Any, fault: type, text: str
) -> None:
    with pytest.raises(fault, match=text):
        controlled.take_targets([*INTERFACES], *parts)


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
        (
            [SHOULDER],
            ([], [1e308], []),
            InputError,
            "velocity of .* of at most 3000, 1000 times",
        ),
        ([SHOULDER], ([], [-1e4], []), InputError, "1000 times the rated one, got -10000"),
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
