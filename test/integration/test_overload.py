# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""More input than the node can compute cycles for: the newest sample wins, memory stays flat."""

from __future__ import annotations

import math
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from graph import Checker
from node_process import Process, ros_arguments, start_dynamics_node
from rcl_interfaces.srv import GetParameters
from rclpy.qos import QoSProfile
from robot_inputs import Inputs, pose
from sensor_msgs.msg import JointState

from charmie_dynamics.live.backlog import LONGEST

HERE = Path(__file__).resolve().parent
STAMP = struct.Struct("<iI")
AFTER_HEADER = 4  # bytes
SLOW_CYCLE = 10.0  # ms, of the slow node
MEBIBYTE = 1024  # kB
CATCHING_UP = round(1e3 * LONGEST / SLOW_CYCLE)  # cycles of older samples that it has time for
# what others do on the machine is no fault of the node: the best attempt counts
LEAST_RATE = 40.0  # Hz, for a fair number of samples
ATTEMPTS = 20  # of 1.5 s: tests beside this one load the machine for longer than 5


class Output(NamedTuple):
    """Stamp of a sample, and when its cycle was published (ns)."""

    stamp: int
    published: int

    @property
    def age(self) -> int:
        return self.published - self.stamp


def period_of(outputs: list[Output]) -> float:
    """Return the mean time between outputs (ns); inf if there are too few."""
    times = np.diff([o.published for o in outputs])
    return float(times.mean()) if len(times) else math.inf


class Watch:
    """Collects outputs by the time of their publication, which no delay of the test touches."""

    def __init__(self, checker: Checker) -> None:
        self.outputs: list[Output] = []
        # taken by hand, since callbacks on Humble are not told the time of publication
        self._handle = checker.node.create_subscription(
            JointState, "actuator_efforts", print, QoSProfile(depth=5000), raw=True
        ).handle

    def look(self) -> None:
        while (taken := self._handle.take_message(JointState, True)) is not None:
            data, info = taken
            seconds, nanoseconds = STAMP.unpack_from(data, AFTER_HEADER)
            stamp = seconds * 1_000_000_000 + nanoseconds
            self.outputs.append(Output(stamp, info["source_timestamp"]))


