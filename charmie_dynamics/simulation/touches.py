# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""When contacts begin and end within a step of a method that varies its step."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from charmie_dynamics.core.contact.records import DISPLACEMENT, KEY, MEMORY, POINT_KEY
from charmie_dynamics.numerics.vectors import Floats, Ints

from .stepper import Stepper

# a step is looked at in at most so many places; in fewer where nothing can touch and part between
# two of them by more than `UNSEEN`; and in so many more that no shape moves farther between two of
# them than this share of the thinnest half
PLACES = 8
UNSEEN = 1e-7  # m
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
        self._speed = 0.0
        self._keys, self._shapes = self._now()
        self._velocity: Floats = stepper.arrays.velocity.copy()

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
        scene = self._stepper.contacts
        if scene is None:
            return None
        end = self._look(now, state_at)
        velocity = self._stepper.arrays.velocity.copy()
        # a gap that closes and opens again in between is at most so wide below zero
        gap = float(np.abs(velocity - self._velocity).max(initial=0.0)) * (now - before) / 8.0
        count = min(PLACES, max(1, math.ceil(math.sqrt(gap / UNSEEN)))) if gap < np.inf else PLACES
        first, shapes, fastest = before, self._shapes, 0.0
        for last in np.linspace(before, now, count + 1)[1:].tolist():
            seen = end if last == now else self._look(last, state_at)
            moved = float(np.linalg.norm(seen.shapes - shapes, axis=1).max(initial=0.0))
            fastest, shapes = max(fastest, moved * count / (now - before)), seen.shapes
            parts = math.ceil(moved / (SHARE * scene.thinnest))
            for place in np.linspace(first, last, parts + 1)[1:-1].tolist():
                if self._look(place, state_at).keys != self._keys:
                    return self._first_change(first, place, state_at)
                first = place
            if seen.keys != self._keys:
                return self._first_change(first, last, state_at)
            first = last
        self._speed, self._shapes, self._velocity = fastest, shapes, velocity
        return None

    def renew(self, row: Floats) -> Floats:
        """Take the points that are in contact from now on; return the row with their memory."""
        self._put(row)
        self._stepper.touch()
        self._keys, self._shapes = self._now()
        self._velocity = self._stepper.arrays.velocity.copy()
        states = self._stepper.arrays.position
        return np.concatenate([states, row[len(states) :]])

    def _first_change(self, first: float, last: float, state_at: StateAt) -> float:
        """Return the end of the shortest interval that has the change in it, by bisection."""
        for _ in range(HALVINGS):
            middle = 0.5 * (first + last)
            if not first < middle < last:
                break
            if self._look(middle, state_at).keys == self._keys:
                first = middle
            else:
                last = middle
        return last

    def _look(self, time: float, state_at: StateAt) -> _Seen:
        self._put(state_at(time))
        return self._now()

    def _now(self) -> _Seen:
        scene = self._stepper.contacts
        if scene is None:
            return _Seen(frozenset(), np.zeros((0, 3)))
        keys = frozenset(self._stepper.table()[:, POINT_KEY].tolist())
        return _Seen(keys, scene.places)


class _Seen(NamedTuple):
    """The points in contact at a time, and where the shapes are (m)."""

    keys: frozenset[float]
    shapes: Floats
