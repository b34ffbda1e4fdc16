# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""NodeCounters of the node in a bag: what its diagnostics say of the inputs that it received."""

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
    """What a node had counted at some moments, k of them.

    Parameters
    ----------
    stamps : (k,) array of int
        Of the reports (ns), ascending.
    values : (k, 5) array of int
        Since the start of the node: joint states received, samples passed over for newer ones,
        samples dropped as older than others, messages refused of each input.
    """

    stamps: Ints
    values: Ints

    def since(self, start: int) -> NodeCounters:
        """Return the reports from a stamp (ns) on."""
        later = self.stamps >= start
        return NodeCounters(self.stamps[later], self.values[later])

    @property
    def passed_over(self) -> int:
        """Joint samples that got no cycle since newer ones waited, from the first report on."""
        return int(self.values[-1, 1] - self.values[0, 1]) if len(self.values) else 0

    @property
    def late(self) -> int:
        """Samples that came after newer ones, from the first report on."""
        return int(self.values[-1, 2] - self.values[0, 2]) if len(self.values) else 0

    @property
    def refused(self) -> int:
        """Messages that the node has refused since its start."""
        return int(self.values[-1, 3:].sum()) if len(self.values) else 0

    def not_received(self, recorded: Ints) -> int:
        """Return how many joint states were recorded that did not reach the node.

        Parameters
        ----------
        recorded : (n,) array of int
            Their stamps (ns), ascending. Between any two reports the node is to have received as
            many.
        """
        if len(self.values) < 2:
            return 0
        ahead = np.searchsorted(recorded, self.stamps, side="right") - self.values[:, 0]
        return int((ahead - np.minimum.accumulate(ahead)).max())


def counters_of(bag: Bag) -> NodeCounters:
    """Return what the node of a bag had counted at each of its reports."""
    topic = topics.DIAGNOSTICS.name
    counts: dict[int, list[int]] = {}
    for message in bag.messages(topic) if bag.count(topic) else ():
        entries = {item.key: item.value for status in message.status for item in status.values}
        if all(entries.get(key, "").isdecimal() for key in _KEYS):
            counts[stamp_of(message.header)] = [int(entries[key]) for key in _KEYS]
    stamps = sorted(counts)
    values = np.array([counts[stamp] for stamp in stamps], dtype=np.int64)
    return NodeCounters(np.array(stamps, dtype=np.int64), values.reshape(-1, len(_KEYS)))
