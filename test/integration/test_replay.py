# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A recorded run that is played through the node once more gives the recorded outputs again.

Bit for bit, on simulated time, at any rate and in every pass of a loop. Inputs come best-effort,
and a sample that got lost leaves its trace in the estimators: a run that has lost one, which the
node's own count tells, is repeated. A busy node may pass over cycles, and where a busy machine
keeps the lengths of a moment from it for longer than joints wait for them, it computes with others.
Such cycles give themselves away by their lengths; they are not compared, and must be few.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from graph import ANY_ROBOT, TYPES, Checker, stamp_of
from node_process import Process, start_dynamics_node, start_node
from rclpy.serialization import deserialize_message
from robot_inputs import LENGTHS, named
from rosbags.highlevel import AnyReader
from sensor_msgs.msg import JointState

PLAYER = Path(__file__).resolve().parent / "bag_player.py"
INPUTS = ("actuator_lengths", "joint_states")
TIMEOUT = 0.5  # s, of an input
SAMPLES = 200  # of a recording, at 100 Hz
PASSES = {1.0: 1, 5.0: 3}  # by the rate of the replay
FOREVER = 2**62  # ns
ATTEMPTS = 4
SHARE = 0.25  # of the samples: so many cycles must be compared, on a machine that is busy, too
CARRIED = 0.1  # of the cycles: so many may be without the lengths of their moment,
BURST = 5  # and so many more in each pass: a machine that was away for 50 ms takes them in a row
Outputs = dict[str, dict[int, bytes]]  # by topic and stamp


class Recording:
    """What a bag holds: a start, of which the recorder or the node may have missed some, a pause
    of the inputs after which the estimators start anew, and what is held against replays.

    Attributes
    ----------
    bag : Path
    messages : dict
        Inputs and outputs, serialized, by topic and stamp.
    stamps : list of int
        Of the joints (ns).
    begin : int
        Stamp of the first joints after the pause.
    arrivals : list of int
        When the samples after the pause were recorded (ns).
    """

    def __init__(self, bag: Path) -> None:
        self.bag = bag
        self.messages: Outputs = {topic: {} for topic in (*INPUTS, *ANY_ROBOT)}
        times = []
        with AnyReader([bag]) as reader:
            names = {"/" + topic.strip("/"): topic for topic in self.messages}
            wanted = [c for c in reader.connections if c.topic in names]
            for connection, time, data in reader.messages(wanted):
                topic = names[connection.topic]
                stamp = stamp_of(deserialize_message(bytes(data), TYPES[topic]))
                self.messages[topic][stamp] = bytes(data)
                if topic in INPUTS:
                    times.append((stamp, time))
        self.stamps = sorted(self.messages["joint_states"])
        self.begin = max(b for a, b in pairwise(self.stamps) if b - a > 1e9 * TIMEOUT)
        self.arrivals = [time for stamp, time in times if stamp >= self.begin]

    def after_pause(self) -> list[int]:
        """Return the stamps of the joints after the pause."""
        return [stamp for stamp in self.stamps if stamp >= self.begin]

    def has_lengths_of_its_moment(self, stamp: int, efforts: bytes) -> bool:
        """Tell whether a cycle's lengths are those measured at its stamp, none carried there."""
        measured = self.messages["actuator_lengths"].get(stamp)
        if measured is None:
            return False
        lengths, cycle = (
            named(deserialize_message(data, JointState), "position") for data in (measured, efforts)
        )
        return all(cycle[name] == lengths[name] for name in LENGTHS)


def accepted_in_pause(checker: Checker) -> int:
    """Wait until the node has had no samples for a while; return how many it has had so far."""

    def is_paused(_: Any, values: Mapping[str, str]) -> bool:
        ages = [values[f"{topic} age (s)"] for topic in INPUTS]
        return "never" not in ages and min(map(float, ages)) > TIMEOUT

    status = checker.wait_for_status(": inputs", is_paused, "a pause of the inputs")
    return next(int(item.value) for item in status.values if item.key == "accepted samples")


def cycles_in_bag(recorder: Process) -> int:
    """Return how many cycles a bag holds with both of their inputs, as far as counts tell."""
    lines = [line for line in recorder.output().splitlines() if line.endswith("}")]
    counts = json.loads(lines[-1])["counts"] if lines else {}
    return min(counts.get(topic, 0) for topic in (*INPUTS, "actuator_efforts"))


def record(folder: Path, bag: Path) -> tuple[Recording, int]:
    """Record a moving robot; return it and how many samples the node has had after the pause."""
    with ExitStack() as stack:
        enter = stack.enter_context
        recorder = enter(start_node("recorder", folder, {"output": str(bag)}))
        enter(start_dynamics_node(folder))
        checker = enter(Checker(["/diagnostics"]))
        player = enter(start_node("motion_player", folder, {"motion": "wave", "rate": 100.0}))

        def wait_for_cycles(count: int) -> None:
            enough = cycles_in_bag(recorder) + count
            checker.wait_for(
                lambda: cycles_in_bag(recorder) >= enough, "cycles in the bag", timeout=60.0
            )

        wait_for_cycles(1)
        player.send_signal(signal.SIGSTOP)
        before = accepted_in_pause(checker)
        player.send_signal(signal.SIGCONT)
        wait_for_cycles(SAMPLES)
        player.end()
        accepted = accepted_in_pause(checker) - before
    return Recording(bag), accepted


