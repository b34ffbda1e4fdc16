"""Many messages of one kind at once, serialised: names and lengths stay, numbers and stamps change.

One message is serialised by rosbags with a number in each field that stands nowhere else; where
these come to stand in the bytes is where the numbers of all messages go, in one assignment for
each field of all messages.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.numerics.vectors import Floats, Ints

# any stamp whose bytes stand nowhere else in a message
TRIAL_SECONDS, TRIAL_NANOSECONDS = 0x5A17C0DE, 0x2E8F1D73
HEADER = 4  # bytes before the body, from whose start numbers are aligned
Bytes = npt.NDArray[np.uint8]


class Columns:
    """The serialised form of a message with room for the numbers of many.

    Parameters
    ----------
    serialise : callable
        Returns the bytes of a message for a stamp (seconds, nanoseconds) and its k numbers.
    count : int
        k.

    Raises
    ------
    CharmieError
        If the numbers cannot be found in the bytes.
    """

    def __init__(self, serialise: Callable[[int, int, Floats], Any], count: int) -> None:
        numbers = np.arange(1.0, count + 1.0) / 7.0
        data = bytes(serialise(TRIAL_SECONDS, TRIAL_NANOSECONDS, numbers))
        self._trial = np.frombuffer(data, dtype=np.uint8)
        stamp = np.array([TRIAL_SECONDS, TRIAL_NANOSECONDS], dtype="<u4").tobytes()
        self._stamps = _places(data, stamp, 4)
        words = (len(data) - HEADER) // 8
        body = np.frombuffer(data, dtype="<f8", count=words, offset=HEADER)
        order = {number: k for k, number in enumerate(numbers.tolist())}
        found = [(order[value], word) for word, value in enumerate(body.tolist()) if value in order]
        found.sort()
        if [k for k, _ in found] != list(range(count)) or not self._stamps:
            raise CharmieError(
                f"serialised message: expected {count} numbers and a stamp in it, found "
                f"{len(found)} and {len(self._stamps)}"
            )
        self._words: Ints = np.array([word for _, word in found], dtype=np.int64)

    def fill(self, stamps: Ints, numbers: Floats) -> Bytes:
        """Return the bytes (n, size) of n messages with stamps (n,), ns, and numbers (n, k)."""
        size = len(self._trial)
        # the body of each row begins at a multiple of eight bytes
        width = -(-(size + 8 - HEADER) // 8) * 8
        memory = np.zeros((len(stamps), width), dtype=np.uint8)
        messages = memory[:, 8 - HEADER : 8 - HEADER + size]
        messages[:] = self._trial
        memory.view("<f8")[:, 1 + self._words] = numbers
        time = np.column_stack(np.divmod(stamps, NANOSECONDS)).astype("<u4")
        for place in self._stamps:
            first = 8 - HEADER + place
            memory[:, first : first + 8] = time.view(np.uint8)
        return messages


def _places(data: bytes, part: bytes, alignment: int) -> list[int]:
    places, start = [], data.find(part)
    while start >= 0:
        if (start - HEADER) % alignment == 0:
            places.append(start)
        start = data.find(part, start + 1)
    return places
