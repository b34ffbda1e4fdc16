# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The simulator beside the dynamics node: commands in, efforts estimated, runs repeated."""

from __future__ import annotations

import hashlib
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import WrenchStamped
from graph import Checker, refusing_node, stamp_of
from node_process import start_dynamics_node, start_node
from rclpy.parameter import Parameter
from robot_inputs import ACTUATORS, LENGTHS
from sensor_msgs.msg import JointState
from simulator_client import OK, PAUSED, PLAYING, SAMPLES, STOPPED, SimulatorClient, bits
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from charmie_dynamics.ros.process.declaring import ParameterError
from charmie_dynamics.ros.simulator.parameters import declare_parameters

SHOULDER = ACTUATORS.index("left_arm_joint_2")
SETTLE = 0.1  # s, in which a command on its way arrives


SIMULATOR_PARAMETERS = {"paused": True, "angle_noise": 1e-5, "velocities": "difference", "seed": 7}


HEARD = (*SAMPLES, "/clock", "/diagnostics")


pytestmark = pytest.mark.usefixtures("paused")


def trajectory(*points: tuple[float, float], names: tuple[str, ...] = ("left_arm_joint_2",),
               stamp: float = 0.0) -> JointTrajectory:  # fmt: skip
    """Return points (time, position) for each name."""
    message = JointTrajectory(joint_names=list(names))
    message.header.stamp.sec = int(stamp)
    for time, position in points:
        point = JointTrajectoryPoint(positions=[position] * len(names))
        point.time_from_start = Duration(sec=int(time), nanosec=round(1e9 * math.fmod(time, 1.0)))
        message.points.append(point)
    return message


def wrench(frame: str, z: float) -> WrenchStamped:
    message = WrenchStamped()
    message.header.frame_id = frame
    message.wrench.force.z = z
    return message


def tell(client: SimulatorClient, publisher: Any, message: Any) -> None:
    """Publish a command and let it arrive."""
    publisher.publish(message)
    client.spin(SETTLE)


def stepped(client: SimulatorClient, steps: int, samples: int) -> Any:
    """Make steps; return the newest true sample, of so many since the start of the test."""
    assert client.step(steps).result == OK
    return client.wait_for_samples("ground_truth/actuators", samples)[-1].points[0]


def test_joint_states_and_lengths_have_the_actuators_with_efforts(client: SimulatorClient) -> None:
    stepped(client, 10, 1)
    joints, lengths = (client.wait_for_samples(t, 1)[0] for t in SAMPLES[:2])
    assert tuple(lengths.name) == LENGTHS
    assert {*joints.name, *lengths.name} == set(ACTUATORS)
    assert stamp_of(joints) == stamp_of(lengths) == 10_000_000
    for message in (joints, lengths):
        assert len(message.velocity) == len(message.effort) == len(message.name)


def test_efforts_act_from_the_next_step_on_and_are_forgotten(client: SimulatorClient) -> None:
    efforts = np.linspace(-0.5, 0.5, 21)
    tell(client, client.efforts, Float64MultiArray(data=efforts.tolist()))
    np.testing.assert_array_equal(stepped(client, 10, 1).effort, efforts)
    np.testing.assert_array_equal(stepped(client, 490, 50).effort, efforts)
    assert np.abs(np.array(stepped(client, 10, 51).effort) - efforts).max() > 1.0


def test_efforts_beyond_the_rated_ones_are_limited(client: SimulatorClient, model: Any) -> None:
    tell(client, client.efforts, Float64MultiArray(data=[1e6] * 21))
    rated = [limit.effort or 1e6 for limit in model.actuator_limits()]
    np.testing.assert_allclose(stepped(client, 10, 1).effort, rated)


def test_a_trajectory_is_followed_and_its_end_is_held(client: SimulatorClient) -> None:
    start = stepped(client, 10, 1).positions[SHOULDER]
    tell(client, client.trajectories, trajectory((0.5, start + 0.2), (1.0, start - 0.1)))
    assert stepped(client, 500, 51).positions[SHOULDER] == pytest.approx(start + 0.2, abs=2e-3)
    end = stepped(client, 1000, 151)
    assert end.positions[SHOULDER] == pytest.approx(start - 0.1, abs=1e-4)
    assert abs(end.velocities[SHOULDER]) < 1e-3


