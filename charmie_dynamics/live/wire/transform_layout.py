"""Which frames a serialised TFMessage tells about, without decoding its numbers.

A message is gone through once; others with the same bytes between the numbers have the same names.
"""

from __future__ import annotations

import struct

PLAIN_LITTLE_ENDIAN = b"\x00\x01"
BODY = 4  # bytes before the body, from whose start numbers are aligned
LENGTH = struct.Struct("<I")
STAMP = struct.Struct("<iI")
FIRST = BODY + LENGTH.size  # the first transform's stamp
NUMBERS = 7 * 8  # bytes of a translation and a quaternion
# transforms that are looked at; a message of more is cut there, so that it cannot stop the node
LARGEST = 1000


class TransformLayout:
    """The child frames in a TFMessage and where their names stand.

    Parameters
    ----------
    data : bytes
        A serialised tf2_msgs/msg/TFMessage.

    Attributes
    ----------
    children : frozenset of str
        The child frame ids.

    Raises
    ------
    ValueError
        If these bytes are no such message, or one in another encoding than the usual one.
    """

    def __init__(self, data: bytes) -> None:
        if data[:2] != PLAIN_LITTLE_ENDIAN:
            raise ValueError("not in plain little-endian CDR")
        children: list[str] = []
        # not the bytes that align them, which may be anything
        self._names: list[slice] = []
        try:
            (count,) = LENGTH.unpack_from(data, BODY)
            start = FIRST
            for _ in range(min(count, LARGEST)):
                start = _aligned(start, LENGTH.size) + STAMP.size
                _, end = _string(data, start)
                start = _aligned(end, LENGTH.size)
                child, end = _string(data, start)
                children.append(child)
                self._names.append(slice(start, end))
                start = _aligned(end, 8) + NUMBERS
        except struct.error as error:
            raise ValueError(f"{len(data)} bytes end in the middle of a transform") from error
        if start > len(data):
            raise ValueError(f"{len(data)} bytes end in the middle of a transform")
        self.children = frozenset(children)
        self._size = len(data)
        self._text = self._text_of(data)
        self._first = self._names[0] if self._names else slice(0, 0)
        self._first_text = data[self._first]

    def fits(self, data: bytes) -> bool:
        """Tell whether a message has the same child frames in the same places."""
        return len(data) == self._size and self._text_of(data) == self._text

    def begins(self, data: bytes) -> bool:
        """Tell whether a message is as long and its first child frame the same."""
        return len(data) == self._size and data[self._first] == self._first_text

    def _text_of(self, data: bytes) -> bytes:
        return data[BODY:FIRST] + b"".join([data[part] for part in self._names])


def first_stamp(data: bytes) -> int | None:
    """Return the stamp (ns) of the first transform; None where there is none."""
    if len(data) < FIRST + STAMP.size:
        return None
    seconds, nanoseconds = STAMP.unpack_from(data, FIRST)
    return int(seconds) * 1_000_000_000 + int(nanoseconds)


def _aligned(offset: int, size: int) -> int:
    return offset + (BODY - offset) % size


def _string(data: bytes, offset: int) -> tuple[str, int]:
    """Return a string and where it ends; its length, with the closing zero, stands before it."""
    start = _aligned(offset, LENGTH.size) + LENGTH.size
    (length,) = LENGTH.unpack_from(data, start - LENGTH.size)
    end = start + length
    if end > len(data):
        raise ValueError(f"a name of {length} bytes in a message of {len(data)}")
    return data[start : end - 1].decode(errors="replace") if length else "", end
