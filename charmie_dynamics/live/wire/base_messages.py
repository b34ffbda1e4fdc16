# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Serialised messages of the base: inertial measurements and odometry."""

from __future__ import annotations

from typing import NamedTuple

from charmie_dynamics.numerics.vectors import Floats

from .cdr import CdrError, Reader
from .samples import RefusedSampleError

UNKNOWN = -1.0  # first covariance of an orientation that is not measured (sensor_msgs/Imu)


class InertialMessage(NamedTuple):
    """A sensor_msgs/msg/Imu, in axes of its frame.

    Attributes
    ----------
    stamp : int
        In ns; 0: none.
    frame : str
    orientation : (4,) array
        Quaternion x, y, z, w.
    is_oriented : bool
        Whether the orientation is measured.
    angular_velocity : (3,) array
        In rad/s.
    acceleration : (3,) array
        Specific force (m/s^2).
    """

    stamp: int
    frame: str
    orientation: Floats
    is_oriented: bool
    angular_velocity: Floats
    acceleration: Floats


class OdometryMessage(NamedTuple):
    """A nav_msgs/msg/Odometry.

    Attributes
    ----------
    stamp : int
        In ns; 0: none.
    frame : str
        The frame that moves.
    position : (3,) array
        In the fixed frame (m).
    orientation : (4,) array
        Quaternion x, y, z, w.
    velocity, angular_velocity : (3,) array
        In axes of the frame that moves (m/s, rad/s).
    """

    stamp: int
    frame: str
    position: Floats
    orientation: Floats
    velocity: Floats
    angular_velocity: Floats


def read_imu(data: bytes) -> InertialMessage:
    """Return the content of a serialised sensor_msgs/msg/Imu.

    Raises
    ------
    RefusedSampleError
        If the bytes are no such message.
    """
    # each of the three vectors is followed by its covariance
    stamp, (frame,), numbers = _content(data, "sensor_msgs/msg/Imu", 1, 37)
    is_oriented = bool(numbers[4] != UNKNOWN)
    return InertialMessage(stamp, frame, numbers[:4], is_oriented, numbers[13:16], numbers[25:28])


def read_odometry(data: bytes) -> OdometryMessage:
    """Return the content of a serialised nav_msgs/msg/Odometry.

    Raises
    ------
    RefusedSampleError
        If the bytes are no such message.
    """
    # pose and twist are each followed by a covariance
    stamp, (_, frame), numbers = _content(data, "nav_msgs/msg/Odometry", 2, 85)
    return OdometryMessage(stamp, frame, numbers[:3], numbers[3:7], numbers[43:46], numbers[46:49])


def _content(data: bytes, kind: str, frames: int, count: int) -> tuple[int, list[str], Floats]:
    """Return the stamp (ns), the frames and the numbers of a message."""
    try:
        reader = Reader(data)
        return reader.stamp(), [reader.string() for _ in range(frames)], reader.doubles(count)
    except CdrError as error:
        raise RefusedSampleError(
            "bytes that cannot be decoded", f"expected a serialised {kind}: {error}"
        ) from None
