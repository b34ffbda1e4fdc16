# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Bridge and dynamics node beside a robot that publishes transforms of its own."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from geometry_msgs.msg import PointStamped, TransformStamped
from graph import Checker, stamp_of, to_time
from node_process import start_dynamics_node, start_node
from own_topics import ARM_ENTRIES, Robot, arm_message
from rclpy.qos import QoSDurabilityPolicy, QoSProfile
from robot_inputs import named
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage
from tf2_ros import Buffer, TransformException

from charmie_dynamics import Model, load_model

OK = b"\x00"


def dedent_by_four(text: str) -> str:
    return "".join(f"{line[4:]}\n" for line in text.splitlines())


# as the page about the robot has it, indented by four
DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "robot.md").read_text(encoding="utf-8")
BASE_FROM_TF = DOCUMENT[DOCUMENT.index("      base:\n        topic: /tf\n") :].split("\n\n")[0]
BESIDE = f"""
sources:
  legs:
    topic: /own/legs
    type: geometry_msgs/msg/PointStamped
    joints:
      legs_joint: {{field: point.x, unit: m, quantum: 0.001}}
      torso_joint: {{field: point.y, unit: deg, offset: -0.15708, quantum: 1.0}}
      neck_pan_joint: {{field: point.z, unit: deg}}
      neck_tilt_joint: {{field: point.z, unit: deg, sign: -1}}
  arm:
    topic: /own/joint_states
    type: sensor_msgs/msg/JointState
    joints:
{ARM_ENTRIES}
{dedent_by_four(BASE_FROM_TF)}"""
X, Y, YAW = 1.5, -0.75, 2.0
LEGS, TORSO = 0.05, 20.0
PERIOD = 50_000_000  # ns, 20 Hz
RATE = 100.0  # Hz, at which the samples of 20 Hz are sent here


@pytest.fixture(scope="module")
def lar() -> Model:
    return load_model("charmie_lar")


class Beside:
    """Bridge and dynamics node beside a robot that publishes TF of its own, base from that TF."""

    def __init__(self, checker: Checker) -> None:
        self.checker = checker
        self.robot = Robot(checker)
        latched = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
        self._tf = checker.node.create_publisher(TFMessage, "/tf", 100)
        self._static = checker.node.create_publisher(TFMessage, "/tf_static", latched)
        # as tf2_ros static_transform_publisher: hangs the node's tree on the robot's
        self._static.publish(TFMessage(transforms=[transform(0, "odom", "dynamics/odom")]))
        self.stamp = time.time_ns()

    def send(self, legs: float = LEGS) -> int:
        """Publish the next sample of all of the robot's topics."""
        self.stamp += PERIOD
        odom = transform(self.stamp, "odom", "base_link", X, Y, 0.05, YAW)
        legs_frame = transform(self.stamp, "base_link", "legs_link", z=0.335 + legs)
        self._tf.publish(TFMessage(transforms=[odom, legs_frame]))
        message = PointStamped()
        message.header.stamp = to_time(self.stamp)
        message.point.x, message.point.y = legs, TORSO
        self.robot.legs.publish(message)
        self.robot.arm.publish(arm_message(self.stamp))
        return self.stamp


def transform(
    stamp: int,
    parent: str,
    child: str,
    x: float = 0.0,
    y: float = 0.0,
    z: float = 0.0,
    yaw: float = 0.0,
) -> TransformStamped:
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id, message.header.stamp = parent, to_time(stamp)
    translation, rotation = message.transform.translation, message.transform.rotation
    translation.x, translation.y, translation.z = x, y, z
    rotation.z, rotation.w = math.sin(0.5 * yaw), math.cos(0.5 * yaw)
    return message


@pytest.fixture(scope="module")
def beside(folder: Path) -> Iterator[Beside]:
    config = folder / "beside.yaml"
    config.write_text(BESIDE)
    topics = ("actuator_efforts", "base_wrench", "/tf", "/tf_static", "/diagnostics")
    node = {"model": "charmie_lar", "frame_prefix": "dynamics/"}
    silent = {"model": "charmie_lar", "publish_tf": False}
    with (
        start_node("bridge_node", folder, {"config": str(config)}, namespace="dynamics") as bridge,
        start_node("dynamics_node", folder, silent, namespace="dynamics", name="silent") as other,
        start_dynamics_node(folder, node, namespace="dynamics"),
        Checker(topics, namespace="dynamics") as checker,
    ):
        bridge.wait_for_output("' bridged: ")
        other.wait_for_output("' ready: ")
        robot = Beside(checker)
        received = checker.received
        checker.wait_for(
            lambda: (
                frames(received["/tf"]) > {"base_link", "dynamics/xarm_link6"}
                and received["/tf_static"]
                and {m.header.frame_id for m in received["base_wrench"]}
                == {"base_link", "dynamics/base_link"}
            ),
            "transforms of both, wrenches of both nodes",
            doing=robot.send,
            rate=RATE,
        )
        yield robot


