# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Backlog of samples: time to spare for a cycle of each, and their order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from .ordering import Stamped

# s by which cycles of older samples hold up the newest at any time: at a kilohertz a node is busy
# with its markers or its report for a few milliseconds
OFTEN = 0.005
# s by which they do so after the machine has kept the node from running for some tens of
# milliseconds, as it does where recorders and viewers share its cores. The part beyond `OFTEN` is
# saved from this fraction of the idle time: a node that is idle for half of its time may catch up
# during an eighth of it
LONGEST = 0.05
SAVED = 0.25
# s between two messages without idle time between them: the cost of delivering the second
DELIVERY = 100e-6
# largest relative change of the estimated duration of a cycle by one cycle
STEP = 0.1


class Slack:
    """Time that a node has had to spare, from which it may catch up.

    A node with idle time keeps up on average; samples that arrived during a delay then get their
    own cycles. A node without idle time is overloaded: from all samples that wait it should take
    the newest.

    Attributes
    ----------
    left : float
        Seconds, at most `LONGEST`.
    cycle : float
        Typical duration of a cycle (s). A delayed cycle predicts little about the next.
    """

    def __init__(self) -> None:
        self.left = 0.0
        self.cycle = 0.0

    def note_cycle(self, seconds: float) -> None:
        """Record the duration of a cycle: `cycle` follows it, by at most `STEP` of itself."""
        usual = self.cycle or seconds
        self.cycle = min(max(seconds, usual * (1.0 - STEP)), usual * (1.0 + STEP))

    def note_idle(self, seconds: float) -> None:
        """Note the time between the end of one message's work and the arrival of the next."""
        if seconds <= DELIVERY or self.left >= LONGEST:
            return
        spare = seconds - DELIVERY
        at_once = min(spare, max(0.0, OFTEN - self.left))
        self.left = min(LONGEST, self.left + at_once + SAVED * (spare - at_once))

    def covers(self, cycles: int, span: float) -> bool:
        """Return whether the time budget covers `cycles` more cycles, and subtract them from it.

        Parameters
        ----------
        cycles : int
        span : float
            Time between the stamps of the samples that wait (s). More than `OFTEN` is spent only
            on samples that take half of it at most: others arrive faster than they can be
            processed, which is an overload and not a stall.
        """
        needed = cycles * self.cycle
        most = self.left if needed <= 0.5 * span else min(OFTEN, self.left)
        if needed > most:
            return False
        self.left -= needed
        return True


Sample = TypeVar("Sample", bound=Stamped)


def merged(
    first: Iterable[tuple[str, Sample]], second: Iterable[tuple[str, Sample]]
) -> Iterator[tuple[str, Sample]]:
    """Yield the samples of two topics by their stamps, each topic in its own order.

    Samples of `first` precede others with the same stamp. The order within a topic is kept
    regardless of its stamps: a jump back in time must not be sorted away.
    """
    ahead = list(first)
    ahead.reverse()
    for topic, sample in second:
        while ahead and ahead[-1][1].stamp <= sample.stamp:
            yield ahead.pop()
        yield topic, sample
    while ahead:
        yield ahead.pop()
