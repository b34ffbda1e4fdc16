# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The two convex polyhedra of a pair: placement, access to their parts, and extreme parts.

Positions of placed polyhedra are in the axes of the world, relative to the origin of the first
shape.
"""

from __future__ import annotations

import math
from typing import Any

from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Vector, add, dot, rotate, store, subtract

from .records import Detection, Polyhedra


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
def edge_at(polyhedra: Polyhedra, e: int) -> tuple[Vector, Vector]:
    """Return the first end of an edge of a placed shape, and the vector to the second end."""
    a = vertex_at(polyhedra, polyhedra.edge_vertex[e, 0])
    return a, subtract(vertex_at(polyhedra, polyhedra.edge_vertex[e, 1]), a)


@compiled
def normal_at(polyhedra: Polyhedra, f: int) -> Vector:
    """Return the normal of a face of a placed shape."""
    n = polyhedra.placed_normal[f]
    return n[0], n[1], n[2]


@compiled
def lowest_vertex(polyhedra: Polyhedra, i: int, n: Any) -> Vector:
    """Return the vertex of a placed shape that is least far along a direction."""
    found, least = -1, math.inf
    for v in range(polyhedra.part_first[i, 0], polyhedra.part_end[i, 0]):
        height = dot(n, vertex_at(polyhedra, v))
        if height < least:
            found, least = v, height
    return vertex_at(polyhedra, found)


@compiled
def face_towards(polyhedra: Polyhedra, i: int, n: Any) -> int:
    """Return the face of a placed shape whose normal is nearest to a direction; -1: no faces."""
    found, most = -1, -math.inf
    for f in range(polyhedra.part_first[i, 2], polyhedra.part_end[i, 2]):
        along = dot(n, normal_at(polyhedra, f))
        if along > most:
            found, most = f, along
    return found
