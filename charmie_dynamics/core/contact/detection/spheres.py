# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A sphere and each of the others, in closed form: the distance of a point from a surface.

The normal is the outward normal of the surface at the nearest point. Outside the surface it is the
direction to the centre of the sphere. If the centre is on the surface, this direction is undefined,
and the normal is that of the face.
"""

from __future__ import annotations

from typing import Any

from charmie_dynamics.numerics.elementary import sqrt
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import add, norm, rotate, rotate_back, scale, subtract

from .records import BOX, CAPSULE, CYLINDER, SPHERE, Detection
from .writing import add_nearest, unit, write_nearest


@compiled
def point_and_box(q: Any, size: Any) -> tuple[float, float, float, float]:
    """Return the signed distance of a point from a box, and the normal there, in its frame."""
    x, y, z = abs(q[0]) - size[0], abs(q[1]) - size[1], abs(q[2]) - size[2]
    if x <= 0.0 and y <= 0.0 and z <= 0.0:  # inside: the nearest face
        if x >= y and x >= z:
            a, b, c = 1.0, 0.0, 0.0
        elif y >= z:
            a, b, c = 0.0, 1.0, 0.0
        else:
            a, b, c = 0.0, 0.0, 1.0
        distance = max(x, max(y, z))
    else:
        a, b, c = max(x, 0.0), max(y, 0.0), max(z, 0.0)
        distance = norm((a, b, c))
        a, b, c = unit((a, b, c))
    return (
        distance,
        a if q[0] >= 0.0 else -a,
        b if q[1] >= 0.0 else -b,
        c if q[2] >= 0.0 else -c,
    )


@compiled
def point_and_cylinder(q: Any, size: Any) -> tuple[float, float, float, float]:
    """Return the signed distance of a point from a cylinder, and the normal, in its frame."""
    radial = sqrt(q[0] * q[0] + q[1] * q[1])
    u, v = (q[0] / radial, q[1] / radial) if radial > 0.0 else (1.0, 0.0)
    side, cap = radial - size[0], abs(q[2]) - size[1]
    up = 1.0 if q[2] >= 0.0 else -1.0
    if side > 0.0 and cap > 0.0:  # the rim
        a, _, c = unit((side, 0.0, cap))
        return sqrt(side * side + cap * cap), a * u, a * v, c * up
    if side > cap:
        return side, u, v, 0.0
    return cap, 0.0, 0.0, up


@compiled
def point_and_segment(q: Any, size: Any) -> tuple[float, float, float, float]:
    """Return the signed distance of a point from a capsule, and the normal, in its frame."""
    r = (q[0], q[1], q[2] - min(max(q[2], -size[1]), size[1]))
    distance = norm(r)
    if distance > 0.0:
        a, b, c = unit(r)
    else:
        a, b, c = 1.0, 0.0, 0.0
    return distance - size[0], a, b, c


@compiled
def point_and_torus(q: Any, size: Any) -> tuple[float, float, float, float]:
    """Return the signed distance of a point from a torus, and the normal, in its frame."""
    radial = sqrt(q[0] * q[0] + q[1] * q[1])
    u, v = (q[0] / radial, q[1] / radial) if radial > 0.0 else (1.0, 0.0)
    r = (radial - size[0], 0.0, q[2])
    distance = norm(r)
    if distance > 0.0:
        a, _, c = unit(r)
    else:
        a, c = 1.0, 0.0
    return distance - size[1], a * u, a * v, c


@compiled
def sphere_and_shape(detection: Detection, i: int, j: int, k: int) -> None:
    """Compute the contact of sphere i and sphere, capsule, box, cylinder or torus j: pair k."""
    placed = detection.placed
    kind, size = detection.shapes.shape_type[j], detection.shapes.shape_size[j]
    centre, R = placed.p_world_shape[i], placed.R_world_shape[j]
    q = rotate_back(R, subtract(centre, placed.p_world_shape[j]))
    if kind == SPHERE or kind == CAPSULE:
        distance, a, b, c = point_and_segment(q, size)
    elif kind == BOX:
        distance, a, b, c = point_and_box(q, size)
    elif kind == CYLINDER:
        distance, a, b, c = point_and_cylinder(q, size)
    else:
        distance, a, b, c = point_and_torus(q, size)
    radius = detection.shapes.shape_size[i][0]
    n = rotate(R, (-a, -b, -c))  # outward of the sphere
    write_nearest(detection.contacts, k, distance - radius, n, add(centre, scale(radius, n)))
    add_nearest(detection.contacts, k, 0, 1.0)
