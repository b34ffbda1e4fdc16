# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Yielding the processor after a send, while the processes that then run take little time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

# s: receivers of a message take a fifth of that; a process that takes longer has other work
LONG = 5e-4
# at most this fraction of the time is yielded to processes that take long
SHARE = 0.01


class ProcessorYield:
    """Yields the processor to those whom a message has just woken.

    The system likes to wake a receiver on the processor of the sender, where it waits until the
    sender sleeps: for the controller that got its efforts, until TF and all else are out; every
    thirtieth of a second, until the markers are. ``docs/performance.md`` gives the gain.

    On a busy processor another process may take its whole turn. After such a turn the processor is
    not yielded for a hundred times as long.

    Parameters
    ----------
    yield_processor : callable
        Lets others run.
    clock : callable
        Returns the time (s).
    """

    def __init__(
        self,
        yield_processor: Callable[[], None] = os.sched_yield,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._yield = yield_processor
        self._clock = clock
        self._not_before = 0.0

    def __call__(self) -> None:
        """Let others run if they did not take long of late."""
        start = self._clock()
        if start < self._not_before:
            return
        self._yield()
        taken = self._clock() - start
        if taken > LONG:
            self._not_before = start + taken / SHARE
