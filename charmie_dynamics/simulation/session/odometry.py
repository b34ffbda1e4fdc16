# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Odometry: the pose of the base from the encoders of its joints or wheels, with drift."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from charmie_dynamics.errors import UnknownNameError, choices
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.numerics.vectors import Floats

from .base_drive import BaseDrive
from .base_pose import floating_joint
from .message_buffers import quaternion
from .sensors import Measurement, OdometryEstimate, TrueSample
from .settings import SessionSettings
from .simulated_system import SimulatedRobot, SimulatedSystem

FOOTPRINT = "base_footprint"
SEED = 1  # distinguishes its noise from that of the encoders


class WheelOdometry:
    """Integrates the measured motion of the actuators of a base.

    Each sample adds the measured displacement in the axes of the base at half of its rotation.
    Wheels that slip cause errors by themselves. In addition, each displacement has normal noise,
    whose variance is proportional to the true travel ds (m, plus the rotation in rad)::

        P <- F P F^T + diag(linear^2, linear^2, angular^2) ds

    P starts with the covariance of the first measurement, whose error of the heading turns the
    whole path; that of the present measurement is added to each estimate.

    Parameters
    ----------
    robot : SimulatedRobot
    system_of : callable
        Returns the present system.
    settings : SessionSettings
    base : BaseDrive
        At the child frame of the odometry.
    """

    def __init__(
        self,
        robot: SimulatedRobot,
        system_of: Callable[[], SimulatedSystem],
        settings: SessionSettings,
        base: BaseDrive,
    ) -> None:
        self._system_of, self._base = system_of, base
        self._seed, self._to_root = settings.seed, settings.odom_tf == "root"
        self._child = robot.prefix + odometry_frame(robot, settings)
        self._root = robot.prefix + robot.model.tree.root
        linear, angular = settings.odom_linear_noise, settings.odom_angular_noise
        self._noise = np.array([linear, linear, angular])
        units = [robot.model.effort_units[k] for k in base.columns]
        # variance of encoders: noise, and rounding with a uniform distribution
        self._encoder_variance = np.array(
            [
                noise**2 + resolution**2 / 12.0
                for noise, resolution in (
                    (settings.length_noise, settings.length_resolution)
                    if unit == "N"
                    else (settings.angle_noise, settings.angle_resolution)
                    for unit in units
                )
            ]
        )
        self._differences = settings.velocities != "exact"
        self.begin()

    def begin(self) -> None:
        """Restart at zero, and the noise from the seed."""
        self._random = np.random.default_rng([self._seed, SEED])
        self._pose = np.zeros(3)
        self._covariance = np.zeros((3, 3))
        self._last: Measurement | None = None

    def measure(self, measured: Measurement, true: TrueSample) -> OdometryEstimate:
        """Return the pose since the first measurement after `begin`."""
        columns, last = self._base.columns, self._last
        position = measured.position[columns]
        before = position if last is None else last.position[columns]
        J = self._base.jacobian(0.5 * (before + position))
        velocity, duration = np.zeros(3), math.inf
        if last is not None and measured.stamp > last.stamp:
            duration = (measured.stamp - last.stamp) / NANOSECONDS
            displacement = J @ (position - before)
            velocity = displacement / duration
            self._integrate(displacement, duration * self._true_speed(J, true))
        if measured.velocity is not None:
            velocity = self._base.jacobian(position) @ measured.velocity[columns]
        self._last = measured
        of_encoders = (J * self._encoder_variance) @ J.T
        if last is None:
            self._covariance = of_encoders
        x, y, yaw = self._pose
        turn = _rotation(yaw)
        root = self._root_pose(measured, true) if self._to_root else None
        return OdometryEstimate(
            np.array([x, y, 0.0]),
            np.array([0.0, 0.0, math.sin(0.5 * yaw), math.cos(0.5 * yaw)]),
            velocity,
            self._covariance + turn @ of_encoders @ turn.T,
            2.0 * of_encoders / duration**2 if self._differences else 0.0 * of_encoders,
            root,
        )

    def _integrate(self, displacement: Floats, travel: float) -> None:
        """Add a displacement (3,) in the axes of the base, with noise."""
        noisy = displacement
        if self._noise.any():
            deviation = self._noise * math.sqrt(travel)
            noisy = displacement + deviation * self._random.standard_normal(3)
        turn = _rotation(self._pose[2] + 0.5 * noisy[2])
        dx, dy, _ = moved = turn @ noisy
        self._pose = self._pose + moved
        F = np.array([[1.0, 0.0, -dy], [0.0, 1.0, dx], [0.0, 0.0, 1.0]])
        Q = np.diag(self._noise**2 * travel)
        self._covariance = F @ self._covariance @ F.T + turn @ Q @ turn.T

    def _true_speed(self, J: Floats, true: TrueSample) -> float:
        robot = self._system_of().robot
        if robot is None:
            return 0.0
        x, y, yaw = J @ true.velocity[robot.columns.velocity[self._base.columns]]
        return float(math.hypot(x, y) + abs(yaw))

    def _root_pose(self, measured: Measurement, true: TrueSample) -> tuple[Floats, Floats]:
        """Return position and quaternion of the root of the robot in the frame of the odometry.

        The path from the root to the child has measured actuators, and true floating joints, which
        the simulator publishes.
        """
        system = self._system_of()
        position = true.position.copy()
        if system.robot is not None:
            position[system.robot.columns.position] = measured.position
        state = system.model.kinematics(position)
        (p_child, R_child), (p_root, R_root) = map(state.frame, (self._child, self._root))
        R_odom_world = _rotation(self._pose[2]) @ R_child.T
        p = np.array([*self._pose[:2], 0.0]) + R_odom_world @ (p_root - p_child)
        return p, quaternion(R_odom_world @ R_root)


def odometry_frame(robot: SimulatedRobot, settings: SessionSettings) -> str:
    """Return the child frame of the odometry, by its own name.

    Raises
    ------
    UnknownNameError
        If the robot has no frame of the name in the settings.
    """
    name, names = settings.odom_child_frame, robot.model.frame_names
    if not name:
        return FOOTPRINT if FOOTPRINT in names else robot.base
    return require_frame("odom_child_frame", name, names)


def require_frame(subject: str, name: str, names: tuple[str, ...]) -> str:
    """Return the name of a frame.

    Raises
    ------
    UnknownNameError
        If it is unknown.
    """
    if name not in names:
        raise UnknownNameError(f"{subject}: frame '{name}' is unknown{choices(name, names)}")
    return name


def has_movable_base(system: SimulatedSystem, robot: SimulatedRobot) -> bool:
    """Return whether base joints or a floating joint move a robot in the world."""
    if robot.model.mechanisms.base_joints:
        return True
    return floating_joint(system.model, robot.prefix + robot.base) is not None


def _rotation(yaw: float) -> Floats:
    cosine, sine = math.cos(yaw), math.sin(yaw)
    return np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
