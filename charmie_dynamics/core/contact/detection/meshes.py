# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A mesh and another mesh, a box, or a sphere or capsule: a point or segment with a radius.

If a face is flat on the other shape, the points of contact are the corners of the common area,
whose shares add up to four, as in `faces`.
"""

from __future__ import annotations

from typing import Any

from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import add, cross, dot, norm, scale, store, subtract

from .faces import (
    NEAR_FACE,
    ON_FACE,
    ON_SECOND,
    clip,
    flatness,
    perimeter_of,
    share_of_corner,
    write_corner,
)
from .planes import SMALL_TILT
from .polyhedra import face_towards, normal_at, place_polyhedron, vertex_at
from .polyhedron_distance import distance_of_polyhedra
from .records import CAPSULE, Detection, Polyhedra
from .writing import add_nearest, add_point, keep_if_touching, unit, write_nearest


@compiled
def shape_and_mesh(detection: Detection, i: int, j: int, k: int) -> None:
    """Compute the contact of sphere, capsule, box or mesh i and mesh j; output: pair k."""
    contacts, polyhedra = detection.contacts, detection.polyhedra
    kind, origin = detection.shapes.shape_type[i], detection.placed.p_world_shape[i]
    radius = detection.shapes.shape_size[i][0] if kind <= CAPSULE else 0.0
    place_polyhedron(detection, i, origin)
    place_polyhedron(detection, j, origin)
    distance = distance_of_polyhedra(polyhedra, i, j) - radius
    n = polyhedra.best_normal
    first = add(origin, add(polyhedra.best_first, scale(radius, n)))
    write_nearest(contacts, k, distance, (n[0], n[1], n[2]), first)
    if kind >= CAPSULE:
        add_flat_points(detection, i, j, k, radius)
    if not keep_if_touching(contacts, k):
        add_nearest(contacts, k, 0, 1.0)


@compiled
def add_flat_points(detection: Detection, i: int, j: int, k: int, radius: float) -> None:
    """Add the points of a pair that meets at a face of either shape; none if it does not.

    The face and that of the other shape towards it are clipped to each other. `radius` is that of
    the first shape.
    """
    contacts, polyhedra, polygons = detection.contacts, detection.polyhedra, detection.polygons
    n = (contacts.pair_normal[k, 0], contacts.pair_normal[k, 1], contacts.pair_normal[k, 2])
    other, sign = j, 1.0
    face, second_face = face_towards(polyhedra, i, n), face_towards(polyhedra, j, scale(-1.0, n))
    tilt, second_tilt = tilt_of(polyhedra, face, n), tilt_of(polyhedra, second_face, n)
    if tilt > SMALL_TILT and second_tilt < tilt:
        other, sign, face, tilt = i, -1.0, second_face, second_tilt
    if tilt >= NEAR_FACE:
        return
    up = normal_at(polyhedra, face)
    store(contacts.point_normal[k], scale(sign, up))
    origin = detection.placed.p_world_shape[i]
    sides = write_borders(detection, face, origin)
    facing = face_towards(polyhedra, other, scale(-1.0, up))
    if facing >= 0:
        total, flat = 4.0, flatness(tilt_of(polyhedra, facing, up))
        count = write_face_corners(detection, facing, origin)
    else:
        total, count = 2.0, write_vertices(detection, other, origin)
        along = subtract(polygons.corner[0, 1], polygons.corner[0, 0])
        flat = flatness(abs(dot(along, up)) / norm(along))
    if tilt > ON_FACE and flat == 0.0:
        return
    for s in range(sides):
        count = clip(polygons, count, s, s & 1, flat)
    now = sides & 1
    perimeter = perimeter_of(polygons, now, count)
    for e in range(count):
        here, feature = polygons.corner[now, e], polygons.corner_label[now, e]
        share = share_of_corner(polygons, now, e, count, perimeter, total, flat)
        height = dot(up, subtract(here, origin)) - polyhedra.placed_offset[face]
        below = height
        if other == i:  # the point is on the first shape, whose surface is nearer by the radius
            height, below, feature = height - radius, radius, feature + ON_SECOND
        first = subtract(here, scale(below, up))
        add_point(contacts, k, feature, first, height, share * polygons.corner_weight[now, e])


@compiled
def tilt_of(polyhedra: Polyhedra, f: int, n: Any) -> float:
    """Return the sine of the angle between the normal of a face and a direction; 1 if f is -1."""
    return norm(cross(normal_at(polyhedra, f), n)) if f >= 0 else 1.0


@compiled
def write_borders(detection: Detection, f: int, origin: Any) -> int:
    """Write the borders of a face as outward normals and offsets, and return their number."""
    polyhedra, polygons = detection.polyhedra, detection.polygons
    count = write_face_corners(detection, f, (0.0, 0.0, 0.0))  # relative to the origin: exact
    for s in range(count):
        a, b = polygons.corner[0, s], polygons.corner[0, (s + 1) % count]
        u = unit(cross(subtract(b, a), normal_at(polyhedra, f)))
        store(polygons.side[s], u)
        polygons.side_offset[s] = dot(u, add(a, origin))
    return count


@compiled
def write_face_corners(detection: Detection, f: int, origin: Any) -> int:
    """Write the corners of a face as the polygon to clip, and return their number."""
    polyhedra, count = detection.polyhedra, 0
    for c in range(polyhedra.face_corner[f, 0], polyhedra.face_corner[f, 1]):
        if polyhedra.corner_share[c] > 0.0:
            corner = vertex_at(polyhedra, polyhedra.corner_vertex[c])
            write_corner(detection.polygons, count, count, add(origin, corner))
            count += 1
    return count


@compiled
def write_vertices(detection: Detection, i: int, origin: Any) -> int:
    """Write the ends of a capsule's axis as the polygon to clip, and return their number."""
    polyhedra, count = detection.polyhedra, 0
    for v in range(polyhedra.part_first[i, 0], polyhedra.part_end[i, 0]):
        write_corner(detection.polygons, count, count, add(origin, vertex_at(polyhedra, v)))
        count += 1
    return count
