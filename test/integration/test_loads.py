# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Payloads and pushes that the real node is told of, and trajectories that it is asked about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import InertiaStamped, WrenchStamped
from graph import Checker
from node_process import Process, start_dynamics_node
from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from rclpy.parameter import Parameter
from rclpy.qos import QoSDurabilityPolicy, QoSProfile
from robot_inputs import ACTUATORS, Inputs, pose
from small_robots import GRAVITY, tension, write_slide
from small_robots import MASS as SLIDE_MASS
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from charmie_dynamics import Model
from charmie_dynamics.model.loads import Payload, Wrench

NAMESPACE = "loaded"
PREFIX = "r/"
MASS, COM = 1.5, (0.02, -0.01, 0.08)
INERTIA = (0.004, 0.001, -0.0005, 0.006, 0.0007, 0.005)
FULL = ((0.004, 0.001, -0.0005), (0.001, 0.006, 0.0007), (-0.0005, 0.0007, 0.005))
SHOULDER = "left_arm_joint_2"


@pytest.fixture(scope="module")
def node(folder: Path) -> Iterator[Process]:
    parameters = {"frame_prefix": PREFIX, "input_timeout": 0.5}
    with start_dynamics_node(folder, parameters, namespace=NAMESPACE) as node:
        yield node


class Told(Checker):
    """A checker that also tells of loads and asks about trajectories."""

    def __init__(self) -> None:
        super().__init__(("actuator_efforts", "/diagnostics"), namespace=NAMESPACE)
        node = self.node
        self.payload = node.create_publisher(InertiaStamped, "payload/left", 10)
        self.wrench = node.create_publisher(WrenchStamped, "external_wrench", 10)
        self.trajectory = node.create_publisher(JointTrajectory, "trajectory", 10)
        self.assumed: list[InertiaStamped] = []
        self.verdicts: list[DiagnosticArray] = []
        self.efforts: list[JointTrajectory] = []
        latched = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
        node.create_subscription(
            InertiaStamped, "assumed_payload/left", self.assumed.append, latched
        )
        node.create_subscription(DiagnosticArray, "trajectory_verdict", self.verdicts.append, 10)
        node.create_subscription(JointTrajectory, "trajectory_efforts", self.efforts.append, 10)

    def set_parameter(self, name: str, value: Any) -> SetParametersResult:
        parameter = Parameter(name, value=value).to_parameter_msg()
        request = SetParameters.Request(parameters=[parameter])
        return self.call(SetParameters, "charmie_dynamics/set_parameters", request).results[0]


def set_payloads(checker: Checker, **values: Any) -> SetParametersResult:
    parameters = [Parameter(k, value=v).to_parameter_msg() for k, v in values.items()]
    request = SetParametersAtomically.Request(parameters=parameters)
    return checker.call(SetParametersAtomically, "set_payloads", request).result


@pytest.fixture(scope="module")
def checker(node: Process) -> Iterator[Told]:
    with Told() as checker:
        checker.wait_for(lambda: checker.assumed, "what is assumed")
        for publisher in (checker.payload, checker.wrench, checker.trajectory):
            checker.wait_for(publisher.get_subscription_count, publisher.topic)
        yield checker


def efforts(inputs: Inputs, number: int = 1) -> np.ndarray:
    return np.array(
        inputs.cycle(pose(number), topics=("actuator_efforts",))["actuator_efforts"].effort
    )


def expected(model: Model, *loads: Any, number: int = 1) -> np.ndarray:
    return (
        model.with_loads(*loads).compute([pose(number)[name] for name in ACTUATORS]).actuator_effort
    )


def payload_message(mass: float, frame: str = "") -> InertiaStamped:
    message = InertiaStamped()
    message.header.frame_id = frame
    inertia = message.inertia
    inertia.m = mass
    if mass:
        inertia.com.x, inertia.com.y, inertia.com.z = COM
        inertia.ixx, inertia.ixy, inertia.ixz, inertia.iyy, inertia.iyz, inertia.izz = INERTIA
    return message


def tell(checker: Told, message: InertiaStamped) -> None:
    """Send a payload and wait until it is assumed."""
    checker.assumed.clear()
    checker.payload.publish(message)
    checker.wait_for(lambda: checker.assumed, "what is assumed")


