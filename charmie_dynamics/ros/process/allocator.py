# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Settings of the C library's allocator, so that the memory of a process does not grow.

glibc is asked to return unused memory to the system; other C libraries are not.
"""

from __future__ import annotations

import ctypes

# Blocks from this size on are allocated from the system and returned to it individually. By default
# the limit rises to the largest returned block, and each of a dozen threads then keeps such blocks.
LARGE_BLOCK = 1 << 20  # bytes
M_MMAP_THRESHOLD = -3
M_ARENA_MAX = -8
# bytes, of memory that Python reserves for small objects, and of the objects that reserve it: one
# in so many is kept, so that Python releases none of it
RESERVE = 1 << 20
SMALL_OBJECT = 400
KEPT = 500

_kept: list[bytes] = []


def keep_little() -> None:
    """Release large blocks individually from now on, and use one heap for all later threads.

    By default each of the middleware's dozen threads has a separate heap with gaps. Sharing one
    heap has no measurable cost, because two threads rarely allocate memory at the same time.
    """
    _call("mallopt", M_MMAP_THRESHOLD, LARGE_BLOCK)
    _call("mallopt", M_ARENA_MAX, 1)


def give_unused_back() -> None:
    """Give the unused pages of all heaps back to the system, which takes about a millisecond."""
    _call("malloc_trim", 0)


def reserve_for_small_objects() -> None:
    """Have memory ready, and written to, for the small objects of full queues.

    Python takes memory for small objects in pieces of up to 1 MiB, and a page of it counts as
    memory of the process from when it is first written to: without this, memory grows bit by bit
    with each burst that is larger than those before.
    """
    objects = [bytes(SMALL_OBJECT) for _ in range(RESERVE // SMALL_OBJECT)]
    _kept[:] = objects[::KEPT]


def _call(name: str, *arguments: int) -> None:
    try:
        getattr(ctypes.CDLL(None), name)(*arguments)
    except (AttributeError, OSError):  # another C library, which knows no such function
        return
