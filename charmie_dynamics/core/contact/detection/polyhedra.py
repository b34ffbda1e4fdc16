# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Convex polyhedra: meshes and boxes, and points and segments with a radius about them.

The Minkowski difference K of two polyhedra has a face for each face of either, and for each pair of
edges whose arcs cross on the sphere of normals (Gregorius, *The separating axis test between convex
polyhedra*, Game Developers Conference 2013). If the two overlap, the least depth under a face of K
is the least motion that separates them. If they do not overlap, it is a lower bound of their
distance, which is the least of all distances of a vertex from a face and of two edges. Edges that
are further behind the separating plane than the least distance so far are skipped. Both are closed
forms, without iteration.

If a face is flat on the other shape, the points of contact are the corners of the common area,
whose shares add up to four, as in `faces`.
"""

from __future__ import annotations

import math
from typing import Any

from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import (
    Vector,
    add,
    cross,
    dot,
    norm,
    rotate,
    scale,
    store,
    subtract,
)

from .faces import NEAR_FACE, ON_FACE, ON_SECOND, clip, flatness, write_corner
from .planes import SMALL_TILT
from .records import CAPSULE, Detection, Polyhedra
from .solids import nearest_of_segments
from .writing import add_nearest, add_point, keep_if_touching, unit, write_nearest

EXACT = 1e-14  # relative to the size: distances that differ by less count as equal


@compiled
def place_polyhedron(detection: Detection, i: int, origin: Any) -> None:
    """Write vertices and faces of a shape in the axes of the world, relative to a point."""
    polyhedra = detection.polyhedra
    R, p = detection.placed.R_world_shape[i], subtract(detection.placed.p_world_shape[i], origin)
    for v in range(polyhedra.part_first[i, 0], polyhedra.part_end[i, 0]):
        store(polyhedra.placed_vertex[v], add(p, rotate(R, polyhedra.vertex[v])))
    for f in range(polyhedra.part_first[i, 2], polyhedra.part_end[i, 2]):
        n = rotate(R, polyhedra.face_normal[f])
        store(polyhedra.placed_normal[f], n)
        polyhedra.placed_offset[f] = polyhedra.face_offset[f] + dot(n, p)


@compiled
def vertex_at(polyhedra: Polyhedra, v: int) -> Vector:
    """Return the position of a vertex of a placed shape."""
    p = polyhedra.placed_vertex[v]
    return p[0], p[1], p[2]


@compiled
def normal_at(polyhedra: Polyhedra, f: int) -> Vector:
    """Return the normal of a face of a placed shape."""
    n = polyhedra.placed_normal[f]
    return n[0], n[1], n[2]


@compiled
def lowest_vertex(polyhedra: Polyhedra, i: int, n: Any) -> int:
    """Return the vertex of a shape that is least far along a direction."""
    found, least = -1, math.inf
    for v in range(polyhedra.part_first[i, 0], polyhedra.part_end[i, 0]):
        height = dot(n, vertex_at(polyhedra, v))
        if height < least:
            found, least = v, height
    return found


@compiled
def keep(polyhedra: Polyhedra, n: Any, first: Any, second: Any) -> None:
    """Write the best result so far."""
    store(polyhedra.best_normal, n)
    store(polyhedra.best_first, first)
    store(polyhedra.best_second, second)


@compiled
def separate_by_faces(polyhedra: Polyhedra, i: int, j: int) -> float:
    """Return the largest separation of two shapes along normals of faces, and store the best."""
    best = -math.inf
    for side in range(2):
        own, other = (j, i) if side else (i, j)
        for f in range(polyhedra.part_first[own, 2], polyhedra.part_end[own, 2]):
            n = normal_at(polyhedra, f)
            point = vertex_at(polyhedra, lowest_vertex(polyhedra, other, n))
            apart = dot(n, point) - polyhedra.placed_offset[f]
            if apart > best:
                best = apart
                on_face = subtract(point, scale(apart, n))
                if side:
                    keep(polyhedra, scale(-1.0, n), point, on_face)
                else:
                    keep(polyhedra, n, on_face, point)
    return best


@compiled
def crossing_normal(polyhedra: Polyhedra, d: int, e: int, u: Any, v: Any) -> Vector:
    """Return the normal of K's face from edges d and e, away from the first; 0: no face."""
    both = cross(u, v)
    sign = 0.0
    for side in range(2):
        edge, along = (e, u) if side else (d, v)
        if polyhedra.edge_face[edge, 0] >= 0:
            one = normal_at(polyhedra, polyhedra.edge_face[edge, 0])
            two = normal_at(polyhedra, polyhedra.edge_face[edge, 1])
            if dot(one, along) * dot(two, along) >= 0.0:
                return 0.0, 0.0, 0.0
            is_outward = dot(add(one, two), both) > 0.0
            own = 1.0 if is_outward == (side == 0) else -1.0
            if own * sign < 0.0:
                return 0.0, 0.0, 0.0
            sign = own
    if not norm(both) > 1e-12 * norm(u) * norm(v):
        return 0.0, 0.0, 0.0
    return unit(scale(sign, both))


