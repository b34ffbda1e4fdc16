# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""When contacts begin and end within a step of a method that varies its step."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from charmie_dynamics.core.arrays import PASSES_UNSEEN
from charmie_dynamics.core.contact.records import DISPLACEMENT, KEY, MEMORY, POINT_KEY
from charmie_dynamics.errors import SimulationError
from charmie_dynamics.numerics.vectors import Floats, Ints

from .events import last_of_bisection
from .stepper import Stepper

# largest number of places in a step at which contacts are computed; fewer if nothing can touch and
# separate between two of them by more than `UNSEEN`, and more if near shapes are fast
PLACES = 8
UNSEEN = 1e-7  # m
GROWTH = 1.1  # largest ratio of a speed within a step to those at its ends
SMALLEST = 1e-12  # of a step, between two places; and a horizon (s) for speeds alone

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
        Writes an integrated row into the stepper.
    count : callable
        Called with the time of each evaluation; raises after too many.

    Attributes
    ----------
    longest_step : float
        A solver should take no longer step (s). Stages of a longer step would be so deep within
        other shapes that forces there are meaningless.
    """

    def __init__(
        self, stepper: Stepper, put: Callable[[Floats], None], count: Callable[[float], None]
    ) -> None:
        self._stepper = stepper
        self._put = put
        self._count = count
        self.longest_step = math.inf
        self._keys: frozenset[float] = frozenset()
        self._speeds: Floats = np.zeros(0)
        self._velocity: Floats = np.zeros(0)
        self._begin()

    def change(self, before: float, now: float, state_at: StateAt) -> float | None:
        """Return when the first contact has begun or ended in a step, None if none has.

        Parameters
        ----------
        before, now : float
            Start and end of the step (s).
        state_at : callable
            Returns the integrated row at a time within the step.

        Raises
        ------
        SimulationError
            If shapes have pressed through each other.
        """
        scene = self._stepper.contacts
        if scene is None:
            return None
        span = now - before
        scene.motion.speed_floor[:] = GROWTH * self._speeds
        end = self._look(now, state_at, span)
        speeds, velocity = scene.motion.point_speed.copy(), self._stepper.arrays.velocity.copy()
        scene.motion.speed_floor[:] = GROWTH * np.maximum(self._speeds, speeds)
        # a gap that closes and opens again in between is at most so wide below zero
        gap = float(np.abs(velocity - self._velocity).max(initial=0.0)) * span / 8.0
        count = min(PLACES, max(1, math.ceil(math.sqrt(gap / UNSEEN)))) if gap < np.inf else PLACES
        first, near = before, end.free < GROWTH * span
        for last in np.linspace(before, now, count + 1)[1:].tolist():
            change = self._passed(first, last, state_at) if near else None
            if change is None:
                is_end = last == now and not near
                seen = end if is_end else self._look(last, state_at, SMALLEST)
                if seen.keys != self._keys:
                    change = self._bisect(first, last, state_at)
                elif near:
                    self._require_shallow(last, seen)
            if change is not None:
                return change
            first = last
        self.longest_step = 2.0 * end.free if end.free < span else math.inf
        self._speeds, self._velocity = speeds, velocity
        return None

    def renew(self, row: Floats) -> Floats:
        """Take the points that are in contact from now on; return the row with their memory."""
        self._put(row)
        self._stepper.probe_and_update_contacts()
        self._begin()
        position, memory = self._stepper.position, self._stepper.memory
        return np.concatenate([position, memory, row[len(position) + len(memory) :]])

    def _begin(self) -> None:
        """Take the state of the stepper as the beginning of the next step."""
        self._keys = self._now(SMALLEST).keys
        scene = self._stepper.contacts
        self._speeds = np.zeros(0) if scene is None else scene.motion.point_speed.copy()
        self._velocity = self._stepper.arrays.velocity.copy()

    def _passed(self, time: float, last: float, state_at: StateAt) -> float | None:
        """Return when a contact begins or ends before the last time (s), None if none does.

        Contacts are computed again before the bound on the speeds allows another one to begin, or
        after an approach by a share of the thickness of the shapes: shallow grazes may be missed.
        """
        shortest = SMALLEST * (last - time)
        while True:
            seen = self._look(time, state_at, last - time)
            self._require_shallow(time, seen)
            if seen.free >= last - time:
                return None
            later = time + max(seen.free, shortest)
            if later >= last:
                return None
            if self._look(later, state_at).keys != self._keys:
                return self._bisect(time, later, state_at)
            time = later

    def _require_shallow(self, time: float, seen: _Seen) -> None:
        """Refuse shapes, as they were seen last, that are too deep in each other."""
        if seen.free < 0.0:
            raise SimulationError(time, str(self._stepper.error_of(PASSES_UNSEEN)))

    def _bisect(self, first: float, last: float, state_at: StateAt) -> float:
        """Return when the points in contact have changed."""
        return last_of_bisection(
            first, last, lambda time: self._look(time, state_at).keys == self._keys
        )

    def _look(self, time: float, state_at: StateAt, horizon: float = 0.0) -> _Seen:
        self._count(time)
        self._put(state_at(time))
        return self._now(horizon)

    def _now(self, horizon: float = 0.0) -> _Seen:
        if self._stepper.contacts is None:
            return _Seen(frozenset(), math.inf)
        keys = frozenset(self._stepper.table(horizon)[:, POINT_KEY].tolist())
        return _Seen(keys, self._stepper.free_time if horizon > 0.0 else 0.0)


class _Seen(NamedTuple):
    """The points in contact at a time, and for how long no other can begin to touch (s).

    Below zero: shapes are too deep in each other.
    """

    keys: frozenset[float]
    free: float
