# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The sensors of a robot besides its encoders, as the settings request them."""

from __future__ import annotations

from collections.abc import Callable

from .base_drive import BaseDrive
from .inertial_unit import InertialUnit
from .laser_scanner import LaserScanner
from .odometry import WheelOdometry, has_movable_base, odometry_frame, require_frame
from .sensors import MountedSensor
from .settings import SessionSettings
from .simulated_system import SimulatedRobot, SimulatedSystem


def mounted_sensors(
    robot: SimulatedRobot, system_of: Callable[[], SimulatedSystem], settings: SessionSettings
) -> dict[str, MountedSensor]:
    """Return the sensors by the fields of `Measurement` that they fill.

    Parameters
    ----------
    robot : SimulatedRobot
        The robot whose topics are published.
    system_of : callable
        Returns the present system.
    settings : SessionSettings

    Raises
    ------
    UnknownNameError
        If the robot has no frame of a name in the settings.
    """
    result: dict[str, MountedSensor] = {}
    names, prefix = robot.model.frame_names, robot.prefix
    base = BaseDrive.of(robot.model, odometry_frame(robot, settings)) if settings.odom else None
    if base is not None:
        result["odometry"] = WheelOdometry(robot, system_of, settings, base)
    if settings.imu and (settings.imu_link or has_movable_base(system_of(), robot)):
        link = prefix + imu_frame(robot, settings)
        result["imu"] = InertialUnit(link, system_of, settings)
    if settings.scan_link:
        link = prefix + require_frame("scan_link", settings.scan_link, names)
        result["scan"] = LaserScanner(link, system_of, settings)
    return result


def imu_frame(robot: SimulatedRobot, settings: SessionSettings) -> str:
    """Return the frame of the inertial measurement unit, by its own name.

    Raises
    ------
    UnknownNameError
        If the robot has no frame of the name in the settings.
    """
    return require_frame("imu_link", settings.imu_link or robot.base, robot.model.frame_names)