def test_a_payload_that_is_told_enters_the_efforts(
    checker: Told, inputs: Inputs, model: Model
) -> None:
    tell(checker, payload_message(MASS, PREFIX + "left_tool"))
    found = efforts(inputs)
    tell(checker, payload_message(0.0))
    load = {"left_tool": Payload(MASS, COM, FULL)}
    np.testing.assert_allclose(found, expected(model, load), atol=1e-6)


def test_what_is_assumed_is_published(checker: Told) -> None:
    tell(checker, payload_message(MASS))
    found = checker.assumed[-1]
    tell(checker, payload_message(0.0))
    assert found.header.frame_id == PREFIX + "left_tool"
    assert found.inertia == payload_message(MASS).inertia


def test_a_payload_in_another_frame_is_refused(checker: Told, node: Process) -> None:
    checker.assumed.clear()
    checker.payload.publish(payload_message(MASS, "somewhere"))
    node.wait_for_output("payload/left: message refused: expected the frame 'r/left_tool'")
    assert checker.assumed == []


def test_a_payload_may_be_a_parameter(checker: Told, inputs: Inputs, model: Model) -> None:
    checker.assumed.clear()
    assert checker.set_parameter("payload_right", [MASS, *COM]).successful
    found = efforts(inputs)
    assert checker.set_parameter("payload_right", [0.0]).successful
    load = {"right_tool": Payload(MASS, COM)}
    np.testing.assert_allclose(found, expected(model, load), atol=1e-6)


@pytest.mark.parametrize(
    ("value", "reason"),
    [([-1.0], "mass: expected a positive number"), ([1.0, 2.0], "expected 1, 4 or 10 numbers")],
)
def test_a_parameter_that_is_no_payload_is_refused(
    checker: Told, value: list[float], reason: str
) -> None:
    result = checker.set_parameter("payload_right", value)
    assert not result.successful and reason in result.reason


def test_the_service_tells_of_several_payloads_at_once(
    checker: Told, inputs: Inputs, model: Model
) -> None:
    assert set_payloads(checker, left=[MASS, *COM, *INERTIA], right=2).successful
    found = efforts(inputs)
    assert set_payloads(checker, left=0.0, right=[0]).successful
    loads = {"left_tool": Payload(MASS, COM, FULL), "right_tool": Payload(2.0)}
    np.testing.assert_allclose(found, expected(model, loads), atol=1e-6)
    np.testing.assert_allclose(efforts(inputs), expected(model), atol=1e-6)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (-1.0, "'right': payload: mass: expected a positive number"),
        ([1.0, 2.0], "'right': payload: expected 1, 4 or 10 numbers, got 2"),
        ("heavy", "payload 'right': expected a number, or 1, 4 or 10 in an array"),
        (None, "payload 'right': expected a number, or 1, 4 or 10 in an array"),
    ],
)
def test_the_service_refuses_all_of_a_request_with_the_reason(
    checker: Told, inputs: Inputs, model: Model, value: Any, reason: str
) -> None:
    result = set_payloads(checker, left=MASS, right=value)
    assert not result.successful and reason in result.reason, result.reason
    np.testing.assert_allclose(efforts(inputs), expected(model), atol=1e-6)


def test_the_service_refuses_a_payload_without_a_link_and_names_the_others(checker: Told) -> None:
    result = set_payloads(checker, left=MASS, rigth=MASS)
    assert not result.successful
    assert "payload 'rigth'" in result.reason and "right" in result.reason


def test_the_service_takes_a_payload_for_which_there_is_no_parameter(
    folder: Path, tmp_path: Path
) -> None:
    urdf, mechanisms = write_slide(tmp_path)
    with Path(mechanisms).open("a") as file:
        file.write("payload_links:\n  hook: carriage\n")
    with start_dynamics_node(folder, {"model": urdf, "mechanisms": mechanisms}):
        with Checker(("actuator_efforts",)) as checker:
            assert set_payloads(checker, hook=MASS).successful
            cycle = Inputs(checker).cycle({"slide_joint": 0.3}, topics=("actuator_efforts",))
    found = cycle["actuator_efforts"].effort
    assert found == pytest.approx([(SLIDE_MASS + MASS) * GRAVITY + tension(0.3)])


