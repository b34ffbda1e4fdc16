# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A topic is one entry: the node publishes it, recordings hold it, the demonstration checks it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from further_topic import ENTRY
from graph import ANY_ROBOT, Checker, stamp_of
from node_process import Process, ros_arguments
from rclpy.serialization import serialize_message
from recorded_inputs import PERIOD, START, Recorded, analysed, inputs
from robot_inputs import ACTUATORS, Inputs, pose
from sensor_msgs.msg import JointState

from charmie_dynamics import Model
from charmie_dynamics.demo.check import check_bag
from charmie_dynamics.live import outputs
from charmie_dynamics.recordings.read.bag import Bag
from validation.interface import topics as reference

HERE = Path(__file__).parent
NAME = ENTRY.topic.name
SAMPLES = 40


def test_the_node_publishes_it_with_each_cycle(folder: Path, model: Model) -> None:
    command = [sys.executable, str(HERE / "further_topic.py"), *ros_arguments({}, "further")]
    received: list[JointState] = []
    with Process(command, folder / "further_topic.log") as node:
        node.wait_for_output("ready")
        with Checker(ANY_ROBOT, namespace="further") as checker:
            checker.node.create_subscription(JointState, NAME, received.append, 10)
            inputs = Inputs(checker)
            inputs.connect(pose(), ANY_ROBOT)
            checker.wait_for(lambda: received, NAME, doing=lambda: inputs.send(pose(2)))
            stamps = {stamp_of(message) for message in received}
            checker.wait_for(
                lambda: stamps & set(checker.by_stamp("actuator_efforts")), "efforts as well"
            )
    message = received[-1]
    assert tuple(message.name) == model.joint_names
    assert (message.header.frame_id, len(message.velocity)) == ("odom", 0)
    assert len(message.effort) == len(ACTUATORS) and np.isfinite(message.effort).all()


@pytest.fixture
def recording(tmp_path: Path, model: Model) -> Path:
    """What `charmie_analyze` computes from recorded inputs, with whatever stands in the table."""
    entries = [
        Recorded(topic, "sensor_msgs/msg/JointState", START + round(k * PERIOD * 1e9) + place,
                 serialize_message(message))
        for k in range(SAMPLES)
        for place, (topic, message) in enumerate(inputs(model, k))
    ]  # fmt: skip
    analysed(tmp_path / "bag", entries)
    return tmp_path / "bag" / "out"


@pytest.fixture
def entered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs, "CYCLE_OUTPUTS", [*outputs.CYCLE_OUTPUTS, ENTRY])


def test_a_computed_recording_holds_it(entered: None, recording: Path, model: Model) -> None:
    with Bag(recording) as bag:
        found = list(bag.messages(NAME))
        assert bag.stamps(NAME) == bag.stamps("actuator_efforts")
    assert len(found) == SAMPLES
    assert tuple(found[-1].name) == model.joint_names
    assert np.abs(np.array([message.effort for message in found])).max() > 0.01


def test_the_check_of_the_demonstration_asks_for_it(
    recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = check_bag(recording, 1.0 / PERIOD, 30.0).faults
    assert not [fault for fault in faults if NAME in fault]
    monkeypatch.setattr(outputs, "CYCLE_OUTPUTS", [*outputs.CYCLE_OUTPUTS, ENTRY])
    faults = check_bag(recording, 1.0 / PERIOD, 30.0).faults
    assert f"{NAME}: nothing was recorded" in faults


def test_the_check_of_the_demonstration_is_content_with_it(entered: None, recording: Path) -> None:
    faults = check_bag(recording, 1.0 / PERIOD, 30.0).faults
    assert not [fault for fault in faults if NAME in fault or "actuator_efforts" in fault]


def test_recorder_and_reference_name_it(entered: None) -> None:
    assert outputs.every_topic()[NAME] is ENTRY.topic
    row = f"| `{NAME}` | sensor_msgs/JointState | {ENTRY.topic.content} |"
    assert row in reference.outgoing()
