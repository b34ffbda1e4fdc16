# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Serialised joint states: parsed once, then read in place.

A publisher sends the same names with each message. A message that differs from a parsed one only in
its stamp and numbers is recognised by comparing bytes, and its numbers are read in place.

This module parses the bytes instead of the middleware, because that replaces invalid UTF-8, ends
names at a zero byte, and decodes a million entries before they can be refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.numerics.vectors import Floats

from .cdr import (
    DOUBLE,
    HEADER_SIZE,
    SHORTEST_STRING,
    CdrError,
    Reader,
    TextError,
    read_doubles,
    stamp_at,
)
from .samples import JointSample, RefusedSampleError, make_sample

NAMES = HEADER_SIZE + 8  # frame id, names and number of positions follow the stamp
COUNT_SIZE = 4
LEAST_BYTES = SHORTEST_STRING + DOUBLE  # of a name and its position, without which it is refused
# start of a sample's doubles in its bytes (-1: no bytes, the doubles are already decoded) and
# whether they are big-endian; the numbers of positions, velocities and efforts, and their indices
# among the doubles
FORM = np.dtype(
    [
        ("start", np.int64),
        ("is_big", np.int64),
        ("number", np.int64),
        ("velocities", np.int64),
        ("efforts", np.int64),
        ("position", np.int64),
        ("velocity", np.int64),
        ("effort", np.int64),
    ]
)
Records = npt.NDArray[np.void]
# layouts that are remembered
REMEMBERED = 16
# bytes of the largest message that is parsed: some thousand joints with all fields
LARGEST_MESSAGE = 65536


class SampleLayout:
    """Locations of the numbers of samples with the same names among their doubles.

    Attributes
    ----------
    names : tuple of str
        The k names.
    form : (1,) array of FORM
    doubles : (d,) array
        Workspace for the numbers of one sample.
    """

    def __init__(self, names: tuple[str, ...], form: Records, count: int) -> None:
        self.names = names
        self.form = form
        self.doubles: Floats = np.empty(count)


class RowLayout(SampleLayout):
    """The layout of samples that are no messages, as the rows of a table.

    Parameters
    ----------
    sample : JointSample
        One of these samples.
    """

    def __init__(self, sample: JointSample) -> None:
        count = len(sample.names)
        velocities = 0 if sample.velocity is None else count
        efforts = 0 if sample.effort is None else count
        form = np.zeros(1, dtype=FORM)
        form["start"], form["number"] = -1, count
        form["velocities"], form["velocity"] = velocities, count
        form["efforts"], form["effort"] = efforts, count + velocities
        super().__init__(sample.names, form, count + velocities + efforts)

    def write(self, sample: JointSample) -> None:
        """Write the numbers of such a sample into `doubles`."""
        parts = (sample.position, sample.velocity, sample.effort)
        np.concatenate([part for part in parts if part is not None], out=self.doubles)


