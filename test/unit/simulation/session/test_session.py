# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A robot that is played: the same run after each reset, commands from the next step on."""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from charmie_dynamics import InputError, Model, Payload, UnknownNameError, Wrench, load_model
from charmie_dynamics.demo.simulated import write_simulated_robot
from charmie_dynamics.errors import CharmieError, MassMatrixError
from charmie_dynamics.model.reading import read_model
from charmie_dynamics.motions import Trajectory, make_motion
from charmie_dynamics.simulation.session.base_pose import base_motion
from charmie_dynamics.simulation.session.messages import SampleMessages
from charmie_dynamics.simulation.session.sensors import SimulatedSample
from charmie_dynamics.simulation.session.session import PlayState, Session
from charmie_dynamics.simulation.session.settings import SessionSettings
from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem, start_position

SCARA_SETTINGS = {"joint_stops": False, "limit_efforts": False}


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model()


def wrench(link: str, x: float) -> Any:
    """Return what a message holds that pushes a link along x."""
    force, torque = SimpleNamespace(x=x, y=0.0, z=0.0), SimpleNamespace(x=0.0, y=0.0, z=0.0)
    return SimpleNamespace(
        header=SimpleNamespace(frame_id=link), wrench=SimpleNamespace(force=force, torque=torque)
    )


def advanced(session: Session, steps: int) -> list[SimulatedSample]:
    """Advance by steps and return all that was told."""
    end, told = session.steps + steps, []
    while session.steps < end:
        told.append(session.advance(end - session.steps))
    return told


def digest(session: Session, messages: SampleMessages, commands: list[tuple[int, Any]]) -> str:
    """Return a hash of all messages of 200 steps, with commands before some of them."""
    found = hashlib.sha256()
    for at, command in [*commands, (200, lambda: None)]:
        for told in advanced(session, at - session.steps):
            for topic, message in messages.filled(told):
                found.update(topic.name.encode() + bytes(message))
        command()
    return found.hexdigest()


def test_ten_resets_give_the_same_bits_whatever_came_before(model: Model) -> None:
    settings = SessionSettings(
        rate=200.0, angle_noise=1e-4, length_resolution=1e-5, velocities="difference", seed=3,
        sensor_delay=0.007,
    )  # fmt: skip
    session = Session(model, settings)
    messages = SampleMessages(SimulatedSystem.alone(model), "odom", "", settings)
    random = np.random.default_rng(5)
    down = start_position(model)[None]
    down[0, 6] -= 0.05
    move = Trajectory(model.actuator_names, np.array([0.1]), down)

    def commands() -> list[tuple[int, Any]]:
        return [
            (13, lambda: session.take_trajectory(move)),
            (58, lambda: session.take_wrench(wrench("left_tool", 4.0))),
            (97, lambda: session.take_efforts(np.linspace(-1.0, 1.0, 21))),
        ]

    digests = set()
    for _ in range(10):
        digests.add(digest(session, messages, commands()))
        for _ in range(int(random.integers(0, 4))):  # anything may happen before a reset
            what = random.choice(["step", "play", "pause", "efforts", "noise"])
            if what == "step":
                advanced(session, int(random.integers(1, 30)))
            elif what == "efforts":
                session.take_efforts(random.uniform(-1.0, 1.0, 21))
            elif what in ("play", "pause"):
                getattr(session, what)()
        session.reset()
    assert len(digests) == 1


def test_another_seed_gives_other_measurements_of_the_same_motion(model: Model) -> None:
    told = []
    for seed in (1, 2):
        session = Session(model, SessionSettings(angle_noise=1e-3, seed=seed))
        told.append(session.advance(10))
    first, second = told
    assert not np.array_equal(first.measured.position, second.measured.position)
    np.testing.assert_array_equal(first.true.position, second.true.position)


def test_efforts_act_from_the_next_step_on_and_end_after_the_timeout(scara: Model) -> None:
    settings = SessionSettings(rate=1000.0, input_timeout=0.005, idle="free", **SCARA_SETTINGS)
    session = Session(scara, settings)
    advanced(session, 3)
    effort = np.array([0.3, -0.2, 0.1, 5.0, 0.02])
    session.take_efforts(effort)
    applied = [told.true.effort for told in advanced(session, 7)]
    np.testing.assert_array_equal(applied, [effort] * 5 + [np.zeros(5)] * 2)


def test_without_commands_the_robot_stays_where_it_is(model: Model) -> None:
    session = Session(model, SessionSettings())
    begin = session.position.copy()
    advanced(session, 100)
    assert np.abs(session.position - begin).max() < 1e-9


