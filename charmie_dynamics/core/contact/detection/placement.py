# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Shapes in the world, and their bounding boxes."""

from __future__ import annotations

import math
from typing import Any

from charmie_dynamics.numerics.elementary import sqrt
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.rotations import compose
from charmie_dynamics.numerics.vectors import Vector, add, rotate, store

from .records import BOX, CAPSULE, CYLINDER, ELLIPSOID, MESH, PLANE, SPHERE, TORUS, Detection


@compiled
def column_of(R: Any, column: int) -> Vector:
    """Return a column of a rotation matrix: an axis of the frame."""
    return R[0, column], R[1, column], R[2, column]


@compiled
def place_shape(detection: Detection, i: int, R_world_body: Any, p_world_body: Any) -> None:
    """Write the pose of a shape and its bounding box from the pose of its body.

    Parameters
    ----------
    detection : Detection
        Output: `placed`.
    i : int
        Index of the shape.
    R_world_body, p_world_body : (3, 3), (3,)
        Pose of its body.
    """
    shapes, placed = detection.shapes, detection.placed
    R = placed.R_world_shape[i]
    compose(R_world_body, shapes.R_body_shape[i], R)
    p = add(rotate(R_world_body, shapes.p_body_shape[i]), p_world_body)  # contact paper, eq. 29
    store(placed.p_world_shape[i], p)
    kind = shapes.shape_type[i]
    size = shapes.shape_size[i]
    # half of the box along a world axis is the support function in this direction, whose
    # components in the frame of the shape are a row of R
    for k in range(3):
        u, v, w = R[k, 0], R[k, 1], R[k, 2]
        if kind == PLANE:
            half = math.inf
        elif kind == SPHERE:
            half = size[0]
        elif kind == CAPSULE:
            half = size[0] + size[1] * abs(w)
        elif kind == BOX or kind == MESH:
            half = size[0] * abs(u) + size[1] * abs(v) + size[2] * abs(w)
        elif kind == CYLINDER:
            half = size[0] * sqrt(u * u + v * v) + size[1] * abs(w)
        elif kind == ELLIPSOID:
            a, b, c = size[0] * u, size[1] * v, size[2] * w
            half = sqrt(a * a + b * b + c * c)
        elif kind == TORUS:
            half = size[0] * sqrt(u * u + v * v) + size[1]
        placed.box_low[i, k] = p[k] - half
        placed.box_high[i, k] = p[k] + half