@compiled
def separate_by_edges(polyhedra: Polyhedra, i: int, j: int, best: float) -> float:
    """Return the largest separation along normals of edge pairs and faces; store the best."""
    for d in range(polyhedra.part_first[i, 1], polyhedra.part_end[i, 1]):
        a = vertex_at(polyhedra, polyhedra.edge_vertex[d, 0])
        u = subtract(vertex_at(polyhedra, polyhedra.edge_vertex[d, 1]), a)
        for e in range(polyhedra.part_first[j, 1], polyhedra.part_end[j, 1]):
            b = vertex_at(polyhedra, polyhedra.edge_vertex[e, 0])
            v = subtract(vertex_at(polyhedra, polyhedra.edge_vertex[e, 1]), b)
            n = crossing_normal(polyhedra, d, e, u, v)
            if not dot(n, subtract(b, a)) > best or norm(n) == 0.0:
                continue
            # the normal of nearly parallel edges is not exact: use the separation along it
            second = vertex_at(polyhedra, lowest_vertex(polyhedra, j, n))
            first = vertex_at(polyhedra, lowest_vertex(polyhedra, i, scale(-1.0, n)))
            apart = dot(n, subtract(second, first))
            if apart > best:
                best = apart
                s, t = nearest_of_segments(
                    subtract(add(b, scale(0.5, v)), add(a, scale(0.5, u))),
                    scale(0.5, u), scale(-0.5, v),
                )  # fmt: skip
                on_first = add(a, scale(0.5 * (1.0 + s), u))
                keep(polyhedra, n, on_first, add(b, scale(0.5 * (1.0 + t), v)))
    return best


@compiled
def measure_depths(polyhedra: Polyhedra, i: int, j: int) -> None:
    """Write the depth of each edge behind the plane of the best normal at its own shape."""
    n = polyhedra.best_normal
    for side in range(2):
        own, sign = (j, 1.0) if side else (i, -1.0)
        towards = scale(sign, n)
        least = dot(towards, vertex_at(polyhedra, lowest_vertex(polyhedra, own, towards)))
        for e in range(polyhedra.part_first[own, 1], polyhedra.part_end[own, 1]):
            a = vertex_at(polyhedra, polyhedra.edge_vertex[e, 0])
            b = vertex_at(polyhedra, polyhedra.edge_vertex[e, 1])
            polyhedra.edge_depth[e] = min(dot(towards, a), dot(towards, b)) - least


@compiled
def is_over_face(polyhedra: Polyhedra, f: int, point: Any) -> bool:
    """Return whether the projection of a point onto the plane of a face lies in the face."""
    n = normal_at(polyhedra, f)
    first, end = polyhedra.face_corner[f, 0], polyhedra.face_corner[f, 1]
    before = vertex_at(polyhedra, polyhedra.corner_vertex[end - 1])
    for c in range(first, end):
        here = vertex_at(polyhedra, polyhedra.corner_vertex[c])
        if dot(cross(n, subtract(here, before)), subtract(point, before)) < 0.0:
            return False
        before = here
    return True


@compiled
def nearest_of_faces(polyhedra: Polyhedra, i: int, j: int) -> float:
    """Return the least height of a vertex of one shape over a face of the other; store the best."""
    least = math.inf
    for side in range(2):
        own, other = (j, i) if side else (i, j)
        for f in range(polyhedra.part_first[own, 2], polyhedra.part_end[own, 2]):
            n = normal_at(polyhedra, f)
            for v in range(polyhedra.part_first[other, 0], polyhedra.part_end[other, 0]):
                point = vertex_at(polyhedra, v)
                height = dot(n, point) - polyhedra.placed_offset[f]
                if 0.0 <= height < least and is_over_face(polyhedra, f, point):
                    least = height
                    on_face = subtract(point, scale(height, n))
                    if side:
                        keep(polyhedra, scale(-1.0, n), point, on_face)
                    else:
                        keep(polyhedra, n, on_face, point)
    return least


