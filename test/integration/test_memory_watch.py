# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the middleware holds of large messages that never came whole is given back."""

from __future__ import annotations

import os
import time
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import rclpy
from graph import PATIENCE, Checker
from node_process import FROM_SCRATCH, Process, start_dynamics_node
from rclpy.qos import QoSProfile
from rclpy.serialization import serialize_message
from robot_inputs import Inputs, pose
from sensor_msgs.msg import JointState

from charmie_dynamics.ros.watch import memory_watch

MEBIBYTE = 2**20
ENTRIES = 1_000_000  # 20 MB; of each message some MB stay on Fast DDS
TIMES = 8
PAUSE = 2.0  # s, in which the first messages and cycles take what they need
# a part of what a single message leaves; twice what makes the node subscribe anew is within it
MOST_GROWTH = 2 * MEBIBYTE


@pytest.fixture(scope="module")
def node(folder: Path) -> Iterator[Process]:
    # the memory of a forked one grows by the pages that it shares at first
    with start_dynamics_node(folder, environment=FROM_SCRATCH) as process:
        yield process


def own_memory(process: Process) -> int:
    """Return the memory of a process that maps no file and is not shared (bytes)."""
    _, resident, shared, *_ = map(int, Path(f"/proc/{process.pid}/statm").read_text().split())
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE")


def send_large(checker: Checker, data: bytes) -> None:
    """Send a message from a publisher of its own, which is gone after it."""
    publisher = checker.node.create_publisher(JointState, "joint_states", QoSProfile(depth=1))
    checker.wait_for(publisher.get_subscription_count, "the node's subscription")
    publisher.publish(data)
    time.sleep(0.01)
    checker.node.destroy_publisher(publisher)


def test_memory_does_not_grow_by_messages_that_do_not_come_whole(
    node: Process, checker: Checker
) -> None:
    inputs = Inputs(checker)
    inputs.connect(pose(), ["actuator_efforts"])
    message = JointState(name=[f"n{i}" for i in range(ENTRIES)])
    message.position = array("d", bytes(8 * ENTRIES))
    data = bytes(serialize_message(message))
    checker.spin(PAUSE)
    sizes = [own_memory(node)]
    for _ in range(TIMES):
        send_large(checker, data)
        settled = time.monotonic() + PAUSE
        deadline = settled + PATIENCE
        while (now := time.monotonic()) < deadline:
            inputs.send(pose())
            checker.spin(0.01)
            if now > settled and own_memory(node) <= sizes[0] + MOST_GROWTH:
                break
        sizes.append(own_memory(node))
    assert max(sizes) - sizes[0] <= MOST_GROWTH, [size / MEBIBYTE for size in sizes]
    efforts = checker.received["actuator_efforts"]
    stamp = inputs.send(pose())
    checker.wait_for(
        lambda: any(
            e.header.stamp.sec * 1_000_000_000 + e.header.stamp.nanosec == stamp for e in efforts
        ),
        "efforts of another sample",
    )


