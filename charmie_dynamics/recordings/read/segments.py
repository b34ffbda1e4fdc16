# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Recorded samples in the order of their stamps, between backward jumps as after a clock step."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import NamedTuple

from charmie_dynamics.live.wire.stamps import SECONDS

from .received import ReceivedSample

# number of consecutive late samples of one publisher that indicate a jump back, as in the node
LATE_BEFORE_JUMP = 2


class JumpFinder:
    """Finds jumps back in the stamps of one publisher.

    The stamps have jumped back if one is older than the newest by more than the timeout, or if
    `LATE_BEFORE_JUMP` consecutive ones are older.

    Parameters
    ----------
    timeout : float
        s.
    """

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._newest: int | None = None
        self._late: list[tuple[int, int]] = []

    def add(self, stamp: int, place: int) -> int | None:
        """Add a stamp (ns); return the place of the first one after a jump, None without a jump.

        Parameters
        ----------
        stamp : int
        place : int
            Of the sample; the value to return.
        """
        if self._newest is None or stamp >= self._newest:
            self._newest = stamp
            self._late.clear()
            return None
        self._late.append((stamp, place))
        too_late = (self._newest - stamp) * SECONDS > self._timeout
        if not too_late and len(self._late) < LATE_BEFORE_JUMP:
            return None
        first = self._late[0][1]
        self._newest = max(late for late, _ in self._late)
        self._late.clear()
        return first


class Segment(NamedTuple):
    """Samples between two jumps, and the number of late ones that were dropped."""

    samples: list[ReceivedSample]
    late: int


def segments(received: Iterable[ReceivedSample], timeout: float) -> Iterator[Segment]:
    """Yield the samples between jumps back, in the order of recording; the last may be empty.

    Samples that came after newer ones of their publisher are dropped, as by the node: a stamp that
    is wrong would mix two instants.

    Parameters
    ----------
    received : iterable of ReceivedSample
    timeout : float
        As for `JumpFinder`; a publisher is identified by its topic and names.
    """
    part: list[ReceivedSample] = []
    finders: dict[Hashable, JumpFinder] = {}
    for entry in received:
        part.append(entry)
        key = _publisher(entry)
        if key not in finders:
            finders[key] = JumpFinder(timeout)
        first = finders[key].add(entry.sample.stamp, len(part) - 1)
        if first is not None:
            yield _without_late(part[:first])
            part, finders = part[first:], {}
            for place, again in enumerate(part):
                finder = finders.setdefault(_publisher(again), JumpFinder(timeout))
                finder.add(again.sample.stamp, place)
    yield _without_late(part)


def _publisher(entry: ReceivedSample) -> Hashable:
    return entry.topic, entry.sample.names


def _without_late(part: list[ReceivedSample]) -> Segment:
    newest: dict[Hashable, int] = {}
    kept = []
    for entry in part:
        key, stamp = _publisher(entry), entry.sample.stamp
        if stamp >= newest.get(key, stamp):
            newest[key] = stamp
            kept.append(entry)
    return Segment(kept, len(part) - len(kept))
