# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What contacts remember from one step to the next, in slots, see `records`."""

from __future__ import annotations

from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats

from .records import KEY, MEMORY, TOUCH_RATE

FEATURES = 2.0**20  # of a pair, more than there are


@compiled
def key_of(first: int, second: int, shapes: int, feature: int) -> float:
    """Return the key of a point of a pair of shapes: a whole number above zero."""
    return 1.0 + feature + FEATURES * (first * shapes + second)


@compiled
def slot_of(memory: Floats, key: float) -> int:
    """Return where the slot of a point begins in the memory, -1: it has none."""
    for k in range(0, memory.shape[0], MEMORY):
        if memory[k + KEY] == key:
            return k
    return -1


@compiled
def take_slot(memory: Floats, key: float, touch_rate: float) -> int:
    """Give a free slot to a point that has begun to touch; -1: there is none."""
    k = slot_of(memory, 0.0)
    if k >= 0:
        memory[k + KEY] = key
        memory[k + TOUCH_RATE] = touch_rate
    return k


@compiled
def free_slot(memory: Floats, k: int) -> None:
    """Forget what a slot remembers."""
    for j in range(MEMORY):
        memory[k + j] = 0.0
