"""Letting others run in the middle of a cycle, as long as they do not take long."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

# s: receivers of a message take 0.1 ms (Xeon); who takes longer has work of its own
LONG = 5e-4
# of the time: at most so much is given to those who take long
SHARE = 0.01


class GiveWay:
    """Lets those run whom a message has just woken.

    The system likes to wake a receiver on the processor of the sender, where it waits until the
    sender sleeps: for the controller that got its efforts, until TF and all else are out; every
    thirtieth of a second, until the markers are. On two cores, at 1 kHz, the efforts so arrive
    35 us sooner, in the median 375 us after the sample instead of 410 us (Xeon, Jazzy), and to
    give way costs nothing that can be measured.

    On a busy processor another process may take its whole turn. After such a turn the way is not
    given for a hundred times as long.

    Parameters
    ----------
    give : callable
        Lets others run.
    clock : callable
        Returns the time (s).
    """

    def __init__(
        self,
        give: Callable[[], None] = os.sched_yield,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._give = give
        self._clock = clock
        self._not_before = 0.0

    def __call__(self) -> None:
        """Let others run if they did not take long of late."""
        start = self._clock()
        if start < self._not_before:
            return
        self._give()
        taken = self._clock() - start
        if taken > LONG:
            self._not_before = start + taken / SHARE
