# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Arrivals: which messages a recorder got, when, and what it cannot have got.

A reliable topic loses nothing on the way. Its publisher keeps the newest messages until they are
taken: one is lost only if the recorder was so late that as many newer ones had come meanwhile, and
then the next one that it got was old. So a loss on a topic that the recorder was in time for is a
message that was never sent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from charmie_dynamics.live.topics import Topic
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.recordings.read.bag import Bag

SECONDS = 1e-9
# s without samples, or without any message at all, from which it is a pause; more where samples
# come further apart: so many of their periods
PAUSE = 0.1
PAUSE_PERIODS = 5.0
# share of the time which a full queue stands for by which a recorder must be late to lose any: the
# sample that sets off a cycle may be stamped a little before it is due
QUEUE_SHARE = 0.75
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Arrivals:
    """The messages of one topic.

    Parameters
    ----------
    stamps, times : (n,) array of int
        Header stamps, and times of recording (ns), by ascending stamp, no two equal.
    count : int
        Of all messages, those with a repeated stamp included.
    """

    stamps: Ints
    times: Ints
    count: int

    @property
    def rate(self) -> float:
        """Messages a second of their stamps (Hz); NaN where there are less than two."""
        return rate_of(self.stamps)

    def since(self, start: int) -> Arrivals:
        """Return the messages from a stamp (ns) on."""
        later = self.stamps >= start
        return Arrivals(self.stamps[later], self.times[later], int(later.sum()))

    @property
    def first(self) -> int:
        """Stamp of the first message (ns)."""
        return int(self.stamps[0])


def arrivals_of(bag: Bag, topic: Topic) -> Arrivals:
    """Return the messages of a topic; none where it was not recorded."""
    recorded = np.array(bag.arrivals(topic.name) if bag.count(topic.name) else [], dtype=np.int64)
    stamps, times = recorded.reshape(-1, 2).T
    ascending, first = np.unique(stamps, return_index=True)
    return Arrivals(ascending, times[first], len(stamps))


def rate_of(stamps: Ints) -> float:
    """Return the mean rate (Hz) of ascending stamps (ns); NaN where there are less than two."""
    if len(stamps) < 2:
        return float("nan")
    return (len(stamps) - 1) / (float(stamps[-1] - stamps[0]) * SECONDS)


def usual_period(*series: Ints) -> float:
    """Return the shortest of the median periods (s) of some series of stamps (ns)."""
    steps = [float(np.median(np.diff(stamps))) for stamps in series if len(stamps) > 1]
    return min(steps, default=0.0) * SECONDS


def longest_step(period: float) -> float:
    """Return the longest time (s) between samples of a period that is no pause."""
    return max(PAUSE, PAUSE_PERIODS * period)


class RecorderTimes:
    """When the recorder was at work, and for which topics it was late.

    Parameters
    ----------
    inputs : Arrivals
        Samples that are stamped when they are sent.
    all_times : (n,) array of int
        Times of recording of all messages (ns), in any order.
    period : float
        Of the inputs (s).
    """

    def __init__(self, inputs: Arrivals, all_times: Ints, period: float) -> None:
        self._times: Ints = np.sort(all_times)
        steps = np.diff(self._times) * SECONDS
        active = np.cumsum(np.minimum(steps, longest_step(period)))
        self._active = np.concatenate((np.zeros(1), active)).astype(np.float64)
        # clocks of different computers may differ: what came quickest came at once
        self._offset = int((inputs.times - inputs.stamps).min())

    @property
    def end(self) -> int:
        """Time of the last recorded message (ns)."""
        return int(self._times[-1])

    def active_since(self, time: int) -> float:
        """Return how long (s) the recorder was at work between a time (ns) and its end.

        Time in which nothing at all came counts little: the recorder may have been held up.
        """
        at = np.interp(time - self._times[0], self._times - self._times[0], self._active)
        return float(self._active[-1] - at)

    def lateness(self, arrivals: Arrivals) -> Floats:
        """Return how late (s) each message of a topic was recorded, by its stamp."""
        late: Ints = arrivals.times - arrivals.stamps - self._offset
        return late.astype(np.float64) * SECONDS

    def may_have_lost(self, arrivals: Arrivals, missing: Ints, depth: int, period: float) -> Flags:
        """Tell which missing messages of a topic the recorder may have lost itself.

        Parameters
        ----------
        found : Arrivals
            At least one message.
        missing : (m,) array of int
            Stamps (ns).
        depth : int
            How many messages the publisher keeps.
        period : float
            Between them (s).

        Returns
        -------
        (m,) array of bool
            False for messages after the last one found, which nothing is known of.
        """
        late = self.lateness(arrivals) >= QUEUE_SHARE * (depth - 1) * period
        after = np.searchsorted(arrivals.stamps, missing)
        known = after < len(arrivals.stamps)
        result: Flags = known & late[np.minimum(after, len(late) - 1)]
        return result
