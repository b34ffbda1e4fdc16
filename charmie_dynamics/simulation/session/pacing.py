# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Steps that are due: simulated time follows real time, faster, slower or without waiting."""

from __future__ import annotations

import math

# s of real time by which simulated time may lag before the rest is dropped
LONGEST_LAG = 0.1


class Pacing:
    """The number of steps that are due, for a speed.

    A machine that is too slow catches up at most `LONGEST_LAG` of real time; the rest is lost.

    Parameters
    ----------
    step : float
        Length of a step (s).
    speed : float
        Factor on real time; 0: as fast as possible.

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
        """Restart with `steps` done at steady time `now` (s)."""
        self._steps, self._begin = steps, now

    def set_speed(self, speed: float, steps: int, now: float) -> None:
        """Continue with another speed."""
        self._speed = speed
        self.begin(steps, now)

    def due(self, steps: int, now: float) -> float:
        """Return the number of steps due at steady time `now` (s), with `steps` done.

        Infinite without a limit of the speed.
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
