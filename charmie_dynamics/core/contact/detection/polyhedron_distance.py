# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Signed distance of two convex polyhedra, in closed form and without iteration.

The Minkowski difference K of two polyhedra has a face for each face of either, and for each pair of
edges whose arcs cross on the sphere of normals (Gregorius, *The separating axis test between convex
polyhedra*, Game Developers Conference 2013). If the two overlap, the least depth under a face of K
is the least motion that separates them. If they do not overlap, it is a lower bound of their
distance, which is the least of all distances of a vertex from a face and of two edges.
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
    scale,
    store,
    subtract,
)

from .polyhedra import edge_at, lowest_vertex, normal_at, vertex_at
from .records import Polyhedra
from .solids import nearest_of_segments
from .writing import unit

EXACT = 1e-14  # relative to the size: distances that differ by less count as equal


@compiled
def distance_of_polyhedra(polyhedra: Polyhedra, i: int, j: int) -> float:
    """Return the signed distance of two placed shapes without their radii.

    `best_normal`, `best_first` and `best_second` of the polyhedra become its normal, from the first
    shape to the second, and the nearest points of the two.
    """
    apart = separate_by_edges(polyhedra, i, j, separate_by_faces(polyhedra, i, j))
    if apart <= 0.0:
        return apart
    n = polyhedra.best_normal
    normal = n[0], n[1], n[2]
    size = norm(polyhedra.best_first) + norm(polyhedra.best_second)
    measure_depths(polyhedra, i, j)
    least = nearest_of_edges(polyhedra, i, j, apart, nearest_of_faces(polyhedra, i, j))
    if least <= apart + EXACT * size:  # the origin is nearest to a face of K: its normal is exact
        store(polyhedra.best_normal, normal)
        return apart
    return least


@compiled
def separate_by_faces(polyhedra: Polyhedra, i: int, j: int) -> float:
    """Return the largest separation of two shapes along normals of faces, and store the best."""
    best = -math.inf
    for side in range(2):
        own, other = (j, i) if side else (i, j)
        for f in range(polyhedra.part_first[own, 2], polyhedra.part_end[own, 2]):
            n = normal_at(polyhedra, f)
            point = lowest_vertex(polyhedra, other, n)
            apart = dot(n, point) - polyhedra.placed_offset[f]
            if apart > best:
                best = apart
                keep_over_face(polyhedra, side, n, point, apart)
    return best


@compiled
def separate_by_edges(polyhedra: Polyhedra, i: int, j: int, best: float) -> float:
    """Return the largest separation along normals of edge pairs, if above `best`; store the best.

    The result is `best`, the separation along normals of faces, if no pair of edges exceeds it.
    """
    for d in range(polyhedra.part_first[i, 1], polyhedra.part_end[i, 1]):
        a, u = edge_at(polyhedra, d)
        for e in range(polyhedra.part_first[j, 1], polyhedra.part_end[j, 1]):
            b, v = edge_at(polyhedra, e)
            n = crossing_normal(polyhedra, d, e, u, v)
            if not dot(n, subtract(b, a)) > best or norm(n) == 0.0:
                continue
            # the normal of nearly parallel edges is not exact: use the separation along it
            second = lowest_vertex(polyhedra, j, n)
            first = lowest_vertex(polyhedra, i, scale(-1.0, n))
            apart = dot(n, subtract(second, first))
            if apart > best:
                best = apart
                _, _, on_first, on_second = nearest_on_edges(a, u, b, v)
                keep(polyhedra, n, on_first, on_second)
    return best


