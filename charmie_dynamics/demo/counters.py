# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Counters of the node in a bag: its diagnostics about received inputs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from charmie_dynamics.live import topics
from charmie_dynamics.live.monitors import LATE, PASSED_OVER, RECEIVED, REJECTED
from charmie_dynamics.numerics.vectors import Ints
from charmie_dynamics.recordings.read.bag import Bag, stamp_of

JOINTS, LENGTHS = topics.INPUTS
_KEYS = (
    f"{JOINTS.name} {RECEIVED}",
    PASSED_OVER,
    LATE,
    f"{JOINTS.name} {REJECTED}",
    f"{LENGTHS.name} {REJECTED}",
)


@dataclass(frozen=True, eq=False)
class NodeCounters:
    """Counters of a node at k times.

    Parameters
    ----------
    stamps : (k,) array of int
        Of the reports (ns), ascending.
    values : (k, 5) array of int
        Since the start of the node: joint states received, samples skipped for newer ones,
        samples dropped as older than others, messages refused of each input.
    """

    stamps: Ints
    values: Ints

    def since(self, start: int) -> NodeCounters:
        """Return the reports from a stamp (ns)."""
        later = self.stamps >= start
        return NodeCounters(self.stamps[later], self.values[later])

    @property
    def passed_over(self) -> int:
        """Joint samples that were skipped for newer ones, since the first report."""
        return int(self.values[-1, 1] - self.values[0, 1]) if len(self.values) else 0

    @property
    def late(self) -> int:
        """Samples that arrived after newer ones, since the first report."""
        return int(self.values[-1, 2] - self.values[0, 2]) if len(self.values) else 0

    @property
    def refused(self) -> int:
        """Messages refused since the start of the node."""
        return int(self.values[-1, 3:].sum()) if len(self.values) else 0

    def not_received(self, recorded: Ints) -> int:
        """Return the number of recorded joint states that did not reach the node.

        Parameters
        ----------
        recorded : (n,) array of int
            Their stamps (ns), ascending. The node should have received the same number between any
            two reports.
        """
        if len(self.values) < 2:
            return 0
        ahead = np.searchsorted(recorded, self.stamps, side="right") - self.values[:, 0]
        return int((ahead - np.minimum.accumulate(ahead)).max())


def counters_of(bag: Bag) -> NodeCounters:
    """Return the counters in each report of the node in a bag."""
    topic = topics.DIAGNOSTICS.name
    counts: dict[int, list[int]] = {}
    for message in bag.messages(topic) if bag.count(topic) else ():
        entries = {item.key: item.value for status in message.status for item in status.values}
        if all(entries.get(key, "").isdecimal() for key in _KEYS):
            counts[stamp_of(message.header)] = [int(entries[key]) for key in _KEYS]
    stamps = sorted(counts)
    values = np.array([counts[stamp] for stamp in stamps], dtype=np.int64)
    return NodeCounters(np.array(stamps, dtype=np.int64), values.reshape(-1, len(_KEYS)))
