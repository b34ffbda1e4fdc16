# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pure conversions between messages and arrays."""

from __future__ import annotations

from array import array

from builtin_interfaces.msg import Time
from sensor_msgs.msg import JointState

from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.numerics.vectors import Floats


def stamp_from_time(time: Time) -> int:
    """Return a message's time in nanoseconds."""
    return int(time.sec) * NANOSECONDS + int(time.nanosec)


def time_from_stamp(stamp: int) -> Time:
    """Return nanoseconds as a message's time."""
    seconds, nanoseconds = divmod(stamp, NANOSECONDS)
    return Time(sec=seconds, nanosec=nanoseconds)


def doubles(values: Floats) -> array[float]:
    """Return an array as the type that float64[] fields take on every distribution."""
    return array("d", values.tobytes())


def fill_joint_state(
    message: JointState,
    time: Time,
    position: Floats,
    velocity: Floats | None = None,
    effort: Floats | None = None,
) -> None:
    """Write stamp and values into a message whose names are set; None leaves a field empty."""
    message.header.stamp = time
    message.position = doubles(position)
    message.velocity = array("d") if velocity is None else doubles(velocity)
    message.effort = array("d") if effort is None else doubles(effort)
