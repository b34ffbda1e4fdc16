"""What `charmie_analyze` computes from recorded inputs is what the node computed live."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph import EACH_CYCLE, TYPES, Checker, stamp_of, to_time
from node_process import start_dynamics_node
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message, serialize_message
from robot_inputs import LENGTHS
from rosbags.highlevel import AnyReader
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore
from sensor_msgs.msg import JointState

from charmie_dynamics import Model
from charmie_dynamics.offline.analyze import main
from charmie_dynamics.signals.motions import make_motion

SAMPLES = 120
PERIOD = 0.02  # s
START = 1_700_000_000_000_000_000  # ns
STORE = get_typestore(Stores.ROS2_HUMBLE)
INPUTS = ("actuator_lengths", "joint_states")
KIND = "sensor_msgs/msg/JointState"
Messages = dict[int, Any]


def inputs(model: Model, k: int) -> Iterator[tuple[str, JointState]]:
    """Lengths and joints of a moment of `wave`; every other velocity is not known."""
    position, velocity, _ = make_motion("wave", model).at(k * PERIOD)
    velocity[::2] = np.nan
    for topic, are_lengths in zip(INPUTS, (True, False), strict=True):
        some = [i for i, n in enumerate(model.actuator_names) if (n in LENGTHS) == are_lengths]
        message = JointState(name=[model.actuator_names[i] for i in some])
        message.position = position[some].tolist()
        message.velocity = velocity[some].tolist()
        message.header.stamp = to_time(START + round(k * PERIOD * 1e9))
        yield topic, message


def play(checker: Checker, publishers: dict[str, Any], model: Model, k: int) -> list[bytes]:
    """Publish a moment; return what was published, lengths first."""
    sent = []
    for topic, message in inputs(model, k):
        publishers[topic].publish(message)
        sent.append(serialize_message(message))
        checker.spin(0.3 * PERIOD)  # so that no topic overtakes the other
    return sent


@pytest.fixture(scope="module")
def live(folder: Path, model: Model) -> tuple[dict[str, Messages], list[list[bytes]]]:
    """The outputs by topic and stamp, and the inputs of each moment."""
    with Checker(EACH_CYCLE) as checker, start_dynamics_node(folder):
        publishers = {
            topic: checker.node.create_publisher(JointState, topic, QoSProfile(depth=10))
            for topic in INPUTS
        }
        earlier = iter(range(-100_000, 0))
        checker.wait_for(
            lambda: all(checker.received[topic] for topic in EACH_CYCLE),
            "outputs",
            timeout=60.0,
            doing=lambda: play(checker, publishers, model, next(earlier)),
            rate=20.0,
        )
        # longer than inputs stay fresh: the estimators start anew
        checker.spin(1.0)
        for topic in EACH_CYCLE:
            checker.received[topic].clear()
        sent = []
        for k in range(SAMPLES):
            due = time.monotonic() + PERIOD
            sent.append(play(checker, publishers, model, k))
            checker.spin(max(0.0, due - time.monotonic()))
        checker.spin(0.5)
        return {t: {stamp_of(m): m for m in checker.received[t]} for t in EACH_CYCLE}, sent


def analysed(folder: Path, sent: list[list[bytes]], *, lengths_first: bool) -> dict[str, Messages]:
    """Return the outputs that are computed from a bag with the inputs in an order."""
    order = (0, 1) if lengths_first else (1, 0)
    folder.mkdir()
    with Writer(folder / "in", version=8, storage_plugin=StoragePlugin.MCAP) as writer:
        connections = [writer.add_connection(f"/{t}", KIND, typestore=STORE) for t in INPUTS]
        for k, pair in enumerate(sent):
            arrival = START + round(k * PERIOD * 1e9)
            for place, which in enumerate(order):
                writer.write(connections[which], arrival + place, pair[which])
    assert main([str(folder / "in"), "--out", str(folder / "out"), "--quiet"]) == 0
    found: dict[str, Messages] = {topic: {} for topic in EACH_CYCLE}
    with AnyReader([folder / "out"]) as reader:
        for connection, _, data in reader.messages():
            for topic in EACH_CYCLE:
                if connection.topic == "/" + topic.strip("/"):
                    message = deserialize_message(bytes(data), TYPES[topic])
                    found[topic][stamp_of(message)] = message
    return found


def test_every_output_is_the_live_one_bit_for_bit(
    live: tuple[dict[str, Messages], list[list[bytes]]], tmp_path: Path
) -> None:
    outputs, sent = live
    first, last = (
        analysed(tmp_path / name, sent, lengths_first=name == "first") for name in ("first", "last")
    )
    for topic in EACH_CYCLE:
        assert len(first[topic]) == SAMPLES
        assert outputs[topic].keys() == first[topic].keys()
        other = [s for s, message in outputs[topic].items() if message != first[topic][s]]
        # on a busy machine a node may meet a moment's joints before its lengths
        assert [s for s in other if outputs[topic][s] != last[topic].get(s)] == []
        assert len(other) < 0.05 * SAMPLES
