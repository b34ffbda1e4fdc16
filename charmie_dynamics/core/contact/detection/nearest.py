# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The nearest of many pairs of shapes, or the pair that can touch first, for many poses.

The separation of the bounding boxes is a lower bound of the signed distance of two shapes. Pairs
are computed in the order of this bound, until it exceeds the best result. The order is that of a
best-first search, which computes the fewest pairs (Ericson, *Real-Time Collision Detection*,
section 6.3).
"""

from __future__ import annotations

import math

from charmie_dynamics.numerics.addresses import Address
from charmie_dynamics.numerics.blocks import first_numbers, lay_out
from charmie_dynamics.numerics.elementary import sqrt
from charmie_dynamics.numerics.jit import compiled, compiled_for
from charmie_dynamics.numerics.vectors import Floats, Ints

from .methods import detect
from .placement import place_shape
from .records import PLANE, Detection, DetectionAddresses, DetectionSizes
from .sweep import height_above

RESULTS = 7  # of a group: distance, nearest points of the first and second shape


@compiled
def separation(detection: Detection, i: int, j: int) -> float:
    """Return a lower bound of the signed distance of two placed shapes, by their boxes."""
    placed, types = detection.placed, detection.shapes.shape_type
    if types[i] == PLANE:
        return height_above(detection, i, j)
    if types[j] == PLANE:
        return height_above(detection, j, i)
    square, most = 0.0, -math.inf
    for axis in range(3):
        apart = max(
            placed.box_low[i, axis] - placed.box_high[j, axis],
            placed.box_low[j, axis] - placed.box_high[i, axis],
        )
        most = max(most, apart)
        if apart > 0.0:
            square += apart * apart
    return sqrt(square) if most > 0.0 else most


@compiled
def rank(distance: float, factor: float, depth: float) -> float:
    """Return the quantity that is minimised: a distance, or the time until an overlap."""
    return (distance + depth) * factor if distance > 0.0 else distance


@compiled_for("int", "int", "ints", "floats2", "ints", "floats", "float", "ints2", "floats2")
def run_nearest(
    ints: Address,
    floats: Address,
    methods: Ints,
    poses: Floats,
    ends: Ints,
    factor: Floats,
    depth: float,
    nearest: Ints,
    results: Floats,
) -> int:
    """Find the nearest pair of each group of pairs, for each row of poses.

    Parameters
    ----------
    ints, floats : Address
        Of the blocks of a `Detection` with the pairs, group by group.
    methods : (METHOD_COUNT,) array of int
        Addresses, see `methods`.
    poses : (n, 12 b) array
        Of the b bodies: all orientations row by row, then all positions. Body b is at rest at the
        origin.
    ends : (g,) array of int
        End of each group among the pairs.
    factor : (k,) array
        Of each pair: 1, or the inverse of the largest speed of approach (s/m).
    depth : float
        0, or the depth (m) of overlaps that may be missed.
    nearest : (n, g) array of int
        Output: pair with the least `rank`; -1: a group without pairs.
    results : (n, RESULTS g) array
        Output; of a group without pairs: an infinite distance, and points that are NaN.

    Returns
    -------
    int
        Number of distances that were computed.
    """
    detection = lay_out(Detection, ints, floats, first_numbers(DetectionSizes, ints))
    at, placed, contacts = DetectionAddresses(ints, floats), detection.placed, detection.contacts
    shapes, bounds, computed = detection.shapes, contacts.pair_bound, 0
    bodies = poses.shape[1] // 12
    for row in range(poses.shape[0]):
        for i in range(shapes.shape_type.shape[0]):
            R, p, body = placed.R_world_body, placed.p_world_body, shapes.shape_body[i]
            for e in range(9):
                rest = 1.0 if e % 4 == 0 else 0.0
                R[e // 3, e % 3] = poses[row, 9 * body + e] if body < bodies else rest
            for e in range(3):
                p[e] = poses[row, 9 * bodies + 3 * body + e] if body < bodies else 0.0
            place_shape(detection, i, R, p)
        first = 0
        for group in range(ends.shape[0]):
            for k in range(first, ends[group]):
                i, j = contacts.pair_first[k], contacts.pair_second[k]
                bounds[k] = rank(separation(detection, i, j), factor[k], depth)
            best, found, candidate = math.inf, -1, 0
            while candidate >= 0:
                candidate, least = -1, best
                for k in range(first, ends[group]):
                    if bounds[k] < least:
                        candidate, least = k, bounds[k]
                if candidate >= 0:
                    bounds[candidate] = math.inf
                    detect(detection, at, methods, candidate)
                    computed += 1
                    own = rank(contacts.pair_distance[candidate], factor[candidate], depth)
                    if own < best:
                        best, found = own, candidate
            nearest[row, group] = found
            result = results[row, RESULTS * group : RESULTS * (group + 1)]
            result[0] = contacts.pair_distance[found] if found >= 0 else math.inf
            for e in range(3):
                result[1 + e] = contacts.nearest_first[found, e] if found >= 0 else math.nan
                result[4 + e] = contacts.nearest_second[found, e] if found >= 0 else math.nan
            first = ends[group]
    return computed