@pytest.mark.parametrize(
    ("efforts", "text"),
    [
        ([0.0] * 4, r"expected shape \(5,\), got \(4,\)"),
        ([0.0, 0.0, float("inf"), 0.0, 0.0], "finite"),
        ([float("nan")] * 5, "finite"),
        ([[0.0] * 5], "shape"),
        (["x"] * 5, "expected numbers"),
    ],
)
def test_efforts_that_cannot_be_used_leave_those_in_force(
    scara: Model, efforts: Any, text: str
) -> None:
    session = Session(scara, SessionSettings(rate=1000.0, **SCARA_SETTINGS))
    session.take_efforts([0.1] * 5)
    with pytest.raises(InputError, match=text):
        session.take_efforts(efforts)
    np.testing.assert_array_equal(session.advance(1).true.effort, [0.1] * 5)


def test_a_wrench_pushes_until_the_timeout(scara: Model) -> None:
    settings = SessionSettings(rate=1000.0, input_timeout=0.004, idle="free", **SCARA_SETTINGS)
    session, still = Session(scara, settings), Session(scara, settings)
    for each in (session, still):
        each.put([0.1, 0.2, -0.4, 0.3, 0.1], np.zeros(5))
    assert session.take_wrench(wrench("tool", 3.0)) == "tool"
    pushed = [told.true.acceleration for told in advanced(session, 6)]
    free = [told.true.acceleration for told in advanced(still, 6)]
    differences = [np.abs(a - b).max() for a, b in zip(pushed, free, strict=True)]
    assert min(differences[:3]) > 100.0 * differences[5]
    with pytest.raises(InputError, match="frame of a link, got 'nowhere'"):
        session.take_wrench(wrench("nowhere", 1.0))
    with pytest.raises(InputError):
        session.take_wrench(wrench("tool", float("inf")))


def test_the_loads_of_the_model_stay_in_force(scara: Model) -> None:
    """Beside wrenches that are taken, also on the same link."""
    settings = SessionSettings(rate=1000.0, idle="free", **SCARA_SETTINGS)
    payload, push = {"tool": Payload(0.5)}, Wrench((0.0, 1.0, 0.0))
    session = Session(scara.with_loads(payload, {"tool": push}), settings)
    session.put([0.1, 0.2, -0.4, 0.3, 0.1], np.zeros(5))
    session.take_wrench(wrench("tool", 3.0))
    (sample,) = advanced(session, 1)
    loaded = scara.with_loads(payload, {"tool": Wrench((3.0, 1.0, 0.0))})
    expected = loaded.forward(sample.true.position, sample.true.velocity, np.zeros(5))
    np.testing.assert_allclose(sample.true.acceleration, expected.acceleration, rtol=1e-9)


def test_a_robot_that_cannot_be_advanced_stays_before_that_step(model: Model) -> None:
    settings = SessionSettings(idle="free", joint_stops=False, rate=50.0)
    ends = []
    for size in (1, 20):
        session = Session(model, settings)
        session.play()
        with pytest.raises(CharmieError):
            while session.steps < 3000:
                session.advance(size)
        assert session.state is PlayState.PAUSED
        assert "lift_actuator" in session.fault and " s: " in session.fault
        ends.append((session.steps, session.position.tobytes()))
        with pytest.raises(CharmieError):  # it would fail again
            session.advance(1)
        session.reset()
        assert not session.fault
        session.advance(20)
    assert ends[0] == ends[1]


def test_samples_keep_their_grid_after_a_reset_that_keeps_the_time(scara: Model) -> None:
    session = Session(scara, SessionSettings(**SCARA_SETTINGS))
    period = session.settings.steps_per_sample
    session.advance(3)
    session.reset(time=False)
    assert session.steps == 3
    told = advanced(session, 2 * period)
    stamps = [each.true.stamp for each in told if each.true is not None]
    assert stamps == [
        period * session.settings.step_nanoseconds,
        2 * period * session.settings.step_nanoseconds,
    ]


def test_where_it_is_put_it_is_held(model: Model) -> None:
    session = Session(model, SessionSettings())
    position = session.position.copy()
    position[0] += 0.7
    session.put(position, np.zeros(21))
    advanced(session, 50)
    assert session.position[0] == pytest.approx(position[0], abs=1e-9)
    with pytest.raises(CharmieError):
        session.put(np.full(21, 9.0), np.zeros(21))
    assert session.position[0] == pytest.approx(position[0], abs=1e-9)


