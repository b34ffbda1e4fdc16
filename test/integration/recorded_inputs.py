# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The inputs of a live run as a bag, and what `charmie_analyze` makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from graph import EACH_CYCLE, TYPES, stamp_of, to_time
from rclpy.serialization import deserialize_message
from robot_inputs import LENGTHS
from rosbags.highlevel import AnyReader
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore
from sensor_msgs.msg import JointState

from charmie_dynamics import Model
from charmie_dynamics.live import ordering
from charmie_dynamics.motions import make_motion
from charmie_dynamics.recordings.commands.options import main

PERIOD = 0.02  # s
START = 1_700_000_000_000_000_000  # ns
STORE = get_typestore(Stores.ROS2_HUMBLE)
INPUTS = ("actuator_lengths", "joint_states")
KIND = "sensor_msgs/msg/JointState"
Outputs = dict[str, dict[int, Any]]  # by topic and stamp


class Recorded(NamedTuple):
    """A message in a bag: topic, type, time of recording (ns), bytes."""

    topic: str
    type: str
    arrival: int
    data: bytes


def inputs(model: Model, k: int, pause: float = 0.0) -> Iterator[tuple[str, JointState]]:
    """Lengths and joints of a moment of `wave`; every other velocity is not known."""
    position, velocity, _ = make_motion("wave", model).at(k * PERIOD)
    velocity[::2] = np.nan
    for topic, are_lengths in zip(INPUTS, (True, False), strict=True):
        some = [i for i, n in enumerate(model.actuator_names) if (n in LENGTHS) == are_lengths]
        message = JointState(name=[model.actuator_names[i] for i in some])
        message.position = position[some].tolist()
        message.velocity = velocity[some].tolist()
        message.header.stamp = to_time(START + round((k * PERIOD + pause) * 1e9))
        yield topic, message


def analysed(folder: Path, entries: Iterable[Recorded], *options: str) -> Outputs:
    """Return the outputs that are computed from a bag."""
    folder.mkdir()
    with Writer(folder / "in", version=8, storage_plugin=StoragePlugin.MCAP) as writer:
        connections: dict[str, Any] = {}
        for topic, kind, arrival, data in entries:
            if topic not in connections:
                connections[topic] = writer.add_connection(f"/{topic}", kind, typestore=STORE)
            writer.write(connections[topic], arrival, data)
    options = (*options, "--smoothing", "causal", "--out", str(folder / "out"), "--quiet")
    assert main([str(folder / "in"), *options]) == 0
    found: Outputs = {topic: {} for topic in EACH_CYCLE}
    with AnyReader([folder / "out"]) as reader:
        for connection, _, data in reader.messages():
            for topic in EACH_CYCLE:
                if connection.topic == "/" + topic.strip("/"):
                    message = deserialize_message(bytes(data), TYPES[topic])
                    found[topic][stamp_of(message)] = message
    return found


def swapped(entries: list[Recorded], first: str, second: str) -> list[Recorded]:
    """Return messages, exchanged wherever one topic comes right before the other."""
    result = list(entries)
    k = 0
    while k + 1 < len(result):
        a, b = result[k : k + 2]
        if (a.topic, b.topic) == (first, second):
            result[k : k + 2] = b._replace(arrival=a.arrival), a._replace(arrival=b.arrival)
            k += 1
        k += 1
    return result


def require_equal(
    outputs: Outputs, folder: Path, entries: list[Recorded], samples: int, *options: str
) -> None:
    """Check live outputs against those computed from what was sent.

    Where a busy machine keeps a moment's lengths from the node for longer than joints wait for
    them, or brings them later than those of the next moment, it meets samples in other orders. An
    analysis that does not wait computes the results of those. Some best-effort messages may be
    lost there.
    """
    lengths, joints = INPUTS
    sent = analysed(folder / "sent", entries, *options)
    with patch.object(ordering, "WAIT", -1):
        others = [
            analysed(folder / "early", swapped(entries, lengths, joints), *options),
            analysed(folder / "late", swapped(entries, joints, lengths), *options),
        ]
    for topic in EACH_CYCLE:
        assert len(sent[topic]) == samples
        assert outputs[topic].keys() <= sent[topic].keys()
        lost = sent[topic].keys() - outputs[topic].keys()
        other = {s: m for s, m in outputs[topic].items() if m != sent[topic][s]}
        assert [s for s, m in other.items() if m not in [o[topic].get(s) for o in others]] == []
        assert len(other) + len(lost) < 0.05 * samples
