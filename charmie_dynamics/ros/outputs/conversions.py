"""Pure conversions between messages and arrays."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import TransformStamped
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from charmie_dynamics.live.wire.cdr import Template
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


def fill_transforms(
    transforms: Sequence[TransformStamped],
    time: Time,
    p_parent_child: Floats,
    quaternions: Floats,
) -> None:
    """Write stamps and poses into transforms whose frame ids are set.

    Parameters
    ----------
    transforms : sequence of k TransformStamped
    time : Time
    p_parent_child : (k, 3) array
    quaternions : (k, 4) array
        x, y, z, w of R_parent_child.
    """
    rows = np.hstack((p_parent_child, quaternions)).tolist()
    for transform, (px, py, pz, x, y, z, w) in zip(transforms, rows, strict=True):
        transform.header.stamp = time
        translation = transform.transform.translation
        translation.x, translation.y, translation.z = px, py, pz
        rotation = transform.transform.rotation
        rotation.x, rotation.y, rotation.z, rotation.w = x, y, z, w


def template_of(message: Any) -> Template:
    """Return the serialised form of a message as a template.

    Raises
    ------
    LayoutError
        As from `Template`.
    """
    return Template(message, serialize_message(message))