def test_a_joint_that_a_linear_actuator_moves_can_be_told_itself(
    client: SimulatorClient, model: Any
) -> None:
    tell(client, client.trajectories, trajectory((0.5, 0.05), names=("torso_joint",)))
    end = stepped(client, 1000, 100)
    joints = model.compute(np.array(end.positions)).joint_position
    assert joints[model.joint_names.index("torso_joint")] == pytest.approx(0.05, abs=1e-4)


def test_targets_of_drives_are_followed_and_expire(client: SimulatorClient, model: Any) -> None:
    commands = client.node.create_publisher(JointState, "joint_commands", 10)
    client.wait_for(commands.get_subscription_count, "the subscription")
    start = np.array(stepped(client, 10, 1).positions)
    effort = float(model.compute(start).actuator_effort[SHOULDER])
    target = JointState(name=["left_arm_joint_2"], position=[start[SHOULDER]],
                        velocity=[0.3], effort=[effort])  # fmt: skip
    for _ in range(5):  # best effort: the simulator may not have found the publisher yet
        tell(client, commands, target)
    moved = np.array(stepped(client, 400, 41).positions) - start
    assert 0.3 * (0.4 - 0.05) < moved[SHOULDER] < 0.3 * 0.4 + 1e-3
    assert np.abs(np.delete(moved, SHOULDER)).max() < 0.01
    client.wait_for_status(
        "charmie_simulator: simulator",
        lambda status, values: values["in force"] == "joint commands",
        "joint commands in force",
    )
    end = stepped(client, 700, 111)  # 0.5 s after the command the pose is held
    assert abs(end.velocities[SHOULDER]) < 0.01
    client.wait_for_status(
        "charmie_simulator: simulator",
        lambda status, values: "joint_commands" in status.message and "'knee'" in status.message,
        "the refusal",
        doing=lambda: commands.publish(JointState(name=["knee"], position=[0.0])),
        rate=2.0,
    )


def test_a_wrench_moves_what_it_pushes(client: SimulatorClient) -> None:
    before = np.array(stepped(client, 10, 1).positions)
    tell(client, client.wrenches, wrench("left_tool", -30.0))
    pushed = np.abs(np.array(stepped(client, 100, 11).positions) - before)
    assert pushed[SHOULDER] > 1e-4
    assert pushed[ACTUATORS.index("right_arm_joint_2")] < 0.5 * pushed[SHOULDER]


