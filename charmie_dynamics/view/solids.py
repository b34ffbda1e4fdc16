# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Solids of unit size, which are placed and scaled for markers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from charmie_dynamics.numerics.vectors import Floats, Ints

SIDES = 32


class Mesh(NamedTuple):
    """A closed surface.

    Parameters
    ----------
    vertices : array, shape (v, 3)
        A vertex is repeated for each smooth part of the surface that contains it.
    faces : array of int, shape (f, 3)
        Triangles, counterclockwise from outside.
    """

    vertices: Floats
    faces: Ints


def box() -> Mesh:
    """Return a cube with edges of length 1 about the origin."""
    corners = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    vertices: list[Floats] = []
    faces: list[tuple[int, ...]] = []
    for axis in range(3):
        for side in (-1.0, 1.0):
            face = np.empty((4, 3))
            face[:, axis] = side
            face[:, (axis + 1) % 3], face[:, (axis + 2) % 3] = corners.T
            first = 4 * len(vertices)
            order = (0, 1, 2, 3) if side > 0.0 else (3, 2, 1, 0)
            a, b, c, d = (first + k for k in order)
            faces += [(a, b, c), (a, c, d)]
            vertices.append(0.5 * face)
    return Mesh(np.concatenate(vertices), np.array(faces))


def cylinder() -> Mesh:
    """Return a cylinder of diameter 1 and length 1 along z about the origin."""
    return _turned([(0.0, -0.5), (0.5, -0.5)], [(0.5, -0.5), (0.5, 0.5)], [(0.5, 0.5), (0.0, 0.5)])


def cone() -> Mesh:
    """Return a cone with a base of diameter 1 at z = 0 and its tip at z = 1."""
    return _turned([(0.0, 0.0), (0.5, 0.0)], [(0.5, 0.0), (0.0, 1.0)])


def sphere() -> Mesh:
    """Return a sphere of diameter 1 about the origin."""
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, SIDES // 2 + 1)[1:-1]
    rings = zip((0.5 * np.cos(angle)).tolist(), (0.5 * np.sin(angle)).tolist(), strict=True)
    return _turned([(0.0, -0.5), *rings, (0.0, 0.5)])


def _turned(*outlines: list[tuple[float, float]]) -> Mesh:
    """Return the surface of revolution about z of outlines of points (radius, z), bottom to top."""
    around = np.linspace(0.0, 2.0 * np.pi, SIDES, endpoint=False)
    vertices: list[Floats] = []
    faces: list[tuple[int, int, int]] = []
    for outline in outlines:
        first = SIDES * len(vertices)
        for radius, z in outline:
            ring = (radius * np.cos(around), radius * np.sin(around), np.full(SIDES, z))
            vertices.append(np.column_stack(ring))
        for k in range(len(outline) - 1):
            for i in range(SIDES):
                a, b = first + k * SIDES + i, first + k * SIDES + (i + 1) % SIDES
                c, d = a + SIDES, b + SIDES
                if outline[k][0] > 0.0:
                    faces.append((a, b, d))
                if outline[k + 1][0] > 0.0:
                    faces.append((a, d, c))
    return Mesh(np.concatenate(vertices), np.array(faces))


SOLIDS = {"box": box, "cylinder": cylinder, "cone": cone, "sphere": sphere}
