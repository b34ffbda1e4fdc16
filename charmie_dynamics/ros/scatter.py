"""Numbers into the bytes of messages: one compiled pass for a cycle, one for its markers.

Done message by message with NumPy, a cycle takes some thirty operations of half a microsecond each:
25 us right after one another, and 75 us in a node that has slept for a millisecond, when none of
it is left in the processor's caches; in one compiled function 2 us. Markers took 80 us there in a
dozen operations, and take 40 us in one function (Xeon).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..core.floor import point_under_load
from ..core.jit import compiled
from ..core.rotations import quaternions_from_matrices
from ..core.vectors import Floats, Ints

# visualization_msgs/msg/Marker
ADD = 0
DELETE = 2


@compiled
def scatter(
    block: Floats,
    copies: Ints,
    factors: Floats,
    rotations: Ints,
    loads: Ints,
    heights: Floats,
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
    loads : (p, 3) array of int
        Where force and torque of a load begin in the block, and a point in the memory: that of a
        floor about which the load has no tilting torque.
    heights : (p,) array
        z of the floors (m).
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
    for k in range(loads.shape[0]):
        to = loads[k, 2]
        _, memory[to], memory[to + 1] = point_under_load(
            block, loads[k, 0], loads[k, 1], heights[k]
        )
        memory[to + 2] = heights[k]
    for k in range(stamps.shape[0]):
        int32[stamps[k]] = seconds
        int32[stamps[k] + 1] = nanoseconds


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
        Of a `scene.appearance.Appearance`.
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