@compiled
def nearest_of_edges(polyhedra: Polyhedra, i: int, j: int, apart: float, least: float) -> float:
    """Return the least distance of two edges, if less than that of faces; store the best.

    If an edge lies x behind the plane that separates the shapes by `apart`, all its points are at
    least `apart` + x from the other shape.
    """
    for d in range(polyhedra.part_first[i, 1], polyhedra.part_end[i, 1]):
        depth = polyhedra.edge_depth[d]
        if apart + depth > least:
            continue
        a = vertex_at(polyhedra, polyhedra.edge_vertex[d, 0])
        u = scale(0.5, subtract(vertex_at(polyhedra, polyhedra.edge_vertex[d, 1]), a))
        for e in range(polyhedra.part_first[j, 1], polyhedra.part_end[j, 1]):
            if apart + depth + polyhedra.edge_depth[e] > least:
                continue
            b = vertex_at(polyhedra, polyhedra.edge_vertex[e, 0])
            v = scale(0.5, subtract(vertex_at(polyhedra, polyhedra.edge_vertex[e, 1]), b))
            s, t = nearest_of_segments(subtract(add(b, v), add(a, u)), u, scale(-1.0, v))
            first, second = add(a, scale(1.0 + s, u)), add(b, scale(1.0 + t, v))
            gap = subtract(second, first)
            distance = norm(gap)
            if 0.0 < distance < least:
                least = distance
                n = unit(gap)
                both = cross(u, v)
                if abs(s) < 1.0 and abs(t) < 1.0 and norm(both) > 1e-8 * norm(u) * norm(v):
                    n = unit(both if dot(both, gap) > 0.0 else scale(-1.0, both))
                keep(polyhedra, n, first, second)
    return least


@compiled
def distance_of_polyhedra(polyhedra: Polyhedra, i: int, j: int) -> float:
    """Return the signed distance of two shapes without their radii, and store its normal."""
    apart = separate_by_edges(polyhedra, i, j, separate_by_faces(polyhedra, i, j))
    if apart <= 0.0:
        return apart
    n, p, q = polyhedra.best_normal, polyhedra.best_first, polyhedra.best_second
    normal, first, second = (n[0], n[1], n[2]), (p[0], p[1], p[2]), (q[0], q[1], q[2])
    measure_depths(polyhedra, i, j)
    size = norm(first) + norm(second)
    least = nearest_of_edges(polyhedra, i, j, apart, nearest_of_faces(polyhedra, i, j))
    if least <= apart + EXACT * size:  # a face of K: its normal is accurate
        if least == math.inf:
            keep(polyhedra, normal, first, second)
        else:
            store(polyhedra.best_normal, normal)
        return apart
    return least


@compiled
def shape_and_mesh(detection: Detection, i: int, j: int, k: int) -> None:
    """Compute the contact of sphere, capsule, box or mesh i and mesh j; output: pair k."""
    contacts, polyhedra = detection.contacts, detection.polyhedra
    origin = detection.placed.p_world_shape[i]
    place_polyhedron(detection, i, origin)
    place_polyhedron(detection, j, origin)
    distance = distance_of_polyhedra(polyhedra, i, j)
    kind = detection.shapes.shape_type[i]
    radius = detection.shapes.shape_size[i][0] if kind <= CAPSULE else 0.0
    n = polyhedra.best_normal
    first = add(origin, add(polyhedra.best_first, scale(radius, n)))
    write_nearest(contacts, k, distance - radius, (n[0], n[1], n[2]), first)
    if kind >= CAPSULE:
        add_flat_points(detection, i, j, k)
    if not keep_if_touching(contacts, k):
        add_nearest(contacts, k, 0, 1.0)


@compiled
def face_towards(polyhedra: Polyhedra, i: int, n: Any) -> int:
    """Return the face of a shape whose normal is nearest to a direction; -1: no faces."""
    found, most = -1, -math.inf
    for f in range(polyhedra.part_first[i, 2], polyhedra.part_end[i, 2]):
        along = dot(n, normal_at(polyhedra, f))
        if along > most:
            found, most = f, along
    return found


