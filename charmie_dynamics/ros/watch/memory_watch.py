# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Watch on memory: unused heaps and incomplete messages are released."""

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

# s between two checks; rarely coincides with those of the graph, twice a second, because both
# together would delay a sample
PERIOD = 0.7
# bytes by which memory may grow before unused pages are released, and before subscriptions are
# replaced
UNUSED = 128 * 1024
MOST = 512 * 1024
LONGEST = 60.0  # s between two tries to find unused pages while memory stays above its lowest
# s after the node had no time for all samples: its queues have grown, and it needs all its time
REST = 0.5
# the middlewares whose subscriptions hold such messages
HOLDING = "rmw_fastrtps"
STATM = Path("/proc/self/statm")


class MemoryWatch:
    """Releases unused memory when memory has grown, and replaces subscriptions if necessary.

    A best-effort subscription of Fast DDS holds the packets of an incomplete message until the same
    publisher sends another message of several packets; if the publisher ends before that, until the
    subscription is destroyed. Messages of 20 MB from short-lived publishers would fill the memory,
    and no callback reports them.

    The middleware offers no way to query this memory. After the C library has released its unused
    memory, few other causes of growth remain. Replacing a subscription takes some milliseconds and
    loses no message; it is repeated only after memory has grown further.

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
        """Do the due work of each check; yield between checks."""
        subscriptions = [received.subscription for received in self._queue.inputs.values()]
        pages = UnusedPages()
        lowest, unchanged = own_memory(), 0
        while True:
            memory = own_memory()
            while memory <= lowest + MOST or time.monotonic() < self._queue.was_behind + REST:
                yield
                memory = pages.look()
                lowest = min(lowest, memory)
            for subscription in subscriptions:
                subscription.begin_replacement()
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
            unchanged = unchanged + 1 if freed <= MOST // 2 else 0
            if unchanged == 2:  # the first new ones may have received packets of the same message
                lowest, unchanged = memory - freed, 0  # that much is needed now
            elif (
                unchanged == 0
            ):  # `lowest` stays: the new ones may hold messages received while there were two
                self._log.warn(
                    "memory",
                    f"released {freed / 2**20:.1f} MiB that the middleware held: large messages on "
                    f"{' or '.join(self._queue.inputs)} arrived incomplete",
                )


class UnusedPages:
    """Releases unused pages when memory has grown.

    Pages in use at that time may be unused shortly afterwards without notice. While memory stays
    above its minimum, the release is therefore repeated, at growing intervals if it has little
    effect.
    """

    def __init__(self) -> None:
        self._in_use = self._lowest = own_memory()  # after the last try, or less; ever
        self._pause = PERIOD
        self._due = 0.0

    def look(self) -> int:
        """Release memory if due; return the memory then in use (bytes)."""
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