@compiled
def crossing_normal(polyhedra: Polyhedra, d: int, e: int, u: Any, v: Any) -> Vector:
    """Return the normal of K's face from edges d and e, away from the first; 0: no face."""
    across, sign = cross(u, v), 0.0
    for side in range(2):
        edge, other = (e, u) if side else (d, v)
        if polyhedra.edge_face[edge, 0] < 0:
            continue  # an edge without faces has all normals at right angles to it
        one = normal_at(polyhedra, polyhedra.edge_face[edge, 0])
        two = normal_at(polyhedra, polyhedra.edge_face[edge, 1])
        # the arc from one normal to the other passes the plane at right angles to the other edge
        if dot(one, other) * dot(two, other) >= 0.0:
            return 0.0, 0.0, 0.0
        # on the side of `across` or opposite; the normals of the second shape count reversed
        own = 1.0 if (dot(add(one, two), across) > 0.0) == (side == 0) else -1.0
        if own * sign < 0.0:
            return 0.0, 0.0, 0.0
        sign = own
    if not norm(across) > 1e-12 * norm(u) * norm(v):
        return 0.0, 0.0, 0.0
    return unit(scale(sign, across))


@compiled
def measure_depths(polyhedra: Polyhedra, i: int, j: int) -> None:
    """Write the depth of each edge behind the plane of the best normal at its own shape."""
    n = polyhedra.best_normal
    for side in range(2):
        own, sign = (j, 1.0) if side else (i, -1.0)
        towards = scale(sign, n)
        least = dot(towards, lowest_vertex(polyhedra, own, towards))
        for e in range(polyhedra.part_first[own, 1], polyhedra.part_end[own, 1]):
            a = vertex_at(polyhedra, polyhedra.edge_vertex[e, 0])
            b = vertex_at(polyhedra, polyhedra.edge_vertex[e, 1])
            polyhedra.edge_depth[e] = min(dot(towards, a), dot(towards, b)) - least


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
                    keep_over_face(polyhedra, side, n, point, height)
    return least


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
def nearest_of_edges(polyhedra: Polyhedra, i: int, j: int, apart: float, least: float) -> float:
    """Return the least distance of two edges, if below `least`; store the best.

    If an edge lies x behind the plane that separates the shapes by `apart`, all its points are at
    least `apart` + x from the other shape. Edges for which this exceeds `least` are skipped.
    """
    for d in range(polyhedra.part_first[i, 1], polyhedra.part_end[i, 1]):
        bound = apart + polyhedra.edge_depth[d]
        if bound > least:
            continue
        a, u = edge_at(polyhedra, d)
        for e in range(polyhedra.part_first[j, 1], polyhedra.part_end[j, 1]):
            if bound + polyhedra.edge_depth[e] > least:
                continue
            b, v = edge_at(polyhedra, e)
            s, t, first, second = nearest_on_edges(a, u, b, v)
            gap = subtract(second, first)
            distance = norm(gap)
            if 0.0 < distance < least:
                least = distance
                n = unit(gap)
                across = cross(u, v)
                if abs(s) < 1.0 and abs(t) < 1.0 and norm(across) > 1e-8 * norm(u) * norm(v):
                    n = unit(across if dot(across, gap) > 0.0 else scale(-1.0, across))
                keep(polyhedra, n, first, second)
    return least


@compiled
def nearest_on_edges(a: Any, u: Any, b: Any, v: Any) -> tuple[float, float, Vector, Vector]:
    """Return the nearest points of two edges, from a along u and from b along v.

    Returns
    -------
    s, t : float
        Places of the points along the edges, from -1 to 1.
    first, second : (3,) vector
        The points.
    """
    u, v = scale(0.5, u), scale(0.5, v)
    s, t = nearest_of_segments(subtract(add(b, v), add(a, u)), u, scale(-1.0, v))
    return s, t, add(a, scale(1.0 + s, u)), add(b, scale(1.0 + t, v))


@compiled
def keep_over_face(polyhedra: Polyhedra, side: int, n: Any, point: Any, height: float) -> None:
    """Store a vertex over a face of the first (side 0) or second shape (1) as the best so far."""
    on_face = subtract(point, scale(height, n))
    if side:
        keep(polyhedra, scale(-1.0, n), point, on_face)
    else:
        keep(polyhedra, n, on_face, point)


@compiled
def keep(polyhedra: Polyhedra, n: Any, first: Any, second: Any) -> None:
    """Store a normal and the points of the two shapes as the best so far."""
    store(polyhedra.best_normal, n)
    store(polyhedra.best_first, first)
    store(polyhedra.best_second, second)
