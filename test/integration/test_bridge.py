# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The bridge between a robot's own topics and the dynamics node, on a real graph.

The messages of the robot's own package are not there: standard types come through the same file.
"""

from __future__ import annotations

import math
import time
from array import array
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from geometry_msgs.msg import PointStamped
from graph import Checker, stamp_of, to_time
from launch import LaunchContext
from launch.utilities import perform_substitutions
from launch_descriptions import commands, describe
from node_process import Process, child_environment, start_node
from own_topics import ARM, ARM_ENTRIES, Robot, arm_message
from robot_inputs import named
from sensor_msgs.msg import JointState
from std_msgs.msg import Float32, Float64, Float64MultiArray

from charmie_dynamics import Model, load_model
from charmie_dynamics.live.bridge.configuration import parse_bridge
from charmie_dynamics.live.monitors import START_TIME
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.ros.inputs.bridge_source import BridgeSource
from charmie_dynamics.ros.inputs.message_types import load_type, require_fields, stamp_path

OK, WARN, ERROR = b"\x00", b"\x01", b"\x02"
CONFIG = f"""
sources:
  torso:
    topic: /own/torso
    type: std_msgs/msg/Float64MultiArray
    joints:
      torso_joint: {{field: 'data[1]', unit: deg, offset: -0.15708, quantum: 1.0}}
  legs:
    topic: /own/legs
    type: geometry_msgs/msg/PointStamped
    joints:
      legs_joint: {{field: point.x, unit: m, quantum: 0.001}}
  neck:
    topic: /own/neck
    type: robot_that_is_elsewhere/msg/Neck
    joints:
      neck_tilt_joint: {{field: tilt, unit: deg, sign: -1}}
  pan:
    topic: /own/pan
    type: installed_later/msg/Angle
    joints:
      neck_pan_joint: {{field: data, unit: deg}}
  sideways:
    topic: /own/sideways
    type: std_msgs/msg/Float64
    joints:
      base_y_joint: {{field: data}}
  arm:
    topic: /own/joint_states
    type: sensor_msgs/msg/JointState
    joints:
{ARM_ENTRIES}
  base:
    topic: /own/odom
    type: nav_msgs/msg/Odometry
    joints:
      base_x_joint: {{field: pose.pose.position.x}}
      base_yaw_joint: {{field: pose.pose.orientation, unit: yaw}}
"""


@pytest.fixture(scope="module")
def lar() -> Model:
    return load_model("charmie_lar")


@pytest.mark.parametrize("name", ["arm", "base"])
def test_the_robots_file_names_fields_that_the_standard_types_have(name: str, lar: Model) -> None:
    path = share_file("config", "charmie_bridge.yaml")
    sources = parse_bridge(path.read_text(encoding="utf-8"), str(path), lar)
    (source,) = (each for each in sources if each.name == name)
    load_type(source.type)
    require_fields(source)
    found = stamp_path(source)
    assert found is not None and found.text == "header.stamp"


class Bridged:
    """A running bridge, the robot's side of it and the other."""

    def __init__(self, process: Process, checker: Checker, folder: Path) -> None:
        self.process, self.checker, self.folder = process, checker, folder
        self.robot = Robot(checker)

    def answer(
        self, publisher: Any, message: Any, joint: str, topic: str = "joint_states"
    ) -> JointState:
        """Publish until a message with `joint` comes back, with the same stamp if there is one."""
        received = self.checker.received[topic]
        received.clear()
        stamp = stamp_of(message) if hasattr(message, "header") else None

        def answers(answer: JointState) -> bool:
            return joint in answer.name and stamp in (None, stamp_of(answer))

        found: JointState = self.checker.wait_for(
            lambda: next(filter(answers, received), None),
            f"'{joint}' on {topic}",
            doing=lambda: publisher.publish(message),
            rate=20.0,
        )
        return found


@pytest.fixture(scope="module")
def bridged(folder: Path) -> Iterator[Bridged]:
    config = folder / "bridge.yaml"
    config.write_text(CONFIG)
    packages = folder / "packages"
    packages.mkdir()
    with start_node(
        "bridge_node",
        folder,
        {"config": str(config)},
        namespace="dynamics",
        environment=with_packages(packages),
    ) as process:
        topics = ("joint_states", "actuator_lengths", "/diagnostics")
        with Checker(topics, namespace="dynamics") as checker:
            process.wait_for_output("' bridged: ")
            yield Bridged(process, checker, packages)


def with_packages(folder: Path) -> dict[str, str]:
    return {"PYTHONPATH": f"{child_environment()['PYTHONPATH']}:{folder}"}


def test_a_field_of_an_array_comes_in_si_units_with_its_offset(bridged: Bridged) -> None:
    message = Float64MultiArray(data=array("d", [0.0, 64.0]))
    answer = bridged.answer(bridged.robot.torso, message, "torso_joint")
    assert named(answer, "position")["torso_joint"] == pytest.approx(
        math.radians(64.0) - 0.15708, abs=1e-9
    )


def test_the_length_that_belongs_to_a_joint_is_reported_with_its_stamp(
    bridged: Bridged, lar: Model
) -> None:
    message = PointStamped()
    message.header.stamp = to_time(time.time_ns())
    message.point.x = 0.07
    answer = bridged.answer(bridged.robot.legs, message, "lift_actuator", "actuator_lengths")
    length, _, _ = lar.actuator_from_joint("legs_joint", 0.07)
    assert named(answer, "position")["lift_actuator"] == pytest.approx(length, abs=1e-12)


