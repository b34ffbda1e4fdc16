# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Changes that keep most of an input's form: flipped bytes alone get past few parsers."""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Callable, Sequence

WORD = re.compile(r'<[^<>]*>|"[^"]*"|[\w.+-]+|\n *')
DOUBLES = (
    *(0.0, -0.0, 5e-324, 1e-30, 0.1, 0.35, 0.4, 0.45, 1.0, 1e3, 1e30, 1e300, 1.7e308),
    *(float("nan"), float("inf"), float("-inf")),
)
Mutate = Callable[[bytes, int], bytes]


def of_text(words: Sequence[str], mutate: Mutate) -> Callable[[bytes, int, int], bytes]:
    """Return a mutator of text: puts words in, and moves, doubles or drops those that are there."""

    def change(data: bytes, most: int, seed: int) -> bytes:
        rng = random.Random(seed)
        if rng.random() < 0.3:
            return mutate(data, most)
        text = data.decode("utf-8", "surrogateescape")
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            places = [match.span() for match in WORD.finditer(text)]
            if not places:
                break
            start, end = rng.choice(places)
            other = text[slice(*rng.choice(places))]
            old = text[start:end]
            new = rng.choice((rng.choice(words), rng.choice(words), other, old + old, ""))
            if old.startswith('"') and not new.startswith('"'):
                new = f'"{new}"'
            text = text[:start] + new + text[end:]
        return text.encode("utf-8", "surrogateescape")[:most]

    return change


def of_messages(mutate: Mutate) -> Callable[[bytes, int, int], bytes]:
    """Return a mutator of messages: overwrites an aligned double now and then."""

    def change(data: bytes, most: int, seed: int) -> bytes:
        rng = random.Random(seed)
        if rng.random() < 0.5 or len(data) < 16:
            return mutate(data, most)
        at = rng.randrange(len(data) - 8)
        return data[:at] + struct.pack("<d", rng.choice(DOUBLES)) + data[at + 8 :]

    return change
