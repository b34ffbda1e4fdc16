# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rasterisation with a depth buffer: the visible triangle at each pixel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats


@dataclass(frozen=True, eq=False)
class Raster:
    """The visible triangle at each pixel of a picture of height h and width w.

    Parameters
    ----------
    face : int array, shape (h, w)
        Index of the triangle, -1 without one.
    weights : array, shape (h, w, 2)
        Barycentric weights of the triangle's second and third corner.
    nearness : array, shape (h, w)
        Of the triangle, larger is nearer. Without one, that of `hidden_behind`, or zero.
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
        1 / depth) of the three corners. Triangles that are counterclockwise on the screen are
        seen from their front.
    width, height : int
        Size of the picture (pixels).
    hidden_behind : Raster, optional
        Triangles behind its triangles are omitted.
    """
    face = np.full((height, width), -1, dtype=np.int32)
    weights = np.zeros((height, width, 2), dtype=np.float32)
    nearness = (
        np.zeros((height, width), dtype=np.float32)
        if hidden_behind is None
        else hidden_behind.nearness.copy()
    )
    x, y = corners[..., 0], corners[..., 1]
    edge_1, edge_2 = corners[:, 1, :2] - corners[:, 0, :2], corners[:, 2, :2] - corners[:, 0, :2]
    area = edge_1[:, 1] * edge_2[:, 0] - edge_1[:, 0] * edge_2[:, 1]
    # Pixels whose centre may be inside.
    first_x = np.maximum(np.ceil(x.min(axis=1) - 0.5), 0).astype(int)
    last_x = np.minimum(np.floor(x.max(axis=1) - 0.5), width - 1).astype(int)
    first_y = np.maximum(np.ceil(y.min(axis=1) - 0.5), 0).astype(int)
    last_y = np.minimum(np.floor(y.max(axis=1) - 0.5), height - 1).astype(int)
    seen = (area > 1e-12) & (first_x <= last_x) & (first_y <= last_y)
    chosen = np.flatnonzero(seen)
    _fill(
        np.ascontiguousarray(corners[chosen]),
        np.ascontiguousarray(np.stack([first_x, last_x, first_y, last_y], axis=1)[chosen]),
        chosen,
        nearness,
        face,
        weights,
    )
    return Raster(face, weights, nearness)


@compiled
def _fill(
    corners: Floats,
    pixels: NDArray[np.int64],
    number: NDArray[np.int64],
    nearness: NDArray[np.float32],
    face: NDArray[np.int32],
    weights: NDArray[np.float32],
) -> None:
    """Write each triangle to the pixels at which it is nearest."""
    for k in range(len(corners)):
        x0, y0, near0 = corners[k, 0]
        a1, b1 = corners[k, 1, 0] - x0, corners[k, 1, 1] - y0
        a2, b2 = corners[k, 2, 0] - x0, corners[k, 2, 1] - y0
        d1, d2 = corners[k, 1, 2] - near0, corners[k, 2, 2] - near0
        area = b1 * a2 - a1 * b2
        for row in range(pixels[k, 2], pixels[k, 3] + 1):
            dy = row + 0.5 - y0
            for column in range(pixels[k, 0], pixels[k, 1] + 1):
                dx = column + 0.5 - x0
                w1 = (dy * a2 - dx * b2) / area
                w2 = (dx * b1 - dy * a1) / area
                if w1 < 0.0 or w2 < 0.0 or w1 + w2 > 1.0:
                    continue
                depth = near0 + w1 * d1 + w2 * d2
                if depth > nearness[row, column]:
                    nearness[row, column] = depth
                    face[row, column] = number[k]
                    weights[row, column, 0] = w1
                    weights[row, column, 1] = w2
