"""The demo as a whole, and the check of its bag, which must find what is wrong."""

from __future__ import annotations

import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from node_process import child_environment
from robot_inputs import ACTUATORS
from rosbags.highlevel import AnyReader
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from charmie_dynamics.demo.check import find_faults

# low, and long enough for a start that stutters: a busy machine must be able to follow
RATE = 20.0
DURATION = 8.0
AFTER_HEADER = 4  # bytes
STAMP = struct.Struct("<iI")
PNG = b"\x89PNG\r\n\x1a\n"


def run(*command: str, timeout: float = 300.0) -> subprocess.CompletedProcess[str]:
    """Run a module of the demo to its end."""
    return subprocess.run(
        [sys.executable, "-m", *command],
        env=child_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
    )


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a bag of an earlier demo, or what could be one."""
    folder = tmp_path_factory.mktemp("demo") / "made by the demo"
    (folder / "bag").mkdir(parents=True)
    (folder / "bag" / "old").touch()
    return folder


@pytest.fixture(scope="module")
def demo(output: Path) -> subprocess.CompletedProcess[str]:
    options = ("--duration", str(DURATION), "--rate", str(RATE), "--output", str(output))
    return run("charmie_dynamics.demo.run", *options)


def test_the_demo_ends_with_status_0(demo: subprocess.CompletedProcess[str]) -> None:
    assert demo.returncode == 0, demo.stderr


@pytest.mark.parametrize("name", ["robot.png", "efforts.png"])
def test_the_demo_leaves_a_picture(
    demo: subprocess.CompletedProcess[str], output: Path, name: str
) -> None:
    data = (output / name).read_bytes()
    assert data.startswith(PNG)
    assert len(data) > 10_000


def test_the_demo_prints_a_row_for_each_actuator(demo: subprocess.CompletedProcess[str]) -> None:
    rows = [line.split() for line in demo.stdout.splitlines()]
    numbers = {row[0]: row[1:3] for row in rows if row and row[0] in ACTUATORS}
    assert tuple(numbers) == ACTUATORS
    assert all(abs(float(peak)) >= float(rms) >= 0.0 for peak, rms in numbers.values())


def test_the_bag_of_the_demo_lasts_as_long_as_was_asked(
    demo: subprocess.CompletedProcess[str], output: Path
) -> None:
    with AnyReader([output / "bag"]) as reader:
        (connection,) = [c for c in reader.connections if c.topic == "/actuator_efforts"]
        times = [time for _, time, _ in reader.messages(connections=[connection])]
    assert (times[-1] - times[0]) * 1e-9 == pytest.approx(DURATION, abs=0.5)


def test_the_bag_of_an_earlier_demo_is_replaced(
    demo: subprocess.CompletedProcess[str], output: Path
) -> None:
    assert (output / "bag" / "metadata.yaml").is_file()
    assert not (output / "bag" / "old").exists()


@pytest.mark.parametrize("options", [("--duration", "0"), ("--rate", "-1"), ("--motion", "x")])
def test_the_demo_refuses_options_that_mean_nothing(options: tuple[str, str]) -> None:
    done = run("charmie_dynamics.demo.run", *options)
    assert done.returncode == 2
    assert options[0] in done.stderr


Keep = Callable[[str, int], bool]
Change = Callable[[str, bytes], bytes]


def cut(source: Path, target: Path, keep: Keep, change: Change = lambda _, data: data) -> Path:
    """Copy a bag without the messages (topic, number) that `keep` does not want."""
    typestore = get_typestore(Stores.ROS2_HUMBLE)
    counts: dict[str, int] = {}
    connections: dict[str, Any] = {}
    with (
        AnyReader([source]) as reader,
        Writer(target, version=8, storage_plugin=StoragePlugin.MCAP) as writer,
    ):
        for connection, time, data in reader.messages():
            topic = connection.topic
            counts[topic] = counts.get(topic, -1) + 1
            if not keep(topic, counts[topic]):
                continue
            if topic not in connections:
                connections[topic] = writer.add_connection(
                    topic, connection.msgtype, typestore=typestore
                )
            writer.write(connections[topic], time, change(topic, bytes(data)))
    return target


@pytest.fixture(scope="module")
def whole(demo: subprocess.CompletedProcess[str], output: Path, folder: Path) -> Iterator[Path]:
    """A copy of the demo's bag."""
    yield cut(output / "bag", folder / "whole", lambda topic, number: True)


