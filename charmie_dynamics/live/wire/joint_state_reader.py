"""Joint states as they come over the wire: walked through once, then read in place.

A publisher sends the same names with each message. To decode 21 of them and check them each time
costs 22 us (Humble: 29); to compare their bytes with those of a message that was read before, and
to read the numbers behind them, costs 2.5 us. One compiled function does both: 22 us in a node
that has slept, when nothing is left in the processor's caches, where a dozen operations of Python
and NumPy took 35 us (Xeon).

The bytes are walked through here rather than by the middleware, because it replaces bytes that are
no UTF-8, ends names at a zero byte, and decodes a million entries before anybody can refuse them.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats, Ints

from .samples import JointSample, RefusedSampleError, make_sample
from .stamps import NANOSECONDS

# Common Data Representation: four bytes say how the rest, the body, is encoded; numbers are
# aligned to their own size from the start of the body, which begins with the stamp
ENCODING = (0, 4)
BYTE_ORDERS = {b"\x00\x01": "<", b"\x00\x00": ">"}  # by the first two of them
BODY = 4
STAMP_SIZE = 8
NAMES = BODY + STAMP_SIZE  # frame id, names and number of positions follow
COUNT_SIZE = 4
DOUBLE = 8
HOST_IS_BIG = sys.byteorder == "big"
LEAST_BYTES = COUNT_SIZE + 1 + DOUBLE  # of a name and its position, without which it is refused
# where a message's doubles begin (byte), whether they begin with their highest byte; how many
# positions, velocities and efforts there are, and where among the doubles
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
# bytes of the largest message that is looked into: some thousand joints with all fields
LARGEST_MESSAGE = 65536


class Layout:
    """Where the numbers are in messages like a given one.

    Parameters
    ----------
    data : bytes
        The message.

    Attributes
    ----------
    names : tuple of str
    used : bool
        Whether another message had the same layout.
    has_effort : bool
        Whether the messages hold efforts.
    arguments : tuple
        Of `read_numbers`: `expected`, `fixed`; the FORM of the messages (1,); and room for
        `doubles`.

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
        order = BYTE_ORDERS.get(data[:2])
        if order is None:
            raise _undecodable(data)
        self._is_big = order == ">"
        self._count = struct.Struct(f"{order}I")
        self._double = np.dtype(f"{order}f8")
        _, end = self._texts(data, NAMES, 1)  # frame id, not used
        number, end = self._read_number(data, end)
        if number * LEAST_BYTES > len(data):
            raise _undecodable(data)
        names, end = self._texts(data, end, number)
        count = end
        position, self._start, end = self._doubles(data, end)
        head = NAMES, _aligned(count, COUNT_SIZE) + COUNT_SIZE
        velocity_count = end, end + COUNT_SIZE
        velocity, velocities, end = self._doubles(data, end)
        effort_count = end, end + COUNT_SIZE
        effort, efforts, end = self._doubles(data, end)
        self._expected = np.frombuffer(data, np.uint8, end).copy()
        self._fixed = np.array((ENCODING, head, velocity_count, effort_count), dtype=np.int64)
        self.names = make_sample(names, position, velocity, effort, 0).names
        self._has_velocity = len(velocity) > 0
        self.has_effort = len(effort) > 0
        # all three arrays, with the counts between them, begin and end at multiples of a double
        self._number = (end - self._start) // DOUBLE
        self._position = self._slice(self._start, number)
        self._velocity = self._slice(velocities, number)
        self._effort = self._slice(efforts, number)
        form = np.zeros(1, dtype=FORM)
        form["start"], form["is_big"], form["number"] = self._start, self._is_big, number
        form["velocities"], form["efforts"] = len(velocity), len(effort)
        form["position"] = self._position.start
        form["velocity"], form["effort"] = self._velocity.start, self._effort.start
        self.arguments = self._expected, self._fixed, form, np.empty(self._number)

    def read(self, data: bytes, now: Callable[[], int]) -> JointSample | None:
        """Return the content of a message; `now` gives the stamp (ns) if it has none.

        None if it differs from the given one in more than stamp and values.
        """
        # all three arrays in one go, with the counts between them
        doubles = np.empty(self._number)
        fits, seconds, nanoseconds = read_numbers(
            data, self._expected, self._fixed, self._start, self._is_big, doubles
        )
        if not fits:
            return None
        position = doubles[self._position]
        velocity = doubles[self._velocity] if self._has_velocity else None
        effort = doubles[self._effort] if self.has_effort else None
        stamp = seconds * NANOSECONDS + nanoseconds or now()
        return JointSample(self.names, position, velocity, stamp, effort)

    def _slice(self, start: int, number: int) -> slice:
        """Return where an array that begins at a byte is among the doubles that are read."""
        first = (start - self._start) // DOUBLE
        return slice(first, first + number)

    def _read_number(self, data: bytes, end: int) -> tuple[int, int]:
        """Return a number of elements that follows `end`, and where it ends."""
        start = _aligned(end, COUNT_SIZE)
        try:
            (number,) = self._count.unpack_from(data, start)
        except struct.error:
            raise _undecodable(data) from None
        return number, start + COUNT_SIZE

    def _texts(self, data: bytes, end: int, number: int) -> tuple[list[str], int]:
        """Return texts that follow `end`, and where they end.

        Written as one loop: of as many as a message can hold, none may cost a microsecond.
        """
        count, texts = self._count.unpack_from, []
        try:
            for _ in range(number):
                start = end + -end % COUNT_SIZE  # the body begins at a multiple of it
                (size,) = count(data, start)
                start += COUNT_SIZE
                end = start + size
                if data.find(0, start, end) != end - 1:
                    raise _undecodable(data)
                texts.append(data[start : end - 1].decode())
        except struct.error:
            raise _undecodable(data) from None
        except UnicodeDecodeError as error:
            raise RefusedSampleError(
                "text that is not UTF-8",
                f"bytes {error.object[error.start : error.start + 8]!r} in a name or frame id; "
                "expected UTF-8",
            ) from None
        return texts, end

    def _doubles(self, data: bytes, end: int) -> tuple[Floats, int, int]:
        """Return the doubles whose number follows `end`, and where they begin and end."""
        number, start = self._read_number(data, end)
        if number:
            start = _aligned(start, DOUBLE)
        end = start + DOUBLE * number
        if end > len(data):
            raise _undecodable(data)
        return np.frombuffer(data, self._double, number, start if number else 0), start, end