REFUSED = {
    "too few efforts": ("efforts", Float64MultiArray(data=[0.0] * 20), "expected shape (21,)"),
    "efforts that are not finite": ("efforts", Float64MultiArray(data=[math.nan] * 21), "finite"),
    "an unknown joint": ("trajectories", trajectory((1.0, 0.1), names=("elbow",)), "'elbow'"),
    "times that do not increase": ("trajectories", trajectory((1.0, 0.1), (0.5, 0.1)), "increase"),
    "a position that is not finite": ("trajectories", trajectory((1.0, math.inf)), "finite"),
    "a length out of reach": (
        "trajectories", trajectory((1.0, 3.0), names=("lift_actuator",)), "out of reach"),
    "a wrench on nothing": ("wrenches", wrench("elbow", 1.0), "frame of a link"),
    "a wrench that is not finite": ("wrenches", wrench("left_tool", math.inf), "finite"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_is_said_and_leaves_the_command_in_force(
    client: SimulatorClient, case: str
) -> None:
    start = stepped(client, 10, 1).positions[SHOULDER]
    tell(client, client.trajectories, trajectory((0.5, start + 0.1)))
    publisher, message, text = REFUSED[case]
    client.wait_for_status(
        ": simulator",
        lambda status, _: status.level == DiagnosticStatus.WARN and text in status.message,
        f"a warning with '{text}'",
        doing=lambda: getattr(client, publisher).publish(message),
        rate=2.0,
    )
    end = stepped(client, 600, 61)
    assert end.positions[SHOULDER] == pytest.approx(start + 0.1, abs=1e-3)


def digest_of(client: SimulatorClient, count: int) -> str:
    """Return a hash of all that was published of so many samples."""
    for topic in (*SAMPLES, "/clock"):
        client.wait_for_samples(topic, count)
    found = hashlib.sha256()
    for topic in (*SAMPLES, "/clock"):
        assert len(client.received[topic]) == count
        for message in client.received[topic]:
            found.update(repr(bits(message)).encode())
    return found.hexdigest()


def test_ten_resets_give_the_same_run_bit_for_bit(client: SimulatorClient) -> None:
    """Whatever was called before, in an order that a seed has drawn."""
    draw = random.Random(11)
    digests = set()
    for _ in range(10):
        for _ in range(draw.randint(0, 3)):
            what = draw.choice(["play", "pause", "step", "stop", "effort", "reset"])
            if what in ("play", "pause", "stop"):
                client.set_state({"play": PLAYING, "pause": PAUSED, "stop": STOPPED}[what])
            elif what == "step":
                client.step(draw.randint(1, 40))  # or is refused
            elif what == "reset":
                client.reset(draw.choice([0, 1, 2, 255]))
            else:
                client.efforts.publish(Float64MultiArray(data=[draw.uniform(-1, 1)] * 21))
            client.spin(0.02 * draw.random())
        client.set_state(PAUSED)
        client.spin(SETTLE)
        assert client.reset().result == OK
        client.drain()
        client.forget()
        client.step(30)
        tell(client, client.trajectories, trajectory((0.2, 1.3)))
        client.step(25)
        tell(client, client.wrenches, wrench("right_tool", 5.0))
        client.step(50)
        tell(client, client.efforts, Float64MultiArray(data=[0.1] * 21))
        client.step(45)
        digests.add(digest_of(client, 15))
    assert len(digests) == 1


def test_a_robot_that_falls_out_of_reach_pauses_and_says_why(folder: Path) -> None:
    parameters = {"idle": "free", "joint_stops": False}
    with start_node("simulator_node", folder, parameters, namespace="falling") as process:
        process.wait_for_output("paused: at")
        assert "lift_actuator" in process.output() and "reset the simulation" in process.output()
        with SimulatorClient(("/diagnostics",), namespace="falling") as client:
            assert client.state() == PAUSED
            client.wait_for_status(
                "falling/charmie_simulator: simulator",
                lambda status, _: status.level == DiagnosticStatus.ERROR,
                "an error",
            )
            assert client.reset().result == OK
            client.wait_for_status(
                "falling/charmie_simulator: simulator",
                lambda status, _: status.level == DiagnosticStatus.OK,
                "no error any more",
            )


def test_the_dynamics_node_estimates_what_holds_the_robot(folder: Path, model: Any) -> None:
    """On simulated time, from the inputs of a robot that stands."""
    with (
        start_node("simulator_node", folder, namespace="beside"),
        start_dynamics_node(folder, {"use_sim_time": True}, namespace="beside"),
        Checker(("actuator_efforts",), namespace="beside", name="other") as checker,
    ):
        received = checker.received["actuator_efforts"]
        checker.wait_for(lambda: len(received) > 50, "cycles", timeout=60.0)
    last = received[-1]
    expected = model.compute(np.array(last.position)).actuator_effort
    np.testing.assert_allclose(last.effort, expected, atol=1e-4)
    assert 0 < stamp_of(last) < 120_000_000_000


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"world": "kitchen.yaml"}, "kitchen.yaml"),
        ({"world": "athena", "robot": "athina"}, "Valid: athena"),
        ({"motion": "wawe"}, "wave"),
    ],
)
def test_parameters_that_cannot_be_used_end_the_simulator(
    folder: Path, parameters: dict[str, Any], text: str
) -> None:
    with start_node("simulator_node", folder, parameters, namespace="refused") as process:
        assert process.wait(60.0) == 1
        assert text in process.output() and "Traceback" not in process.output()


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"world": "athena", "model": "scara"}, "model"),
        ({"robot": "athena"}, "robot"),
        ({"step": 0.5}, "step"),
        ({"idle": "hang"}, "Valid: hold"),
        ({"spede": 1.0}, "speed"),
        ({"seed": -2}, "seed"),
        ({"world_frame": ""}, "world_frame"),
    ],
)
def test_parameters_that_cannot_be_used_are_refused(parameters: dict[str, Any], text: str) -> None:
    given = [Parameter(name, value=value) for name, value in parameters.items()]
    with refusing_node(*given) as node, pytest.raises(ParameterError, match=text):
        declare_parameters(node)
