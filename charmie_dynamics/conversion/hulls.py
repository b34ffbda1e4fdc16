# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Convex hulls of meshes, with few corners."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from charmie_dynamics.errors import InputError
from charmie_dynamics.model.description.meshes import ConvexMesh, Polyhedron
from charmie_dynamics.numerics.vectors import Floats, Ints

# of the size: so far corners may lie outside; the first for which the hull has clear faces
COARSENESS = (1e-3, 2e-3, 4e-3, 1e-2, 2e-2)
MOST_CORNERS = 500
OF_FILES = 1e-6  # of the size, see `read_mesh`


class Hull(NamedTuple):
    """A convex mesh within a hull.

    Attributes
    ----------
    vertices, faces : (n, 3), (m, 3) array
    deviation : float
        Largest distance of a corner of the mesh that lies outside.
    """

    vertices: Floats
    faces: Ints
    deviation: float

    def obj(self) -> str:
        """Return the text of an OBJ file."""
        lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in self.vertices.tolist()]
        lines += [f"f {a} {b} {c}" for a, b, c in (self.faces + 1).tolist()]
        return "\n".join(lines) + "\n"


def convex_hull(corners: Floats) -> Hull:
    """Return the hull of points, without corners that hardly change it.

    Parameters
    ----------
    corners : (..., 3) array

    Raises
    ------
    InputError
        If the points lie in a plane, or have no clear hull.
    """
    points = np.unique(corners.reshape(-1, 3), axis=0)
    try:
        points = points[ConvexHull(points).vertices]
    except (QhullError, ValueError):
        raise InputError("its corners lie in a plane") from None
    size = float(np.ptp(points, axis=0).max())
    for coarseness in COARSENESS:
        hull = _hull(points, coarseness * size)
        try:
            Polyhedron(ConvexMesh("hull", hull.vertices, hull.faces, OF_FILES), OF_FILES)
        except InputError:
            continue
        return hull
    raise InputError("its hull has faces that are nearly flat")


def _hull(points: Floats, largest: float) -> Hull:
    """Return a hull that grows until no point is further outside, or it has enough corners."""
    chosen = _simplex(points)
    while True:
        hull = ConvexHull(points[chosen])
        heights = points @ hull.equations[:, :3].T + hull.equations[:, 3]
        deviation = max(float(heights.max()), 0.0)
        if deviation <= largest or len(chosen) >= MOST_CORNERS:
            break
        before = len(chosen)
        for facet in np.argsort(-heights.max(axis=0), kind="stable"):
            k = int(heights[:, facet].argmax())
            if heights[k, facet] <= largest or len(chosen) >= MOST_CORNERS:
                break
            # corners side by side would make slivers; one is added in any case
            away = np.linalg.norm(points[chosen] - points[k], axis=1).min()
            if k not in chosen and (away > largest or len(chosen) == before):
                chosen.append(k)
    corners = points[chosen]
    faces = hull.simplices.copy()
    a, b, c = (corners[faces[:, k]] for k in range(3))
    inwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    faces[inwards] = faces[inwards][:, ::-1]
    used, rows = np.unique(faces, return_inverse=True)
    return Hull(corners[used], rows.reshape(-1, 3).astype(np.int64), deviation)


def _simplex(points: Floats) -> list[int]:
    """Return four points that are far from each other."""
    chosen = [int(points[:, 0].argmin())]
    for _ in range(3):
        rows = points[chosen] - points[chosen[0]]
        _, _, axes = np.linalg.svd(np.concatenate([rows, np.zeros((3, 3))]))
        across = (points - points[chosen[0]]) @ axes[len(chosen) - 1 :].T
        chosen.append(int(np.linalg.norm(across, axis=1).argmax()))
    return chosen
