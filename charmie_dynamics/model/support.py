"""Geometry of standing: the polygon around the contacts, and how far a point is inside it."""

from __future__ import annotations

import numpy as np

from ..core.vectors import Floats


def support_polygon(points: Floats) -> Floats:
    """Return the corners (m, 2) of the convex hull of points, counterclockwise from above.

    Parameters
    ----------
    points : array, shape (n, 2) or (n, 3)
        x and y count (m).

    Returns
    -------
    array, shape (m, 2)
        Fewer than three corners where the points enclose no area. A corner is where the hull
        turns: points on an edge are none.
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
    edge = np.concatenate((polygon[1:], polygon[:1])) - polygon
    from_corner = point[:2] - polygon
    along = (from_corner * edge).sum(axis=1) / (edge * edge).sum(axis=1)
    nearest = polygon + np.minimum(np.maximum(along, 0.0), 1.0)[:, None] * edge
    apart = point[:2] - nearest
    squared = (apart * apart).sum(axis=1)
    i = int(squared.argmin())
    left_of = edge[:, 0] * from_corner[:, 1] - edge[:, 1] * from_corner[:, 0]
    distance = float(squared[i]) ** 0.5
    return nearest[i], distance if (left_of >= 0.0).all() else -distance


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
