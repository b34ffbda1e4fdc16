# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Watch on memory: unused heaps and messages that did not come whole are given back."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import rclpy
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from charmie_dynamics.ros.inputs.input_queue import InputQueue
from charmie_dynamics.ros.process.allocator import give_unused_back
from charmie_dynamics.ros.process.faults import Faults
from charmie_dynamics.ros.process.log import Log

# s between two looks; seldom at the same time as those at the graph, twice a second, because both
# together would hold up a sample
PERIOD = 0.7
# bytes by which memory may grow before unused pages are given back, and before subscriptions are
# made anew
UNUSED = 128 * 1024
MOST = 512 * 1024
LONGEST = 60.0  # s between two tries to find unused pages while memory stays above its lowest
# s after the node had no time for all samples: its queues have grown, and it needs all its time
REST = 0.5
# the middlewares whose subscriptions hold such messages
HOLDING = "rmw_fastrtps"
STATM = Path("/proc/self/statm")


class MemoryWatch:
    """Gives unused memory back when memory has grown, and subscribes to the inputs anew if need be.

    A best-effort subscription of Fast DDS holds the packets of a message that did not come whole
    until the same publisher sends another of several packets; if the publisher goes before that,
    until the subscription is destroyed. Messages of 20 MB from publishers that come and go would
    fill the memory, and no callback is ever told of them.

    Whether that is why memory has grown cannot be asked, but when the C library has given back what
    nobody uses, little else is left. To subscribe anew takes some milliseconds and loses no
    message; it is done again only after memory has grown further.

    Parameters
    ----------
    node : Node
    inputs : InputQueue
    faults : Faults
    log : Log
    """

    def __init__(self, node: Node, inputs: InputQueue, faults: Faults, log: Log) -> None:
        self._queue = inputs
        self._log = log
        if STATM.exists() and rclpy.get_rmw_implementation_identifier().startswith(HOLDING):
            look = partial(faults.guarded, next, self._looks(), None)
            steady = Clock(clock_type=ClockType.STEADY_TIME)
            node.create_timer(PERIOD, look, clock=steady)

    def _looks(self) -> Iterator[None]:
        """Do what is due, one look after the other."""
        subscriptions = [received.subscription for received in self._queue.inputs.values()]
        pages = UnusedPages()
        lowest = own_memory()
        while True:
            memory = own_memory()
            while memory <= lowest + MOST or time.monotonic() < self._queue.was_behind + REST:
                yield
                memory = pages.look()
                lowest = min(lowest, memory)
            for subscription in subscriptions:
                subscription.subscribe_anew()
            self._queue.note_busy()
            yield
            while self._queue.is_behind or not all(s.may_switch() for s in subscriptions):
                yield
            for subscription in subscriptions:
                subscription.switch()
            self._queue.take_waiting()
            yield  # an executor may hold the old subscriptions until it waits again
            give_unused_back()
            freed = memory - own_memory()
            if freed <= MOST // 2:
                lowest = memory - freed  # that much is needed now
            else:  # `lowest` stays: the new ones may hold a part of what came while there were two
                self._log.warn(
                    "memory",
                    f"{freed / 2**20:.1f} MiB given back that the middleware held: large messages "
                    f"on {' or '.join(self._queue.inputs)} did not come whole",
                )


class UnusedPages:
    """Gives unused pages back when memory has grown.

    What is in use at that moment may be unused a moment later, and nobody tells: while memory stays
    above its lowest it is tried again, less and less often where little comes of it.
    """

    def __init__(self) -> None:
        self._in_use = self._lowest = own_memory()  # after the last try, or less; ever
        self._pause = PERIOD
        self._due = 0.0

    def look(self) -> int:
        """Do what is due; return what is in use then (bytes)."""
        memory, now = own_memory(), time.monotonic()
        has_grown = memory > self._in_use + UNUSED
        if has_grown or (memory > self._lowest + UNUSED and now >= self._due):
            give_unused_back()
            before, memory = memory, own_memory()
            is_useful = has_grown or before - memory > UNUSED // 2
            self._pause = PERIOD if is_useful else min(2.0 * self._pause, LONGEST)
            self._due = now + self._pause
            self._in_use = memory
        self._in_use = min(self._in_use, memory)
        self._lowest = min(self._lowest, memory)
        return memory


def own_memory() -> int:
    """Return the resident memory of this process that maps no file and is not shared (bytes)."""
    # past the decoding of texts: half as long
    with STATM.open("rb", buffering=0) as file:
        _, resident, shared, *_ = map(int, file.read().split())
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE")
