# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The recorder: a bag with the messages as they were on the wire."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from graph import EACH_CYCLE, LATCHED, TOPICS, TYPES, Checker, stamp_of
from node_process import Process, ros_arguments, start_dynamics_node, start_node
from rclpy.serialization import deserialize_message
from rosbags.highlevel import AnyReader
from sensor_msgs.msg import JointState
from std_msgs.msg import Header

# the node publishes these where efforts are measured; here the test does
# the last is that of robots with shared cylinders
COMPARED = ("effort_residual", "external_efforts", "contacts", "cylinder_efforts")
STAMPED = tuple(t for t in TOPICS if t not in ("robot_description", "/tf_static", "/diagnostics"))


Recorded = dict[str, list[bytes]]


@dataclass
class Recording:
    """What the recorder wrote and said, and what a subscriber got at the same time."""

    bag: Recorded
    received: Recorded
    metadata: dict
    progress: list[dict]
    status: int


def messages_in(bag: Path) -> Recorded:
    """Return the messages of each topic, serialized."""
    with AnyReader([bag]) as reader:
        written: Recorded = {c.topic: [] for c in reader.connections}
        for connection, _, data in reader.messages():
            written[connection.topic].append(bytes(data))
    return {name: written.get("/" + name.lstrip("/"), []) for name in TOPICS}


@pytest.fixture(scope="module")
def recording(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recording]:
    bag = tmp_path_factory.mktemp("recorder") / "bag"
    with Checker(TOPICS, raw=True) as checker:
        with (
            start_dynamics_node(folder, {"world": "kitchen"}),  # for the clearance
            start_node("motion_player", folder, {"rate": 20.0}),
        ):
            efforts = checker.received["actuator_efforts"]
            checker.wait_for(lambda: len(efforts) > 10, "efforts", timeout=60.0)
            parameters = {"output": str(bag), "duration": 3.0}
            publishers = [checker.node.create_publisher(TYPES[t], t, 10) for t in COMPARED]

            def publish() -> None:
                stamp = checker.node.get_clock().now().to_msg()
                for publisher in publishers:
                    publisher.publish(JointState(header=Header(stamp=stamp)))

            with start_node("recorder", folder, parameters) as recorder:
                checker.wait_for(
                    lambda: not recorder.is_running(), "its end", doing=publish, timeout=60.0
                )
                status, printed = recorder.wait(), recorder.output()
            checker.spin(0.5)
    yield Recording(
        messages_in(bag),
        dict(checker.received),
        yaml.safe_load((bag / "metadata.yaml").read_text())["rosbag2_bagfile_information"],
        [json.loads(line) for line in printed.splitlines() if line.startswith("{")],
        status,
    )


def by_stamp(topic: str, messages: list[bytes]) -> dict[int, bytes]:
    return {stamp_of(deserialize_message(data, TYPES[topic])): data for data in messages}


def test_it_ends_by_itself_after_its_duration(recording: Recording) -> None:
    assert recording.status == 0


@pytest.mark.parametrize("topic", TOPICS)
def test_every_topic_is_in_the_bag(recording: Recording, topic: str) -> None:
    assert len(recording.bag[topic]) > 0


@pytest.mark.parametrize("topic", STAMPED)
def test_messages_in_the_bag_are_those_on_the_wire_byte_by_byte(
    recording: Recording, topic: str
) -> None:
    written, received = (
        by_stamp(topic, messages[topic]) for messages in (recording.bag, recording.received)
    )
    common = written.keys() & received.keys()
    assert len(common) > 0.9 * len(written)
    assert [stamp for stamp in common if written[stamp] != received[stamp]] == []


@pytest.mark.parametrize("topic", LATCHED)
def test_latched_messages_are_in_the_bag_byte_by_byte(recording: Recording, topic: str) -> None:
    assert recording.bag[topic] == recording.received[topic]


def test_the_metadata_can_be_read_by_humble(recording: Recording) -> None:
    """Version 9 cannot."""
    assert recording.metadata["version"] == 8
    assert recording.metadata["storage_identifier"] == "mcap"


@pytest.mark.parametrize("topic", TOPICS)
def test_the_metadata_tell_type_and_offered_quality_of_service(
    recording: Recording, topic: str
) -> None:
    topics = {
        item["topic_metadata"]["name"]: item["topic_metadata"]
        for item in recording.metadata["topics_with_message_count"]
    }
    metadata = topics["/" + topic.lstrip("/")]
    package, name = TYPES[topic].__module__.split(".")[0], TYPES[topic].__name__
    assert metadata["type"] == f"{package}/msg/{name}"
    (profile,) = yaml.safe_load(metadata["offered_qos_profiles"])
    transient_local, volatile = 1, 2
    assert profile["durability"] == (transient_local if topic in LATCHED else volatile)


