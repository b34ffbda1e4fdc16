"""Which triangle is seen at each pixel: rasterisation with a depth buffer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Raster:
    """What each pixel of a picture of height h and width w sees.

    Parameters
    ----------
    face : int array, shape (h, w)
        Index of the triangle, -1 where there is none.
    weights : array, shape (h, w, 2)
        Barycentric weights of the triangle's second and third corner.
    nearness : array, shape (h, w)
        Of what is seen, larger is nearer; zero where there is nothing.
    """

    face: NDArray[np.int32]
    weights: NDArray[np.float32]
    nearness: NDArray[np.float32]

    def interpolated(self, values: Floats, where: NDArray[np.bool_]) -> Floats:
        """Return values given at the corners, shape (m, 3, n), at the pixels of a mask."""
        corner = values[self.face[where]]
        w = self.weights[where].astype(np.float64)
        first = 1.0 - w[:, 0] - w[:, 1]
        result: Floats = (
            corner[:, 0] * first[:, None] + corner[:, 1] * w[:, :1] + corner[:, 2] * w[:, 1:]
        )
        return result


def rasterize(
    corners: Floats,
    width: int,
    height: int,
    hidden_behind: Raster | None = None,
) -> Raster:
    """Find the nearest front-facing triangle at each pixel.

    Parameters
    ----------
    corners : array, shape (m, 3, 3)
        Pixel x (right), pixel y (down) and nearness (positive, linear in the picture, such as
        1 / depth) of the three corners. Triangles that run clockwise on the screen are seen
        from their front, because y points down where the world's z points up.
    width, height : int
        Size of the picture (pixels).
    hidden_behind : Raster, optional
        Triangles farther than what it shows are left out.
    """
    face = np.full((height, width), -1, dtype=np.int32)
    weights = np.zeros((height, width, 2), dtype=np.float32)
    nearness = (
        np.zeros((height, width), dtype=np.float32)
        if hidden_behind is None
        else hidden_behind.nearness.copy()
    )
    x, y, near = corners[..., 0], corners[..., 1], corners[..., 2]
    edge_1, edge_2 = corners[:, 1, :2] - corners[:, 0, :2], corners[:, 2, :2] - corners[:, 0, :2]
    area = edge_1[:, 1] * edge_2[:, 0] - edge_1[:, 0] * edge_2[:, 1]
    # Pixels whose centre may lie inside.
    first_x = np.maximum(np.ceil(x.min(axis=1) - 0.5), 0).astype(int)
    last_x = np.minimum(np.floor(x.max(axis=1) - 0.5), width - 1).astype(int)
    first_y = np.maximum(np.ceil(y.min(axis=1) - 0.5), 0).astype(int)
    last_y = np.minimum(np.floor(y.max(axis=1) - 0.5), height - 1).astype(int)
    seen = (area > 1e-12) & (first_x <= last_x) & (first_y <= last_y)
    center_x, center_y = np.arange(width) + 0.5, np.arange(height) + 0.5

    for i in np.flatnonzero(seen):
        columns = slice(first_x[i], last_x[i] + 1)
        rows = slice(first_y[i], last_y[i] + 1)
        dx = center_x[columns] - x[i, 0]
        dy = center_y[rows, None] - y[i, 0]
        w1 = (dy * edge_2[i, 0] - dx * edge_2[i, 1]) / area[i]
        w2 = (dx * edge_1[i, 1] - dy * edge_1[i, 0]) / area[i]
        depth = near[i, 0] + w1 * (near[i, 1] - near[i, 0]) + w2 * (near[i, 2] - near[i, 0])
        wins = (w1 >= 0) & (w2 >= 0) & (w1 + w2 <= 1) & (depth > nearness[rows, columns])
        nearness[rows, columns][wins] = depth[wins]
        face[rows, columns][wins] = i
        weights[rows, columns][wins, 0] = w1[wins]
        weights[rows, columns][wins, 1] = w2[wins]
    return Raster(face, weights, nearness)
