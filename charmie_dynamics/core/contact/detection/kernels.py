# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The kernel that Python calls: it places shapes, selects pairs and computes them."""

from __future__ import annotations

from charmie_dynamics.numerics.addresses import Address
from charmie_dynamics.numerics.blocks import first_numbers, lay_out
from charmie_dynamics.numerics.jit import compiled_for
from charmie_dynamics.numerics.vectors import Floats, Ints

from .methods import detect
from .placement import place_shape
from .records import Detection, DetectionAddresses, DetectionSizes
from .sweep import sweep


@compiled_for("int", "int", "ints", "floats2", "int", "float")
def run_detection(
    ints: Address, floats: Address, methods: Ints, poses: Floats, count: int, margin: float
) -> int:
    """Place all shapes, and compute the contacts of their pairs.

    Parameters
    ----------
    ints, floats : Address
        Of the blocks of a `Detection`.
    methods : (METHOD_COUNT,) array of int
        Addresses, see `methods`.
    poses : (n, 12) array
        Of the bodies: orientation row by row, then position.
    count : int
        Number of pairs; -1: those that `sweep` finds.
    margin : float
        Of the sweep (m).

    Returns
    -------
    int
        Number of pairs. If it exceeds the workspace, no pair is computed.
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
            detect(detection, DetectionAddresses(ints, floats), methods, k)
    return count