def test_progress_is_one_object_a_line_and_ends_with_the_end(recording: Recording) -> None:
    assert [line["finished"] for line in recording.progress[:-1]] == [False] * (
        len(recording.progress) - 1
    )
    last = recording.progress[-1]
    assert last["finished"]
    assert last["elapsed"] >= 3.0
    assert last["counts"]["actuator_efforts"] == len(recording.bag["actuator_efforts"])


def test_a_folder_that_exists_is_refused(folder: Path, tmp_path: Path) -> None:
    with start_node("recorder", folder, {"output": str(tmp_path)}) as recorder:
        assert recorder.wait() == 1
        assert str(tmp_path) in recorder.output()
        assert "Traceback" not in recorder.output()


def test_a_terminal_shows_the_time_and_the_number_of_messages(tmp_path: Path) -> None:
    recorder = [*(sys.executable, "-m", "charmie_dynamics.ros.nodes.recorder")]
    recorder += ros_arguments({"output": str(tmp_path / "bag")})
    on_terminal = [sys.executable, "-c", "import pty, sys; pty.spawn(sys.argv[1:])", *recorder]
    with Process(on_terminal, tmp_path / "log") as process:
        process.wait_for_output("0.0 s, 0 messages")
        assert "{" not in process.output()


def test_the_line_of_a_terminal_ends_after_an_interrupt(tmp_path: Path) -> None:
    recorder = [*(sys.executable, "-m", "charmie_dynamics.ros.nodes.recorder")]
    recorder += ros_arguments({"output": str(tmp_path / "bag")})
    interrupted = (
        "import os, pty, sys, time\n"
        "child, terminal = pty.fork()\n"
        "if child == 0: os.execv(sys.argv[1], sys.argv[1:])\n"
        "text = b''\n"
        "while b'0 messages' not in text: text += os.read(terminal, 4096)\n"
        "os.write(terminal, bytes([3]))\n"  # Ctrl-C
        "try:\n"
        "    while data := os.read(terminal, 4096): text += data\n"
        "except OSError: pass\n"  # the recorder has ended
        "print(repr(text), os.waitpid(child, 0)[1])\n"
    )
    with Process([sys.executable, "-c", interrupted, *recorder], tmp_path / "log") as process:
        assert process.wait() == 0
        assert process.output().rstrip().endswith("messages^C\\r\\n' 0")


def elapsed(recorder: Process) -> float:
    """Return what the recorder has said last of the time (s) since the first efforts."""
    lines = [line for line in recorder.output().splitlines() if line.endswith("}")]
    return json.loads(lines[-1])["elapsed"] if lines else 0.0


@pytest.fixture(scope="module")
def held_up(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Recorded]]:
    """What a recorder got that stood still for 40 of the 100 cycles kept, and what was sent."""
    bag = tmp_path_factory.mktemp("held_up") / "bag"
    with Checker(EACH_CYCLE, raw=True) as checker:
        with start_dynamics_node(folder), start_node("motion_player", folder, {"rate": 20.0}):
            efforts = checker.received["actuator_efforts"]
            checker.wait_for(lambda: len(efforts) > 10, "efforts", timeout=60.0)
            with start_node("recorder", folder, {"output": str(bag), "duration": 6.0}) as recorder:
                checker.wait_for(lambda: elapsed(recorder) > 2.0, "2 s of recording", timeout=60.0)
                recorder.send_signal(signal.SIGSTOP)
                resumed = len(efforts) + 40
                checker.wait_for(lambda: len(efforts) >= resumed, "40 cycles", timeout=60.0)
                recorder.send_signal(signal.SIGCONT)
                checker.wait_for(lambda: not recorder.is_running(), "its end", timeout=60.0)
            checker.spin(0.5)
        yield [messages_in(bag), dict(checker.received)]


@pytest.mark.parametrize("topic", EACH_CYCLE)
def test_a_recorder_that_is_held_up_misses_no_output(held_up: list[Recorded], topic: str) -> None:
    """What it could not take meanwhile, the publishers still have."""
    written, sent = (by_stamp(topic, messages[topic]).keys() for messages in held_up)
    assert {stamp for stamp in sent if min(written) <= stamp <= max(written)} - written == set()
