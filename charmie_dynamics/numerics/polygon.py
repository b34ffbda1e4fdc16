# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Convex polygons in the plane: the hull of points, and how far a point is inside it."""

from __future__ import annotations

import math

import numpy as np

from .jit import compiled
from .vectors import Floats


def support_polygon(points: Floats) -> Floats:
    """Return the corners (m, 2) of the convex hull of points, counterclockwise from above.

    Parameters
    ----------
    points : array, shape (n, 2) or (n, 3)
        x and y count (m).

    Returns
    -------
    array, shape (m, 2)
        Fewer than three corners where the points enclose no area. Points on an edge are not
        corners.
    """
    ordered = sorted({(float(p[0]), float(p[1])) for p in points})
    lower, upper = _chain(ordered), _chain(ordered[::-1])
    corners = lower[:-1] + upper[:-1] if len(ordered) > 1 else ordered
    return np.array(corners).reshape(-1, 2)


def nearest_on_edge(point: Floats, polygon: Floats) -> tuple[Floats, float]:
    """Return the point (2,) of a convex polygon's edge next to `point`, and the signed distance.

    Parameters
    ----------
    point : array, shape (2,) or (3,)
        x and y count (m).
    polygon : array, shape (m, 2)
        Corners counterclockwise, m of at least 3 (m).

    Returns
    -------
    nearest : array, shape (2,)
    distance : float
        Positive inside, negative outside (m).
    """
    x, y, distance = nearest_of_polygon(float(point[0]), float(point[1]), polygon)
    return np.array((x, y)), distance


@compiled
def nearest_of_polygon(x: float, y: float, polygon: Floats) -> tuple[float, float, float]:
    """Return the nearest point of `nearest_on_edge`, x and y, and the signed distance."""
    nearest_x = nearest_y = math.nan
    least = math.inf
    is_inside = True
    count = polygon.shape[0]
    for i in range(count):
        k = i + 1 if i + 1 < count else 0
        edge_x = polygon[k, 0] - polygon[i, 0]
        edge_y = polygon[k, 1] - polygon[i, 1]
        from_x = x - polygon[i, 0]
        from_y = y - polygon[i, 1]
        square = edge_x * edge_x + edge_y * edge_y
        along = 0.0
        if square > 0.0:
            along = min(max((from_x * edge_x + from_y * edge_y) / square, 0.0), 1.0)
        on_x = polygon[i, 0] + along * edge_x
        on_y = polygon[i, 1] + along * edge_y
        squared = (x - on_x) * (x - on_x) + (y - on_y) * (y - on_y)
        if squared < least:
            nearest_x, nearest_y, least = on_x, on_y, squared
        if edge_x * from_y - edge_y * from_x < 0.0:
            is_inside = False
    distance = math.sqrt(least)
    return nearest_x, nearest_y, distance if is_inside else -distance


def _chain(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the part of the hull on the right of the way from the first to the last point."""
    chain: list[tuple[float, float]] = []
    for x, y in points:
        while len(chain) > 1:
            (ax, ay), (bx, by) = chain[-2:]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0.0:
                break
            chain.pop()
        chain.append((x, y))
    return chain
