"""Pure conversions between messages and arrays."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import TransformStamped
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from charmie_dynamics.live.wire.cdr import HEADER, HEADER_SIZE, CdrError, Template
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.numerics.vectors import Floats, Ints


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


SIZES: dict[str, int] = {
    **dict.fromkeys(("boolean", "octet", "char", "int8", "uint8"), 1),
    **dict.fromkeys(("int16", "uint16"), 2),
    **dict.fromkeys(("int32", "uint32", "float"), 4),
    **dict.fromkeys(("int64", "uint64", "double"), 8),
}


class MessageWalk:
    """Goes through a message as a serialiser does and notes where each number comes to stand."""

    def __init__(self, message: Any) -> None:
        self.end = 0
        self.gaps: list[int] = []
        self.slots: dict[str, list[int]] = defaultdict(list)
        self._walk_message(message, "")

    def _walk_message(self, message: Any, prefix: str) -> None:
        for field, kind in message.get_fields_and_field_types().items():
            self._walk_value(getattr(message, field), kind, prefix + field)

    def _walk_value(self, value: Any, kind: str, path: str) -> None:
        """Go through a value of a type such as ``double``, ``double[3]``, ``sequence<string>``."""
        if kind in SIZES:
            size = SIZES[kind]
            self.slots[path].append(self._advance(size) // size)
        elif kind.startswith("sequence<"):
            self._advance(4)
            self._walk_elements(value, kind[len("sequence<") : -1].split(",")[0], path)
        elif kind.endswith("]"):
            self._walk_elements(value, kind[: kind.rindex("[")], path)
        elif kind == "string" or kind.startswith("string<"):
            self._advance(4)
            self.slots[path].append(self.end)
            self.end += len(value.encode()) + 1
        elif hasattr(value, "get_fields_and_field_types"):
            self._walk_message(value, path + ".")
        else:
            raise CdrError(f"field '{path}' is of type {kind}, which has no known form")

    def _walk_elements(self, values: Any, kind: str, path: str) -> None:
        for value in values:
            self._walk_value(value, kind, path)

    def _advance(self, size: int) -> int:
        start = self.end + -self.end % size
        self.gaps.extend(range(self.end, start))
        self.end = start + size
        return start


class WalkedTemplate(Template):
    """The template of a ROS message, whose numbers are found by its field names."""

    def __init__(self, message: Any, data: bytes) -> None:
        walk = MessageWalk(message)
        end = HEADER_SIZE + walk.end
        if data[:2] != HEADER[:2] or len(data) < end:
            raise CdrError(
                f"{type(message).__name__}: expected {end} bytes of plain little-endian CDR, "
                f"got {len(data)} bytes that start with {data[:4].hex()}"
            )
        self._slots = walk.slots
        self.gaps: Ints = np.array(walk.gaps, dtype=np.int64)
        # Fast DDS adds bytes without meaning after a message with an empty sequence of doubles
        super().__init__(walk, data[:end])  # type: ignore[arg-type]

    def index(self, path: str, fields: Sequence[str] = ()) -> Ints:
        """Return where numbers stand, a column for each of the fields below the path."""
        if fields:
            return np.column_stack([self.index(f"{path}.{field}") for field in fields])
        return np.array(self._slots.get(path, ()), dtype=np.int64)

    def doubles(self, path: str) -> Floats:
        """Return the view on a float64[] field."""
        index = self.index(path)
        if len(index) == 0:
            return self.float64[:0]
        if (np.diff(index) != 1).any():
            raise CdrError(f"the numbers at '{path}' do not stand side by side")
        return self.float64[index[0] : index[0] + len(index)]


def template_of(message: Any) -> WalkedTemplate:
    """Return the serialised form of a message as a template.

    Raises
    ------
    CdrError
        If the middleware serialises in another form than ours.
    """
    return WalkedTemplate(message, serialize_message(message))
