# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The Common Data Representation (CDR), in which ROS 2 sends messages, read in place.

In a repeated message only the numbers change; names and lengths are constant. It is therefore
parsed once, field by field in the order of its type, by a `Reader`, or, for sending, built by a
`templates.Writer`. Both store the locations of the numbers. Later numbers are read from the bytes,
or written into them, without any message object.

The form is XCDR version 1 (OMG DDS-XTypes 1.3, section 7.4.3): a header of four bytes, of which the
first two give the byte order, then the body: the fields in their order, each number aligned to its
own size from the start of the body. A string is its length with the closing zero (uint32), its
bytes and the zero; a sequence is its length (uint32) and its elements.
"""

from __future__ import annotations

import struct
from collections import defaultdict

import numpy as np

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.memory import double_at
from charmie_dynamics.numerics.vectors import Floats, Ints

from .stamps import NANOSECONDS

# two bytes of options follow those of the byte order
HEADER = b"\x00\x01\x00\x00"
HEADER_SIZE = len(HEADER)
BYTE_ORDERS = {b"\x00\x01": "<", b"\x00\x00": ">"}
DOUBLE = 8  # bytes
SHORTEST_STRING = 5  # bytes: the length and the closing zero

_UINT32 = {order: struct.Struct(f"{order}I") for order in BYTE_ORDERS.values()}
_INT32 = {order: struct.Struct(f"{order}i") for order in BYTE_ORDERS.values()}
_STAMP = {order: struct.Struct(f"{order}iI") for order in BYTE_ORDERS.values()}


class CdrError(CharmieError):
    """Bytes that are not the serialised message that was expected, or no place for a number."""


class TextError(CdrError):
    """A string in a message that is not UTF-8.

    Attributes
    ----------
    shown : str
        The bytes that are not, and some after them.
    """

    def __init__(self, shown: str) -> None:
        super().__init__(f"bytes {shown} in a string; expected UTF-8")
        self.shown = shown


class Walk:
    """The parsed length of a message and the locations of its numbers.

    Attributes
    ----------
    end : int
        Where the last field ends: a byte of the message, the header included.
    gaps : list of int
        Bytes between numbers, from the start of the body. Their content is undefined.
    """

    def __init__(self) -> None:
        self.end = HEADER_SIZE
        self.gaps: list[int] = []
        self._ranges: defaultdict[str, list[range]] = defaultdict(list)

    def ranges(self, name: str) -> list[range]:
        """Return the location of each field with a name, as `places` for fields of any size."""
        return self._ranges.get(name, [])

    def places(self, name: str) -> Ints:
        """Return the locations of the numbers with a name.

        Parameters
        ----------
        name : str
            Given to the fields as they were passed.

        Returns
        -------
        places : (k, count) array of int
            A row for each field with the name, all of the same length: indices into the
            body as an array of the numbers' type. (0, 0) without such a field.

        Raises
        ------
        CdrError
            If the fields differ in how many numbers they hold.
        """
        rows = self.ranges(name)
        if len({len(row) for row in rows}) > 1:
            raise CdrError(f"the fields '{name}' of a message hold different counts of numbers")
        return np.array(rows, dtype=np.int64).reshape(len(rows), len(rows[0]) if rows else 0)

    def skip(self, name: str, size: int, count: int = 1) -> int:
        """Pass `count` numbers of `size` bytes each; return the byte where they begin."""
        start = self.end + (HEADER_SIZE - self.end) % size
        self.gaps.extend(range(self.end - HEADER_SIZE, start - HEADER_SIZE))
        self.end = start + size * count
        if name:
            first = (start - HEADER_SIZE) // size
            self._ranges[name].append(range(first, first + count))
        return start


class Reader(Walk):
    """Reads the fields of a serialised message one after the other.

    Each method passes one field; with a name it also stores its location, see `places`.

    Parameters
    ----------
    data : bytes

    Attributes
    ----------
    is_big : bool
        Whether numbers begin with their highest byte.
    end : int
        Where the last field ends: a byte of the message, the header included. It may be set to
        where fields end that are known.

    Raises
    ------
    CdrError
        From the constructor, if the bytes begin in no plain encoding; from each method, if they
        end too early or hold a string that does not end with its zero.
    """

    def __init__(self, data: bytes) -> None:
        super().__init__()
        order = BYTE_ORDERS.get(bytes(data[:2]))
        if order is None:
            raise CdrError(
                f"{len(data)} bytes that begin with '{bytes(data[:2]).hex()}'; expected plain CDR, "
                "which begins with '0000' or '0001'"
            )
        self._data = data
        self._order = order
        self.is_big = order == ">"

    def uint8(self, name: str = "") -> int:
        """Pass a number of one byte."""
        return self._data[self._checked(name, 1)]

    def int32(self, name: str = "") -> int:
        """Pass an int32."""
        return int(_INT32[self._order].unpack_from(self._data, self._checked(name, 4))[0])

    def uint32(self, name: str = "") -> int:
        """Pass a uint32."""
        return int(_UINT32[self._order].unpack_from(self._data, self._checked(name, 4))[0])

    def float32(self, name: str, count: int) -> None:
        """Pass adjacent numbers."""
        self._checked(name, 4, count)

    def float64(self, name: str, count: int) -> None:
        """Pass adjacent numbers."""
        self._checked(name, DOUBLE, count)

    def stamp(self, name: str = "") -> int:
        """Return a time (ns); the location is that of its two halves, int32 and uint32."""
        return stamp_at(self._data, self._checked(name, 4, 2), self.is_big)

    def length(self, smallest: int = 1) -> int:
        """Return how many elements a sequence has.

        Parameters
        ----------
        smallest : int
            Least number of bytes of an element: a length that exceeds the message is refused before
            further reading.
        """
        length = self.uint32()
        if length * smallest > len(self._data) - self.end:
            raise self._too_short()
        return length

    def string(self, name: str = "") -> str:
        """Return a string; the location is that of its bytes without the closing zero."""
        text = self._texts(1)[0]
        if name:
            size = len(text.encode())
            first = self.end - HEADER_SIZE - 1 - size
            self._ranges[name].append(range(first, first + size))
        return text

    def strings(self, smallest: int = SHORTEST_STRING) -> list[str]:
        """Return a sequence of strings; `smallest` as for `length`."""
        return self._texts(self.length(smallest))

    def float64s(self, name: str = "") -> Floats:
        """Return a sequence of doubles, as an array of their type in the byte order of the message.

        It is a view of the message. Where it is empty, it is not aligned, and has no place.
        """
        length = self.length(DOUBLE)
        if not length:
            return np.empty(0)
        start = self._checked(name, DOUBLE, length)
        return np.frombuffer(self._data, f"{self._order}f8", length, start)

    def doubles(self, count: int) -> Floats:
        """Return adjacent doubles, as a view like that of `float64s`."""
        start = self._checked("", DOUBLE, count)
        return np.frombuffer(self._data, f"{self._order}f8", count, start)

    def octets(self) -> bytes:
        """Return a sequence of bytes."""
        length = self.length()
        start = self._checked("", 1, length)
        return self._data[start : start + length]

    def _texts(self, number: int) -> list[str]:
        """Return strings, one after the other.

        Written as one loop: of as many as a message can hold, none may cost a microsecond.
        """
        data, read, end = self._data, _UINT32[self._order].unpack_from, self.end
        texts = []
        try:
            for _ in range(number):
                start = end + -end % 4  # the body begins at a multiple of it
                if start > end:
                    self.gaps.extend(range(end - HEADER_SIZE, start - HEADER_SIZE))
                (size,) = read(data, start)
                start += 4
                end = start + size
                if data.find(0, start, end) != end - 1:
                    raise CdrError(
                        f"a string of {size} bytes in a message of {len(data)}; expected one zero "
                        "in it, at its end"
                    )
                texts.append(data[start : end - 1].decode())
        except struct.error:
            raise self._too_short() from None
        except UnicodeDecodeError as error:
            raise TextError(f"{error.object[error.start : error.start + 8]!r}") from None
        self.end = end
        return texts

    def _checked(self, name: str, size: int, count: int = 1) -> int:
        start = self.skip(name, size, count)
        if self.end > len(self._data):
            raise self._too_short()
        return start

    def _too_short(self) -> CdrError:
        return CdrError(f"{len(self._data)} bytes, which end in the middle of a field")


def stamp_at(data: bytes, start: int, is_big: bool) -> int:
    """Return the time (ns) that begins at a byte of a message."""
    seconds, nanoseconds = _STAMP[">" if is_big else "<"].unpack_from(data, start)
    return int(seconds) * NANOSECONDS + int(nanoseconds)


@compiled
def read_doubles(data: bytes, start: int, is_big: bool, doubles: Floats) -> None:
    """Copy the doubles that begin at a byte of a message, as many as there is room for.

    Parameters
    ----------
    data : bytes
    start : int
    is_big : bool
        Whether numbers begin with their highest byte.
    doubles : (d,) array
        Output.
    """
    for k in range(doubles.shape[0]):
        doubles[k] = double_at(data, start + DOUBLE * k, is_big)
