# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What Python calls: shapes in one block, and a kernel that places, pairs and computes them."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.numerics.blocks import first_numbers, lay_out, places_of
from charmie_dynamics.numerics.jit import compiled_for
from charmie_dynamics.numerics.vectors import Floats, Ints

from .pairs import detect
from .placement import place_shape
from .records import Detection, DetectionSizes, Shapes
from .sweep import sweep


@compiled_for("ints", "floats", "floats2", "int", "float")
def run_detection(ints: Ints, floats: Floats, poses: Floats, count: int, margin: float) -> int:
    """Place all shapes, and find where pairs of them meet.

    Parameters
    ----------
    ints, floats : array
        Blocks of a `Detection`.
    poses : (n, 12) array
        Of the bodies: orientation row by row, then position.
    count : int
        How many pairs there are; -1: those that `sweep` finds.
    margin : float
        Of the sweep (m).

    Returns
    -------
    int
        How many pairs there are. Where this is more than there is room for, none is computed.
    """
    detection = lay_out(Detection, ints, floats, first_numbers(DetectionSizes, ints))
    for i in range(detection.shapes.shape_type.shape[0]):
        body = detection.shapes.shape_body[i]
        R, p = detection.placed.R_world_body, detection.placed.p_world_body
        for e in range(9):
            R[e // 3, e % 3] = poses[body, e]
        for e in range(3):
            p[e] = poses[body, 9 + e]
        place_shape(detection, i, R, p)
    if count < 0:
        count = sweep(detection, margin)
    if count <= detection.contacts.pair_first.shape[0]:
        for k in range(count):
            detect(detection, k)
    return count


def make_detection(shapes: Shapes, pairs: int) -> tuple[Ints, Floats]:
    """Return the blocks of a `Detection` of some shapes.

    Parameters
    ----------
    shapes : Shapes
        Arrays as in its description.
    pairs : int
        For how many pairs there is to be room.

    Returns
    -------
    ints, floats : array
        For `run_detection`, and `lay_out` of `numerics.blocks`.
    """
    sizes = DetectionSizes(len(shapes.shape_type), pairs, len(shapes.excluded_pairs))
    _, _, int_count, float_count = places_of(Detection, sizes)
    ints, floats = np.zeros(int_count, dtype=np.int64), np.zeros(float_count)
    detection = lay_out(Detection, ints, floats, sizes)
    detection.detection_sizes[:] = sizes
    for given, kept in zip(shapes, detection.shapes, strict=True):
        kept[...] = given
    detection.placed.sweep_order[:] = np.arange(sizes.shapes)
    return ints, floats
