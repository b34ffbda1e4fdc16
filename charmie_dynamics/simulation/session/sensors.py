# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is measured of a robot: resolution, noise and delay."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np

from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.simulation.world_run import ContactTable

from .settings import SessionSettings


class TrueSample(NamedTuple):
    """All that is played, as it is: a robot, or a world.

    Attributes
    ----------
    stamp : int
        ns.
    position, velocity, acceleration : (p,), (v,), (v,) array
    effort : (a,) array
        That has acted until then (N m, N).
    """

    stamp: int
    position: Floats
    velocity: Floats
    acceleration: Floats
    effort: Floats


class ActuatorColumns(NamedTuple):
    """Where a robot's actuators are among all positions, velocities and efforts (a,)."""

    position: Ints
    velocity: Ints
    effort: Ints


class Measurement(NamedTuple):
    """The actuators as they are measured.

    Attributes
    ----------
    stamp : int
        Of the measurement (ns).
    position : (a,) array
    velocity : (a,) array or None
    effort : (a,) array
    """

    stamp: int
    position: Floats
    velocity: Floats | None
    effort: Floats


class SimulatedSample(NamedTuple):
    """What is to be told after some steps.

    Attributes
    ----------
    now : int
        ns.
    true : TrueSample or None
        None where no sample is due.
    measured : Measurement or None
        None where no measurement is due.
    contacts : ContactTable or None
        With a sample, where something may touch.
    """

    now: int
    true: TrueSample | None
    measured: Measurement | None
    contacts: ContactTable | None = None


class Sensors:
    """Encoders of all actuators.

    Noise is added first, then the value is rounded to the resolution. The same samples after the
    same seed give the same measurements.

    Parameters
    ----------
    model : Model
        Of the robot by itself.
    columns : ActuatorColumns
        Where it is in what is played.
    settings : SessionSettings

    Attributes
    ----------
    columns : ActuatorColumns
    """

    def __init__(self, model: Model, columns: ActuatorColumns, settings: SessionSettings) -> None:
        is_length = [unit == "N" for unit in model.effort_units]
        self.columns = columns
        self._resolution = np.where(
            is_length, settings.length_resolution, settings.angle_resolution
        )
        self._rounded = np.flatnonzero(self._resolution)
        self._noise = np.where(is_length, settings.length_noise, settings.angle_noise)
        self._is_noisy = bool(self._noise.any())
        self._velocities, self._seed = settings.velocities, settings.seed
        self._delay = settings.delay_steps
        self.begin()

    def begin(self) -> None:
        """Begin anew, from the seed; what was not told yet is forgotten."""
        self._random = np.random.default_rng(self._seed)
        self._waiting: deque[tuple[int, Measurement]] = deque()
        self._last: Measurement | None = None

    @property
    def next_due(self) -> int | None:
        """At which step the next measurement is told; None: none waits."""
        return self._waiting[0][0] if self._waiting else None

    def measure(self, step: int, true: TrueSample) -> None:
        """Measure at a step; `take` returns it when it is due."""
        position = true.position[self.columns.position]
        if self._is_noisy:
            position = position + self._noise * self._random.standard_normal(len(position))
        if len(self._rounded):
            rows, resolution = self._rounded, self._resolution[self._rounded]
            position[rows] = resolution * np.round(position[rows] / resolution)
        velocity: Floats | None = None
        if self._velocities == "exact":
            velocity = true.velocity[self.columns.velocity]
        elif self._velocities == "difference":
            velocity = self._difference(true.stamp, position)
        measurement = Measurement(true.stamp, position, velocity, true.effort[self.columns.effort])
        self._last = measurement
        self._waiting.append((step + self._delay, measurement))

    def take(self, step: int) -> Measurement | None:
        """Return the measurement that is due at a step, if any."""
        if self._waiting and self._waiting[0][0] <= step:
            return self._waiting.popleft()[1]
        return None

    def _difference(self, stamp: int, position: Floats) -> Floats:
        """Return the mean velocity since the last measurement, as encoders tell it."""
        last = self._last
        if last is None or last.stamp >= stamp:
            return np.zeros_like(position)
        difference: Floats = (position - last.position) * (NANOSECONDS / (stamp - last.stamp))
        return difference
