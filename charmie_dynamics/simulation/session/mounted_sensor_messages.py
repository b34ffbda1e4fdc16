# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Messages of odometry, inertial measurement unit and laser scanner."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.live.topics import Topic
from charmie_dynamics.live.wire import messages
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.live.wire.templates import Template
from charmie_dynamics.numerics.vectors import Floats

from . import topics
from .message_buffers import MessageBuffers, numbers_of
from .mounted_sensors import imu_frame
from .odometry import odometry_frame
from .sensors import ImuMeasurement, Measurement, OdometryEstimate
from .settings import SessionSettings, period_of
from .simulated_system import SimulatedRobot

# of exact values: filters reject variances of zero
LEAST_VARIANCE = 1e-9
PLANAR = np.ix_([0, 1, 5], [0, 1, 5])  # x, y and yaw in a covariance


class MountedSensorMessages:
    """Messages of the sensors of a robot besides its encoders.

    Parameters
    ----------
    robot : SimulatedRobot
    frame_prefix : str
    settings : SessionSettings
    """

    def __init__(self, robot: SimulatedRobot, frame_prefix: str, settings: SessionSettings) -> None:
        self._period = period_of(settings, topics.ODOMETRY_RATE)
        self._to_root = settings.odom_tf == "root"
        parent, child = settings.odom_frame, odometry_frame(robot, settings)
        self._odometry = messages.odometry(frame_prefix + parent, frame_prefix + child)
        self._pose = numbers_of(self._odometry, "position", "orientation")
        self._velocity = numbers_of(self._odometry, "linear", "angular")
        self._covariances = _covariances(self._odometry, 6)
        self._transform: Template | None = None
        if settings.odom_tf != "off":
            child = robot.model.tree.root if self._to_root else child
            self._transform = messages.transforms([(frame_prefix + parent, frame_prefix + child)])
            self._place = numbers_of(self._transform, "translation", "rotation")
        self._imu = messages.imu(frame_prefix + imu_frame(robot, settings))
        self._inertial = numbers_of(
            self._imu, "orientation", "angular_velocity", "linear_acceleration"
        )
        deviations = (
            *(settings.imu_orientation_noise, settings.imu_gyro_noise),
            settings.imu_accelerometer_noise,
        )
        for place, deviation in zip(_covariances(self._imu, 3), deviations, strict=True):
            place[:] = max(deviation**2, LEAST_VARIANCE) * np.eye(3)
        self._scan = messages.laser_scan(frame_prefix + settings.scan_link, settings.scan_count)
        self._fill_limits(settings)

    def filled(self, measured: Measurement) -> list[MessageBuffers]:
        """Return the messages of a measurement."""
        result: list[tuple[Topic, Template]] = []
        if measured.odometry is not None and measured.stamp % self._period == 0:
            result += self._of_odometry(measured.odometry)
        if measured.imu is not None:
            result.append(self._of_imu(measured.imu))
        if measured.scan is not None:
            self._scan.float32[self._scan.places("ranges")[0]] = measured.scan
            result.append((topics.SCAN, self._scan))
        for _, template in result:
            template.set_stamp(measured.stamp)
        return result

    def _of_odometry(self, estimate: OdometryEstimate) -> list[MessageBuffers]:
        position, orientation = self._pose
        position[:], orientation[:] = estimate.position, estimate.orientation
        linear, angular = self._velocity
        linear[:2], angular[2] = estimate.velocity[:2], estimate.velocity[2]
        for place, values in zip(
            self._covariances, (estimate.pose_covariance, estimate.velocity_covariance), strict=True
        ):
            place[:] = LEAST_VARIANCE * np.eye(6)
            place[PLANAR] += values
        result: list[MessageBuffers] = [(topics.ODOMETRY_ESTIMATE, self._odometry)]
        if self._transform is not None:
            translation, rotation = self._place
            pose = estimate.position, estimate.orientation
            translation[:], rotation[:] = estimate.root or pose
            result.append((topics.ODOMETRY_TF, self._transform))
        return result

    def _of_imu(self, measured: ImuMeasurement) -> MessageBuffers:
        for place, values in zip(self._inertial, measured, strict=True):
            place[:] = values
        return topics.IMU_MEASUREMENT, self._imu

    def _fill_limits(self, settings: SessionSettings) -> None:
        first, last = settings.scan_angle_min, settings.scan_angle_max
        increment = (last - first) / (settings.scan_count - 1)
        period = period_of(settings, settings.scan_rate) / NANOSECONDS
        ranges = settings.scan_range_min, settings.scan_range_max
        limits = (first, last, increment, 0.0, period, *ranges)
        self._scan.float32[self._scan.places("limits")[0]] = limits


def _covariances(template: Template, size: int) -> list[Floats]:
    """Return views (size, size) of the fields ``covariance``, to write into."""
    return [
        template.float64[row[0] : row[-1] + 1].reshape(size, size)
        for row in template.places("covariance")
    ]
