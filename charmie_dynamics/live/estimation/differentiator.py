# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Causal estimates of velocity and acceleration from stamped samples.

Each coordinate is followed by a critically damped polynomial tracker with all poles at
exp(-2 pi f dt): of second order on velocities where they are measured, else of third order on
positions (the g-h and g-h-k filters of the fading-memory family). The acceleration passes one more
pole of the same cutoff: that nearly halves the effect of encoder noise on the efforts
(``docs/validation.md``). Motion at constant velocity has zero estimated acceleration, up to the
round-off of positions where velocities are estimated; motion at constant acceleration has no
lasting error. `dt` is the time between the stamps, so that a
changing rate does no harm. The steps of the trackers are `trackers.follow`.
"""

from __future__ import annotations

import math

import numpy as np

from charmie_dynamics.numerics.vectors import Floats, Ints

from . import trackers
from .records import TRACKER


class Differentiator:
    """Trackers of n coordinates.

    Parameters
    ----------
    count : int
        n.
    cutoff : float
        Cutoff frequency of the estimates (Hz).
    gap : float
        A pause longer than this (s) restarts the tracker of a coordinate.

    Attributes
    ----------
    trackers : (n,) array of records.TRACKER
        Everything; the other attributes are views of its fields.
    source : (n,) array of int
        Source of a coordinate's estimate; `trackers.NOTHING` for an unknown coordinate.
    stamp : (n,) array of int
        Time of the newest sample (ns).
    period : (n,) array
        Time between the two newest samples (s), zero until there are two.
    position, velocity, acceleration : (n,) array
        Newest measured position; measured or estimated velocity; estimated acceleration.
    """

    def __init__(self, count: int, cutoff: float, gap: float) -> None:
        self.trackers = np.zeros(count, dtype=TRACKER)
        self.trackers["fastest"] = self.trackers["stretch"] = np.inf
        self.source: Ints = self.trackers["source"]
        self.stamp: Ints = self.trackers["stamp"]
        self.period: Floats = self.trackers["period"]
        self.position: Floats = self.trackers["position"]
        self.velocity: Floats = self.trackers["velocity"]
        self.acceleration: Floats = self.trackers["acceleration"]
        self.omega = 2.0 * math.pi * cutoff
        self.gap = float(gap)

    def reset(self) -> None:
        """Forget everything."""
        self.source[:] = trackers.NOTHING

    def forget(self, index: Ints) -> None:
        """Forget some coordinates."""
        self.source[index] = trackers.NOTHING

    def update(self, index: Ints, stamp: int, position: Floats, velocity: Floats) -> None:
        """Update with one sample of some coordinates.

        Parameters
        ----------
        index : (k,) array of int
            Which coordinates.
        stamp : int
            Time of the sample (ns), not before the coordinates' last.
        position : (k,) array
            NaN where there is nothing new.
        velocity : (k,) array
            NaN where it is to be estimated.
        """
        trackers.update(index, stamp, position, velocity, self.omega, self.gap, self.trackers)