class Overload:
    """A node in a namespace of its own, fed at a rate."""

    def __init__(self, folder: Path, node: Process, namespace: str) -> None:
        self.folder = folder
        self.node = node
        self.namespace = namespace
        self._checker = Checker(namespace=namespace)
        self._watch = Watch(self._checker)
        self._find_each_other()

    def _find_each_other(self) -> None:
        """Wait for an output: on Fast DDS that may take seconds after the node is ready."""
        with Checker(["actuator_efforts"], namespace=self.namespace, name="first") as first:
            Inputs(first).connect(pose(), ["actuator_efforts"])

    def close(self) -> None:
        self._checker.close()

    def play(
        self, rate: float, seconds: float, meanwhile: Callable[[], Any] = lambda: None
    ) -> tuple[int, list[Output]]:
        """Return the number of samples sent, and the outputs but those of the first moments."""
        command = [sys.executable, str(HERE / "rapid_player.py")]
        command += [str(rate), str(seconds), self.namespace]
        log = self.folder / f"player_{time.monotonic_ns()}.log"
        self._watch.outputs.clear()
        with Process(command, log) as player:
            player.wait_for_output("playing")
            start = time.monotonic()
            done = False
            while player.is_running():
                if not done and time.monotonic() - start > 0.5 * seconds:
                    done = True
                    meanwhile()
                self._watch.look()
                time.sleep(0.001)
            words = player.output().split("sent")[1].split()
        self._watch.look()
        sent, first, last = map(int, words)
        begin = first + (last - first) // 5
        kept = [o for o in self._watch.outputs if o.stamp >= begin]
        return round(sent * (last - begin) / (last - first)), kept

    def capacity(self) -> float:
        """Return how many cycles a second the node has time for at present (Hz)."""
        _, outputs = self.play(5000.0, 1.0)
        return 1e9 / period_of(outputs)

    def resident(self) -> int:
        """Return the resident memory of the node (kB)."""
        for line in Path(f"/proc/{self.node.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
        raise AssertionError("no VmRSS")


@pytest.fixture(scope="module")
def slow(folder: Path) -> Iterator[Overload]:
    command = [sys.executable, str(HERE / "slow_node.py"), str(SLOW_CYCLE)]
    arguments = ros_arguments({"publish_tf": False}, namespace="slow")
    with Process([*command, *arguments], folder / "slow_node.log") as node:
        node.wait_for_output("' ready: ")
        overload = Overload(folder, node, "slow")
        yield overload
        overload.close()


@pytest.fixture(scope="module")
def quick(folder: Path) -> Iterator[Overload]:
    with start_dynamics_node(folder, {"publish_tf": False}, namespace="quick") as node:
        overload = Overload(folder, node, "quick")
        yield overload
        overload.close()


@pytest.mark.parametrize("rate", [120.0, 5000.0])
def test_outputs_of_an_overloaded_node_are_at_most_two_periods_old(
    slow: Overload, rate: float
) -> None:
    """Just too much, and fifty times too much; a period is the time between two outputs."""
    found = []
    for _ in range(ATTEMPTS):
        _, outputs = slow.play(rate, 1.5)
        period = period_of(outputs)
        assert period > 1e6 * SLOW_CYCLE
        if math.isinf(period):
            continue
        found.append(float(np.percentile([o.age for o in outputs], 95)) / period)
        if found[-1] <= 2.0:
            break
    assert min(found) <= 2.0, f"p95 of the age in periods: {found}"


def test_memory_of_an_overloaded_node_is_flat(slow: Overload) -> None:
    grown = []
    for _ in range(5):
        sizes: list[int] = []
        slow.play(5000.0, 5.0, lambda: sizes.append(slow.resident()))  # noqa: B023
        grown.append(slow.resident() - sizes[0])
        if grown[-1] <= MEBIBYTE:
            break
    assert min(grown) <= MEBIBYTE, f"kB in each attempt: {grown}"


def test_overload_leaves_time_for_the_parameters_and_the_report(slow: Overload) -> None:
    with Checker(["/diagnostics"], name="beside") as checker:

        def ask() -> None:
            request = GetParameters.Request(names=["marker_rate"])
            name = f"/{slow.namespace}/charmie_dynamics/get_parameters"
            assert checker.call(GetParameters, name, request).values[0].double_value == 30.0
            checker.wait_for_status(
                "/slow/charmie_dynamics: cycle",
                lambda _, values: int(values["samples passed over"]) > 100,
                "samples passed over",
            )

        slow.play(2000.0, 2.0, ask)


def test_the_newest_sample_is_used_after_a_stop(slow: Overload) -> None:
    """The process is stopped for 300 ms, while 15 samples come, too many to work off."""
    times = []

    def stop() -> None:
        slow.node.send_signal(signal.SIGSTOP)
        time.sleep(0.3)
        times.append(time.time_ns())
        slow.node.send_signal(signal.SIGCONT)

    found = []
    for _ in range(ATTEMPTS):
        _, outputs = slow.play(50.0, 2.0, stop)
        later = [o for o in outputs if o.published > times[-1]]
        found.append((sum(o.stamp < times[-1] - 40_000_000 for o in later), len(later)))
        # the stop may have come in the middle of a cycle
        if found[-1][0] <= 1 + CATCHING_UP and found[-1][1] > 20:
            return
    pytest.fail(f"old samples and all of them after the stop, in each attempt: {found}")


def test_each_sample_gets_its_cycle_while_the_node_keeps_up(quick: Overload) -> None:
    """At half the rate that it has time for, though markers and reports take longer than cycles."""
    shares = {}
    for _ in range(ATTEMPTS):
        rate = min(1000.0, 0.5 * quick.capacity())
        if rate < LEAST_RATE:
            continue  # the node was stopped while its capacity was measured
        sent, outputs = quick.play(rate, 1.5)
        shares[rate] = len(outputs) / sent
        if shares[rate] > 0.99:
            break
    assert max(shares.values(), default=0.0) > 0.97, f"outputs per sample, by rate: {shares}"
    stamps = [o.stamp for o in outputs]
    assert stamps == sorted(set(stamps))
