# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Points of contact on a flat face: that of a box, or the cap of a cylinder.

The element on the face (a face of a box, the cap or the side of a cylinder, a capsule) is clipped
to it (Sutherland and Hodgman). Each corner has its own height above the face. The shares of all
corners of a polygon add up to four, in proportion to the lengths of the adjacent edges. A corner
that crosses the border becomes two corners with the same total share, so that the force is
continuous. Circles are approximated by octagons here, but not in the points of contact of cylinders
with planes and with round shapes.

These shares change as the bodies slide, and so does the stored energy: the force has no potential.
Therefore they apply only to faces and segments that are parallel to the face within `NEAR_FACE`.
Beyond, each vertex has the share one, independent of clipping elsewhere, and corners that result
from clipping have the share zero: the force of a vertex on a face is the gradient of its stored
energy. In this case the normal must be that of the face; crossing edges touch at one point.
"""

from __future__ import annotations

from typing import Any

from charmie_dynamics.numerics.elementary import cos, sin, sqrt
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
from .planes import SMALL_TILT, steadily
from .records import BOX, CAPSULE, CORNERS, CYLINDER, Detection, Polygons
from .writing import add_point

EIGHTH = 0.7853981633974483  # of a turn
NEAR_FACE = 2.0**-6  # sine of the largest angle between a normal and that of a face to use the face
ON_FACE = 2.0**-12  # likewise, for the normal to be that of the face, and not of crossing edges
ON_SECOND = 1024  # features of points on a face of the second shape begin here
OF_SIDE = 2048  # added to those of the side of a cylinder
OF_BORDER = 16  # label of an edge of the reference face


@compiled
def face_along(detection: Detection, i: int, n: Any) -> int:
    """Return the axis of a shape whose face is (nearly) across a direction; -1: no face."""
    kind, R = detection.shapes.shape_type[i], detection.placed.R_world_shape[i]
    if kind != BOX and kind != CYLINDER:
        return -1
    for axis in range(0 if kind == BOX else 2, 3):
        if norm(cross(column_of(R, axis), n)) < NEAR_FACE:
            return axis
    return -1


@compiled
def face_tilt(detection: Detection, i: int, axis: int, n: Any) -> float:
    """Return the sine of the angle between a direction and an axis of a shape; 1 without axis."""
    if axis < 0:
        return 1.0
    return norm(cross(column_of(detection.placed.R_world_shape[i], axis), n))


@compiled
def is_flat(detection: Detection, j: int, n: Any) -> bool:
    """Return whether a face or the side of a shape is across a direction, or nearly so."""
    kind = detection.shapes.shape_type[j]
    x, y, z = rotate_back(detection.placed.R_world_shape[j], n)
    standing = x * x + y * y < NEAR_FACE * NEAR_FACE
    if kind == BOX:
        standing = standing or y * y + z * z < NEAR_FACE * NEAR_FACE
        return standing or z * z + x * x < NEAR_FACE * NEAR_FACE
    return abs(z) < NEAR_FACE or (standing and kind == CYLINDER)


@compiled
def flatness(sine: float) -> float:
    """Return 1 up to `SMALL_TILT`, 0 from `NEAR_FACE` on, and a continuous transition between."""
    return 1.0 - steadily((sine - SMALL_TILT) / (NEAR_FACE - SMALL_TILT))


@compiled
def write_sides(detection: Detection, i: int, axis: int) -> int:
    """Write the borders of a face as outward normals and offsets, and return their number."""
    polygons, R = detection.polygons, detection.placed.R_world_shape[i]
    size, p = detection.shapes.shape_size[i], detection.placed.p_world_shape[i]
    is_box = detection.shapes.shape_type[i] == BOX
    count = 4 if is_box else 8
    for s in range(count):
        if is_box:
            across = (axis + 1 + (s & 1)) % 3
            u = scale(1.0 if s & 2 else -1.0, column_of(R, across))
            half = size[across]
        else:
            angle = EIGHTH * (s + 0.5)
            u = rotate(R, (cos(angle), sin(angle), 0.0))
            half = size[0] * cos(0.5 * EIGHTH)
        store(polygons.side[s], u)
        polygons.side_offset[s] = dot(u, p) + half
    return count


@compiled
def write_corner(polygons: Polygons, at: int, label: int, p: Any) -> None:
    """Write a corner of the polygon to clip, and the label of the edge after it."""
    store(polygons.corner[0, at], p)
    polygons.corner_label[0, at] = label
    polygons.edge_label[0, at] = label
    polygons.corner_weight[0, at] = 1.0


@compiled
def write_face(detection: Detection, j: int, n: Any) -> int:
    """Write the face of a box or cap of a cylinder whose normal is most opposite to a direction.

    Returns
    -------
    int
        The number of corners.
    """
    R, p = detection.placed.R_world_shape[j], detection.placed.p_world_shape[j]
    size = detection.shapes.shape_size[j]
    local = rotate_back(R, n)
    if detection.shapes.shape_type[j] == CYLINDER:
        z = -size[1] if local[2] > 0.0 else size[1]
        for s in range(8):
            a = EIGHTH * s
            rim = rotate(R, (size[0] * cos(a), size[0] * sin(a), z))
            write_corner(detection.polygons, s, s + (8 if z > 0.0 else 0), add(p, rim))
        return 8
    axis = 0
    if abs(local[1]) > abs(local[axis]):
        axis = 1
    if abs(local[2]) > abs(local[axis]):
        axis = 2
    one, two = (axis + 1) % 3, (axis + 2) % 3
    for s in range(4):
        along = local[axis] <= 0.0
        is_one, is_two = s == 1 or s == 2, s >= 2
        corner = add(p, scale(size[axis] if along else -size[axis], column_of(R, axis)))
        corner = add(corner, scale(size[one] if is_one else -size[one], column_of(R, one)))
        corner = add(corner, scale(size[two] if is_two else -size[two], column_of(R, two)))
        label = (1 << axis) * along + (1 << one) * is_one + (1 << two) * is_two
        write_corner(detection.polygons, s, label, corner)
    return 4


@compiled
def face_flatness(polygons: Polygons, count: int, n: Any) -> float:
    """Return how parallel an unclipped polygon is to a face with a normal."""
    a = subtract(polygons.corner[0, 1], polygons.corner[0, 0])
    b = subtract(polygons.corner[0, count - 1], polygons.corner[0, 0])
    across = cross(a, b)
    return flatness(norm(cross(across, n)) / norm(across))


@compiled
def clip(polygons: Polygons, count: int, s: int, now: int, flat: float) -> int:
    """Clip the polygon at border s; return the number of remaining corners.

    Reads polygon `now` of the two and writes the other; `flat` is the weight of new corners.
    """
    kept = 0
    u, offset = polygons.side[s], polygons.side_offset[s]
    for e in range(count):
        after = (e + 1) % count
        a, b = polygons.corner[now, e], polygons.corner[now, after]
        out_a, out_b = dot(u, a) - offset, dot(u, b) - offset
        if out_a <= 0.0 and kept < CORNERS:
            store(polygons.corner[1 - now, kept], a)
            polygons.corner_label[1 - now, kept] = polygons.corner_label[now, e]
            polygons.edge_label[1 - now, kept] = polygons.edge_label[now, e]
            polygons.corner_weight[1 - now, kept] = polygons.corner_weight[now, e]
            kept += 1
        if (out_a <= 0.0) != (out_b <= 0.0) and kept < CORNERS:
            part = out_a / (out_a - out_b)
            store(polygons.corner[1 - now, kept], add(a, scale(part, subtract(b, a))))
            edge = polygons.edge_label[now, e]
            polygons.corner_label[1 - now, kept] = OF_BORDER * (1 + edge) + s
            polygons.edge_label[1 - now, kept] = edge if out_a > 0.0 else OF_BORDER + s
            polygons.corner_weight[1 - now, kept] = flat
            kept += 1
    return kept


@compiled
def perimeter_of(polygons: Polygons, now: int, count: int) -> float:
    """Return the length of all edges of polygon `now` of the two."""
    perimeter = 0.0
    for e in range(count):
        perimeter += norm(subtract(polygons.corner[now, (e + 1) % count], polygons.corner[now, e]))
    return perimeter


@compiled
def share_of_corner(
    polygons: Polygons, now: int, e: int, count: int, perimeter: float, total: float, flat: float
) -> float:
    """Return the share of corner e of polygon `now`, without the weight of the corner.

    With `flat` 1, the total is distributed in proportion to the lengths of the adjacent edges. With
    0, the share is one. Between, it is interpolated.
    """
    here = polygons.corner[now, e]
    before = norm(subtract(here, polygons.corner[now, (e + count - 1) % count]))
    after = norm(subtract(polygons.corner[now, (e + 1) % count], here))
    part = 0.5 * (before + after) / perimeter if perimeter > 0.0 else 1.0 / count
    return 1.0 + flat * (total * part - 1.0)


@compiled
def add_on_face(
    detection: Detection, i: int, k: int, feature: int, point: Any, share: float
) -> None:
    """Add a point of the other shape on a face of shape i, at its height above it."""
    contacts, placed = detection.contacts, detection.placed
    n = contacts.point_normal[k]
    size = detection.shapes.shape_size[i]
    axis = face_along(detection, i, n)
    half = size[axis] if detection.shapes.shape_type[i] == BOX else size[1]
    if contacts.pair_first[k] == i:
        height = dot(n, subtract(point, placed.p_world_shape[i])) - half
        add_point(contacts, k, feature, subtract(point, scale(height, n)), height, share)
    else:
        height = dot(n, subtract(placed.p_world_shape[i], point)) - half
        add_point(contacts, k, feature + ON_SECOND, point, height, share)


@compiled
def add_polygon(detection: Detection, i: int, j: int, k: int, sides: int, share: float) -> None:
    """Add the corners of a face of shape j, clipped to the face of shape i.

    Parameters
    ----------
    detection : Detection
    i, j, k : int
        Shape with the reference face, the other one, and the pair.
    sides : int
        Number of borders.
    share : float
        A quarter of the total share of all corners.
    """
    polygons, contacts = detection.polygons, detection.contacts
    n = contacts.point_normal[k]
    sign = 1.0 if contacts.pair_first[k] == i else -1.0
    count = write_face(detection, j, scale(sign, n))
    flat = face_flatness(polygons, count, n)
    for s in range(sides):
        count = clip(polygons, count, s, s & 1, flat)
    perimeter = perimeter_of(polygons, 0, count)  # the number of borders is even
    for e in range(count):
        here = polygons.corner[0, e]
        own = share * share_of_corner(polygons, 0, e, count, perimeter, 4.0, flat)
        own *= polygons.corner_weight[0, e]
        add_on_face(detection, i, k, polygons.corner_label[0, e], here, own)


@compiled
def add_segment(
    detection: Detection,
    i: int,
    k: int,
    a: Vector,
    b: Vector,
    sides: int,
    share: float,
    first_feature: int,
) -> None:
    """Add both ends of a segment, clipped to the face of shape i.

    Parameters
    ----------
    detection : Detection
    i, k : int
    a, b : (3,) vector
        The ends.
    sides : int
        Number of borders.
    share : float
        Of each end.
    first_feature : int
    """
    polygons = detection.polygons
    along = subtract(b, a)
    flat = flatness(abs(dot(along, detection.contacts.point_normal[k])) / norm(along))
    low, high = 0.0, 1.0
    low_feature, high_feature = 0, 1
    for s in range(sides):
        u = polygons.side[s]
        out = dot(u, a) - polygons.side_offset[s]
        change = dot(u, along)
        if out + change > 0.0 and change > 0.0:
            if -out < high * change:
                high, high_feature = -out / change, OF_BORDER + s
        elif out > 0.0:
            if change >= 0.0:
                return
            if -out < low * change:
                low, low_feature = -out / change, OF_BORDER + s
    if low <= high:
        own = share if low == 0.0 else share * flat
        add_on_face(detection, i, k, first_feature + low_feature, add(a, scale(low, along)), own)
        own = share if high == 1.0 else share * flat
        add_on_face(detection, i, k, first_feature + high_feature, add(a, scale(high, along)), own)


@compiled
def add_face_points(detection: Detection, i: int, j: int, k: int) -> None:
    """Add the points of a pair that meets at a face of either shape; none if it does not.

    If a face is nearly across the normal, the points have the normal of the face.
    """
    contacts, placed = detection.contacts, detection.placed
    n = contacts.pair_normal[k]
    axis, other = face_along(detection, i, n), face_along(detection, j, n)
    tilt = face_tilt(detection, i, axis, n)
    if tilt > SMALL_TILT and face_tilt(detection, j, other, n) < tilt:
        i, j, axis = j, i, other
    if axis < 0:
        return
    normal = column_of(placed.R_world_shape[i], axis)
    if dot(normal, n) < 0.0:
        normal = scale(-1.0, normal)
    if face_tilt(detection, i, axis, n) > ON_FACE and not is_flat(detection, j, normal):
        return
    store(contacts.point_normal[k], normal)
    sign = -1.0 if contacts.pair_first[k] == i else 1.0  # against the face
    sides = write_sides(detection, i, axis)
    kind, size = detection.shapes.shape_type[j], detection.shapes.shape_size[j]
    R, p = placed.R_world_shape[j], placed.p_world_shape[j]
    lies = 0.0
    if kind == CYLINDER:
        x, y, _ = rotate_back(R, scale(sign, normal))
        tilt = sqrt(x * x + y * y)
        lies = steadily(tilt / SMALL_TILT)
        u, v = (x / tilt, y / tilt) if tilt > 0.0 else (1.0, 0.0)
        side = add(p, rotate(R, (size[0] * u, size[0] * v, 0.0)))
    elif kind == CAPSULE:
        lies = 1.0
        side = add(p, scale(sign * size[0], normal))
    else:
        side = (p[0], p[1], p[2])
    if lies < 1.0:
        add_polygon(detection, i, j, k, sides, 1.0 - lies)
    if lies > 0.0:
        half = scale(size[1], column_of(R, 2))
        a, b = subtract(side, half), add(side, half)
        add_segment(detection, i, k, a, b, sides, lies, OF_SIDE)
