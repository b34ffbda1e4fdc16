# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Settings of the sensors of a mobile robot: odometry, inertial measurement unit, laser scanner."""

from __future__ import annotations

import math
from dataclasses import dataclass

from charmie_dynamics.errors import InputError, choices

# child of the transform of the odometry: none, the child frame, or the root of the robot
TRANSFORMS = ("off", "child", "root")


@dataclass(frozen=True)
class MobileSensorSettings:
    """Settings of the sensors of a mobile robot.

    Parameters
    ----------
    odom : bool
        Publish the odometry of robots with base joints or Swedish wheels.
    odom_tf : {"off", "child", "root"}
        Transform from `odom_frame` to the child frame, or to the root of the robot, so that both
        paths to the child frame agree.
    odom_frame : str
    odom_child_frame : str
        Fixed to the base; empty: `base_footprint`, or the base without such a frame.
    odom_linear_noise, odom_angular_noise : float
        Standard deviation of the drift after a travel of one metre or radian (m, rad); grows with
        the square root of the travel.
    imu : bool
        Publish an inertial measurement unit of robots whose base can move.
    imu_link : str
        Its link; empty: the base.
    imu_orientation_noise, imu_gyro_noise, imu_accelerometer_noise : float
        Standard deviations (rad, rad/s, m/s^2).
    scan_link : str
        Frame of a laser scanner, which turns about its z axis; empty: none.
    scan_angle_min, scan_angle_max : float
        First and last angle from the x axis (rad).
    scan_count : int
        Number of rays.
    scan_range_min, scan_range_max : float
        Smallest and largest range (m).
    scan_rate : float
        Scans a second of simulated time (Hz), rounded to whole samples between two.
    scan_noise : float
        Standard deviation of the ranges (m).

    Raises
    ------
    InputError
        If a value is not allowed; names it.

    Examples
    --------
    >>> from charmie_dynamics.simulation.session.sensor_settings import MobileSensorSettings
    >>> MobileSensorSettings(scan_link="laser", scan_count=181).scan_rate
    10.0
    """

    odom: bool = True
    odom_tf: str = "off"
    odom_frame: str = "odom"
    odom_child_frame: str = ""
    odom_linear_noise: float = 0.01
    odom_angular_noise: float = 0.01
    imu: bool = True
    imu_link: str = ""
    imu_orientation_noise: float = 0.0
    imu_gyro_noise: float = 0.0
    imu_accelerometer_noise: float = 0.0
    scan_link: str = ""
    scan_angle_min: float = -math.pi
    scan_angle_max: float = math.pi
    scan_count: int = 360
    scan_range_min: float = 0.05
    scan_range_max: float = 12.0
    scan_rate: float = 10.0
    scan_noise: float = 0.0

    def __post_init__(self) -> None:
        if self.odom_tf not in TRANSFORMS:
            raise InputError(
                f"odom_tf: '{self.odom_tf}' is no choice{choices(self.odom_tf, TRANSFORMS)}"
            )
        if not self.odom_frame:
            raise InputError("odom_frame: expected a name, got an empty text")
        for name in NOT_NEGATIVE:
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise InputError(f"{name}: expected a finite number of at least 0, got {value:g}")
        if not (math.isfinite(self.scan_rate) and self.scan_rate > 0.0):
            raise InputError(f"scan_rate: expected a finite number above 0, got {self.scan_rate:g}")
        if self.scan_count < 2:
            raise InputError(f"scan_count: expected at least 2 rays, got {self.scan_count}")
        for low, high in (("scan_angle_min", "scan_angle_max"), ("scan_range_min",
                                                                 "scan_range_max")):  # fmt: skip
            if not -math.inf < getattr(self, low) < getattr(self, high) < math.inf:
                raise InputError(
                    f"{high}: expected a finite number above {low}, {getattr(self, low):g}, got "
                    f"{getattr(self, high):g}"
                )


NOT_NEGATIVE = (
    *("odom_linear_noise", "odom_angular_noise", "imu_orientation_noise", "imu_gyro_noise"),
    *("imu_accelerometer_noise", "scan_range_min", "scan_noise"),
)
