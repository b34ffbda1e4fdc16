# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The messages that are published, field by field.

Most are templates whose numbers are filled later; `diagnostics`, which contains texts only, is not.
The order of the fields is that of the messages' definitions, which are the same in all
distributions of ROS 2 from Humble on. Variable fields have a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from .stamps import NANOSECONDS
from .templates import Template, Writer, append_length, append_strings, message_at

JOINT_STATE = "sensor_msgs/msg/JointState"
TRANSFORMS = "tf2_msgs/msg/TFMessage"
WRENCH = "geometry_msgs/msg/WrenchStamped"
POINT = "geometry_msgs/msg/PointStamped"
TWIST = "geometry_msgs/msg/TwistStamped"
ACCEL = "geometry_msgs/msg/AccelStamped"
MARKERS = "visualization_msgs/msg/MarkerArray"
STRING = "std_msgs/msg/String"
CLOCK = "rosgraph_msgs/msg/Clock"
ODOMETRY = "nav_msgs/msg/Odometry"
IMU = "sensor_msgs/msg/Imu"
LASER_SCAN = "sensor_msgs/msg/LaserScan"
POINT_CLOUD = "sensor_msgs/msg/PointCloud2"

# sensor_msgs/msg/PointField
UINT32, FLOAT32 = 6, 7
# of a joint state, those that may be left empty
FIELDS = ("position", "velocity", "effort")
# visualization_msgs/msg/Marker
ADD, DELETE = 0, 2
MARKER_TYPES = {
    "arrow": 0,
    "box": 1,
    "sphere": 2,
    "cylinder": 3,
    "line_strip": 4,
    "line_list": 5,
    "text": 9,
    "mesh": 10,
}


def joint_state(names: Sequence[str], frame_id: str, fields: Iterable[str]) -> Template:
    """Return a joint state in which some of `FIELDS` are filled, by their names."""
    message = Writer()
    message.header(frame_id)
    message.strings(names)
    for field in FIELDS:
        message.float64s(field, len(names) if field in fields else 0)
    return message.template()


def transforms(frames: Sequence[tuple[str, str]]) -> Template:
    """Return a transform for each pair of frame ids, parent and child.

    To be filled: ``translation`` (x, y, z) and ``rotation`` (x, y, z, w) of each.
    """
    message = Writer()
    message.length(len(frames))
    for parent, child in frames:
        message.header(parent)
        message.string(child)
        message.float64("translation", 3)
        message.float64("rotation", 4)
    return message.template()


def wrench(frame_id: str) -> Template:
    """Return a wrench, of which ``force`` and ``torque`` are filled."""
    message = Writer()
    message.header(frame_id)
    message.float64("force", 3)
    message.float64("torque", 3)
    return message.template()


def motion(frame_id: str) -> Template:
    """Return a twist or an acceleration, which are alike: ``linear`` and ``angular`` are filled."""
    message = Writer()
    message.header(frame_id)
    message.float64("linear", 3)
    message.float64("angular", 3)
    return message.template()


def point(frame_id: str) -> Template:
    """Return a point, of which ``point`` is filled."""
    message = Writer()
    message.header(frame_id)
    message.float64("point", 3)
    return message.template()


def numbers(count: int) -> Template:
    """Return a std_msgs/msg/Float64MultiArray without dimensions, of which ``data`` is filled."""
    message = Writer()
    message.length(0)
    message.uint32()
    message.float64s("data", count)
    return message.template()


def clock() -> Template:
    """Return a time, which is its stamp."""
    message = Writer()
    message.stamp("stamp")
    return message.template()


def odometry(frame_id: str, child_frame_id: str) -> Template:
    """Return an odometry.

    To be filled: ``position``, ``orientation`` (x, y, z, w), and in the axes of the child
    ``linear`` and ``angular``; ``covariance`` of the pose and of the velocity.
    """
    message = Writer()
    message.header(frame_id)
    message.string(child_frame_id)
    message.float64("position", 3)
    message.float64("orientation", 4)
    message.float64("covariance", 36)
    message.float64("linear", 3)
    message.float64("angular", 3)
    message.float64("covariance", 36)
    return message.template()


def imu(frame_id: str) -> Template:
    """Return a measurement of an inertial unit.

    To be filled: ``orientation`` (x, y, z, w), ``angular_velocity``, ``linear_acceleration``, and
    the three fields ``covariance`` in this order.
    """
    message = Writer()
    message.header(frame_id)
    for name, count in (
        ("orientation", 4),
        ("angular_velocity", 3),
        ("linear_acceleration", 3),
    ):
        message.float64(name, count)
        message.float64("covariance", 9)
    return message.template()


