# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The states of contacts, which persist from step to step, in slots, see `records`."""

from __future__ import annotations

from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats

from .records import KEY, MEMORY, TOUCH_RATE

FEATURES = 2.0**20  # of a pair, an upper bound


@compiled
def key_of(first: int, second: int, shapes: int, feature: int) -> float:
    """Return the key of a point of a pair of shapes: a positive integer."""
    return 1.0 + feature + FEATURES * (first * shapes + second)


@compiled
def slot_of(memory: Floats, key: float) -> int:
    """Return the index in the memory at which the slot of a point begins; -1: no slot."""
    for k in range(0, memory.shape[0], MEMORY):
        if memory[k + KEY] == key:
            return k
    return -1


@compiled
def take_slot(memory: Floats, key: float, touch_rate: float) -> int:
    """Assign a free slot to a point that has begun to touch; -1: all slots are in use."""
    k = slot_of(memory, 0.0)
    if k >= 0:
        memory[k + KEY] = key
        memory[k + TOUCH_RATE] = touch_rate
    return k


@compiled
def free_slot(memory: Floats, k: int) -> None:
    """Clear a slot."""
    for j in range(MEMORY):
        memory[k + j] = 0.0