def test_a_motion_is_followed_closely_from_its_first_moment_on(model: Model) -> None:
    """In full swing: at rest the robot would have to jump onto it."""
    session = Session(model, SessionSettings(motion="wave"))
    motion = make_motion("wave", model)
    for _ in range(2):
        np.testing.assert_array_equal(session.velocity, motion.at(0.0)[1])
        told = [t.true for t in advanced(session, 500) if t.true is not None]
        for sample in told:
            position, velocity, _ = motion.at(sample.stamp * 1e-9)
            assert np.abs(position - sample.position).max() < 2e-4
            assert np.abs(velocity - sample.velocity).max() < 2e-3
        session.reset()


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"idle": "hang"}, "hang"),
        ({"step": 0.0}, "step"),
        ({"rate": float("nan")}, "rate"),
        ({"motion": "wawe"}, "wave"),
        ({"angle_noise": -1.0}, "angle_noise"),
        ({"seed": -1}, "seed"),
        ({"velocities": ""}, "velocities"),
    ],
)
def test_settings_that_cannot_be_used_are_named(given: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError, match=text):
        SessionSettings(**given)


def test_a_joint_without_mass_is_named(tmp_path: Path) -> None:
    links = (
        '<link name="base"/><link name="arm"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<link name="tip"/>'
    )
    joints = "".join(
        f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        '<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
        for name, parent, child in (("shoulder", "base", "arm"), ("wrist", "arm", "tip"))
    )
    file = tmp_path / "light.urdf"
    file.write_text(f'<robot name="light">{links}{joints}</robot>')
    with pytest.raises(MassMatrixError, match="'wrist'"):
        Session(SimulatedSystem.alone(load_model(file)), SessionSettings())


def test_friction_of_light_joints_leaves_no_alternating_velocity(tmp_path: Path) -> None:
    robot = read_model(*write_simulated_robot(tmp_path))
    session = Session(robot, SessionSettings(motion="wave"))
    assert session.parts[0] > 1 and "the friction of 'left_arm_joint_5' needs" in session.parts[1]
    samples = [told.true for told in advanced(session, 3000) if told.true is not None]
    step = np.diff([sample.stamp * 1e-9 for sample in samples])[:, None]
    velocity = np.array([sample.velocity for sample in samples])
    mean = np.diff([sample.position for sample in samples], axis=0) / step
    assert np.abs(mean - 0.5 * (velocity[1:] + velocity[:-1])).max() < 0.01


def test_an_unknown_joint_leaves_the_motion_alone(model: Model) -> None:
    session = Session(model, SessionSettings())
    with pytest.raises(UnknownNameError, match="left_arm_joint_2"):
        session.take_trajectory(Trajectory(["left_arm_jont_2"], np.array([1.0]), np.array([[1.0]])))
    assert session.commands.described() == "a constant pose"


FREE = """<robot name="box"><link name="world"/>
<link name="body"><inertial><mass value="1"/>
<inertia ixx="0.1" iyy="0.2" izz="0.3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="arm"><inertial><origin xyz="0 0 0.1"/><mass value="0.2"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="free" type="floating"><parent link="world"/><child link="body"/></joint>
<joint name="hinge" type="revolute"><parent link="body"/><child link="arm"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" effort="3" velocity="3"/></joint></robot>"""


def test_a_robot_on_a_floating_base_falls_and_tells_its_actuators_alone(tmp_path: Path) -> None:
    path = tmp_path / "box.urdf"
    path.write_text(FREE, encoding="utf-8")
    box = load_model(urdf=path)
    session = Session(box, SessionSettings())
    told = advanced(session, 100)[-1]
    assert told.measured.position.shape == (1,)
    height = told.true.position[box.position_names.index("free/z")]
    assert height == pytest.approx(-0.5 * 9.81 * 0.1**2, rel=1e-6)
    with pytest.raises(InputError, match="coordinates have actuators"):
        session.take_trajectory(Trajectory(["hinge"], np.array([1.0]), np.array([[0.2]])))


def test_a_robot_whose_loops_close_is_moved_by_the_efforts_of_its_actuators() -> None:
    delta = load_model("delta")
    session = Session(delta, SessionSettings())
    held = delta.compute(session.position).actuator_effort
    for _ in range(5):
        session.take_efforts(held)
        told = advanced(session, 10)[-1]
        # at rest it moves by round-off, which opens the loops by as much
        delta.compute(session.position, session.velocity)
        moves = base_motion(delta, session.position, session.velocity, session.acceleration)
        assert np.abs(moves.velocity).max() < 1e-9
    assert told.measured.position.shape == (3,)
    assert np.abs(told.measured.position).max() < 1e-6
    np.testing.assert_allclose(told.true.effort, held)
