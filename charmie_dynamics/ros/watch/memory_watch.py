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
# s between two tries while memory stays above its lowest, at most: of unused pages, and of
# subscriptions from the first one on
LONGEST = 60.0
FIRST_REPLACEMENT, LONGEST_REPLACEMENT = 10.0, 3600.0
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
    loses no message; after two without effect it is repeated when memory has grown further, and at
    growing intervals.

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
        pages, growth = UnusedPages(), Growth(MOST, FIRST_REPLACEMENT, LONGEST_REPLACEMENT)
        memory, unchanged = own_memory(), 0
        while True:
            while not growth.is_due(memory) or time.monotonic() < self._queue.was_behind + REST:
                yield
                memory = pages.look()
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
            before, memory = memory, own_memory()
            freed = before - memory
            was_useful = freed > MOST // 2
            unchanged = 0 if was_useful else unchanged + 1
            if unchanged == 2:  # the first new ones may have received packets of the same message
                growth.note_try(was_useful)
                growth.in_use = memory  # so it seems
                unchanged = 0
            elif was_useful:
                growth.note_try(was_useful)
                # `in_use` stays: the new ones may hold messages received while there were two
                self._log.warn(
                    "memory",
                    f"released {freed / 2**20:.1f} MiB that the middleware held: large messages on "
                    f"{' or '.join(self._queue.inputs)} arrived incomplete",
                )


class Growth:
    """Decides when memory has grown enough for a try to release some.

    What seems to be in use after a try may be released by a later one. While memory stays above its
    minimum, a try is therefore repeated, at growing intervals if it has little effect.

    Parameters
    ----------
    least : int
        Bytes by which memory must grow.
    shortest, longest : float
        First and longest interval between two tries without effect (s).

    Attributes
    ----------
    in_use : int
        Memory after the last try, or less (bytes).
    """

    def __init__(self, least: int, shortest: float, longest: float) -> None:
        self._least, self._shortest, self._longest = least, shortest, longest
        self.in_use = self._lowest = own_memory()
        self._pause = shortest
        self._due = 0.0

    def is_new(self, memory: int) -> bool:
        """Return whether memory (bytes) has grown since the last try."""
        return memory > self.in_use + self._least

    def is_due(self, memory: int) -> bool:
        """Return whether to try with this memory (bytes)."""
        self.in_use = min(self.in_use, memory)
        self._lowest = min(self._lowest, memory)
        is_above = memory > self._lowest + self._least
        return self.is_new(memory) or (is_above and time.monotonic() >= self._due)

    def note_try(self, was_useful: bool) -> None:
        """Set when to repeat a try."""
        if was_useful:
            self._pause = self._shortest
        self._due = time.monotonic() + self._pause
        if not was_useful:
            self._pause = min(2.0 * self._pause, self._longest)


class UnusedPages:
    """Releases unused pages when memory has grown.

    Pages in use at that time may be unused shortly afterwards without notice.
    """

    def __init__(self) -> None:
        self._growth = Growth(UNUSED, PERIOD, LONGEST)

    def look(self) -> int:
        """Release memory if due; return the memory then in use (bytes)."""
        memory = own_memory()
        if not self._growth.is_due(memory):
            return memory
        is_new = self._growth.is_new(memory)
        give_unused_back()
        before, memory = memory, own_memory()
        self._growth.note_try(is_new or before - memory > UNUSED // 2)
        self._growth.in_use = memory
        return memory


def own_memory() -> int:
    """Return the resident memory of this process that maps no file and is not shared (bytes)."""
    # past the decoding of texts: half as long
    with STATM.open("rb", buffering=0) as file:
        _, resident, shared, *_ = map(int, file.read().split())
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE")