class JointStateLayout(SampleLayout):
    """Where the numbers are in messages like a given one.

    Parameters
    ----------
    data : bytes
        The message.

    Attributes
    ----------
    used : bool
        Whether another message had the same layout.

    Raises
    ------
    RefusedSampleError
        If the bytes are no joint state, are too many or no UTF-8, or as from `make_sample`.
    """

    def __init__(self, data: bytes) -> None:
        self.used = False
        if len(data) > LARGEST_MESSAGE:
            raise RefusedSampleError(
                "too large", f"{len(data)} bytes; expected at most {LARGEST_MESSAGE}"
            )
        try:
            reader = Reader(data)
            reader.stamp()
            reader.string()  # frame id, not used
            names = reader.strings(LEAST_BYTES)
            head = reader.end
            position = reader.float64s()
            start = reader.end - DOUBLE * len(position)
            velocity_count = slice(reader.end, reader.end + COUNT_SIZE)
            velocity = reader.float64s()
            velocities = reader.end - DOUBLE * len(velocity)
            effort_count = slice(reader.end, reader.end + COUNT_SIZE)
            effort = reader.float64s()
            efforts = reader.end - DOUBLE * len(effort)
        except TextError as error:
            raise RefusedSampleError(
                "text that is not UTF-8",
                f"bytes {error.shown} in a name or frame id; expected UTF-8",
            ) from None
        except CdrError as error:
            raise RefusedSampleError(
                "bytes that cannot be decoded",
                f"{len(data)} bytes that cannot be decoded; expected a serialized sensor_msgs/msg/"
                f"JointState: {error}",
            ) from None
        distinct = make_sample(names, position, velocity, effort, 0).names
        self._size = reader.end
        self._is_big = reader.is_big
        # the bytes between the numbers are the same in all such messages
        positions = head + -head % COUNT_SIZE + COUNT_SIZE
        self._parts = slice(HEADER_SIZE), slice(NAMES, positions), velocity_count, effort_count
        self._fixed = tuple(data[part] for part in self._parts)
        is_text = bytearray(b"\xff" * reader.end)
        for gap in reader.gaps:
            is_text[HEADER_SIZE + gap] = 0
        self._is_text = int.from_bytes(is_text[NAMES:positions], "big")
        self._text = int.from_bytes(self._fixed[1], "big") & self._is_text
        form = np.zeros(1, dtype=FORM)
        form["start"], form["is_big"], form["number"] = start, reader.is_big, len(position)
        form["velocities"], form["efforts"] = len(velocity), len(effort)
        # all three arrays, with the counts between them, begin and end at multiples of a double
        form["velocity"] = (velocities - start) // DOUBLE
        form["effort"] = (efforts - start) // DOUBLE
        super().__init__(distinct, form, (reader.end - start) // DOUBLE)

    def matches(self, data: bytes) -> bool:
        """Return whether a message differs from the given one in stamp and numbers only.

        Serialisers may leave bytes behind a message, and any bytes in the gaps between its names.
        """
        encoding, head, velocity_count, effort_count = self._parts
        expected_encoding, names, velocities, efforts = self._fixed
        return (
            len(data) >= self._size
            and expected_encoding == data[encoding]
            and velocities == data[velocity_count]
            and efforts == data[effort_count]
            and (
                names == data[head]
                or self._text == int.from_bytes(data[head], "big") & self._is_text
            )
        )

    def stamp_of(self, data: bytes) -> int:
        """Return the stamp of such a message (ns)."""
        return stamp_at(data, HEADER_SIZE, self._is_big)


class Message(NamedTuple):
    """A joint state whose names are known and whose numbers have not been read yet.

    Attributes
    ----------
    layout : JointStateLayout
    data : bytes
    stamp : int
        Nanoseconds on the clock of the stamps.
    """

    layout: JointStateLayout
    data: bytes
    stamp: int

    @property
    def names(self) -> tuple[str, ...]:
        """Distinct names of joints or actuators."""
        return self.layout.names

    def values(self) -> JointSample:
        """Return everything that the message holds."""
        layout = self.layout
        form = layout.form[0]
        doubles = np.empty_like(layout.doubles)
        read_doubles(self.data, form["start"], form["is_big"] == 1, doubles)

        def part(field: str, count: str) -> Floats:
            return doubles[form[field] : form[field] + form[count]]

        velocity = part("velocity", "velocities") if form["velocities"] else None
        effort = part("effort", "efforts") if form["efforts"] else None
        position = part("position", "number")
        return JointSample(layout.names, position, velocity, self.stamp, effort)


class JointStateReader:
    """Knows the messages on a topic by their layouts, of which it keeps `REMEMBERED`."""

    def __init__(self) -> None:
        self._layouts: list[JointStateLayout] = []

    def read(self, data: bytes, now: Callable[[], int]) -> Message:
        """Return a message after checking all of it but its numbers.

        Parameters
        ----------
        data : bytes
            A serialized sensor_msgs/msg/JointState.
        now : callable
            Returns the stamp (ns) for a message without one; 0: no time is known yet.

        Raises
        ------
        RefusedSampleError
            If the message is larger than `LARGEST_MESSAGE` or cannot be decoded, if a text in it
            is no UTF-8, array lengths disagree, names repeat, or there is no usable stamp.
        """
        layout = self._layout_of(data)
        stamp = layout.stamp_of(data)
        if stamp == 0:
            stamp = now()
            if stamp <= 0:
                raise RefusedSampleError(
                    "no usable stamp",
                    "no stamp, and the clock has no time yet; expected a stamp, or a time on "
                    "/clock",
                )
        elif stamp < 0:
            raise RefusedSampleError(
                "no usable stamp",
                "stamp before 1970; expected the time of the measurement, or zero for now",
            )
        return Message(layout, data, stamp)

    def _layout_of(self, data: bytes) -> JointStateLayout:
        for layout in self._layouts:
            if layout.matches(data):
                layout.used = True
                return layout
        layout = JointStateLayout(data)
        self._remember(layout)
        return layout

    def _remember(self, layout: JointStateLayout) -> None:
        """Keep a layout; if the cache is full, remove the oldest one without a second message."""
        if len(self._layouts) >= REMEMBERED:
            once = next((k for k, other in enumerate(self._layouts) if not other.used), 0)
            del self._layouts[once]
        self._layouts.append(layout)