def push(checker: Told, frame: str = PREFIX + "right_tool") -> None:
    message = WrenchStamped()
    message.header.frame_id = frame
    message.wrench.force.x, message.wrench.torque.z = 5.0, -0.5
    checker.wrench.publish(message)


def is_described(checker: Told, words: str) -> bool:
    statuses = [s for array in checker.received["/diagnostics"] for s in array.status]
    return any(words in value.key for status in statuses for value in status.values)


def test_a_push_enters_the_efforts_until_it_is_stale(
    checker: Told, inputs: Inputs, model: Model
) -> None:
    wrench = {"right_tool": Wrench((5.0, 0.0, 0.0), (0.0, 0.0, -0.5))}
    pushed, alone = expected(model, None, wrench), expected(model)

    def found(now: np.ndarray) -> bool:
        return bool(np.allclose(efforts(inputs), now, atol=1e-6))

    checker.wait_for(lambda: push(checker) or found(pushed), "the push")
    checker.received["/diagnostics"].clear()
    doing = lambda: push(checker)  # noqa: E731
    checker.wait_for(lambda: is_described(checker, "wrench on right_tool"), "it", doing=doing)
    checker.wait_for(lambda: found(alone), "the end of the push")


def test_a_push_on_what_is_no_link_is_refused(checker: Told, node: Process) -> None:
    push(checker, "nowhere")
    node.wait_for_output("external_wrench: message refused: expected the frame of a link")


def ask(checker: Told, *points: float, joint: str = SHOULDER, seconds: float = 3.0) -> Any:
    """Ask about a motion of one joint; return the verdict."""
    message = JointTrajectory(joint_names=[joint])
    message.header.stamp.sec = len(checker.verdicts) + 7
    for k, position in enumerate(points):
        point = JointTrajectoryPoint(positions=[position])
        point.time_from_start.sec, rest = divmod(round(1e9 * k * seconds), 10**9)
        point.time_from_start.nanosec = rest
        message.points.append(point)
    count = len(checker.verdicts)
    checker.trajectory.publish(message)
    checker.wait_for(lambda: len(checker.verdicts) > count, "the verdict")
    assert checker.verdicts[-1].header == message.header
    return checker.verdicts[-1].status[0]


def test_a_trajectory_within_the_limits_is_approved(checker: Told, inputs: Inputs) -> None:
    start = pose(1)[SHOULDER]
    efforts(inputs)
    status = ask(checker, start, start + 0.1)
    assert status.level == DiagnosticStatus.OK
    assert status.hardware_id == "charmie"
    assert "within all limits" in status.message


def test_efforts_at_its_first_point_are_those_of_the_pose(
    checker: Told, inputs: Inputs, model: Model
) -> None:
    """A motion so slow that its accelerations do not count."""
    start = pose(1)[SHOULDER]
    efforts(inputs)
    count = len(checker.efforts)
    ask(checker, start, start + 0.01, seconds=1000.0)
    checker.wait_for(lambda: len(checker.efforts) > count, "the efforts")
    message = checker.efforts[-1]
    assert tuple(message.joint_names) == ACTUATORS
    np.testing.assert_allclose(message.points[0].effort, expected(model), atol=1e-5)


def test_a_trajectory_that_is_too_fast_is_warned_of_by_name(checker: Told, inputs: Inputs) -> None:
    start = pose(1)[SHOULDER]
    efforts(inputs)
    status = ask(checker, start, start + 1.0, seconds=0.05)
    assert status.level == DiagnosticStatus.WARN
    assert f"{SHOULDER}: velocity" in status.message


def test_a_trajectory_of_an_unknown_joint_is_answered_with_the_reason(
    checker: Told, inputs: Inputs
) -> None:
    efforts(inputs)
    status = ask(checker, 0.0, 0.1, joint="left_arm_jont_2")
    assert status.level == DiagnosticStatus.ERROR
    assert "'left_arm_jont_2'" in status.message and SHOULDER in status.message


def test_without_inputs_nobody_knows_where_the_robot_is(checker: Told, inputs: Inputs) -> None:
    checker.wait_for(
        lambda: "the state of the robot is unknown" in ask(checker, 0.0, 0.1).message,
        "stale inputs",
        rate=2.0,
    )
