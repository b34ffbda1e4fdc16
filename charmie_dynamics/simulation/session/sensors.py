# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is measured of a robot: resolution, noise and delay."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np

from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

from .settings import SessionSettings


class TrueSample(NamedTuple):
    """The actuators as they are.

    Attributes
    ----------
    stamp : int
        ns.
    position, velocity, acceleration : (a,) array
    effort : (a,) array
        That has acted until then (N m, N).
    """

    stamp: int
    position: Floats
    velocity: Floats
    acceleration: Floats
    effort: Floats


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


class Sensors:
    """Encoders of all actuators.

    Noise is added first, then the value is rounded to the resolution. The same samples after the
    same seed give the same measurements.

    Parameters
    ----------
    model : Model
    settings : SessionSettings
    """

    def __init__(self, model: Model, settings: SessionSettings) -> None:
        is_length = _are_lengths(model)
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
        position = true.position
        if self._is_noisy:
            position = position + self._noise * self._random.standard_normal(len(position))
        if len(self._rounded):
            position = position.copy()
            rows, resolution = self._rounded, self._resolution[self._rounded]
            position[rows] = resolution * np.round(position[rows] / resolution)
        velocity: Floats | None = None
        if self._velocities == "exact":
            velocity = true.velocity
        elif self._velocities == "difference":
            velocity = self._difference(true.stamp, position)
        measurement = Measurement(true.stamp, position, velocity, true.effort)
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


def _are_lengths(model: Model) -> list[bool]:
    """Tell for each actuator whether its position is a length (m), not an angle (rad)."""
    of_joints = {joint.name: joint.type for joint in model.tree.joints}
    lengths = {actuator.name for actuator in model.mechanisms.linear_actuators}
    return [name in lengths or of_joints.get(name) == "prismatic" for name in model.actuator_names]
