# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Messages of imu and odometry, as a robot in a known state publishes them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation.session.message_buffers import quaternion

NANOSECONDS = 1_000_000_000
G = np.array((0.0, 0.0, 9.81))


def vector(values: Floats) -> Any:
    return SimpleNamespace(**dict(zip("xyz", values.tolist(), strict=True)))


def rotation(R: Floats) -> Any:
    return SimpleNamespace(**dict(zip("xyzw", quaternion(R).tolist(), strict=True)))


def header(stamp: int, frame: str) -> Any:
    seconds, nanoseconds = divmod(stamp, NANOSECONDS)
    return SimpleNamespace(stamp=SimpleNamespace(sec=seconds, nanosec=nanoseconds), frame_id=frame)


def imu(force: Floats, angular: Floats, stamp: int, frame: str, R: Floats | None = None) -> Any:
    """Return a sensor_msgs/Imu; `R` is the orientation of the link."""
    return SimpleNamespace(
        header=header(stamp, frame),
        orientation=rotation(np.eye(3) if R is None else R),
        orientation_covariance=[-1.0 if R is None else 0.0],
        angular_velocity=vector(angular),
        linear_acceleration=vector(force),
    )


def imu_of(state: State, frame: str, stamp: int, *, is_oriented: bool = True) -> Any:
    """Return the sensor_msgs/Imu of a link of a robot on the earth."""
    motion = state.motion(frame)
    R = motion.rotation
    force, angular = R.T @ (motion.acceleration + G), R.T @ motion.angular_velocity
    return imu(force, angular, stamp, frame, R if is_oriented else None)


def odometry_of(state: State, frame: str, stamp: int) -> Any:
    """Return the nav_msgs/Odometry of a link."""
    motion = state.motion(frame)
    R = motion.rotation
    pose = SimpleNamespace(position=vector(motion.position), orientation=rotation(R))
    twist = SimpleNamespace(
        linear=vector(R.T @ motion.velocity), angular=vector(R.T @ motion.angular_velocity)
    )
    return SimpleNamespace(
        header=header(stamp, "odom"),
        child_frame_id=frame,
        pose=SimpleNamespace(pose=pose),
        twist=SimpleNamespace(twist=twist),
    )
