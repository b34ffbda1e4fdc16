# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Messages of imu and odometry, as a robot in a known state publishes them."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.live.wire.base_messages import InertialMessage, OdometryMessage
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation.session.message_buffers import quaternion

NANOSECONDS = 1_000_000_000
G = np.array((0.0, 0.0, 9.81))


def imu(
    force: Floats, angular: Floats, stamp: int, frame: str, R: Floats | None = None
) -> InertialMessage:
    """Return a message of an imu; `R` is the orientation of the link."""
    orientation = quaternion(np.eye(3) if R is None else R)
    return InertialMessage(stamp, frame, orientation, R is not None, angular, force)


def imu_of(state: State, frame: str, stamp: int, *, is_oriented: bool = True) -> InertialMessage:
    """Return the message of an imu on a link of a robot on the earth."""
    motion = state.motion(frame)
    R = motion.rotation
    force, angular = R.T @ (motion.acceleration + G), R.T @ motion.angular_velocity
    return imu(force, angular, stamp, frame, R if is_oriented else None)


def odometry_of(state: State, frame: str, stamp: int) -> OdometryMessage:
    """Return the odometry of a link."""
    motion = state.motion(frame)
    R = motion.rotation
    velocity, angular = R.T @ motion.velocity, R.T @ motion.angular_velocity
    return OdometryMessage(stamp, frame, motion.position, quaternion(R), velocity, angular)