def until_complete(what: str, attempt: Callable[[int], tuple[Any, int, int]]) -> Any:
    """Return the result of the first attempt in which the node has had each sample."""
    had = []
    for number in range(ATTEMPTS):
        result, sent, accepted = attempt(number)
        if sent == accepted:
            return result
        had.append(f"{accepted} of {sent}")
    raise AssertionError(f"{what}: samples that the node has had: {', '.join(had)}")


@pytest.fixture(scope="module")
def recording(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Recording:
    bags = tmp_path_factory.mktemp("bags")

    def attempt(number: int) -> tuple[Recording, int, int]:
        found, accepted = record(folder, bags / str(number))
        return found, len(found.arrivals), accepted

    complete: Recording = until_complete("recording", attempt)
    return complete


def in_passes(topic: str, messages: list[bytes]) -> list[dict[int, bytes]]:
    """Return messages by stamp; a pass begins where the stamps go back."""
    passes: list[dict[int, bytes]] = [{}]
    last = 0
    for data in messages:
        stamp = stamp_of(deserialize_message(data, TYPES[topic]))
        if stamp < last:
            passes.append({})
        passes[-1][stamp] = data
        last = stamp
    return passes


@dataclass
class SimulatedNode:
    """A node on simulated time, to which recordings are played one after the other.

    Attributes
    ----------
    accepted : int
        Samples that it has had.
    """

    folder: Path
    accepted: int = 0

    def play(
        self, recording: Recording, rate: float, begin: int = 0, end: int = FOREVER
    ) -> list[Outputs]:
        """Play what was recorded from `begin` to `end` (ns); return the outputs of each pass."""
        passes = PASSES.get(rate, 1)
        command = [sys.executable, str(PLAYER), str(recording.bag)]
        command += map(str, (rate, passes, begin, end))

        def attempt(number: int) -> tuple[dict[str, list[bytes]], int, int]:
            before = self.accepted
            with ExitStack() as stack:
                enter = stack.enter_context
                # not spun while it plays, what comes waits: no time is taken from the node
                checker = enter(Checker(ANY_ROBOT, raw=True))
                checker.wait_for_publishers()
                player = enter(Process(command, self.folder / f"bag_player_{rate:g}_{number}.log"))
                assert player.wait(timeout=60.0) == 0, player.output()
                listener = enter(Checker(["/diagnostics"], name="listener"))
                self.accepted = accepted_in_pause(listener)
                count = -1
                while count < (count := sum(map(len, checker.received.values()))):
                    checker.spin(0.3)
            sent = int(player.output().split("sent")[1])
            return dict(checker.received), sent, self.accepted - before

        received = until_complete(f"played at rate {rate:g}", attempt)
        found = {topic: in_passes(topic, received[topic]) for topic in ANY_ROBOT}
        assert {topic: len(each) for topic, each in found.items()} == dict.fromkeys(found, passes)
        return [{topic: found[topic][k] for topic in ANY_ROBOT} for k in range(passes)]


@pytest.fixture(scope="module")
def node(folder: Path) -> Iterator[SimulatedNode]:
    with start_dynamics_node(folder, {"use_sim_time": True, "publish_markers": False}):
        yield SimulatedNode(folder)


@pytest.fixture(scope="module", params=PASSES, ids="rate {}".format)
def replay(
    request: pytest.FixtureRequest, recording: Recording, node: SimulatedNode
) -> list[Outputs]:
    return node.play(recording, request.param)


def assert_same(
    recording: Recording, topic: str, passes: list[Outputs], expected: Outputs, stamps: list[int]
) -> None:
    """Hold the outputs of passes against others."""
    compared = carried = 0
    for outputs in passes:
        in_both = [
            stamp
            for stamp in stamps
            if all(
                stamp in e[topic] and stamp in e["actuator_efforts"] for e in (expected, outputs)
            )
        ]
        both = [
            stamp
            for stamp in in_both
            if all(
                recording.has_lengths_of_its_moment(stamp, each["actuator_efforts"][stamp])
                for each in (expected, outputs)
            )
        ]
        assert [stamp for stamp in both if outputs[topic][stamp] != expected[topic][stamp]] == []
        compared += len(both)
        carried += len(in_both) - len(both)
    assert compared > SHARE * len(passes) * len(stamps)
    assert carried <= len(passes) * (CARRIED * len(stamps) + BURST)


@pytest.mark.parametrize("topic", ANY_ROBOT)
def test_a_replay_gives_the_recorded_outputs_bit_for_bit(
    recording: Recording, replay: list[Outputs], topic: str
) -> None:
    assert_same(recording, topic, replay, recording.messages, recording.after_pause())


@pytest.mark.parametrize("replay", [5.0], indirect=True, ids=["rate 5.0"])
@pytest.mark.parametrize("topic", ANY_ROBOT)
def test_all_passes_of_a_loop_are_the_same_from_their_start_on(
    recording: Recording, replay: list[Outputs], topic: str
) -> None:
    first, *others = replay
    assert_same(recording, topic, others, first, recording.stamps)
