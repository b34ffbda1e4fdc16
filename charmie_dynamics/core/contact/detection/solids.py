# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pairs of boxes, cylinders and capsules, as sums of segments and discs (`zonoids`)."""

from __future__ import annotations

from typing import Any

from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import (
    Vector,
    add,
    cross,
    dot,
    norm,
    scale,
    store,
    subtract,
)

from .faces import add_face_points
from .lines import add_line_points
from .placement import column_of
from .records import (
    BOX,
    CAPSULE,
    CYLINDER,
    DISCS,
    FIRST_DISCS,
    FIRST_SEGMENTS,
    SEGMENTS,
    Detection,
)
from .writing import across, keep_if_touching, unit, write_nearest
from .zonoids import signed_distance


@compiled
def add_shape(detection: Detection, i: int) -> float:
    """Add the segments and the disc of a shape to the sum, and return its radius."""
    zonoid = detection.zonoid
    kind, size = detection.shapes.shape_type[i], detection.shapes.shape_size[i]
    R = detection.placed.R_world_shape[i]
    for axis in range(3):
        half = size[axis] if kind == BOX else (size[1] if axis == 2 else 0.0)
        if half > 0.0:
            j = zonoid.zonoid_counts[SEGMENTS]
            store(zonoid.generator[j], scale(half, column_of(R, axis)))
            zonoid.generator_length[j] = half
            zonoid.generator_part[j] = 0.0
            zonoid.generator_state[j] = 0
            zonoid.zonoid_counts[SEGMENTS] = j + 1
    if kind == CYLINDER:
        e = zonoid.zonoid_counts[DISCS]
        store(zonoid.disc_axis[e], column_of(R, 2))
        store(zonoid.disc_part[e], (0.0, 0.0, 0.0))
        zonoid.disc_radius[e] = size[0]
        zonoid.zonoid_counts[DISCS] = e + 1
    return size[0] if kind == CAPSULE else 0.0


@compiled
def add_both(detection: Detection, i: int, j: int) -> tuple[float, float]:
    """Write the sum of two shapes, and return the radius of each."""
    zonoid, placed = detection.zonoid, detection.placed
    zonoid.zonoid_counts[SEGMENTS] = 0
    zonoid.zonoid_counts[DISCS] = 0
    first = add_shape(detection, i)
    zonoid.zonoid_counts[FIRST_SEGMENTS] = zonoid.zonoid_counts[SEGMENTS]
    zonoid.zonoid_counts[FIRST_DISCS] = zonoid.zonoid_counts[DISCS]
    second = add_shape(detection, j)
    store(zonoid.zonoid_point, subtract(placed.p_world_shape[j], placed.p_world_shape[i]))
    return first, second


@compiled
def write_solids(detection: Detection, i: int, j: int, k: int, radii: Any) -> None:
    """Write a pair from the parts of its sum: the nearest points, and the points of contact.

    `radii` are those of the first and the second shape, and the distance of the shapes without
    them (m).
    """
    radius_a, radius_b, core_distance = radii
    zonoid = detection.zonoid
    p = detection.placed.p_world_shape[i]
    first = (p[0], p[1], p[2])
    for e in range(zonoid.zonoid_counts[FIRST_SEGMENTS]):
        first = add(first, scale(zonoid.generator_part[e], zonoid.generator[e]))
    for e in range(zonoid.zonoid_counts[FIRST_DISCS]):
        first = add(first, zonoid.disc_part[e])
    n = zonoid.zonoid_normal
    normal = (n[0], n[1], n[2])
    first = add(first, scale(radius_a, normal))
    distance = core_distance - radius_a - radius_b
    write_nearest(detection.contacts, k, distance, normal, first)
    add_face_points(detection, i, j, k)
    if not keep_if_touching(detection.contacts, k):
        add_line_points(detection, k, radii)


@compiled
def nearest_of_segments(c: Any, a: Any, b: Any) -> tuple[float, float]:
    """Return the parts s, t in -1 to 1 for which c - s a - t b is shortest.

    Ericson, *Real-Time Collision Detection*, section 5.1.9, about the middles of the segments.
    """
    aa, ab, bb, ca, cb = dot(a, a), dot(a, b), dot(b, b), dot(c, a), dot(c, b)
    both = cross(
        a, b
    )  # its square is aa bb - ab ab without what that loses if they are nearly parallel
    determinant = dot(both, both)
    s = 0.0
    if determinant > 1e-28 * aa * bb:
        s = min(max(dot(cross(c, b), both) / determinant, -1.0), 1.0)
    t = (cb - s * ab) / bb if bb > 0.0 else 0.0
    t = min(max(t, -1.0), 1.0)
    s = min(max((ca - t * ab) / aa, -1.0), 1.0) if aa > 0.0 else 0.0
    if bb > 0.0:
        t = min(max((cb - s * ab) / bb, -1.0), 1.0)
    return s, t


@compiled
def distance_of_capsules(detection: Detection, i: int, j: int) -> float:
    """Return the distance of the axes of two capsules, in closed form, as `signed_distance`."""
    zonoid = detection.zonoid
    p = zonoid.zonoid_point
    c = (p[0], p[1], p[2])
    size_i, size_j = detection.shapes.shape_size[i], detection.shapes.shape_size[j]
    a = scale(size_i[1], column_of(detection.placed.R_world_shape[i], 2))
    b = scale(size_j[1], column_of(detection.placed.R_world_shape[j], 2))
    s, t = nearest_of_segments(c, a, b)
    if size_i[1] > 0.0:
        zonoid.generator_part[0] = s
    if size_j[1] > 0.0:
        zonoid.generator_part[zonoid.zonoid_counts[FIRST_SEGMENTS]] = t
    gap = subtract(c, add(scale(s, a), scale(t, b)))
    distance = norm(gap)
    both = cross(a, b)
    crosses = abs(s) < 1.0 and abs(t) < 1.0 and norm(both) > 1e-8 * norm(a) * norm(b)
    if crosses or not distance > 1e-14 * (norm(a) + norm(b)):
        # at right angles to both, also where the axes meet and the gap has no direction
        normal = normal_of_crossing(a, b)
        distance = dot(c, normal)
        if distance < 0.0:
            distance, normal = -distance, scale(-1.0, normal)
        if not crosses:
            distance = 0.0
    else:
        normal = unit(gap)
    store(zonoid.zonoid_normal, normal)
    return distance


@compiled
def normal_of_crossing(a: Any, b: Any) -> Vector:
    """Return a unit vector at right angles to two segments, which may be parallel or zero."""
    both = cross(a, b)
    if norm(both) > 1e-9 * norm(a) * norm(b):
        return unit(both)
    if norm(a) > 0.0:
        return across(unit(a))
    return across(unit(b)) if norm(b) > 0.0 else (0.0, 0.0, 1.0)


@compiled
def solid_and_solid(detection: Detection, i: int, j: int, k: int) -> None:
    """Compute the contact of boxes, cylinders or capsules i and j; output: pair k."""
    first, second = add_both(detection, i, j)
    types = detection.shapes.shape_type
    if types[i] == CAPSULE and types[j] == CAPSULE:
        distance = distance_of_capsules(detection, i, j)
    else:
        distance = signed_distance(detection.zonoid)
    write_solids(detection, i, j, k, (first, second, distance))
