"""What the C library is asked to do with memory that nobody uses; nothing where it is not glibc."""

from __future__ import annotations

import ctypes

# Blocks from this size on are taken from the system and given back to it, one by one. By default
# the limit rises to the largest block that was ever given back, and from then on such blocks are
# kept by each of a dozen threads.
LARGE_BLOCK = 1 << 20  # bytes
M_MMAP_THRESHOLD = -3


def give_large_blocks_back() -> None:
    """Keep no large block from now on."""
    _call("mallopt", M_MMAP_THRESHOLD, LARGE_BLOCK)


def give_unused_back() -> None:
    """Give the unused pages of all heaps back to the system, which takes about a millisecond."""
    _call("malloc_trim", 0)


def _call(name: str, *arguments: int) -> None:
    try:
        getattr(ctypes.CDLL(None), name)(*arguments)
    except (AttributeError, OSError):  # another C library, which knows no such function
        return
