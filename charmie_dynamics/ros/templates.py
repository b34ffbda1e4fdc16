"""The messages of a cycle as serialised templates.

Each class writes what the class of `messages` with the same arguments writes, without touching a
message object. `quickest` holds the two against each other before a template is used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from rclpy.serialization import deserialize_message, serialize_message

from ..core.rotations import quaternions_from_matrices
from ..core.vectors import Floats, Ints
from .cdr import LayoutError, Template
from .conversions import NANOSECONDS
from .messages import (
    JointStateMessage,
    PointMessage,
    Reference,
    TransformsMessage,
    WrenchMessage,
    Writer,
)


class Stamps:
    """All stamps of a message."""

    def __init__(self, template: Template, path: str) -> None:
        self._int32 = template.int32
        self._seconds = _scalar_or_array(template.index(path + ".sec"))
        self._nanoseconds = _scalar_or_array(template.index(path + ".nanosec"))

    def write(self, stamp: int) -> None:
        """Write one stamp (ns) everywhere."""
        seconds, nanoseconds = divmod(stamp, NANOSECONDS)  # both fit into an int32
        self._int32[self._seconds] = seconds
        self._int32[self._nanoseconds] = nanoseconds


def _scalar_or_array(index: Ints) -> Any:
    """Return an index of one element as an int: numpy takes 0.1 instead of 0.4 us to use it."""
    return int(index[0]) if len(index) == 1 else index


class JointStateTemplate:
    """The template of a `JointStateMessage`."""

    def __init__(self, ordinary: JointStateMessage) -> None:
        self._template = template = Template(ordinary.message)
        self._stamps = Stamps(template, "header.stamp")
        self._arrays = [template.doubles(field) for field in ordinary.fields]

    def write(self, stamp: int, *values: Floats) -> bytes:
        """Return the serialised message with one array for each of the fields."""
        self._stamps.write(stamp)
        for array, new in zip(self._arrays, values, strict=True):
            array[:] = new
        return bytes(self._template)


class TransformsTemplate:
    """The template of a `TransformsMessage`."""

    def __init__(self, ordinary: TransformsMessage) -> None:
        self._template = template = Template(ordinary.message)
        self._frames = frames = ordinary.frames
        self._p = np.empty((len(frames), 3))
        self._R = np.empty((len(frames), 3, 3))
        self._quaternions = np.empty((len(frames), 4))
        self._stamps = Stamps(template, "transforms.header.stamp")
        self._translation = template.index("transforms.transform.translation", "xyz")
        self._rotation = template.index("transforms.transform.rotation", "xyzw")

    def write(self, stamp: int, p_parent_frame: Floats, R_parent_frame: Floats) -> bytes:
        """Return the serialised message for the poses of all frames, (f, 3) and (f, 3, 3)."""
        # Into arrays that exist, 0.3 us each; indexing makes new ones in 1.1 us. No frame is out
        # of range: "clip" merely says that the output need not be kept for the case of an error.
        p_parent_frame.take(self._frames, 0, self._p, "clip")
        R_parent_frame.take(self._frames, 0, self._R, "clip")
        quaternions_from_matrices(self._R, self._quaternions)
        numbers = self._template.float64
        numbers[self._translation] = self._p
        numbers[self._rotation] = self._quaternions
        self._stamps.write(stamp)
        return bytes(self._template)


class WrenchTemplate:
    """The template of a `WrenchMessage`."""

    def __init__(self, ordinary: WrenchMessage) -> None:
        self._template = template = Template(ordinary.message)
        self._stamps = Stamps(template, "header.stamp")
        self._force = template.index("wrench.force", "xyz")[0]
        self._torque = template.index("wrench.torque", "xyz")[0]

    def write(self, stamp: int, force: Floats, torque: Floats) -> bytes:
        """Return the serialised message for a force (3,) and a torque (3,)."""
        numbers = self._template.float64
        numbers[self._force] = force
        numbers[self._torque] = torque
        self._stamps.write(stamp)
        return bytes(self._template)


class PointTemplate:
    """The template of a `PointMessage`."""

    def __init__(self, ordinary: PointMessage) -> None:
        self._template = template = Template(ordinary.message)
        self._stamps = Stamps(template, "header.stamp")
        self._x, self._y, self._z = template.index("point", "xyz")[0].tolist()

    def write(self, stamp: int, x: float, y: float, z: float) -> bytes:
        """Return the serialised message for the coordinates of a point."""
        numbers = self._template.float64
        numbers[self._x] = x
        numbers[self._y] = y
        numbers[self._z] = z
        self._stamps.write(stamp)
        return bytes(self._template)


def quickest(
    ordinary: Reference,
    make_template: Callable[[Any], Writer],
    report: Callable[[str], None],
) -> Writer:
    """Return the template of a message if it is right here and now, else the ordinary message.

    The template is filled with trial values and decoded by the middleware in use.

    Parameters
    ----------
    ordinary : Reference
        A class of `messages`.
    make_template : callable
        Makes the template from it.
    report : callable
        Is told why there is none.
    """
    try:
        template = make_template(ordinary)
        check(template, ordinary)
    except Exception as error:
        # another form of serialisation may break anything, and ordinary messages always work
        report(f"{type(error).__name__}: {error}")
        return ordinary
    return template


def check(template: Writer, ordinary: Reference) -> None:
    """Compare what a template and an ordinary message give for the same values.

    Raises
    ------
    LayoutError
        If they differ after decoding.
    """
    trial = ordinary.trial()
    kind = type(ordinary.message)
    found = deserialize_message(template.write(*trial), kind)
    # decoded as well, since the fields of an ordinary message hold more digits than float32
    expected = deserialize_message(serialize_message(ordinary.write(*trial)), kind)
    if found != expected:
        raise LayoutError(f"a {kind.__name__} decodes to other numbers than those written")
