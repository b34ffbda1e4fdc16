# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Position and velocity from a signal of coarse steps.

A value rounded to steps of q determines the position to within q/2. A tracker that follows the
value itself sees a staircase: the second difference of one step of a degree at 20 Hz is 7 rad/s^2.
This tracker is corrected only by the distance of its prediction from the interval of q/2 around the
value. While it moves at the speed of the joint, its prediction stays inside and no correction
disturbs it.

Outside it is a critically damped tracker of second order with both poles at exp(-2 pi f dt), the
same family as those of `live.estimation.differentiator`. Its velocity follows changes of the
velocity by 1 / (pi f) later, its position is without lasting error at any constant velocity.
"""

from __future__ import annotations

import math
from typing import NamedTuple

# s without a value after which nothing is known of the velocity
LONGEST_PAUSE = 3.0


class Smoothed(NamedTuple):
    """A position and its rate (rad or m, per s)."""

    position: float
    velocity: float


class QuantisedTracker:
    """Tracker of one signal.

    Parameters
    ----------
    quantum : float
        Step (rad or m) to which the values are rounded; 0: they are not.
    cutoff : float
        f (Hz).

    Attributes
    ----------
    delay : float
        Time (s) by which the velocity, and accelerations made from it, follow the motion.
    """

    def __init__(self, quantum: float, cutoff: float) -> None:
        self._half = 0.5 * quantum
        self._omega = 2.0 * math.pi * cutoff
        self.delay = 2.0 / self._omega
        self._stamp: int | None = None
        self._position = 0.0
        self._velocity = 0.0

    def update(self, stamp: int, value: float) -> Smoothed:
        """Update with a value and return position and velocity at its time.

        Parameters
        ----------
        stamp : int
            Time of the value (ns). After a step back or a long pause the tracker starts again at
            rest.
        value : float
            rad or m.
        """
        last, self._stamp = self._stamp, stamp
        dt = 0.0 if last is None else (stamp - last) * 1e-9
        goes_on = last is not None and 0.0 <= dt <= LONGEST_PAUSE
        if goes_on and dt > 0.0:
            predicted = self._position + self._velocity * dt
            off = value - predicted
            outside = math.copysign(max(0.0, abs(off) - self._half), off)
            theta = math.exp(-self._omega * dt)
            self._position = predicted + (1.0 - theta * theta) * outside
            self._velocity += (1.0 - theta) ** 2 * outside / dt
        # a value so large that its rate is not finite must not stay in the state for ever
        if not goes_on or not math.isfinite(self._position + self._velocity):
            self._position, self._velocity = value, 0.0
        return Smoothed(self._position, self._velocity)
