"""Joint states as they come over the wire: decoded once, then read in place.

A publisher sends the same names with each message. To decode 21 of them and check them each time
costs 22 us (Humble: 29); to compare their bytes with those of a message that was decoded before,
and to read the numbers behind them, costs 2.5 us.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from ..core.vectors import Floats
from ..model.errors import InputError
from ..signals.samples import JointSample
from .conversions import NANOSECONDS, sample_from_message

# Common Data Representation: four bytes say how the rest, the body, is encoded; numbers are
# aligned to their own size from the start of the body, which begins with the stamp
ENCODING = slice(0, 4)
LITTLE_ENDIAN = b"\x00\x01"
BODY = 4
STAMP = struct.Struct("<iI")
NAMES = BODY + STAMP.size  # frame id, names and number of positions follow
COUNT = struct.Struct("<I")
DOUBLE = 8
# layouts that are remembered
REMEMBERED = 16


class Layout:
    """Where the numbers are in messages like one that was decoded.

    Parameters
    ----------
    data : bytes
        The message.
    frame_id : str
        Its frame id.
    sample : JointSample
        Its content, checked.
    efforts : int
        How many efforts it holds.
    """

    def __init__(self, data: bytes, frame_id: str, sample: JointSample, efforts: int) -> None:
        self.names = sample.names
        self._count = len(sample.names)
        end = NAMES
        for text in (frame_id, None, *sample.names):
            end = _aligned(end, COUNT.size) + COUNT.size
            if text is not None:
                end += len(text.encode()) + 1
        end = _aligned(end, COUNT.size)
        self._head = slice(NAMES, end + COUNT.size)
        self._position, end = _doubles(end, self._count)
        self._velocities = slice(end, end + COUNT.size)
        self._velocity, end = _doubles(end, 0 if sample.velocity is None else self._count)
        self._efforts = slice(end, end + COUNT.size)
        _, end = _doubles(end, efforts)
        self._size = end
        parts = (ENCODING, self._head, self._velocities, self._efforts)
        self._encoding, self._names, self._velocity_count, self._effort_count = (
            data[part] for part in parts
        )
        self._has_velocity = sample.velocity is not None

    def fits(self, data: bytes) -> bool:
        """Tell whether a message differs from the decoded one in stamp and values alone."""
        return (
            len(data) >= self._size  # serialisers may leave bytes behind the message
            and data[self._head] == self._names
            and data[ENCODING] == self._encoding
            and data[self._velocities] == self._velocity_count
            and data[self._efforts] == self._effort_count
        )

    def read(self, data: bytes) -> tuple[int, Floats, Floats | None]:
        """Return stamp (ns), position and velocity of a message that fits."""
        seconds, nanoseconds = STAMP.unpack_from(data, BODY)
        # copies: aligned, and writable as those of a decoded message
        position = np.frombuffer(data, "<f8", self._count, self._position).copy()
        velocity = None
        if self._has_velocity:
            velocity = np.frombuffer(data, "<f8", self._count, self._velocity).copy()
        return seconds * NANOSECONDS + nanoseconds, position, velocity

    def yields(self, data: bytes, sample: JointSample) -> bool:
        """Tell whether reading a message gives the numbers that decoding it has given."""
        _, *read = self.read(data)
        return [_bytes(values) for values in read] == [
            _bytes(values) for values in (sample.position, sample.velocity)
        ]


def _bytes(values: Floats | None) -> bytes:
    return b"" if values is None else values.tobytes()


def _aligned(offset: int, size: int) -> int:
    return offset + (BODY - offset) % size


def _doubles(count_offset: int, count: int) -> tuple[int, int]:
    """Return where `count` doubles begin and end whose number stands at an offset."""
    start = count_offset + COUNT.size
    if count == 0:
        return start, start
    start = _aligned(start, DOUBLE)
    return start, start + DOUBLE * count


class JointStateReader:
    """Reads serialized joint states into checked samples."""

    def __init__(self) -> None:
        self._layouts: list[Layout] = []

    def read(self, data: bytes, now: Callable[[], int]) -> JointSample:
        """Return the checked content of a message.

        Parameters
        ----------
        data : bytes
            A serialized sensor_msgs/msg/JointState.
        now : callable
            Returns the stamp (ns) for a message which carries none.

        Raises
        ------
        InputError
            If the bytes cannot be decoded, array lengths disagree or names repeat.
        """
        for layout in self._layouts:
            if layout.fits(data):
                stamp, position, velocity = layout.read(data)
                return JointSample(layout.names, position, velocity, stamp or now())
        return self._decode(data, now)

    def _decode(self, data: bytes, now: Callable[[], int]) -> JointSample:
        """Decode a message in the ordinary way and remember its layout."""
        try:
            if len(data) < BODY:
                raise ValueError("no header")
            message = deserialize_message(data, JointState)
        except Exception as error:  # each middleware raises what it likes
            raise InputError(
                f"{len(data)} bytes that cannot be decoded; expected a serialized "
                f"{JointState.__module__.split('.')[0]}/msg/JointState"
            ) from error
        sample = sample_from_message(message, now())
        if data[: len(LITTLE_ENDIAN)] == LITTLE_ENDIAN:
            layout = Layout(data, message.header.frame_id, sample, len(message.effort))
            if layout.fits(data) and layout.yields(data, sample):
                self._layouts = [layout, *self._layouts[: REMEMBERED - 1]]
        return sample
