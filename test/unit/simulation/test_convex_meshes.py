# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Meshes that are not convex, or no closed surface, are refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from charmie_dynamics.errors import InputError
from charmie_dynamics.simulation.contact.meshes import ConvexMesh

CUBE = [[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)]
SIDES = [
    *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]),
    *([2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
]


DENTED = [*CUBE, [0.5, 0.5, 0.7]]
DENTED_SIDES = [*SIDES[:-2], [1, 5, 8], [5, 7, 8], [7, 3, 8], [3, 1, 8]]


def test_cube_is_convex() -> None:
    assert ConvexMesh("cube", CUBE, SIDES).faces.shape == (12, 3)


@pytest.mark.parametrize(
    ("vertices", "faces", "message"),
    [
        (
            DENTED,
            DENTED_SIDES,
            r"expected a convex surface, got vertex \d, 0\.\d+ m outside of triangle",
        ),
        (CUBE, SIDES[:-1], "expected a closed surface, got an edge from vertex"),
        (CUBE, [*SIDES[:-1], SIDES[-1][::-1]], "expected triangles that all look outwards"),
        (CUBE, [face[::-1] for face in SIDES], "expected triangles that look outwards"),
        ([*CUBE, [0.5, 0.5, 0.5]], SIDES, "expected each vertex in a triangle, got vertex 8"),
        (CUBE, [*SIDES[:-1], [1, 7, 8]], r"expected vertices 0 to 7, got \[1, 7, 8\]"),
        (CUBE, np.array(SIDES, dtype=float), "expected triangles as whole numbers"),
        (CUBE[:3], SIDES, r"expected vertices of shape \(n, 3\)"),
        ([*CUBE[:-1], [1.0, np.nan, 1.0]], SIDES, "expected finite vertices"),
        ([["a"]], SIDES, "expected numbers as vertices"),
        (np.array(CUBE) * [1.0, 1.0, 0.0], SIDES, "expected triangles with an area"),
        (CUBE, [[0, 1, 2], [0, 1]], "expected triangles of three vertices, got others"),
        (
            [CUBE[0], CUBE[2], CUBE[6], CUBE[4]],
            [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]],
            "expected a body with a volume, got all vertices in the plane of triangle 0",
        ),
    ],
)
def test_mesh_that_is_not_convex_is_refused(vertices: Any, faces: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"mesh 'part': {message}"):
        ConvexMesh("part", vertices, faces)
