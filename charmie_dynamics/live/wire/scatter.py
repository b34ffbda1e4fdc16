# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Numbers into the bytes of messages: one compiled pass for a cycle, one for its markers.

Message by message it would take some thirty operations of NumPy a cycle, each of which costs more
than the numbers that it writes, and most when the caches are cold.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.floor import point_under_load
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.memory import put_float32, put_int32
from charmie_dynamics.numerics.rotations import quaternion_from_rows
from charmie_dynamics.numerics.vectors import Floats, Ints

from .messages import ADD, DELETE
from .stamps import NANOSECONDS

# a number: its index in the block, its index in the memory, factor and addend
COPY = np.dtype(
    [
        ("source", np.int64),
        ("target", np.int64),
        ("factor", np.float64),
        ("addend", np.float64),
    ]
)
# where a rotation matrix begins in the block, and a quaternion (x, y, z, w) in the memory
ROTATION = np.dtype([("source", np.int64), ("target", np.int64)])
# where force and torque of a load begin in the block, and a point in the memory: that of a floor,
# z (m) of which is given, about which the load has no tilting torque
POINT = np.dtype(
    [
        ("force", np.int64),
        ("torque", np.int64),
        ("target", np.int64),
        ("height", np.float64),
    ]
)
# where in the memory a marker's fields begin: stamp and action in it as int32, color as float32
MARKER = np.dtype(
    [(name, np.int64) for name in ("stamp", "action", "position", "orientation", "scale", "color")]
)
Records = npt.NDArray[np.void]
# records for filling messages: copies, rotations, points, stamps and memory of `scatter`
MessageRecords = tuple[Records, Records, Records, Ints, Floats]
NO_MESSAGES: MessageRecords = (
    np.empty(0, COPY),
    np.empty(0, ROTATION),
    np.empty(0, POINT),
    np.empty(0, np.int64),
    np.empty(0),
)
Looks = tuple[npt.NDArray[np.bool_], Floats, Floats, Floats, Floats, Floats]


@compiled
def scatter(
    stamp: int,
    block: Floats,
    copies: Records,
    rotations: Records,
    points: Records,
    stamps: Ints,
    memory: Floats,
) -> None:
    """Write one cycle.

    Parameters
    ----------
    stamp : int
        ns.
    block : (b,) array
        All numbers of a state.
    copies : (c,) array of COPY
    rotations : (r,) array of ROTATION
    points : (p,) array of POINT
    stamps : (s,) array of int
        Where the two halves of a stamp begin, in the memory as int32.
    memory : (m,) array
        The messages; changed in place.
    """
    for k in range(copies.shape[0]):
        copy = copies[k]
        memory[copy["target"]] = copy["factor"] * block[copy["source"]] + copy["addend"]
    for k in range(rotations.shape[0]):
        first = rotations[k]["source"]
        to = rotations[k]["target"]
        q = quaternion_from_rows(
            block[first : first + 3], block[first + 3 : first + 6], block[first + 6 : first + 9]
        )
        for x in range(4):
            memory[to + x] = q[x]
    for k in range(points.shape[0]):
        point = points[k]
        to = point["target"]
        height = point["height"]
        _, memory[to], memory[to + 1] = point_under_load(
            block, point["force"], point["torque"], height
        )
        memory[to + 2] = height
    seconds = stamp // NANOSECONDS  # both fit into an int32
    for k in range(stamps.shape[0]):
        put_int32(memory, stamps[k], seconds)
        put_int32(memory, stamps[k] + 1, stamp - seconds * NANOSECONDS)


def copy_numbers(block: Floats, messages: MessageRecords) -> None:
    """Write the numbers of a cycle again that `scatter` copies from its block (b,)."""
    copies, memory = messages[0], messages[-1]
    memory[copies["target"]] = copies["factor"] * block[copies["source"]] + copies["addend"]


@compiled
def scatter_rows(
    stamps: Ints,
    rows: Floats,
    copies: Records,
    rotations: Records,
    points: Records,
    stamps_to: Ints,
    memory: Floats,
    filled: Floats,
) -> None:
    """Write many cycles.

    Parameters
    ----------
    stamps : (n,) array of int
        ns.
    rows : (n, b) array
        The numbers of each cycle.
    copies, rotations, points, stamps_to, memory : array
        Of `scatter`.
    filled : (n, m) array
        The messages of each cycle; output.
    """
    for n in range(rows.shape[0]):
        scatter(stamps[n], rows[n], copies, rotations, points, stamps_to, memory)
        for k in range(memory.shape[0]):
            filled[n, k] = memory[k]


@compiled
def scatter_markers(
    stamp: int, looks: Looks, markers: Records, points_to: Ints, memory: Floats
) -> None:
    """Write the appearance of markers.

    Parameters
    ----------
    stamp : int
        ns.
    looks : tuple of array
        Of k markers: visible (k,), position (k, 3), quaternion (k, 4), scale (k, 3), color (k, 4);
        and all their points (p, 3).
    markers : (k,) array of MARKER
    points_to : (p,) array of int
        Where each point begins in the memory.
    memory : (m,) array
        The message; changed in place.
    """
    visible, position, quaternion, scale, color, points = looks
    seconds = stamp // NANOSECONDS  # both fit into an int32
    for k in range(markers.shape[0]):
        marker = markers[k]
        put_int32(memory, marker["stamp"], seconds)
        put_int32(memory, marker["stamp"] + 1, stamp - seconds * NANOSECONDS)
        put_int32(memory, marker["action"], ADD if visible[k] else DELETE)
        for x in range(3):
            memory[marker["position"] + x] = position[k, x]
            memory[marker["scale"] + x] = scale[k, x]
        for x in range(4):
            memory[marker["orientation"] + x] = quaternion[k, x]
            put_float32(memory, marker["color"] + x, color[k, x])
    for k in range(points.shape[0]):
        for x in range(3):
            memory[points_to[k] + x] = points[k, x]