def frames(messages: list[TFMessage]) -> set[str]:
    return {t.child_frame_id for message in messages for t in message.transforms}


def test_no_frame_has_two_parents_beside_the_robots_own_transforms(beside: Beside) -> None:
    received = beside.checker.received
    parents: dict[str, set[str]] = {}
    for message in (*received["/tf"], *received["/tf_static"]):
        for one in message.transforms:
            parents.setdefault(one.child_frame_id, set()).add(one.header.frame_id)
    assert {child: each for child, each in parents.items() if len(each) > 1} == {}
    robots = {child for child in parents if not child.startswith("dynamics/")}
    assert robots == {"base_link", "legs_link"}


def test_frames_of_node_and_robot_meet_in_one_tree(beside: Beside) -> None:
    """The base that the bridge took from the robot's TF is where the robot's TF has it."""
    beside.checker.wait_for(
        lambda: all(
            coincide(beside.checker.received, robot, node)
            for robot, node in (
                ("base_link", "dynamics/base_link"),
                ("legs_link", "dynamics/legs_link"),
            )
        ),
        "the frames of robot and node in the same places",
        doing=beside.send,
        rate=10.0,
    )


def coincide(received: dict[str, list[TFMessage]], robot: str, node: str) -> bool:
    """Tell whether the newest transforms put two frames in one place, by tf2."""
    buffer = Buffer()
    for message in received["/tf_static"]:
        for one in message.transforms:
            buffer.set_transform_static(one, "test")
    latest = {one.child_frame_id: one for m in received["/tf"] for one in m.transforms}
    for one in latest.values():
        one.header.stamp = to_time(1_000_000_000)
        buffer.set_transform(one, "test")
    try:
        found = buffer.lookup_transform(robot, node, to_time(0)).transform
    except TransformException:  # a transform between them has not arrived
        return False
    offset = found.translation
    distance = math.hypot(offset.x, offset.y, offset.z)
    return distance < 1e-6 and abs(abs(found.rotation.w) - 1.0) < 1e-9


def test_neither_node_warns_of_the_robots_transforms(beside: Beside) -> None:
    for name in ("charmie_dynamics: graph", "silent: graph"):
        status = beside.checker.wait_for_status(
            name, lambda status, _: True, "a status of the graph", doing=beside.send, rate=RATE
        )
        assert status.level == OK, status.message


def test_without_transforms_frames_have_the_robots_names(beside: Beside) -> None:
    wrenches = beside.checker.received["base_wrench"]
    assert "base_link" in {message.header.frame_id for message in wrenches}


def test_a_ramp_of_millimetre_steps_shakes_the_lift_by_less_than_two_percent(
    beside: Beside, lar: Model
) -> None:
    """Against the efforts of the same ramp without steps; its start is included."""
    start, speed, count = 0.03, 0.02, 100
    checker = beside.checker
    received = checker.received["actuator_efforts"]
    expected: dict[int, float] = {}
    sent = iter([start] * 60 + [start + speed * 0.05 * k for k in range(count)])

    def send() -> None:
        exact = next(sent, None)
        if exact is not None:
            expected[beside.send(round(exact, 3))] = exact

    def efforts() -> dict[int, JointState]:
        return {stamp_of(m): m for m in received if stamp_of(m) in expected}

    checker.wait_for(
        lambda: len(efforts()) >= 0.95 * (60 + count), "the efforts", doing=send, rate=RATE
    )
    shakes, mean = [], []
    for stamp, message in sorted(efforts().items())[55:]:
        exact = expected[stamp]
        at = dict(zip(message.name, message.position, strict=True))
        length, rate, acceleration = lar.actuator_from_joint(
            "legs_joint", exact, speed if exact > start else 0.0
        )
        at["lift_actuator"] = length
        row = lar.actuator_names.index("lift_actuator")
        velocity, change = [0.0] * len(at), [0.0] * len(at)
        velocity[row], change[row] = rate, acceleration
        state = lar.compute([at[n] for n in lar.actuator_names], velocity, change)
        effort = float(state.actuator_effort[row])
        shakes.append(abs(named(message)["lift_actuator"] - effort))
        mean.append(effort)
    assert max(shakes) < 0.02 * sum(mean) / len(mean)
