"""What to do with several samples that wait: a cycle for each, or one for the newest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .samples import JointSample

# s, the longest that the newest sample is held up by cycles of older ones; at a kilohertz a node
# is busy with its markers or its report for a few milliseconds
LONGEST = 0.005
# s between two messages that no idle moment makes: what it costs to deliver the second
DELIVERY = 100e-6


class Slack:
    """Time that a node has had to spare, from which it may catch up.

    A node which now and then is idle keeps up on the whole; samples that came while it was busy
    with something else get cycles of their own. One that never is idle does not keep up: from all
    samples that wait it should take the newest.

    Attributes
    ----------
    left : float
        Seconds, at most `LONGEST`.
    """

    def __init__(self) -> None:
        self.left = 0.0

    def note_idle(self, seconds: float) -> None:
        """Note the time between the end of one message's work and the arrival of the next."""
        self.left = min(LONGEST, self.left + max(0.0, seconds - DELIVERY))

    def covers(self, cycles: int, seconds: float) -> bool:
        """Tell whether there is time for more cycles of so many seconds each, and spend it."""
        needed = cycles * seconds
        if needed > self.left:
            return False
        self.left -= needed
        return True


Stamped = tuple[str, JointSample]


def merged(first: Iterable[Stamped], second: Iterable[Stamped]) -> Iterator[Stamped]:
    """Yield the samples of two topics by their stamps, each topic in its own order.

    Of equal stamps those of `first` come first. The order within a topic is kept, whatever its
    stamps: a jump back in time must not be sorted away.
    """
    ahead = list(first)
    ahead.reverse()
    for topic, sample in second:
        while ahead and ahead[-1][1].stamp <= sample.stamp:
            yield ahead.pop()
        yield topic, sample
    while ahead:
        yield ahead.pop()