def test_a_message_without_header_has_the_time_of_its_arrival(bridged: Bridged) -> None:
    """On a topic that no other test publishes, so that no older answer is on its way."""
    node = bridged.checker.node
    publisher = node.create_publisher(Float64, "/own/sideways", 10)
    before = time.time_ns()
    try:
        answer = bridged.answer(publisher, Float64(data=0.25), "base_y_joint")
    finally:
        node.destroy_publisher(publisher)
    assert before <= stamp_of(answer) <= time.time_ns()


def test_the_arms_joints_are_found_by_their_names(bridged: Bridged) -> None:
    message = arm_message(time.time_ns())
    answer = bridged.answer(bridged.robot.arm, message, "xarm_joint1")
    assert tuple(answer.name) == ARM
    given = named(message, "position")
    assert named(answer, "position") == {name: given[name] for name in ARM}
    assert named(answer) == {name: named(message)[name] for name in ARM}
    assert len(answer.velocity) == 0


def test_a_type_that_cannot_be_loaded_is_reported_by_name(bridged: Bridged) -> None:
    status = bridged.checker.wait_for_status(
        "charmie_bridge: neck", lambda status, _: status.level == ERROR, "an error of the neck"
    )
    assert "robot_that_is_elsewhere/msg/Neck cannot be loaded" in status.message
    assert "/own/neck" in bridged.process.output()


def test_a_type_that_is_installed_later_is_taken_up(bridged: Bridged) -> None:
    checker = bridged.checker
    checker.wait_for_status(
        "charmie_bridge: pan", lambda status, _: status.level == ERROR, "an error of the pan"
    )
    package = bridged.folder / "installed_later" / "msg"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("")
    (package / "__init__.py").write_text("from std_msgs.msg import Float64 as Angle\n")
    answer = bridged.answer(bridged.robot.pan, Float64(data=90.0), "neck_pan_joint")
    assert named(answer, "position")["neck_pan_joint"] == pytest.approx(0.5 * math.pi)


def test_silence_and_a_topic_of_another_type_are_reported(bridged: Bridged) -> None:
    publisher = bridged.checker.node.create_publisher(Float32, "/own/sideways", 10)
    try:
        status = bridged.checker.wait_for_status(
            "charmie_bridge: sideways",
            lambda status, _: "published as" in status.message,
            "a warning of the type",
        )
    finally:
        bridged.checker.node.destroy_publisher(publisher)
    assert status.level == WARN
    assert "std_msgs/msg/Float32, expected std_msgs/msg/Float64" in status.message


def test_a_source_without_messages_is_a_warning_only_after_the_start(lar: Model) -> None:
    (source,) = (each for each in parse_bridge(CONFIG, "bridge", lar) if each.name == "torso")
    with Checker() as checker:
        bridge = BridgeSource(checker.node, source, lar, lambda *_: None)
        begin = time.monotonic()
        assert bridge.try_to_subscribe()
        early = bridge.status("torso", begin + 0.9 * START_TIME)
        late = bridge.status("torso", begin + START_TIME)
    assert (early.level, early.message) == (OK, "waiting for /own/torso")
    assert (late.level, late.message) == (WARN, "no message on /own/torso")


REFUSED = {
    "misspelt parameter": (
        CONFIG,
        {"comfig": "x"},
        "parameter 'comfig' does not exist; did you mean 'config'?",
    ),
    "circle": (
        CONFIG.replace("/own/joint_states", "/dynamics/joint_states"),
        {},
        "topic '/dynamics/joint_states' is a source of the bridge and would be published by it",
    ),
}


def test_what_cannot_work_ends_the_bridge_with_one_line(tmp_path: Path) -> None:
    with ExitStack() as stack:
        started = {}
        for name, (config, parameters, _) in REFUSED.items():
            path = tmp_path / f"{name}.yaml"
            path.write_text(config)
            given = {"config": str(path), **parameters}
            started[name] = stack.enter_context(
                start_node("bridge_node", tmp_path, given, namespace="dynamics")
            )
        assert {name: process.wait() for name, process in started.items()} == dict.fromkeys(
            REFUSED, 1
        )
        for name, process in started.items():
            assert REFUSED[name][2] in process.output()
            assert "Traceback" not in process.output()


def test_the_robots_launch_file_starts_both_nodes_apart_from_the_robot() -> None:
    lines = commands("robot.launch.py", rviz="false", record="false")
    entry = "charmie_dynamics.ros.process.entry"
    nodes = sorted(line[line.index(entry) + 1] for line in lines if entry in line)
    assert nodes == ["charmie_bridge", "dynamics_node"]


@pytest.mark.parametrize(
    "name, default",
    [("model", "charmie_lar"), ("namespace", "dynamics"), ("frame_prefix", "dynamics/")],
)
def test_the_robots_launch_file_keeps_out_of_the_robots_way(name: str, default: str) -> None:
    declared = [a for a in describe("robot.launch.py").get_launch_arguments() if a.name == name]
    # the first one declared is the one whose default holds
    assert perform_substitutions(LaunchContext(), declared[0].default_value) == default
