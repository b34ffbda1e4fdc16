"""Serialised templates, and when to use one.

A template writes what the class of `messages` with the same arguments writes, without touching a
message object. `quickest` holds the two against each other before a template is used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.serialization import deserialize_message, serialize_message

from ..core.vectors import Ints
from .cdr import LayoutError, Template
from .conversions import NANOSECONDS
from .messages import PointMessage, Reference, Writer


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


class PointTemplate:
    """The template of a `PointMessage`."""

    def __init__(self, ordinary: PointMessage) -> None:
        self._template = template = Template(ordinary.message)
        self._stamps = Stamps(template, "header.stamp")
        self._x, self._y, self._z = template.index("point", "xyz")[0].tolist()

    def write(self, stamp: int, x: float, y: float, z: float) -> Template:
        """Return the template, filled for the coordinates of a point."""
        numbers = self._template.float64
        numbers[self._x] = x
        numbers[self._y] = y
        numbers[self._z] = z
        self._stamps.write(stamp)
        return self._template


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
        trial = ordinary.trial()
        require_equal(bytes(template.write(*trial)), ordinary.write(*trial))
    except Exception as error:
        # another form of serialisation may break anything, and ordinary messages always work
        report(f"{type(error).__name__}: {error}")
        return ordinary
    return template


def require_equal(serialised: bytes, ordinary: Any) -> None:
    """Compare a serialised message with an ordinary one of the same content.

    Raises
    ------
    LayoutError
        If they differ after decoding.
    """
    kind = type(ordinary)
    found = deserialize_message(serialised, kind)
    # decoded as well, since the fields of an ordinary message hold more digits than float32
    if found != deserialize_message(serialize_message(ordinary), kind):
        raise LayoutError(f"a {kind.__name__} decodes to other numbers than those written")
