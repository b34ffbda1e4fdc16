# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Points of contact of shapes that meet along lines: axes of capsules, sides of cylinders, edges.

Two parallel lines touch over a length and have a point of contact at either end. As they turn out
of parallel, the shares of these two points move continuously to the nearest point.
"""

from __future__ import annotations

from typing import Any

from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import add, cross, dot, norm, scale, subtract

from .planes import SMALL_TILT, steadily
from .records import FIRST_SEGMENTS, SEGMENTS, Detection, Zonoid
from .writing import add_nearest, add_point

OF_LINES = 1  # features of the two ends, after that of the nearest point


@compiled
def flattest(zonoid: Zonoid, first: int, last: int, n: Any) -> int:
    """Return the segment from `first` to `last` that is most across a direction; -1: none given."""
    best, found = 2.0, -1
    for e in range(first, last):
        along = abs(dot(zonoid.generator[e], n)) / zonoid.generator_length[e]
        if along < best:
            best, found = along, e
    return found


@compiled
def add_line_points(detection: Detection, k: int, radii: Any) -> None:
    """Add the points of a pair whose sum is known, as parallel lines and as one point.

    `radii` are as of `write_solids`.
    """
    radius_a, radius_b, core_distance = radii
    contacts, zonoid = detection.contacts, detection.zonoid
    n = contacts.pair_normal[k]
    i = flattest(zonoid, 0, zonoid.zonoid_counts[FIRST_SEGMENTS], n)
    j = flattest(zonoid, zonoid.zonoid_counts[FIRST_SEGMENTS], zonoid.zonoid_counts[SEGMENTS], n)
    flat = 0.0
    if i >= 0 and j >= 0:
        a, b = zonoid.generator[i], zonoid.generator[j]
        one, two = zonoid.generator_length[i], zonoid.generator_length[j]
        flat = 1.0 - steadily(norm(cross(a, b)) / (one * two * SMALL_TILT))
        flat *= 1.0 - steadily(abs(dot(a, n)) / (one * SMALL_TILT))
        flat *= 1.0 - steadily(abs(dot(b, n)) / (two * SMALL_TILT))
        # middles of the two lines, on the shapes without their radii
        core_a = subtract(contacts.nearest_first[k], scale(radius_a, n))
        from_a = subtract(core_a, scale(zonoid.generator_part[i], a))
        core_b = add(core_a, scale(core_distance, n))
        from_b = add(core_b, scale(zonoid.generator_part[j], b))
        middle = dot(subtract(from_b, from_a), a) / (one * one)
        half = abs(dot(a, b)) / (one * one)
        low, high = max(middle - half, -1.0), min(middle + half, 1.0)
        if high <= low:
            flat = 0.0
        for end in range(2):
            on_a = add(from_a, scale(high if end else low, a))
            t = dot(subtract(on_a, from_b), b) / (two * two)
            t = min(max(t, -1.0), 1.0)
            gap = dot(subtract(add(from_b, scale(t, b)), on_a), n) - radius_a - radius_b
            add_point(contacts, k, OF_LINES + end, add(on_a, scale(radius_a, n)), gap, flat)
    add_nearest(contacts, k, 0, 1.0 - flat)
