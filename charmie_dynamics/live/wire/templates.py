# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Templates: serialised messages built field by field, whose numbers are written in place."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from charmie_dynamics.numerics.vectors import Floats, Ints

from .cdr import DOUBLE, HEADER, HEADER_SIZE, Walk
from .stamps import NANOSECONDS

Bytes = npt.NDArray[np.uint8]
_UINT32 = struct.Struct("<I")


class Writer(Walk):
    """Builds a serialised message field by field, and stores the locations of its numbers.

    Each method adds one field. Fields with a name are filled later, see `Template`; the others
    keep the value that they are given here.
    """

    def __init__(self) -> None:
        super().__init__()
        self._data = bytearray(HEADER)

    def uint8(self, value: int = 0, name: str = "") -> None:
        """Add a number of one byte."""
        self._add(name, 1, struct.pack("<B", value))

    def int32(self, value: int = 0, name: str = "") -> None:
        """Add an int32."""
        self._add(name, 4, struct.pack("<i", value))

    def uint32(self, value: int = 0, name: str = "") -> None:
        """Add a uint32."""
        self._add(name, 4, struct.pack("<I", value))

    def float32(self, name: str, count: int) -> None:
        """Add numbers side by side."""
        self._add(name, 4, bytes(4 * count))

    def float64(self, name: str, count: int) -> None:
        """Add numbers side by side."""
        self._add(name, DOUBLE, bytes(DOUBLE * count))

    def stamp(self, name: str) -> None:
        """Add a time; the location is that of its two halves, int32 and uint32."""
        self._add(name, 4, bytes(8))

    def header(self, frame_id: str) -> None:
        """Add a std_msgs/msg/Header; its stamp is named ``stamp``."""
        self.stamp("stamp")
        self.string(frame_id)

    def length(self, length: int) -> None:
        """Add the length of a sequence, whose elements are to follow."""
        self.uint32(length)

    def string(self, text: str, name: str = "") -> None:
        """Add a string; the location is that of its bytes without the closing zero."""
        data = text.encode()
        self.length(len(data) + 1)
        self._add(name, 1, data)
        self._add("", 1, b"\0")

    def strings(self, texts: Iterable[str]) -> None:
        """Add a sequence of strings."""
        texts = list(texts)
        self.length(len(texts))
        for text in texts:
            self.string(text)

    def float64s(self, name: str, count: int) -> None:
        """Add a sequence of doubles; an empty one is not aligned."""
        self.length(count)
        if count:
            self.float64(name, count)

    def uint8s(self, name: str, count: int) -> None:
        """Add a sequence of bytes."""
        self.length(count)
        if count:
            self._add(name, 1, bytes(count))

    def template(self) -> Template:
        """Return the message as it has been built."""
        return Template(self, bytes(self._data))

    def _add(self, name: str, size: int, data: bytes) -> None:
        start = self.skip(name, size, len(data) // size)
        self._data += bytes(start - len(self._data)) + data


def message_at(stamp: int) -> bytearray:
    """Return the start of a serialised message with a header: the encoding and a time (ns)."""
    return bytearray(HEADER + struct.pack("<iI", *divmod(stamp, NANOSECONDS)))


def append_length(data: bytearray, length: int) -> None:
    """Append the length of a sequence to a message."""
    data += bytes(-len(data) % 4) + _UINT32.pack(length)


def append_strings(data: bytearray, texts: Iterable[str]) -> None:
    """Append strings to a message.

    A `Writer` takes several times as long, because it stores the location of each number.
    """
    for text in texts:
        encoded = text.encode()
        data += bytes(-len(data) % 4) + _UINT32.pack(len(encoded) + 1) + encoded + b"\0"


class Template:
    """A serialised message whose numbers are written in place, and views of these numbers.

    Parameters
    ----------
    walk : Writer
        Knows the locations of the numbers.
    data : bytes
        The message.

    Attributes
    ----------
    float64, float32, int32, uint8 : array
        The body as numbers of each type; `places` gives indices into them.
    data : (n,) array
        The bytes of the message.
    first : int
        Index of the first element of `float64` in the block of memory into which it was moved.
    """

    def __init__(self, walk: Walk, data: bytes) -> None:
        self._walk = walk
        self._size = len(data)
        self._place(np.zeros(self.words), 0, np.frombuffer(data, np.uint8))

    @property
    def words(self) -> int:
        """How many doubles it takes up in memory."""
        return self._size // DOUBLE + 2

    def places(self, name: str) -> Ints:
        """Return the locations of the numbers with a name, (k, count): a row per field."""
        return self._walk.places(name)

    def ranges(self, name: str) -> list[range]:
        """Return the location of each field with a name, as `places` for fields of any size."""
        return self._walk.ranges(name)

    def set_stamp(self, stamp: int) -> None:
        """Write a time (ns) wherever the message has a place named ``stamp``."""
        # both halves fit into an int32
        self.int32[self.places("stamp").reshape(-1, 2)] = divmod(stamp, NANOSECONDS)

    @property
    def span(self) -> slice:
        """Where its bytes are in the block of memory."""
        begin = DOUBLE * self.first - HEADER_SIZE
        return slice(begin, begin + self._size)

    def move(self, memory: Floats, start: int) -> None:
        """Move into a larger block of memory, from its double `start` on."""
        self._place(memory, start, self.data)

    def _place(self, memory: Floats, start: int, data: Bytes) -> None:
        # the header ends where the second double begins: numbers are aligned in memory as well
        self.first = start + 1
        self.float64: Floats = memory[self.first : start + self.words]
        self.float32: npt.NDArray[np.float32] = self.float64.view(np.float32)
        self.int32: npt.NDArray[np.int32] = self.float64.view(np.int32)
        self.uint8: Bytes = self.float64.view(np.uint8)
        place = memory.view(np.uint8)[self.span]
        place[:] = data
        self.data: Bytes = place

    def __bytes__(self) -> bytes:
        """Return a copy of the message."""
        return self.data.tobytes()


def join(templates: Sequence[Template]) -> Floats:
    """Move templates into one block of memory and return that."""
    memory = np.zeros(sum(template.words for template in templates))
    start = 0
    for template in templates:
        template.move(memory, start)
        start += template.words
    return memory
