# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Simulated encoders: resolution, noise and delay; measurements of all sensors."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints
from charmie_dynamics.simulation.contact.contact_table import ContactTable

from .settings import SessionSettings


class TrueSample(NamedTuple):
    """The true state of a robot or a world.

    Attributes
    ----------
    stamp : int
        ns.
    position, velocity, acceleration : (p,), (v,), (v,) array
    effort : (a,) array
        Effort that acted until then (N m, N).
    """

    stamp: int
    position: Floats
    velocity: Floats
    acceleration: Floats
    effort: Floats


class ActuatorColumns(NamedTuple):
    """Indices of a robot's actuators in all positions, velocities and efforts (a,)."""

    position: Ints
    velocity: Ints
    effort: Ints


class OdometryEstimate(NamedTuple):
    """Pose and velocity of the base by odometry.

    Attributes
    ----------
    position, orientation : (3,), (4,) array
        Of the child frame in the frame of the odometry (m); quaternion x, y, z, w.
    velocity : (3,) array
        Along x, y (m/s) and about z (rad/s) of the child frame.
    pose_covariance, velocity_covariance : (3, 3) array
        Of x, y and yaw; the first in the axes of the odometry.
    root : tuple of (3,) and (4,) array, or None
        Position and quaternion of the root of the robot in the frame of the odometry.
    """

    position: Floats
    orientation: Floats
    velocity: Floats
    pose_covariance: Floats
    velocity_covariance: Floats
    root: tuple[Floats, Floats] | None


class ImuMeasurement(NamedTuple):
    """Measurement of an inertial unit, in the axes of its link.

    Attributes
    ----------
    orientation : (4,) array
        Of the link in the world; quaternion x, y, z, w.
    angular_velocity, specific_force : (3,) array
        rad/s, m/s^2.
    """

    orientation: Floats
    angular_velocity: Floats
    specific_force: Floats


class Measurement(NamedTuple):
    """Measured state of the actuators, and the measurements of mounted sensors at that time.

    Attributes
    ----------
    stamp : int
        Of the measurement (ns).
    position : (a,) array
    velocity : (a,) array or None
    effort : (a,) array
    odometry : OdometryEstimate or None
    imu : ImuMeasurement or None
    scan : (n,) array or None
        Ranges (m).
    """

    stamp: int
    position: Floats
    velocity: Floats | None
    effort: Floats
    odometry: OdometryEstimate | None = None
    imu: ImuMeasurement | None = None
    scan: Floats | None = None


class MountedSensor(Protocol):
    """A sensor that fills a field of `Measurement`."""

    def begin(self) -> None:
        """Restart, and the noise from the seed."""

    def measure(self, measured: Measurement, true: TrueSample) -> Any:
        """Return the measurement of a sample, from the encoders or the true state."""


class SimulatedSample(NamedTuple):
    """The state to publish after some steps.

    Attributes
    ----------
    now : int
        ns.
    true : TrueSample or None
        None without a sample that is due.
    measured : Measurement or None
        None without a measurement that is due.
    contacts : ContactTable or None
        With a sample, if contacts are possible.
    """

    now: int
    true: TrueSample | None
    measured: Measurement | None
    contacts: ContactTable | None = None


class Sensors:
    """Encoders of all actuators, and mounted sensors.

    Noise is added first, then the value is rounded to the resolution. The same samples after the
    same seed give the same measurements.

    Parameters
    ----------
    model : Model
        The robot alone.
    columns : ActuatorColumns
        Its columns in the whole system.
    settings : SessionSettings
    mounted : mapping of str to MountedSensor, optional
        By the fields of `Measurement`.

    Attributes
    ----------
    columns : ActuatorColumns
    mounted : mapping of str to MountedSensor
    """

    def __init__(
        self,
        model: Model,
        columns: ActuatorColumns,
        settings: SessionSettings,
        mounted: Mapping[str, MountedSensor] | None = None,
    ) -> None:
        self.mounted = dict(mounted or {})
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
        """Restart from the seed, and drop measurements that are not due yet."""
        self._random = np.random.default_rng(self._seed)
        self._waiting: deque[tuple[int, Measurement]] = deque()
        self._last: Measurement | None = None
        for sensor in self.mounted.values():
            sensor.begin()

    @property
    def next_due(self) -> int | None:
        """The step at which the next measurement is due; None: no measurement waits."""
        return self._waiting[0][0] if self._waiting else None

    def measure(self, step: int, true: TrueSample) -> None:
        """Measure at a step; `take` returns the measurement when it is due."""
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
        further = {name: sensor.measure(measurement, true) for name, sensor in self.mounted.items()}
        self._waiting.append((step + self._delay, measurement._replace(**further)))

    def take(self, step: int) -> Measurement | None:
        """Return the measurement that is due at a step, if any."""
        if self._waiting and self._waiting[0][0] <= step:
            return self._waiting.popleft()[1]
        return None

    def _difference(self, stamp: int, position: Floats) -> Floats:
        """Return the mean velocity since the last measurement, as encoders report it."""
        last = self._last
        if last is None or last.stamp >= stamp:
            return np.zeros_like(position)
        difference: Floats = (position - last.position) * (NANOSECONDS / (stamp - last.stamp))
        return difference
