# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""When contacts begin and end within a step of a method that varies its step."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from charmie_dynamics.core.contact.records import DISPLACEMENT, KEY, MEMORY, POINT_KEY
from charmie_dynamics.numerics.vectors import Floats, Ints

from .stepper import Stepper

# a step is looked at in so many places, and in so many more that no shape moves farther between two
# of them than this share of the thinnest half: what touches and parts between two is not seen
PLACES = 8
SHARE = 0.5
HALVINGS = 60

# puts the state at a time within the step into a stepper
StateAt = Callable[[float], Floats]


def displacements_in(stepper: Stepper) -> Ints:
    """Return where in the memory internal displacements are that change now."""
    scene = stepper.contacts
    if scene is None or not scene.is_elastic:
        return np.zeros(0, dtype=np.int64)
    used = MEMORY * np.flatnonzero(stepper.memory[KEY::MEMORY])
    return (used[:, None] + DISPLACEMENT + np.arange(3)).ravel()


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
        self._shapes = self._places()
        self._speed = 0.0

    @property
    def longest_step(self) -> float:
        """How long a step may be, so that no shape moves farther than its own size (s).

        Stages of a longer one would lie so deep within other shapes that forces there say nothing.
        """
        scene = self._stepper.contacts
        return math.inf if scene is None or not self._speed else scene.thinnest / self._speed

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
        first, fastest = before, 0.0
        for last in np.linspace(before, now, PLACES + 1)[1:].tolist():
            touching, moved = self._at(last, state_at), self._moved()
            fastest = max(fastest, moved * PLACES / (now - before))
            parts = math.ceil(moved / (SHARE * self._stepper.contacts.thinnest))
            for place in np.linspace(first, last, parts + 1)[1:-1].tolist():
                if self._at(place, state_at) != self._keys:
                    return self._first_change(first, place, state_at)
                first = place
            if touching != self._keys:
                return self._first_change(first, last, state_at)
            first = last
        self._speed = fastest
        return None

    def _moved(self) -> float:
        """Return how far a shape has moved at most since this was asked for (m)."""
        before, self._shapes = self._shapes, self._places()
        return float(np.linalg.norm(self._shapes - before, axis=1).max(initial=0.0))

    def _places(self) -> Floats:
        scene = self._stepper.contacts
        return np.zeros((0, 3)) if scene is None else scene.places

    def renew(self, row: Floats) -> Floats:
        """Take the points that are in contact from now on; return the row with their memory."""
        self._put(row)
        self._stepper.touch()
        self._keys = self._now()
        self._shapes = self._places()
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