def laser_scan(frame_id: str, count: int) -> Template:
    """Return a laser scan without intensities.

    To be filled: ``limits`` (first angle, last angle, increment, time between rays and scans,
    smallest and largest range) and ``ranges``, both float32.
    """
    message = Writer()
    message.header(frame_id)
    message.float32("limits", 7)
    message.length(count)
    message.float32("ranges", count)
    message.length(0)
    return message.template()


def trajectory_point(names: Sequence[str], frame_id: str) -> Template:
    """Return a joint trajectory of one point, at its start.

    To be filled: ``position``, ``velocity``, ``acceleration`` and ``effort``.
    """
    message = Writer()
    message.header(frame_id)
    message.strings(names)
    message.length(1)
    for field in ("position", "velocity", "acceleration", "effort"):
        message.float64s(field, len(names))
    message.int32(0)  # time_from_start
    message.uint32(0)
    return message.template()


def point_cloud(frame_id: str, fields: Sequence[tuple[str, int]], count: int) -> Template:
    """Return a point cloud of one row, whose fields have a number of four bytes each.

    To be filled: ``data`` (bytes), little-endian.

    Parameters
    ----------
    frame_id : str
    fields : sequence of (str, int)
        Names and data types: `FLOAT32` or `UINT32`.
    count : int
        Of the points.
    """
    message = Writer()
    message.header(frame_id)
    message.uint32(1)  # height
    message.uint32(count)  # width
    message.length(len(fields))
    for k, (name, kind) in enumerate(fields):
        message.string(name)
        message.uint32(4 * k)  # offset
        message.uint8(kind)
        message.uint32(1)  # count
    message.uint8(0)  # is_bigendian
    message.uint32(4 * len(fields))  # point_step
    message.uint32(4 * len(fields) * count)  # row_step
    message.uint8s("data", 4 * len(fields) * count)
    message.uint8(1)  # is_dense
    return message.template()


def string(text: str) -> Template:
    """Return a constant string."""
    message = Writer()
    message.string(text)
    return message.template()


class Status(NamedTuple):
    """A diagnostic_msgs/msg/DiagnosticStatus; its level is one byte."""

    level: bytes
    name: str
    message: str
    hardware_id: str
    values: Mapping[str, str]


def diagnostics(stamp: int, frame_id: str, statuses: Sequence[Status]) -> bytes:
    """Return a serialised diagnostic_msgs/msg/DiagnosticArray at a time (ns)."""
    data = message_at(stamp)
    append_strings(data, (frame_id,))
    append_length(data, len(statuses))
    for level, name, message, hardware_id, values in statuses:
        data += level
        append_strings(data, (name, message, hardware_id))
        append_length(data, len(values))
        append_strings(data, chain.from_iterable(values.items()))
    return bytes(data)


class Marker(NamedTuple):
    """The constant fields of a marker.

    Attributes
    ----------
    namespace, id : str, int
        Identify the marker.
    type : int
        One of `MARKER_TYPES`.
    frame_id : str
    mesh : str
        URL; empty for other types.
    points : int
        How many it has.
    text : str
        Of the length of the texts that will be shown.
    lifetime : int
        Time after which it disappears unless it is renewed (ns).
    frame_locked : bool
        Moves with its frame from message to message.
    """

    namespace: str
    id: int
    type: int
    frame_id: str
    mesh: str = ""
    points: int = 0
    text: str = ""
    lifetime: int = 0
    frame_locked: bool = False


def markers(given: Sequence[Marker]) -> Template:
    """Return markers.

    To be filled of each: ``action`` (int32), ``position``, ``orientation``, ``scale``, ``color``
    (float32), the ``point`` as often as it has points, and ``text`` (uint8).
    """
    message = Writer()
    message.length(len(given))
    for marker in given:
        message.header(marker.frame_id)
        message.string(marker.namespace)
        message.int32(marker.id)
        message.int32(marker.type)
        message.int32(ADD, "action")
        message.float64("position", 3)
        message.float64("orientation", 4)
        message.float64("scale", 3)
        message.float32("color", 4)
        seconds, nanoseconds = divmod(marker.lifetime, NANOSECONDS)
        message.int32(seconds)
        message.uint32(nanoseconds)
        message.uint8(marker.frame_locked)
        message.length(marker.points)
        for _ in range(marker.points):
            message.float64("point", 3)
        message.length(0)  # colors
        message.string("")  # texture_resource
        _no_texture(message)
        message.string(marker.text, "text")
        message.string(marker.mesh)
        message.string("")  # mesh_file.filename
        message.length(0)  # mesh_file.data
        message.uint8(0)  # mesh_use_embedded_materials
    return message.template()


def _no_texture(message: Writer) -> None:
    message.int32(0)  # texture.header
    message.uint32(0)
    message.string("")
    message.string("")  # texture.format
    message.length(0)  # texture.data
    message.length(0)  # uv_coordinates
