# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Frames of a serialised TFMessage, read without decoding its numbers.

To see that a message has the names of one walked through before takes a fraction of walking
through it, and that a fraction of decoding it.
"""

from __future__ import annotations

from .cdr import HEADER_SIZE, CdrError, Reader, stamp_at

FIRST = HEADER_SIZE + 4  # the first transform's stamp, behind the number of transforms
STAMP_SIZE = 8
POSE = 7  # numbers of a translation and a quaternion
# largest number of transforms that are read; the others are ignored, so that a message cannot stop
# the node
LARGEST = 1000


class TransformLayout:
    """The child frames in a TFMessage and the locations of their names.

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
    CdrError
        If these bytes are no such message, or one in another encoding than the usual one.
    """

    def __init__(self, data: bytes) -> None:
        reader = Reader(data)
        if reader.is_big:
            raise CdrError("transforms in big-endian CDR; expected little-endian")
        children: list[str] = []
        # not the bytes that align them, which may be anything
        self._names: list[slice] = []
        for _ in range(min(reader.length(), LARGEST)):
            reader.stamp()
            reader.string()
            child = reader.string()
            children.append(child)
            self._names.append(slice(reader.end - len(child.encode()) - 1, reader.end))
            reader.float64("", POSE)
        self.children = frozenset(children)
        self._size = len(data)
        self._text = self._text_of(data)
        self._first = self._names[0] if self._names else slice(0, 0)
        self._first_text = data[self._first]

    def fits(self, data: bytes) -> bool:
        """Return whether a message has the same child frames in the same places."""
        return len(data) == self._size and self._text_of(data) == self._text

    def begins(self, data: bytes) -> bool:
        """Return whether length and first child frame of a message are the same."""
        return len(data) == self._size and data[self._first] == self._first_text

    def _text_of(self, data: bytes) -> bytes:
        return data[HEADER_SIZE:FIRST] + b"".join([data[part] for part in self._names])


def first_stamp(data: bytes) -> int | None:
    """Return the stamp (ns) of the first transform of such a message; None without one."""
    return stamp_at(data, FIRST, False) if len(data) >= FIRST + STAMP_SIZE else None
