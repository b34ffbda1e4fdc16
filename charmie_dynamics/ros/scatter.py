"""Numbers of a computed cycle into the bytes of its messages: one compiled pass for all of them.

Done message by message with NumPy, some thirty operations of half a microsecond each, this takes
25 us right after one another, and 75 us in a node that has slept for a millisecond, when none of
it is left in the processor's caches; in one compiled function 2 us.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..core.jit import compiled
from ..core.rotations import quaternions_from_matrices
from ..core.vectors import Floats, Ints


@compiled
def scatter(
    block: Floats,
    copies: Ints,
    factors: Floats,
    rotations: Ints,
    stamps: Ints,
    seconds: int,
    nanoseconds: int,
    memory: Floats,
    int32: npt.NDArray[np.int32],
) -> None:
    """Write one cycle.

    Parameters
    ----------
    block : (b,) array
        All numbers of a state.
    copies : (c, 2) array of int
        From where in the block, to where in the memory.
    factors : (c, 2) array
        What each of them is multiplied by, and what is added then.
    rotations : (r, 2) array of int
        Where a rotation matrix begins in the block, and a quaternion (x, y, z, w) in the memory.
    stamps : (s,) array of int
        Where the two halves of a stamp begin, in the memory as int32.
    seconds, nanoseconds : int
        The stamp.
    memory : (m,) array
        The messages; changed in place.
    int32 : (2 m,) array
        The same memory.
    """
    for k in range(copies.shape[0]):
        memory[copies[k, 1]] = factors[k, 0] * block[copies[k, 0]] + factors[k, 1]
    for k in range(rotations.shape[0]):
        first = rotations[k, 0]
        to = rotations[k, 1]
        R = block[first : first + 9].reshape(1, 3, 3)
        quaternions_from_matrices(R, memory[to : to + 4].reshape(1, 4))
    for k in range(stamps.shape[0]):
        int32[stamps[k]] = seconds
        int32[stamps[k] + 1] = nanoseconds
