# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inertial measurement unit: orientation, angular velocity and specific force of a link."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .base_pose import moving_state
from .message_buffers import quaternion
from .sensors import ImuMeasurement, Measurement, TrueSample
from .settings import SessionSettings
from .simulated_system import SimulatedSystem

SEED = 2  # distinguishes its noise from that of other sensors


class InertialUnit:
    """Inertial measurement unit at the origin of a link, in its axes, with normal noise.

    It measures::

        angular velocity = R^T w,    specific force = R^T (a - g)

    with a the acceleration of the origin under the efforts of the sample: at rest the specific
    force is 9.81 m/s^2 upwards, in free fall zero.

    Parameters
    ----------
    frame : str
        In the model of the system.
    system_of : callable
        Returns the present system.
    settings : SessionSettings
    """

    def __init__(
        self, frame: str, system_of: Callable[[], SimulatedSystem], settings: SessionSettings
    ) -> None:
        self._frame, self._system_of, self._seed = frame, system_of, settings.seed
        orientation, gyro = settings.imu_orientation_noise, settings.imu_gyro_noise
        self._noise = np.repeat([orientation, gyro, settings.imu_accelerometer_noise], 3)
        self.begin()

    def begin(self) -> None:
        """Restart the noise from the seed."""
        self._random = np.random.default_rng([self._seed, SEED])

    def measure(self, measured: Measurement, true: TrueSample) -> ImuMeasurement:
        """Return the measurement of a sample."""
        model = self._system_of().model
        state = moving_state(model, true.position, true.velocity, true.acceleration)
        motion = state.motion(self._frame)
        R = motion.rotation
        turn, of_gyro, of_accelerometer = np.zeros((3, 3))
        if self._noise.any():
            noise = self._noise * self._random.standard_normal(9)
            turn, of_gyro, of_accelerometer = noise.reshape(3, 3)
        xyzw = quaternion(R)
        if turn.any():
            xyzw = _turned(xyzw, 0.5 * turn)
        gravity = np.array(model.mechanisms.gravity)
        return ImuMeasurement(
            xyzw,
            R.T @ motion.angular_velocity + of_gyro,
            R.T @ (motion.acceleration - gravity) + of_accelerometer,
        )


def _turned(xyzw: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Return a quaternion after a small rotation, half of whose vector (3,) is given."""
    v, w = xyzw[:3], xyzw[3]
    turned = np.array([*(v + w * half + np.cross(v, half)), w - v @ half])
    result: np.ndarray = turned / np.linalg.norm(turned)
    return result
