# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""When contacts begin and end within a step of a method that varies its step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from charmie_dynamics.core.contact.records import POINT_KEY
from charmie_dynamics.numerics.vectors import Floats

from .stepper import Stepper

# a step is looked at in so many places: what touches and parts between two of them is not seen
PLACES = 8
HALVINGS = 60

# puts the state at a time within the step into a stepper
StateAt = Callable[[float], Floats]


class TouchWatch:
    """The points in contact of a run.

    Parameters
    ----------
    stepper : Stepper
        At the start.
    put : callable
        Puts a row of what is integrated into the stepper.
    """

    def __init__(self, stepper: Stepper, put: Callable[[Floats], None]) -> None:
        self._stepper = stepper
        self._put = put
        self._keys = self._now()

    def change(self, before: float, now: float, state_at: StateAt) -> float | None:
        """Return when the first contact has begun or ended in a step, None if none has.

        Parameters
        ----------
        before, now : float
            Begin and end of the step (s).
        state_at : callable
            Returns what is integrated at a time within it.
        """
        if self._stepper.contacts is None:
            return None
        first = before
        for last in np.linspace(before, now, PLACES + 1)[1:].tolist():
            if self._at(last, state_at) != self._keys:
                return self._first_change(first, last, state_at)
            first = last
        return None

    def renew(self, row: Floats) -> Floats:
        """Take the points that are in contact from now on; return the row with their memory."""
        self._put(row)
        self._stepper.touch()
        self._keys = self._now()
        states = self._stepper.arrays.position
        return np.concatenate([states, row[len(states) :]])

    def _first_change(self, first: float, last: float, state_at: StateAt) -> float:
        """Return the end of the shortest interval that has the change in it, by bisection."""
        for _ in range(HALVINGS):
            middle = 0.5 * (first + last)
            if not first < middle < last:
                break
            if self._at(middle, state_at) == self._keys:
                first = middle
            else:
                last = middle
        return last

    def _at(self, time: float, state_at: StateAt) -> frozenset[float]:
        self._put(state_at(time))
        return self._now()

    def _now(self) -> frozenset[float]:
        if self._stepper.contacts is None:
            return frozenset()
        return frozenset(self._stepper.table()[:, POINT_KEY].tolist())