class Memory:
    """Memory of which some is unused, and a clock, in place of the process's."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.in_use = 100 * MEBIBYTE
        self.unused = 0
        self.tries = 0
        self.now = 0.0
        monkeypatch.setattr(memory_watch, "own_memory", lambda: self.in_use + self.unused)
        monkeypatch.setattr(memory_watch, "give_unused_back", self.give_back)
        monkeypatch.setattr(memory_watch.time, "monotonic", lambda: self.now)

    def give_back(self) -> None:
        self.tries += 1
        self.unused = 0

    def look(self, pages: memory_watch.UnusedPages, times: int = 1) -> int:
        for _ in range(times):
            self.now += memory_watch.PERIOD
            found = pages.look()
        return found


def test_pages_that_were_in_use_at_the_first_try_are_given_back_soon_after(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory = Memory(monkeypatch)
    pages = memory_watch.UnusedPages()
    memory.in_use += MEBIBYTE // 2  # a burst is in the queues
    assert memory.look(pages) == 100 * MEBIBYTE + MEBIBYTE // 2
    memory.in_use, memory.unused = 100 * MEBIBYTE, MEBIBYTE // 2
    assert memory.look(pages, times=2) == 100 * MEBIBYTE


def test_memory_that_stays_in_use_is_tried_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = Memory(monkeypatch)
    pages = memory_watch.UnusedPages()
    memory.in_use += MEBIBYTE // 4
    hour = round(3600.0 / memory_watch.PERIOD)
    memory.look(pages, times=hour)
    assert 60 <= memory.tries <= 70


def test_memory_that_does_not_grow_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = Memory(monkeypatch)
    pages = memory_watch.UnusedPages()
    memory.unused = memory_watch.UNUSED // 2
    memory.look(pages, times=100)
    assert memory.tries == 0


class Holding:
    """A subscription in place of the middleware's: it holds memory until it is made anew."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._held = 0
        self.switches = 0
        self.without_effect = 0  # so many more switches: the new one receives the rest

    def hold(self, size: int) -> None:
        self._held += size
        self._memory.in_use += size

    def begin_replacement(self) -> None:
        pass

    def may_switch(self) -> bool:
        return True

    def switch(self) -> None:
        self.switches += 1
        if self.without_effect:
            self.without_effect -= 1
            return
        self._memory.in_use -= self._held
        self._memory.unused += self._held  # free, but not given back by the C library
        self._held = 0


class Watched:
    """A memory watch on the memory of one subscription; stand-ins for node, inputs and log.

    The middleware cannot be ordered to hold memory.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.memory = Memory(monkeypatch)
        self.subscription = Holding(self.memory)
        self.said: list[str] = []
        looks: list[Callable[[], None]] = []
        monkeypatch.setattr(rclpy, "get_rmw_implementation_identifier", lambda: "rmw_fastrtps_cpp")
        node: Any = SimpleNamespace(create_timer=lambda period, look, clock: looks.append(look))
        intake: Any = SimpleNamespace(
            inputs={"joint_states": SimpleNamespace(subscription=self.subscription)},
            is_behind=False,
            was_behind=-1.0,
            note_busy=lambda: None,
            take_waiting=lambda: None,
        )
        faults: Any = SimpleNamespace(guarded=lambda function, *arguments: function(*arguments))
        log: Any = SimpleNamespace(warn=lambda cause, line: self.said.append(line))
        memory_watch.MemoryWatch(node, intake, faults, log)
        (self._look,) = looks
        self._look()

    def look(self, times: int) -> None:
        for _ in range(times):
            self.memory.now += memory_watch.PERIOD
            self._look()


def test_what_a_change_of_subscriptions_frees_does_not_count_as_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watched = Watched(monkeypatch)
    for times in (1, 2):
        watched.subscription.hold(MEBIBYTE)
        watched.look(10)
        assert memory_watch.own_memory() == 100 * MEBIBYTE
        assert watched.subscription.switches == len(watched.said) == times
        assert "released 1.0 MiB" in watched.said[-1]


def test_memory_that_two_changes_of_subscriptions_did_not_free_is_freed_by_a_later_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watched = Watched(monkeypatch)
    watched.subscription.without_effect = 2
    watched.subscription.hold(MEBIBYTE)
    watched.look(10)
    assert not watched.said
    watched.look(20)
    assert memory_watch.own_memory() == 100 * MEBIBYTE
    assert watched.subscription.switches == 3


def test_subscriptions_are_rarely_replaced_because_of_memory_that_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watched = Watched(monkeypatch)
    watched.memory.in_use += MEBIBYTE
    hour = round(3600.0 / memory_watch.PERIOD)
    watched.look(hour)
    first = watched.subscription.switches
    watched.look(10 * hour)
    assert first <= 20
    assert watched.subscription.switches - first <= 20
