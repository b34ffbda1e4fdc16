"""Numbers into the bytes of messages: one compiled pass for a cycle, one for its markers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from charmie_dynamics.core.floor import point_under_load
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.rotations import quaternions_from_matrices
from charmie_dynamics.numerics.vectors import Floats, Ints

from .stamps import NANOSECONDS

# a number: from where in the block to where in the memory, multiplied, and what is added then
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
Records = npt.NDArray[np.void]
# what fills messages: copies, rotations, points, stamps and memory of `scatter`
MessageRecords = tuple[Records, Records, Records, Ints, Floats]
NO_MESSAGES: MessageRecords = (
    np.empty(0, COPY),
    np.empty(0, ROTATION),
    np.empty(0, POINT),
    np.empty(0, np.int64),
    np.empty(0),
)

# visualization_msgs/msg/Marker
ADD = 0
DELETE = 2


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
        R = block[first : first + 9].reshape(1, 3, 3)
        quaternions_from_matrices(R, memory[to : to + 4].reshape(1, 4))
    for k in range(points.shape[0]):
        point = points[k]
        to = point["target"]
        height = point["height"]
        _, memory[to], memory[to + 1] = point_under_load(
            block, point["force"], point["torque"], height
        )
        memory[to + 2] = height
    int32 = memory.view(np.int32)
    seconds = stamp // NANOSECONDS  # both fit into an int32
    for k in range(stamps.shape[0]):
        int32[stamps[k]] = seconds
        int32[stamps[k] + 1] = stamp - seconds * NANOSECONDS


@compiled
def scatter_markers(
    visible: npt.NDArray[np.bool_],
    position: Floats,
    quaternion: Floats,
    scale: Floats,
    color: Floats,
    points: Floats,
    actions: Ints,
    positions: Ints,
    quaternions: Ints,
    scales: Ints,
    colors: Ints,
    points_to: Ints,
    stamps: Ints,
    seconds: int,
    nanoseconds: int,
    float64: Floats,
    float32: npt.NDArray[np.float32],
    int32: npt.NDArray[np.int32],
) -> None:
    """Write how markers look.

    Parameters
    ----------
    visible, position, quaternion, scale, color, points : array
        Of a `visual.shapes.appearance.Appearance`.
    actions, positions, quaternions, scales, colors, points_to, stamps : array of int
        Where they go in the memory: the action and the first half of the stamp of each marker as
        int32, colours as float32, all else as float64. In the shapes of what goes there.
    seconds, nanoseconds : int
        The stamp.
    float64, float32, int32 : array
        The memory of the message as numbers of each type; changed in place.
    """
    for k in range(visible.shape[0]):
        int32[stamps[k]] = seconds
        int32[stamps[k] + 1] = nanoseconds
        int32[actions[k]] = ADD if visible[k] else DELETE
        for x in range(3):
            float64[positions[k, x]] = position[k, x]
            float64[scales[k, x]] = scale[k, x]
        for x in range(4):
            float64[quaternions[k, x]] = quaternion[k, x]
            float32[colors[k, x]] = color[k, x]
    for k in range(points.shape[0]):
        for x in range(3):
            float64[points_to[k, x]] = points[k, x]
