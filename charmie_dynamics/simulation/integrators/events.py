# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Functions whose zeros are found in a run, and which may end it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

# called as event(time, position, velocity); like those of SciPy it may have the attributes
# `terminal` (True: it ends the run) and `direction` (1: only where it rises, -1: only where it
# falls, 0: both)
Event = Callable[[float, Floats, Floats], float]
# position (p,) and velocity (v,) at a time within a step
StateAt = Callable[[float], tuple[Floats, Floats]]
HALVINGS = 60  # of a step, in search of a change


class LimitEvent:
    """An actuator or a passive joint at an end of its range.

    Attributes
    ----------
    name : str
        The actuator or joint and the end.
    terminal : bool
        Whether it ends the run.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.simulation import limit_events
    >>> events = limit_events(load_model())
    >>> events[6].name, events[6].terminal
    ('torso_actuator upper limit', True)
    """

    def __init__(self, name: str, entry: int, sign: float, limit: float, terminal: bool) -> None:
        self.name = name
        self.terminal = terminal
        self.direction = 1.0
        self._entry = entry
        self._sign = sign
        self._limit = limit

    def __call__(self, time: float, position: Floats, velocity: Floats) -> float:
        """Return by how much the position is beyond the end."""
        return self._sign * (float(position[self._entry]) - self._limit)


def limit_events(model: Model, *, terminal: bool = True) -> list[LimitEvent]:
    """Return an event for each end of the ranges of the actuators and of passive joints.

    Parameters
    ----------
    model : Model
    terminal : bool
        Whether they end the run.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.simulation import limit_events, simulate
    >>> model = load_model("charmie_lar")
    >>> run = simulate(model, model.zero_position(), None, 2.0, events=limit_events(model))
    >>> bool(run.time[-1] < 2.0)
    True
    """
    found = []
    limits = dict(zip(model.actuator_names, model.actuator_limits(), strict=True))
    passive = model.mechanisms.passive_joints
    limits.update((joint.name, joint.limit) for joint in model.tree.joints if joint.name in passive)
    for name, limit in limits.items():
        if name not in model.position_names:  # planar and floating joints
            continue
        entry = model.position_names.index(name)
        for end, sign, value in (("lower", -1.0, limit.lower), ("upper", 1.0, limit.upper)):
            if np.isfinite(value):
                found.append(LimitEvent(f"{name} {end} limit", entry, sign, value, terminal))
    return found


def is_terminal(event: Event) -> bool:
    """Return whether an event ends a run."""
    return bool(getattr(event, "terminal", False))


def direction_of(event: Event) -> float:
    """Return the direction in which an event counts."""
    return float(getattr(event, "direction", 0.0))


class EventWatch:
    """The events of a run, checked part by part.

    Parameters
    ----------
    events : sequence of callable

    Attributes
    ----------
    end : float or None
        When an event has ended the run (s).
    """

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = events
        self._times: list[list[float]] = [[] for _ in events]
        self.end: float | None = None

    @property
    def is_needed(self) -> bool:
        """Whether there are events."""
        return bool(self._events)

    @property
    def times(self) -> tuple[Floats, ...]:
        """When each event happened (s)."""
        return tuple(np.array(each) for each in self._times)

    def look(self, time: Floats, position: Floats, velocity: Floats, state_at: StateAt) -> None:
        """Find the events in a part of the motion: at k times, and between them.

        Parameters
        ----------
        time : (k,) array
            In seconds.
        position, velocity : (k, p), (k, v) array
        state_at : callable
            Returns position and velocity at a time between the first and the last.
        """
        found: list[tuple[float, int]] = []
        for e, event in enumerate(self._events):
            rows = zip(time, position, velocity, strict=True)
            values = np.array([float(event(float(t), p, v)) for t, p, v in rows])
            rises = (values[:-1] < 0.0) & (values[1:] >= 0.0)
            falls = (values[:-1] > 0.0) & (values[1:] <= 0.0)
            direction = direction_of(event)
            counts = (rises & (direction >= 0.0)) | (falls & (direction <= 0.0))
            for k in np.flatnonzero(counts):
                step = float(time[k]), float(time[k + 1])
                found.append((_zero(event, step, bool(values[k] > 0.0), state_at), e))
        for when, e in sorted(found):
            self._times[e].append(when)
            if is_terminal(self._events[e]):
                self.end = when
                return


def _zero(event: Event, step: tuple[float, float], is_above: bool, state_at: StateAt) -> float:
    """Return when an event happens in a step that it begins above zero or below."""
    return last_of_bisection(*step, lambda time: (event(time, *state_at(time)) > 0.0) == is_above)


def last_of_bisection(first: float, last: float, holds_at: Callable[[float], bool]) -> float:
    """Return the end of the shortest interval in which a condition ceases to hold."""
    for _ in range(HALVINGS):
        middle = 0.5 * (first + last)
        if not first < middle < last:
            break
        if holds_at(middle):
            first = middle
        else:
            last = middle
    return last
