"""Recorded joint states, decoded as they are found in bags.

rosbags refuses a message that is longer than its content. Fast DDS, which most bags come from,
leaves four bytes without meaning behind a message whose efforts are empty. To know the names again
also takes a tenth of the time that decoding them takes.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np

from charmie_dynamics.live.wire.samples import DistinctNames, RefusedSampleError
from charmie_dynamics.numerics.vectors import Floats

# Common Data Representation: four bytes say how the rest, the body, is encoded; numbers are
# aligned to their own size from the start of the body, which begins with the stamp
BODY = 4
NAMES = BODY + 8  # frame id and names follow the stamp
COUNT, DOUBLE = 4, 8
BYTE_ORDERS = {b"\x00\x01": "<", b"\x00\x00": ">"}
SECOND = 1_000_000_000  # ns
REMEMBERED = 16  # sets of names


class JointStateValues(NamedTuple):
    """What a joint state holds; the arrays are empty where it has no such field."""

    stamp: int
    names: DistinctNames
    position: Floats
    velocity: Floats
    effort: Floats


class JointStateDecoder:
    """Decodes serialised sensor_msgs/msg/JointState, most quickly those with the same names."""

    def __init__(self) -> None:
        self._heads: dict[int, tuple[bytes, DistinctNames]] = {}

    def decode(self, data: bytes) -> JointStateValues:
        """Return the content of a message.

        Raises
        ------
        RefusedSampleError
            If the bytes are no such message, or a name repeats.
        """
        order = BYTE_ORDERS.get(data[:2])
        try:
            if order is None:
                raise ValueError("neither of the two plain encodings")
            seconds, nanoseconds = struct.unpack_from(f"{order}iI", data, BODY)
            names, end = self._names(data, order)
            position, end = _doubles(data, end, order)
            velocity, end = _doubles(data, end, order)
            effort, end = _doubles(data, end, order)
        except (struct.error, ValueError) as error:
            raise RefusedSampleError(
                "bytes that cannot be decoded",
                f"{len(data)} bytes that cannot be decoded; expected a serialised "
                f"sensor_msgs/msg/JointState: {error}",
            ) from error
        return JointStateValues(seconds * SECOND + nanoseconds, names, position, velocity, effort)

    def _names(self, data: bytes, order: str) -> tuple[DistinctNames, int]:
        """Return the names and where they end."""
        for end, (head, names) in self._heads.items():
            if data[NAMES:end] == head:
                return names, end
        _, end = _text(data, NAMES, order)  # frame id
        count, end = _number(data, end, order)
        found = []
        for _ in range(count):
            name, end = _text(data, end, order)
            found.append(name)
        names = DistinctNames(found)
        if len(self._heads) >= REMEMBERED:
            self._heads.clear()
        self._heads[end] = data[NAMES:end], names
        return names, end


def _number(data: bytes, end: int, order: str) -> tuple[int, int]:
    start = _aligned(end, COUNT)
    return struct.unpack_from(f"{order}I", data, start)[0], start + COUNT


def _text(data: bytes, end: int, order: str) -> tuple[str, int]:
    """Return a text and where it ends; its length, with the closing zero, stands before it."""
    size, start = _number(data, end, order)
    if not 0 < size <= len(data) - start:
        raise ValueError(f"a text of {size} bytes")
    return data[start : start + size - 1].decode(), start + size


def _doubles(data: bytes, end: int, order: str) -> tuple[Floats, int]:
    count, start = _number(data, end, order)
    if not count:
        return np.empty(0), start
    start = _aligned(start, DOUBLE)
    values = np.frombuffer(data, f"{order}f8", count, start).astype(np.float64)
    return values, start + DOUBLE * count


def _aligned(offset: int, size: int) -> int:
    return offset + (BODY - offset) % size
