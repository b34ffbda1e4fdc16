# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Arrivals: the messages that a recorder received, and those that it may have lost.

A reliable topic loses no messages in transit. Its publisher stores the newest messages until they
are taken: a message is lost only if the recorder was so late that as many newer ones had been
published, and then the next message that it received was old. So a message that is missing from a
topic without delays of the recorder was never sent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from charmie_dynamics.live.topics import Topic
from charmie_dynamics.live.wire.stamps import SECONDS
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.recordings.read.bag import Bag

# s without samples, or without any message at all, that count as a pause; for slow samples it is
# this number of their periods
PAUSE = 0.1
PAUSE_PERIODS = 5.0
# delay of the recorder that may lose messages, relative to the duration of a full queue: the
# sample that starts a cycle may be stamped a little before it is due
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
        Of all messages, including repeated stamps.
    """

    stamps: Ints
    times: Ints
    count: int

    @property
    def rate(self) -> float:
        """Messages per second of their stamps (Hz); NaN for fewer than two."""
        return rate_of(self.stamps)

    def since(self, start: int) -> Arrivals:
        """Return the messages from a stamp (ns)."""
        later = self.stamps >= start
        return Arrivals(self.stamps[later], self.times[later], int(later.sum()))

    @property
    def first(self) -> int:
        """Stamp of the first message (ns)."""
        return int(self.stamps[0])


def arrivals_of(bag: Bag, topic: Topic) -> Arrivals:
    """Return the messages of a topic; empty if it was not recorded."""
    recorded = np.array(bag.arrivals(topic.name) if bag.count(topic.name) else [], dtype=np.int64)
    stamps, times = recorded.reshape(-1, 2).T
    ascending, first = np.unique(stamps, return_index=True)
    return Arrivals(ascending, times[first], len(stamps))


def rate_of(stamps: Ints) -> float:
    """Return the mean rate (Hz) of ascending stamps (ns); NaN for fewer than two."""
    if len(stamps) < 2:
        return float("nan")
    return (len(stamps) - 1) / (float(stamps[-1] - stamps[0]) * SECONDS)


def usual_period(*series: Ints) -> float:
    """Return the shortest of the median periods (s) of some series of stamps (ns)."""
    steps = [float(np.median(np.diff(stamps))) for stamps in series if len(stamps) > 1]
    return min(steps, default=0.0) * SECONDS


def longest_step(period: float) -> float:
    """Return the longest time (s) between samples of a period that does not count as a pause."""
    return max(PAUSE, PAUSE_PERIODS * period)


class RecorderTimes:
    """The times at which the recorder was active, and its delays by topic.

    Parameters
    ----------
    inputs : Arrivals
        Samples with the time of sending as stamp.
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
        # clocks of different computers may differ: the shortest delay counts as zero
        self._offset = int((inputs.times - inputs.stamps).min())

    @property
    def end(self) -> int:
        """Time of the last recorded message (ns)."""
        return int(self._times[-1])

    def active_since(self, time: int) -> float:
        """Return the time (s) for which the recorder was active after a time (ns).

        Time without any message counts little: the recorder may have been blocked.
        """
        at = np.interp(time - self._times[0], self._times - self._times[0], self._active)
        return float(self._active[-1] - at)

    def lateness(self, arrivals: Arrivals) -> Floats:
        """Return the delay (s) of each message of a topic from its stamp to its recording."""
        late: Ints = arrivals.times - arrivals.stamps - self._offset
        return late.astype(np.float64) * SECONDS

    def may_have_lost(self, arrivals: Arrivals, missing: Ints, depth: int, period: float) -> Flags:
        """Return which missing messages of a topic the recorder itself may have lost.

        Parameters
        ----------
        arrivals : Arrivals
            At least one message.
        missing : (m,) array of int
            Stamps (ns).
        depth : int
            Queue depth of the publisher.
        period : float
            Between them (s).

        Returns
        -------
        (m,) array of bool
            False for messages after the last recorded one, which are not known.
        """
        late = self.lateness(arrivals) >= QUEUE_SHARE * (depth - 1) * period
        after = np.searchsorted(arrivals.stamps, missing)
        known = after < len(arrivals.stamps)
        result: Flags = known & late[np.minimum(after, len(late) - 1)]
        return result
