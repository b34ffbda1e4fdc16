# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""How many steps are due: simulated time that follows real time, faster, slower or at once."""

from __future__ import annotations

import math

# s of real time by which simulated time may lag before it gives up catching up
LONGEST_LAG = 0.1


class Pacing:
    """How many steps are due at a time, for a speed.

    A machine that is too slow catches up at most `LONGEST_LAG` of real time; the rest is lost.

    Parameters
    ----------
    step : float
        Length of a step (s).
    speed : float
        Times real time; 0: as fast as it goes.

    Examples
    --------
    >>> from charmie_dynamics.simulation.session.pacing import Pacing
    >>> pacing = Pacing(0.001, 2.0)
    >>> pacing.begin(0, 10.0)
    >>> pacing.due(0, 10.005)
    10
    """

    def __init__(self, step: float, speed: float) -> None:
        self._step, self._speed = step, speed
        self.begin(0, 0.0)

    def begin(self, steps: int, now: float) -> None:
        """Begin anew: so many steps are done at steady time `now` (s)."""
        self._steps, self._begin = steps, now

    def set_speed(self, speed: float, steps: int, now: float) -> None:
        """Go on with another speed."""
        self._speed = speed
        self.begin(steps, now)

    def due(self, steps: int, now: float) -> float:
        """Return how many steps are due at steady time `now` (s), after so many.

        Infinite where nothing is to be waited for.
        """
        if not self._speed:
            return math.inf
        # to the nearest step: the clock of a timer that ticks with the steps is never quite exact
        rate = self._speed / self._step
        due = self._steps + math.floor((now - self._begin) * rate + 0.5) - steps
        if due * self._step > LONGEST_LAG * self._speed:
            due = max(1, math.floor(LONGEST_LAG * rate))
            self._steps, self._begin = steps, now - LONGEST_LAG
        return max(0, due)
