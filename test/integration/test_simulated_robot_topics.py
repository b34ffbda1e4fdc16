# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The robot's own topics, published by the simulator and read back by the bridge."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from graph import TYPES, Checker, stamp_of
from nav_msgs.msg import Odometry
from node_process import Process, start_node
from sensor_msgs.msg import JointState

ARM = tuple(f"xarm_joint{i}" for i in range(1, 7))
TYPES.update({"/xarm/joint_states": JointState, "/odom": Odometry})
OF_BRIDGE = "/bridged/joint_states"
TYPES[OF_BRIDGE] = JointState


@pytest.fixture(scope="module")
def simulator(folder: Path) -> Iterator[Process]:
    parameters = {"model": "charmie_lar", "bridge": "robot", "motion": "wave"}
    with start_node("simulator_node", folder, parameters) as process:
        yield process


@pytest.fixture(scope="module")
def checker(simulator: Process, folder: Path) -> Iterator[Checker]:
    with (
        start_node("bridge_node", folder, namespace="bridged"),
        Checker(("/xarm/joint_states", "/odom", "joint_states", OF_BRIDGE)) as checker,
    ):
        checker.wait_for(
            lambda: (
                all(len(messages) > 20 for messages in checker.received.values())
                and len(checker.received) == 4
            ),
            "all topics",
            timeout=60.0,
        )
        yield checker


def test_the_arm_is_told_as_its_driver_tells_it(checker: Checker) -> None:
    own = checker.by_stamp("joint_states")
    compared = 0
    for stamp, message in checker.by_stamp("/xarm/joint_states").items():
        assert tuple(message.name) == ARM
        if stamp not in own:
            continue
        compared += 1
        for field in ("position", "velocity", "effort"):
            expected = dict(zip(own[stamp].name, getattr(own[stamp], field), strict=True))
            assert list(getattr(message, field)) == [expected[name] for name in ARM]
    assert compared > 10


def test_topics_come_at_the_rates_of_the_file(checker: Checker) -> None:
    stamps = sorted(map(stamp_of, checker.received["/odom"]))
    gaps = [b - a for a, b in itertools.pairwise(stamps)]
    assert sorted(gaps)[len(gaps) // 2] == 20_000_000
    odometry = checker.received["/odom"][-1].pose.pose
    assert odometry.orientation.w**2 + odometry.orientation.z**2 == pytest.approx(1.0)


def test_the_bridge_reads_back_what_was_simulated(checker: Checker) -> None:
    own = checker.by_stamp("joint_states")
    compared = 0
    for message in checker.received[OF_BRIDGE]:
        stamp = stamp_of(message)
        if stamp not in own or message.name[0] != ARM[0]:
            continue
        compared += 1
        expected = dict(zip(own[stamp].name, own[stamp].position, strict=True))
        assert list(message.position) == pytest.approx([expected[name] for name in ARM])
    assert compared > 10


def test_a_type_that_is_not_installed_is_told_and_the_others_go_on(simulator: Process) -> None:
    output = simulator.output()
    assert "charmie_interfaces/msg/TorsoPosition cannot be loaded" in output
    assert simulator.is_running() and "Traceback" not in output


def test_a_topic_of_its_own_is_refused(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "bridge.yaml"
    path.write_text(
        "sources:\n  arm:\n    topic: /joint_states\n    type: sensor_msgs/msg/JointState\n"
        "    joints: {xarm_joint1: {field: 'position[name=xarm_joint1]'}}\n",
        encoding="utf-8",
    )
    parameters = {"model": "charmie_lar", "bridge": str(path)}
    with start_node("simulator_node", folder, parameters) as process:
        assert process.wait(60.0) == 1
        assert "one of the simulator's own" in process.output()
