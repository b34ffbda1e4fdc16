# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Settling of the estimates after a start, gap or pause: its duration and the remaining time.

An estimate starts at rest, or at the measured velocity, with an acceleration of zero. The filters
have all their poles at the cutoff (`trackers`, `differentiator`), so that of a wrong acceleration
at the start the share

    exp(-x) (1 + x + ... + x^(n - 1) / (n - 1)!),      x = 2 pi f t,

is left after a time t: the step response of n equal poles. On positions there are n = 4, three of
the tracker and the last one, on velocities n = 3. An estimate has settled when `REMAINING` is left
and as many samples have arrived as the tracker has poles; the latter takes longer at low rates.
"""

from __future__ import annotations

import math
from typing import Any

from charmie_dynamics.numerics.jit import compiled

from .records import Records
from .trackers import NOTHING, VELOCITY

# poles of the trackers, and so the samples that they need
ON_POSITIONS = 3
ON_VELOCITIES = 2
# share of the first error that counts as none
REMAINING = 0.01
# rad, more than any filter needs
LONGEST = 100.0


def settling_time(cutoff: float, tracked: int) -> float:
    """Return how long an estimate settles (s).

    Parameters
    ----------
    cutoff : float
        Of the estimates (Hz).
    tracked : {ON_POSITIONS, ON_VELOCITIES}
        Poles of the tracker; the acceleration adds one.
    """
    low, high = 0.0, LONGEST
    while high - low > 1e-12 * high:
        middle = 0.5 * (low + high)
        left = math.exp(-middle) * sum(middle**k / math.factorial(k) for k in range(tracked + 1))
        low, high = (middle, high) if left > REMAINING else (low, middle)
    return high / (2.0 * math.pi * cutoff)


@compiled
def settle(stamp: int, settings: Records, trackers: Records) -> float:
    """Return how long (s) the estimates still settle at one time, the longest of all trackers.

    Parameters
    ----------
    stamp : int
        Of the cycle (ns).
    settings : (1,) array of SETTINGS
        Measured velocities without estimated accelerations need no estimate.
    trackers : (n,) array of TRACKER
        The remaining time of each is written; zero for unknown coordinates.
    """
    longest = 0.0
    for i in range(trackers.shape[0]):
        t: Any = trackers[i]
        t["settling"] = 0.0
        if t["source"] == NOTHING:
            continue
        needed = settings[0]["settling_on_positions"]
        samples = ON_POSITIONS
        if t["source"] == VELOCITY:
            if settings[0]["with_acceleration"] != 1:
                continue
            needed = settings[0]["settling_on_velocities"]
            samples = ON_VELOCITIES
        left = max(needed - (stamp - t["begun"]) * 1e-9, (samples - t["samples"]) * t["period"])
        if left > 0.0:
            t["settling"] = left
            longest = max(longest, left)
    return longest
