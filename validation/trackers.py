# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Other structures for the estimator of accelerations, to compare the one that is used with.

All are polynomial trackers of constant gain: a state of n derivatives is carried on by its own
polynomial and corrected by the difference to the measured value. n - 1 is the order of the motion
that they follow without a lasting error. They differ in their poles and their order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Structure:
    """A way to estimate accelerations.

    Attributes
    ----------
    label : str
    states : int
        Tracked derivatives, the measured value included.
    butterworth : bool
        Poles on a half circle; else all in one place (critically damped).
    smoothed : bool
        The acceleration goes through another pole of the same frequency.
    """

    label: str
    states: int
    butterworth: bool = False
    smoothed: bool = False

    def track(self, values: Floats, period: float, cutoff: float) -> Floats:
        """Return values and their derivatives (N, states, q) from values (N, q)."""
        transition = np.array(
            [
                [1.0 / math.factorial(j - i) if j >= i else 0.0 for j in range(self.states)]
                for i in range(self.states)
            ]
        )
        gain = self._gain(transition, 2.0 * math.pi * cutoff * period)[:, np.newaxis]
        state = np.zeros((self.states, values.shape[1]))
        state[0] = values[0]
        history = np.empty((len(values), *state.shape))
        for k, value in enumerate(values):
            state = transition @ state
            state += gain * (value - state[0])
            history[k] = state
        return history / period ** np.arange(self.states)[:, np.newaxis]

    def acceleration(self, measured: Floats, period: float, cutoff: float, order: int) -> Floats:
        """Return the derivative of a given order (N, q), smoothed where the structure says so."""
        result = self.track(measured, period, cutoff)[:, order]
        if self.smoothed:
            share = 1.0 - math.exp(-2.0 * math.pi * cutoff * period)
            for k in range(1, len(result)):
                result[k] = result[k - 1] + share * (result[k] - result[k - 1])
        return result

    def _gain(self, transition: Floats, angle: float) -> Floats:
        """Return the gains that give the error its poles (Ackermann's formula)."""
        n = self.states
        if self.butterworth:
            poles = np.exp(1j * math.pi * (2.0 * np.arange(n) + n + 1.0) / (2.0 * n))
        else:
            poles = -np.ones(n)
        wanted = np.real(np.poly(np.exp(angle * poles)))
        powers = [np.linalg.matrix_power(transition, k) for k in range(n + 1)]
        polynomial = sum(c * powers[n - k] for k, c in enumerate(wanted))
        observed = np.array([powers[k + 1][0] for k in range(n)])
        last = np.zeros(n)
        last[-1] = 1.0
        gain: Floats = polynomial @ np.linalg.solve(observed, last)
        return gain


def structures(order: int) -> tuple[Structure, ...]:
    """Return the structures that give the derivative of an order; the first one is in use."""
    n = order + 1
    return (
        Structure("critically damped, acceleration smoothed once more (in use)", n, smoothed=True),
        Structure("critically damped", n),
        Structure("Butterworth", n, butterworth=True),
        Structure("critically damped, follows the jerk too", n + 1),
        Structure("Butterworth, follows the jerk too", n + 1, butterworth=True),
    )
