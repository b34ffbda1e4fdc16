"""What the C library is asked to do with memory that nobody uses; nothing where it is not glibc."""

from __future__ import annotations

import ctypes

# Blocks from this size on are taken from the system and given back to it, one by one. By default
# the limit rises to the largest block that was ever given back, and from then on such blocks are
# kept by each of a dozen threads.
LARGE_BLOCK = 1 << 20  # bytes
M_MMAP_THRESHOLD = -3
M_ARENA_MAX = -8


def keep_little() -> None:
    """Keep no large block from now on, and small ones in one heap for all threads to come.

    By default each of the middleware's dozen threads has a heap with gaps of its own. Sharing one
    costs no time that could be measured: hardly any two threads want memory at the same moment.
    """
    _call("mallopt", M_MMAP_THRESHOLD, LARGE_BLOCK)
    _call("mallopt", M_ARENA_MAX, 1)


def give_unused_back() -> None:
    """Give the unused pages of all heaps back to the system, which takes about a millisecond."""
    _call("malloc_trim", 0)


def _call(name: str, *arguments: int) -> None:
    try:
        getattr(ctypes.CDLL(None), name)(*arguments)
    except (AttributeError, OSError):  # another C library, which knows no such function
        return