@compiled
def write_outline(detection: Detection, f: int, origin: Any) -> int:
    """Write the borders of a face, and return their number."""
    polyhedra, polygons = detection.polyhedra, detection.polygons
    first, end = polyhedra.face_corner[f, 0], polyhedra.face_corner[f, 1]
    count, before = 0, -1
    for c in range(2 * (end - first)):  # around the face, up to twice to return to the start
        v = polyhedra.corner_vertex[first + c % (end - first)]
        if polyhedra.corner_share[first + c % (end - first)] > 0.0:
            if before >= 0:
                a, b = vertex_at(polyhedra, before), vertex_at(polyhedra, v)
                u = unit(cross(subtract(b, a), normal_at(polyhedra, f)))
                store(polygons.side[count], u)
                polygons.side_offset[count] = dot(u, add(a, origin))
                count += 1
            before = v
            if c >= end - first:
                break
    return count


@compiled
def write_facing(detection: Detection, i: int, f: int, origin: Any) -> int:
    """Write a face of a shape, or its segment if f is -1, and return the number of corners."""
    polyhedra, count = detection.polyhedra, 0
    if f < 0:
        for v in range(polyhedra.part_first[i, 0], polyhedra.part_end[i, 0]):
            write_corner(detection.polygons, count, count, add(origin, vertex_at(polyhedra, v)))
            count += 1
        return count
    for c in range(polyhedra.face_corner[f, 0], polyhedra.face_corner[f, 1]):
        if polyhedra.corner_share[c] > 0.0:
            corner = vertex_at(polyhedra, polyhedra.corner_vertex[c])
            write_corner(detection.polygons, count, count, add(origin, corner))
            count += 1
    return count


@compiled
def add_flat_points(detection: Detection, i: int, j: int, k: int) -> None:
    """Add the points of a pair that meets at a face of either shape; none if it does not."""
    contacts, polyhedra, polygons = detection.contacts, detection.polyhedra, detection.polygons
    p = detection.placed.p_world_shape[i]
    n = (contacts.pair_normal[k, 0], contacts.pair_normal[k, 1], contacts.pair_normal[k, 2])
    reference, other, sign = i, j, 1.0
    f, g = face_towards(polyhedra, i, n), face_towards(polyhedra, j, scale(-1.0, n))
    tilt = norm(cross(normal_at(polyhedra, f), n)) if f >= 0 else 1.0
    if tilt > SMALL_TILT and norm(cross(normal_at(polyhedra, g), n)) < tilt:
        reference, other, sign, f = j, i, -1.0, g
        tilt = norm(cross(normal_at(polyhedra, f), n))
    if tilt >= NEAR_FACE:
        return
    up = normal_at(polyhedra, f)
    store(contacts.point_normal[k], scale(sign, up))
    radius = 0.0
    if other == i and detection.shapes.shape_type[i] == CAPSULE:
        radius = detection.shapes.shape_size[i][0]
    sides = write_outline(detection, f, p)
    facing = face_towards(polyhedra, other, scale(-1.0, up))
    count = write_facing(detection, other, facing, p)
    total = 2.0
    if facing >= 0:
        total, flat = 4.0, flatness(norm(cross(normal_at(polyhedra, facing), up)))
    else:
        along = subtract(polygons.corner[0, 1], polygons.corner[0, 0])
        flat = flatness(abs(dot(along, up)) / norm(along))
    if tilt > ON_FACE and flat == 0.0:
        return
    for side in range(sides):
        count = clip(polygons, count, side, side & 1, flat)
    now = sides & 1
    around = 0.0
    for e in range(count):
        around += norm(subtract(polygons.corner[now, (e + 1) % count], polygons.corner[now, e]))
    for e in range(count):
        here = polygons.corner[now, e]
        edges = norm(subtract(here, polygons.corner[now, (e + count - 1) % count]))
        edges += norm(subtract(polygons.corner[now, (e + 1) % count], here))
        share = total * (0.5 * edges / around if around > 0.0 else 1.0 / count)
        share = (1.0 + flat * (share - 1.0)) * polygons.corner_weight[now, e]
        height = dot(up, subtract(here, p)) - polyhedra.placed_offset[f] - radius
        feature = polygons.corner_label[now, e]
        if reference == i:
            first = subtract(
                here, scale(dot(up, subtract(here, p)) - polyhedra.placed_offset[f], up)
            )
            add_point(contacts, k, feature, first, height, share)
        else:
            # from the first, whose surface is nearer by the radius
            first = subtract(here, scale(radius, up))
            add_point(contacts, k, feature + ON_SECOND, first, height, share)
