# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Comparison of measured efforts with those of the model, cycle by cycle."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

from .estimation.contradictions import FEWEST_EFFORTS, describe_effort, effort_gain
from .estimation.observer import Contacts, Flags, Observer, Sample
from .pipeline import Cycle

# rows that are kept to judge the gain of measured efforts, and the time between two (ns)
KEPT = 400
KEPT_STEP = 50_000_000


class Comparison(NamedTuple):
    """Comparison of measured and computed efforts of all a actuators at one time (N m or N).

    Attributes
    ----------
    stamp : int
        Of the cycle (ns).
    residual : (a,) array
        Measured effort less that of the model; NaN where none was measured.
    external : (a,) array
        Effort from outside, see `Observer`; NaN where none was measured.
    contacts : (a,) array of bool
        Which of them feel a contact.
    """

    stamp: int
    residual: Floats
    external: Floats
    contacts: Flags

    @property
    def measured(self) -> Flags:
        """Which efforts were measured."""
        result: Flags = ~np.isnan(self.residual)
        return result


class MeasuredEfforts:
    """Compares the measured efforts of cycles with the model's.

    Parameters
    ----------
    model : Model
        Its mechanisms give the thresholds.
    cutoff : float
        Of the observer (Hz).
    gap : float
        A pause longer than this (s) restarts the observer.

    Attributes
    ----------
    thresholds : (a,) array
        External effort from which an actuator feels a contact (N m or N); infinite without a
        threshold.
    """

    def __init__(self, model: Model, cutoff: float, gap: float) -> None:
        self.thresholds = contact_thresholds(model)
        self._observer = Observer(model, cutoff, gap)
        self._contacts = Contacts(self.thresholds)
        # drivers that measure no effort often report zero
        self._is_measured: Flags = np.zeros(len(model.actuator_names), dtype=bool)
        self._actuators = model.actuator_index
        self._history = ComparedEfforts(model.actuator_names)

    def carry(self, model: Model) -> None:
        """Replace the loads: `model` is the same robot with the new ones."""
        self._observer.model = model

    def update(self, cycle: Cycle) -> Comparison | None:
        """Return the comparison for a cycle; None without measured efforts.

        An effort counts as measured from its first nonzero value on.

        Raises
        ------
        OutOfReachError, InputError
            From the model; the observer leaves the cycle out.
        """
        state = cycle.state
        if cycle.effort is None or not state.has_dynamics:
            return None
        sample = Sample(cycle.stamp, state.position, state.velocity, cycle.effort)
        return self.compare(sample, state.actuator_effort, is_settling=cycle.settling > 0.0)

    def compare(
        self, sample: Sample, estimated: Floats, *, is_settling: bool = False
    ) -> Comparison | None:
        """Return the comparison for a sample; as `update`.

        Parameters
        ----------
        sample : Sample
        estimated : (a,) array
            Effort of the model at that time, friction included.
        is_settling : bool
            Whether the estimates still settle: the observer restarts with each such sample and
            detects no contact.
        """
        self._is_measured |= (sample.effort != 0.0) & ~np.isnan(sample.effort)
        effort = np.where(self._is_measured, sample.effort, np.nan)
        if np.isnan(effort).all():
            return None
        measured = Sample(sample.stamp, sample.position, sample.velocity, effort)
        if not is_settling:
            self._history.note(sample.stamp, effort, estimated, sample.velocity[self._actuators])
        observe = self._observer.start if is_settling else self._observer.update
        external = observe(measured).copy()
        contacts = self._contacts.update(external)
        return Comparison(sample.stamp, effort - estimated, external, contacts)

    def contradictions(self) -> dict[str, str]:
        """Return how measured efforts contradict the model, by actuator, with advice."""
        return self._history.contradictions()


class ComparedEfforts:
    """Measured and computed efforts of the last motions, to judge unit and sign of the former.

    Parameters
    ----------
    names : tuple of str
        Of the a actuators.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._rows = np.full((KEPT, 3, len(names)), np.nan)
        self._count = 0
        self._judged = 0
        self._due = 0
        self._found: dict[str, str] = {}

    def note(self, stamp: int, measured: Floats, computed: Floats, velocity: Floats) -> None:
        """Note efforts and velocities (a,) at a stamp (ns), at most one in `KEPT_STEP`."""
        if self._due - KEPT_STEP <= stamp < self._due:
            return
        self._due = stamp + KEPT_STEP
        row = self._rows[self._count % KEPT]
        row[0], row[1], row[2] = measured, computed, velocity
        self._count += 1

    def contradictions(self) -> dict[str, str]:
        """Return contradictions by actuator, judged again when enough samples were added."""
        if self._count - self._judged >= FEWEST_EFFORTS:
            self._judged, self._found = self._count, {}
            for i, name in enumerate(self._names):
                rows = self._rows[np.isfinite(self._rows[:, :, i]).all(axis=1), :, i]
                gain = effort_gain(rows[:, 0], rows[:, 1], rows[:, 2])
                if gain is not None and gain.contradicts:
                    self._found[name] = describe_effort(gain)
        return self._found


def contact_thresholds(model: Model) -> Floats:
    """Return the thresholds of a model's mechanisms (a,), infinite for actuators without one."""
    mechanisms = model.mechanisms
    share = mechanisms.contact_share
    limits = zip(model.actuator_names, model.actuator_limits(), strict=True)
    thresholds = [
        mechanisms.contact_thresholds.get(
            name, share * limit.effort if share < math.inf and limit.effort > 0.0 else math.inf
        )
        for name, limit in limits
    ]
    return np.array(thresholds)
