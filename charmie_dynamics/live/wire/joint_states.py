"""Joint states as they come over the wire: walked through once, then read in place.

A publisher sends the same names with each message. A message with the bytes of one that was walked
through before, but for its stamp and its numbers, is known by comparing bytes, and its numbers are
read where they stand.

The bytes are walked through here rather than by the middleware, because it replaces bytes that are
no UTF-8, ends names at a zero byte, and decodes a million entries before anybody can refuse them.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats

from .samples import JointSample, RefusedSampleError, make_sample
from .stamps import NANOSECONDS

# Common Data Representation: four bytes say how the rest, the body, is encoded; numbers are
# aligned to their own size from the start of the body, which begins with the stamp
ENCODING = slice(0, 4)
BYTE_ORDERS = {b"\x00\x01": "<", b"\x00\x00": ">"}  # by the first two of them
BODY = 4
STAMP_SIZE = 8
NAMES = BODY + STAMP_SIZE  # frame id, names and number of positions follow
COUNT_SIZE = 4
DOUBLE = 8
HOST_IS_BIG = sys.byteorder == "big"
LEAST_BYTES = COUNT_SIZE + 1 + DOUBLE  # of a name and its position, without which it is refused
# where a sample's doubles begin in its bytes (-1: it has none, the doubles are there already) and
# whether they begin with their highest byte; how many positions, velocities and efforts there are,
# and where among the doubles
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


class SampleLayout:
    """Where the numbers of samples with the same names stand among their doubles.

    Attributes
    ----------
    names : tuple of str
        k of them.
    form : (1,) array of FORM
    doubles : (d,) array
        Room for the numbers of one sample.
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
        One of them.
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

    def fits(self, sample: JointSample) -> bool:
        """Tell whether another sample has the same layout."""
        form = self.form[0]
        return (
            sample.names == self.names
            and (sample.velocity is None) == (form["velocities"] == 0)
            and (sample.effort is None) == (form["efforts"] == 0)
        )

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
        order = BYTE_ORDERS.get(data[:2])
        if order is None:
            raise _undecodable(data)
        self._count = struct.Struct(f"{order}I")
        self._stamp = struct.Struct(f"{order}iI")
        self._double = np.dtype(f"{order}f8")
        _, end = self._texts(data, NAMES, 1)  # frame id, not used
        number, end = self._read_number(data, end)
        if number * LEAST_BYTES > len(data):
            raise _undecodable(data)
        names, end = self._texts(data, end, number)
        count = end
        position, start, end = self._doubles(data, end)
        head = slice(NAMES, _aligned(count, COUNT_SIZE) + COUNT_SIZE)
        velocity_count = slice(end, end + COUNT_SIZE)
        velocity, velocities, end = self._doubles(data, end)
        effort_count = slice(end, end + COUNT_SIZE)
        effort, efforts, end = self._doubles(data, end)
        distinct = make_sample(names, position, velocity, effort, 0).names
        self._size = end
        # what stands between the numbers is the same in all such messages
        self._parts = ENCODING, head, velocity_count, effort_count
        self._fixed = tuple(data[part] for part in self._parts)
        form = np.zeros(1, dtype=FORM)
        form["start"], form["is_big"], form["number"] = start, order == ">", number
        form["velocities"], form["efforts"] = len(velocity), len(effort)
        # all three arrays, with the counts between them, begin and end at multiples of a double
        form["velocity"] = (velocities - start) // DOUBLE
        form["effort"] = (efforts - start) // DOUBLE
        super().__init__(distinct, form, (end - start) // DOUBLE)

    def matches(self, data: bytes) -> bool:
        """Tell whether a message differs from the given one in stamp and numbers only.

        Serialisers may leave bytes behind a message.
        """
        encoding, head, velocity_count, effort_count = self._parts
        return len(data) >= self._size and self._fixed == (
            data[encoding],
            data[head],
            data[velocity_count],
            data[effort_count],
        )

    def stamp_of(self, data: bytes) -> int:
        """Return the stamp of such a message (ns)."""
        seconds, nanoseconds = self._stamp.unpack_from(data, BODY)
        return int(seconds) * NANOSECONDS + int(nanoseconds)

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

        Written as one loop, because a message can hold thousands of them.
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


def _aligned(offset: int, size: int) -> int:
    return offset + (BODY - offset) % size


def _undecodable(data: bytes) -> RefusedSampleError:
    return RefusedSampleError(
        "bytes that cannot be decoded",
        f"{len(data)} bytes that cannot be decoded; expected a serialized sensor_msgs/msg/"
        "JointState",
    )


@compiled
def read_doubles(data: bytes, start: int, is_big: bool, doubles: Floats) -> None:
    """Read doubles that stand side by side in bytes.

    Parameters
    ----------
    data : bytes
    start : int
        Where they begin.
    is_big : bool
        Whether they begin with their highest byte.
    doubles : (d,) array
        Output.
    """
    memory = doubles.view(np.uint8)
    for k in range(0, memory.shape[0], DOUBLE):
        for byte in range(DOUBLE):
            place = byte if is_big == HOST_IS_BIG else DOUBLE - 1 - byte
            memory[k + byte] = data[start + k + place]


class JointStateReader:
    """Knows the messages of all publishers of a topic by their layouts."""

    def __init__(self) -> None:
        self._layouts: list[JointStateLayout] = []

    def read(self, data: bytes, now: Callable[[], int]) -> Message:
        """Return a message after checking all of it but its numbers.

        Parameters
        ----------
        data : bytes
            A serialized sensor_msgs/msg/JointState.
        now : callable
            Returns the stamp (ns) for a message which carries none; 0: no time is known yet.

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
        """Keep a layout; of those in its way the oldest goes that no second message had."""
        if len(self._layouts) >= REMEMBERED:
            once = next((k for k, other in enumerate(self._layouts) if not other.used), 0)
            del self._layouts[once]
        self._layouts.append(layout)