def _aligned(offset: int, size: int) -> int:
    return offset + (BODY - offset) % size


def _undecodable(data: bytes) -> RefusedSampleError:
    return RefusedSampleError(
        "bytes that cannot be decoded",
        f"{len(data)} bytes that cannot be decoded; expected a serialized sensor_msgs/msg/"
        "JointState",
    )


@compiled
def read_numbers(
    data: bytes,
    expected: npt.NDArray[np.uint8],
    fixed: Ints,
    start: int,
    is_big: bool,
    doubles: Floats,
) -> tuple[bool, int, int]:
    """Read the numbers of a message if all else in it is as expected.

    Parameters
    ----------
    data : bytes
        The message; serialisers may leave bytes behind it.
    expected : (n,) array
        Bytes of a message with the same names and lengths.
    fixed : (r, 2) array of int
        Where the parts that must be the same begin and end.
    start : int
        Where the doubles begin.
    is_big : bool
        Whether numbers begin with their highest byte.
    doubles : (d,) array
        Output.

    Returns
    -------
    fits : bool
    seconds, nanoseconds : int
        The stamp.
    """
    if len(data) < expected.shape[0]:
        return False, 0, 0
    for part in range(fixed.shape[0]):
        difference = 0
        for k in range(fixed[part, 0], fixed[part, 1]):
            difference |= data[k] ^ expected[k]
        if difference != 0:
            return False, 0, 0
    memory = doubles.view(np.uint8)
    for k in range(0, memory.shape[0], DOUBLE):
        for byte in range(DOUBLE):
            place = byte if is_big == HOST_IS_BIG else DOUBLE - 1 - byte
            memory[k + byte] = data[start + k + place]
    seconds = 0
    nanoseconds = 0
    for byte in range(4):
        shift = 8 * (3 - byte if is_big else byte)
        seconds |= int(data[BODY + byte]) << shift
        nanoseconds |= int(data[BODY + 4 + byte]) << shift
    if seconds >= 1 << 31:  # it has a sign
        seconds -= 1 << 32
    return True, seconds, nanoseconds


class JointStateReader:
    """Reads serialized joint states into checked samples.

    Attributes
    ----------
    newest : Layout or None
        Of the newest message.
    """

    def __init__(self) -> None:
        self._layouts: list[Layout] = []
        self.newest: Layout | None = None

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
        RefusedSampleError
            If the message is larger than `LARGEST_MESSAGE` or cannot be decoded, if a text in it
            is no UTF-8, array lengths disagree or names repeat.
        """
        for layout in self._layouts:
            sample = layout.read(data, now)
            if sample is not None:
                layout.used = True
                self.newest = layout
                return sample
        layout = Layout(data)
        self._remember(layout)
        sample = layout.read(data, now)
        if sample is None:
            raise _undecodable(data)
        self.newest = layout
        return sample

    def _remember(self, layout: Layout) -> None:
        """Keep a layout; of those in its way the oldest goes that no second message had."""
        if len(self._layouts) >= REMEMBERED:
            once = next((k for k, other in enumerate(self._layouts) if not other.used), 0)
            del self._layouts[once]
        self._layouts.append(layout)