def faults(bag: Path) -> list[str]:
    return find_faults(bag, RATE, RATE)


def test_the_check_accepts_the_whole_bag(whole: Path) -> None:
    assert faults(whole) == []


@pytest.mark.parametrize(
    "topic",
    [
        *("/joint_states", "/actuator_lengths", "/tf", "/tf_static", "/actuator_efforts"),
        *("/resolved_joint_states", "/spring_forces", "/base_wrench", "/stability", "/markers"),
        *("/robot_description", "/diagnostics"),
    ],
)
def test_the_check_misses_a_topic_that_is_not_there(
    whole: Path, tmp_path: Path, topic: str
) -> None:
    bag = cut(whole, tmp_path / "bag", lambda name, _: name != topic)
    assert [fault.split(":")[0].lstrip("/") for fault in faults(bag)] == [topic.lstrip("/")]


def test_the_check_finds_a_topic_at_half_the_rate(whole: Path, tmp_path: Path) -> None:
    bag = cut(whole, tmp_path / "bag", lambda name, k: name != "/base_wrench" or k % 2 == 0)
    assert ["base_wrench" in fault for fault in faults(bag)] == [True]


def test_the_check_finds_lost_cycles(whole: Path, tmp_path: Path) -> None:
    """One in twenty-five on one topic: still within the tolerance of the rate."""
    bag = cut(whole, tmp_path / "bag", lambda name, k: name != "/spring_forces" or k % 25 != 5)
    assert ["spring_forces" in fault for fault in faults(bag)] == [True]


def test_the_check_finds_outputs_that_belong_to_no_input(whole: Path, tmp_path: Path) -> None:
    """Every stamp of the efforts a little off: where a header begins, after the encapsulation."""

    def change(topic: str, data: bytes) -> bytes:
        if topic != "/actuator_efforts":
            return data
        changed = bytearray(data)
        seconds, nanoseconds = STAMP.unpack_from(data, AFTER_HEADER)
        STAMP.pack_into(changed, AFTER_HEADER, seconds, nanoseconds ^ 1)
        return bytes(changed)

    bag = cut(whole, tmp_path / "bag", lambda *_: True, change)
    assert any("of no joint state" in fault for fault in faults(bag))


def test_the_check_accepts_inputs_that_the_recorder_missed(whole: Path, tmp_path: Path) -> None:
    """They come best-effort: a recorder that was held up has a gap, and the node went on."""
    bag = cut(whole, tmp_path / "bag", lambda name, k: name != "/joint_states" or k % 25 != 5)
    assert faults(bag) == []


@pytest.mark.parametrize("topic", ["/joint_states", "/actuator_efforts", "/tf"])
def test_the_check_accepts_a_topic_that_was_heard_later_than_the_others(
    whole: Path, tmp_path: Path, topic: str
) -> None:
    bag = cut(whole, tmp_path / "bag", lambda name, k: name != topic or k >= 20)
    assert faults(bag) == []


def test_the_check_finds_an_output_that_begins_seconds_late(whole: Path, tmp_path: Path) -> None:
    bag = cut(whole, tmp_path / "bag", lambda name, k: name != "/tf" or k >= 4.0 * RATE)
    assert ["begins" in fault for fault in faults(bag)] == [True]


def test_the_check_as_a_command_tells_faults_and_ends_with_status_1(whole: Path) -> None:
    """The bag is not at twice its rate."""
    done = run("charmie_dynamics.demo.check", str(whole), "--rate", str(2.0 * RATE))
    assert done.returncode == 1
    assert "joint_states" in done.stdout


def test_the_check_as_a_command_ends_with_status_0_for_the_whole_bag(whole: Path) -> None:
    options = ("--rate", str(RATE), "--marker-rate", str(RATE))
    done = run("charmie_dynamics.demo.check", str(whole), *options)
    assert done.returncode == 0, done.stdout


def test_the_check_refuses_a_folder_without_bag(tmp_path: Path) -> None:
    done = run("charmie_dynamics.demo.check", str(tmp_path))
    assert done.returncode == 1
    assert str(tmp_path) in done.stdout
    assert "Traceback" not in done.stderr
