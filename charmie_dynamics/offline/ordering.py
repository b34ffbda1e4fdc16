"""Lengths before the joints of the same moment, where a recorder has taken them later."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from ..signals.align import ACTUATOR_LENGTHS, JOINT_STATES
from .received import Received

# ns; a recorder takes what waits topic by topic, and samples of one moment lie that far apart
WAIT = 20_000_000


def lengths_first(received: Iterable[Received]) -> Iterator[Received]:
    """Yield samples as they came, lengths before joints that are as old or newer.

    Only what was recorded within `WAIT` after such joints is moved. Each topic keeps its own order,
    whatever its stamps: a jump back in time must not be sorted away.
    """
    held: deque[Received] = deque()  # between two samples: begins with joints, if there are any
    for entry in received:
        while held and not 0 <= entry.arrival - held[0].arrival <= WAIT:
            yield held.popleft()
        if entry.topic == ACTUATOR_LENGTHS:
            held.insert(_place(held, entry), entry)
        else:
            held.append(entry)
        # nothing comes before what is no joints
        while held and held[0].topic != JOINT_STATES:
            yield held.popleft()
    yield from held


def _place(held: deque[Received], lengths: Received) -> int:
    """Return where lengths go: before the first joints that need them, after earlier lengths."""
    for place, other in reversed(list(enumerate(held))):
        if other.topic == ACTUATOR_LENGTHS or not _needs(other, lengths):
            return place + 1
    return 0


def _needs(other: Received, lengths: Received) -> bool:
    return other.topic != JOINT_STATES or 0 <= other.sample.stamp - lengths.sample.stamp <= WAIT
