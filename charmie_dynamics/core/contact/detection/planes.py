# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A plane and each of the other shapes, in closed form.

Distances are heights above the plane; the normal is that of the plane at any distance. The points
of a box are its eight corners, those of a capsule the lowest of each end. A lying cylinder rolls on
the lowest point of each rim. An upright cylinder has four points on each rim, which are fixed in
it. Between the two, for tilts below `SMALL_TILT`, the shares of the points change continuously. The
points of a mesh are its lowest vertices; if it lies on a face, the corners of this face.
"""

from __future__ import annotations

import math
from typing import Any

from charmie_dynamics.numerics.elementary import sqrt
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import (
    Vector,
    add,
    cross,
    dot,
    norm,
    rotate,
    rotate_back,
    scale,
    store,
    subtract,
)

from .placement import column_of
from .records import BOX, CAPSULE, CYLINDER, ELLIPSOID, SPHERE, Detection, Polyhedra
from .writing import add_point, write_nearest

SMALL_TILT = 2.0**-8  # sine of the angle up to which nearly parallel surfaces count as flat
DEEPEST = 8  # number of the lowest vertices of a mesh that are points of contact
OF_RIM = 8  # first feature after those of the four points of each rim


@compiled
def steadily(x: float) -> float:
    """Return 0 up to zero, 1 from one on, and between them a polynomial with zero slope at both."""
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    return x * x * (3.0 - 2.0 * x)


@compiled
def support(kind: int, size: Any, R: Any, n: Any) -> Vector:
    """Return the point of a shape about its centre that is furthest along a direction.

    Parameters
    ----------
    kind : int
        Any type but PLANE.
    size, R : (3,), (3, 3)
        Size, and orientation in the world.
    n : (3,)
        Direction of length one, in the world.
    """
    x, y, z = rotate_back(R, n)
    if kind == BOX:
        return rotate(
            R,
            (
                size[0] if x > 0.0 else -size[0],
                size[1] if y > 0.0 else -size[1],
                size[2] if z > 0.0 else -size[2],
            ),
        )
    if kind == ELLIPSOID:
        a, b, c = size[0] * x, size[1] * y, size[2] * z
        h = sqrt(a * a + b * b + c * c)
        return rotate(R, (size[0] * a / h, size[1] * b / h, size[2] * c / h))
    if kind == SPHERE:
        return scale(size[0], n)
    if kind == CAPSULE:
        end = size[1] if z > 0.0 else -size[1]
        return add(scale(size[0], n), scale(end, column_of(R, 2)))
    radial = sqrt(x * x + y * y)
    u, v = (x / radial, y / radial) if radial > 0.0 else (1.0, 0.0)
    if kind == CYLINDER:
        return rotate(R, (size[0] * u, size[0] * v, size[1] if z > 0.0 else -size[1]))
    return add(scale(size[1], n), rotate(R, (size[0] * u, size[0] * v, 0.0)))  # torus


@compiled
def add_above(detection: Detection, i: int, k: int, feature: int, point: Any, share: float) -> None:
    """Add a point of a shape above plane i."""
    placed = detection.placed
    n = column_of(placed.R_world_shape[i], 2)
    height = dot(n, subtract(point, placed.p_world_shape[i]))
    add_point(detection.contacts, k, feature, subtract(point, scale(height, n)), height, share)


@compiled
def plane_and_shape(detection: Detection, i: int, j: int, k: int) -> None:
    """Compute the contact of plane i and shape j; output: pair k."""
    placed = detection.placed
    kind, size = detection.shapes.shape_type[j], detection.shapes.shape_size[j]
    n = column_of(placed.R_world_shape[i], 2)
    R, p = placed.R_world_shape[j], placed.p_world_shape[j]
    lowest = add(p, support(kind, size, R, scale(-1.0, n)))
    height = dot(n, subtract(lowest, placed.p_world_shape[i]))
    write_nearest(detection.contacts, k, height, n, subtract(lowest, scale(height, n)))
    if kind == BOX:
        for corner in range(8):
            local = (
                size[0] if corner & 1 else -size[0],
                size[1] if corner & 2 else -size[1],
                size[2] if corner & 4 else -size[2],
            )
            add_above(detection, i, k, corner, add(p, rotate(R, local)), 1.0)
    elif kind == CAPSULE:
        for end in range(2):
            centre = add(p, scale(size[1] if end else -size[1], column_of(R, 2)))
            add_above(detection, i, k, end, subtract(centre, scale(size[0], n)), 1.0)
    elif kind == CYLINDER:
        plane_and_rims(detection, i, j, k)
    else:
        add_above(detection, i, k, 0, lowest, 1.0)


@compiled
def plane_and_rims(detection: Detection, i: int, j: int, k: int) -> None:
    """Add the points of cylinder j above plane i to pair k."""
    placed = detection.placed
    size = detection.shapes.shape_size[j]
    R, p = placed.R_world_shape[j], placed.p_world_shape[j]
    x, y, _ = rotate_back(R, column_of(placed.R_world_shape[i], 2))
    tilt = sqrt(x * x + y * y)
    u, v = (-x / tilt, -y / tilt) if tilt > 0.0 else (1.0, 0.0)
    lies = steadily(tilt / SMALL_TILT)
    for end in range(2):
        z = size[1] if end else -size[1]
        point = add(p, rotate(R, (size[0] * u, size[0] * v, z)))
        add_above(detection, i, k, OF_RIM + end, point, lies)
        for corner in range(4):
            a = size[0] * (1 - 2 * (corner & 1))
            local = (a, 0.0, z) if corner & 2 else (0.0, a, z)
            add_above(detection, i, k, 4 * end + corner, add(p, rotate(R, local)), 1.0 - lies)


@compiled
def plane_and_mesh(detection: Detection, i: int, j: int, k: int) -> None:
    """Compute the contact of plane i and mesh j; output: pair k."""
    polyhedra, placed = detection.polyhedra, detection.placed
    R, p = placed.R_world_shape[j], placed.p_world_shape[j]
    n = column_of(placed.R_world_shape[i], 2)
    first, end = polyhedra.part_first[j, 0], polyhedra.part_end[j, 0]
    lowest = first
    for v in range(first, end):
        point = add(p, rotate(R, polyhedra.vertex[v]))
        store(polyhedra.placed_vertex[v], point)
        polyhedra.vertex_height[v] = dot(n, subtract(point, placed.p_world_shape[i]))
        polyhedra.is_deepest[v] = 0
        if polyhedra.vertex_height[v] < polyhedra.vertex_height[lowest]:
            lowest = v
    low, height = polyhedra.placed_vertex[lowest], polyhedra.vertex_height[lowest]
    write_nearest(detection.contacts, k, height, n, subtract(low, scale(height, n)))
    choose_deepest(polyhedra, first, end)
    face, along = -1, -math.inf
    for f in range(polyhedra.part_first[j, 2], polyhedra.part_end[j, 2]):
        down = -dot(n, rotate(R, polyhedra.face_normal[f]))
        if down > along:
            face, along = f, down
    tilt = norm(cross(n, rotate(R, polyhedra.face_normal[face])))
    lies = 1.0 - steadily(tilt / SMALL_TILT) if along > 0.0 else 0.0
    for c in range(polyhedra.face_corner[face, 0], polyhedra.face_corner[face, 1]):
        v = polyhedra.corner_vertex[c]
        share = lies * polyhedra.corner_share[c] + (1.0 - lies) * polyhedra.is_deepest[v]
        if share > 0.0:
            polyhedra.is_deepest[v] = 0
            add_above(detection, i, k, v - first, polyhedra.placed_vertex[v], share)
    for v in range(first, end):
        if polyhedra.is_deepest[v]:
            add_above(detection, i, k, v - first, polyhedra.placed_vertex[v], 1.0 - lies)


@compiled
def choose_deepest(polyhedra: Polyhedra, first: int, end: int) -> None:
    """Mark the lowest of some vertices."""
    for _ in range(min(DEEPEST, end - first)):
        lowest, height = -1, math.inf
        for v in range(first, end):
            if not polyhedra.is_deepest[v] and polyhedra.vertex_height[v] < height:
                lowest, height = v, polyhedra.vertex_height[v]
        if lowest >= 0:
            polyhedra.is_deepest[lowest] = 1
