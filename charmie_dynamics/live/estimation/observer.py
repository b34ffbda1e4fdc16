# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Momentum observer: external efforts from measured ones, without accelerations.

A momentum observer (De Luca and Mattone, 2003; Haddadin et al., 2017) compares the generalised
momentum ``p = M v`` with its integral under the known efforts,

    r' = w (p' - (u + C^T v - g) - r),

so that r follows the external effort through a low-pass filter of cutoff w. From one sample to
the next, with means (bars) and differences (D) of the two,

    D p = mean(M) D v + D M mean(v),      D M mean(v) = dt (C + C^T) mean(v),

the terms with C^T cancel, and

    D p - dt (u + C^T v - g) = dt (M D v / dt + C v + g - u)

is the inverse dynamics at the middle of the step with ``D v / dt`` in place of the acceleration,
less the measured effort, but for terms of second order in the step. The observer therefore needs
only the inverse dynamics of the model, in the coordinates of the actuators, with springs, friction
and closed loops. The differences of noisy velocities do no harm, because the filter sums them up.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import InputError
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

# a step longer than this (s) and than so many steps before it bridges a pause: the middle of the
# step says little about the motion in it
LONGEST_STEP = 0.05
LONGEST_RATIO = 3.0
Motion = tuple[Floats, Floats, Floats]
Flags = npt.NDArray[np.bool_]


class Sample(NamedTuple):
    """Measured state of all actuators at one time (ns); an effort that is not measured is NaN."""

    stamp: int
    position: Floats
    velocity: Floats
    effort: Floats


class Observer:
    """Effort from outside along each actuator.

    Parameters
    ----------
    model : Model
        With the known payloads attached.
    cutoff : float
        Of the low-pass filter of the external effort (Hz).
    gap : float
        A pause longer than this (s), or a step back, restarts the observer. The effort is held over
        shorter pauses.

    Attributes
    ----------
    effort : (a,) array
        N m or N, positive where the outside pushes along the increasing position; zero at a
        start, NaN where no effort is measured.
    """

    def __init__(self, model: Model, cutoff: float, gap: float) -> None:
        if not cutoff > 0.0:
            raise InputError(f"observer: cutoff: expected a positive frequency, got {cutoff}")
        self.model = model
        self.effort: Floats = np.full(len(model.actuator_names), np.nan)
        self._omega = 2.0 * math.pi * cutoff
        self._gap = gap
        self._last: Sample | None = None
        self._step = math.inf  # s; the last one

    def reset(self) -> None:
        """Forget everything, as after a jump of time."""
        self._last = None
        self.effort[:] = np.nan

    def start(self, sample: Sample) -> Floats:
        """Restart with a sample and return `effort`, which is zero for measured actuators."""
        self.effort[:] = np.where(np.isfinite(sample.effort), 0.0, np.nan)
        self._last = sample
        self._step = math.inf
        return self.effort

    def update(self, sample: Sample) -> Floats:
        """Update with the next sample and return `effort`, which is valid until the next call.

        Raises
        ------
        OutOfReachError, InputError
            From the model; the sample is left out.
        """
        last = self._last
        dt = 0.0 if last is None else (sample.stamp - last.stamp) * 1e-9
        if last is None or not 0.0 < dt <= self._gap:
            if dt != 0.0 or last is None:
                self.start(sample)
            return self.effort
        is_pause = dt > max(LONGEST_STEP, LONGEST_RATIO * self._step)
        self._step = dt
        if is_pause:
            self._last = sample
            self.effort[np.isnan(sample.effort)] = np.nan
            return self.effort
        position = 0.5 * (last.position + sample.position)
        velocity = 0.5 * (last.velocity + sample.velocity)
        motion = position, velocity, (sample.velocity - last.velocity) / dt
        state = self.model.compute(*self._possible(motion))
        self._last = sample
        unexplained = state.actuator_effort - 0.5 * (last.effort + sample.effort)
        known = np.isfinite(unexplained)
        before = np.where(np.isfinite(self.effort), self.effort, 0.0)
        share = -math.expm1(-self._omega * dt)
        self.effort[:] = np.where(known, before + share * (unexplained - before), np.nan)
        return self.effort

    def _possible(self, motion: Motion) -> Motion:
        """Return a motion near one between two samples: loops are closed, quaternions of length 1.

        The samples satisfy both; their mean violates them by terms of second order.
        """
        flat, (position, velocity, acceleration) = self.model.flat, motion
        if flat.sizes.w:
            position = self.model.normalised_position(position)
        if flat.sizes.r:
            return self.model.assemble(position, velocity, acceleration)
        return position, velocity, acceleration


class Contacts:
    """Which actuators feel a contact.

    Parameters
    ----------
    thresholds : (a,) array
        Effort from outside above which a contact begins (N m or N); infinite for none.
    release : float
        Share of the threshold below which it ends, so that it does not flicker.

    Attributes
    ----------
    felt : (a,) array of bool
    """

    def __init__(self, thresholds: Floats, release: float = 0.6) -> None:
        if not (np.asarray(thresholds) > 0.0).all():
            raise InputError(
                f"contacts: expected thresholds above zero, got {np.asarray(thresholds).tolist()}"
            )
        if not 0.0 < release <= 1.0:
            raise InputError(f"contacts: release: expected a share in (0, 1], got {release}")
        self._begin = np.array(thresholds, dtype=np.float64)
        self._end = release * self._begin
        self.felt: Flags = np.zeros(len(self._begin), dtype=bool)

    def update(self, effort: Floats) -> Flags:
        """Return which actuators feel a contact; an effort of NaN counts as no contact."""
        size = np.where(np.isnan(effort), 0.0, np.abs(effort))
        self.felt = (size > self._begin) | (self.felt & (size > self._end))
        return self.felt
