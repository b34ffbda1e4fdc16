# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Contacts beside coal 3, at random poses: apart, touching, overlapping.

Coal is asked for 1e-12. It is the limit itself where a shape is curved and it has no closed form
for the pair: for cylinders and ellipsoids it searches by GJK and EPA. Its normals are exact to 1e-6
there, near touch its distances to 1e-6, and where shapes overlap EPA may end at a depth that is not
the least. Then the depth found here has to be smaller. That the normals found here separate the
shapes as far as it is said, and no others further, `test_random_contacts` holds without a witness.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest

from charmie_dynamics.core.contact.detection.detector import Detector
from charmie_dynamics.core.contact.detection.pairs import TYPES
from charmie_dynamics.core.contact.detection.records import FOUND, Shapes
from charmie_dynamics.simulation.contact.meshes import ConvexMesh, mesh_distance
from charmie_dynamics.simulation.contact.meshes.distance import SIZES

pytest.importorskip("coal")
POLYHEDRAL = ("sphere", "capsule", "box")
ROUND = ("cylinder", "ellipsoid")
SOLID = ("sphere", "capsule", "box", "cylinder")
EXACT = [
    *combinations_with_replacement(POLYHEDRAL, 2),
    *(("plane", kind) for kind in (*SOLID, "ellipsoid")),
]
SEARCHED = [
    *((kind, "cylinder") for kind in SOLID),
    ("sphere", "ellipsoid"),
    ("ellipsoid", "ellipsoid"),
]
RANGES = {"apart": (0.01, 2.0), "touch": (-1e-3, 1e-3), "overlap": (-0.2, -1e-3)}
CASES = 60


def rotation(random: np.random.Generator) -> Any:
    q, _ = np.linalg.qr(random.normal(size=(3, 3)))
    return q * np.linalg.det(q)


class Pair:
    """Two shapes of random size and orientation, at nearly some distance."""

    def __init__(self, random: np.random.Generator, kinds: tuple[str, str], goal: float) -> None:
        self.shapes = [(kind, random.uniform(0.2, 1.0, SIZES[kind])) for kind in kinds]
        sizes = np.zeros((2, 3))
        for row, (_, size) in zip(sizes, self.shapes, strict=True):
            row[: len(size)] = size
        shapes = Shapes(
            np.array([TYPES.index(kind) for kind in kinds]),
            np.arange(2),
            sizes,
            np.tile(np.eye(3), (2, 1, 1)),
            np.zeros((2, 3)),
            np.zeros(0, dtype=int),
        )
        self.detector = Detector(shapes, [(0, 1)])
        self.R = np.array([rotation(random), rotation(random)])
        u = random.normal(size=3)
        u = self.R[0, :, 2] if kinds[0] == "plane" else u / np.linalg.norm(u)
        low, high = 0.0, 8.0
        for _ in range(45):
            middle = 0.5 * (low + high)
            if self.found(middle * u)[0] < goal:
                low = middle
            else:
                high = middle
        self.p = np.array([np.zeros(3), high * u]) + random.normal(size=3)
        self.detector.find(self.R, self.p)
        contacts = self.detector.contacts
        assert contacts.pair_status[0] == FOUND
        self.distance = contacts.pair_distance[0]
        self.normal = contacts.pair_normal[0]
        self.first, self.second = contacts.nearest_first[0], contacts.nearest_second[0]
        poses = list(zip(self.R, self.p, strict=True))
        self.coal = mesh_distance(self.shapes[0], poses[0], self.shapes[1], poses[1])

    def found(self, p: Any) -> Any:
        self.detector.find(self.R, [np.zeros(3), p])
        return self.detector.contacts.pair_distance


def pairs(kinds: tuple[str, str], distances: str) -> list[Pair]:
    random = np.random.default_rng(len(kinds[0]) + 10 * len(kinds[1]))
    return [Pair(random, kinds, random.uniform(*RANGES[distances])) for _ in range(CASES)]


@pytest.mark.parametrize("distances", RANGES)
@pytest.mark.parametrize("kinds", EXACT, ids="-".join)
def test_pair_agrees_with_coal_to_1e_9(kinds: tuple[str, str], distances: str) -> None:
    for pair in pairs(kinds, distances):
        assert pair.distance == pytest.approx(pair.coal.distance, abs=1e-9)
        assert pair.normal == pytest.approx(pair.coal.normal, abs=1e-9)
        assert pair.first @ pair.normal == pytest.approx(pair.coal.first @ pair.normal, abs=1e-9)
        assert pair.second @ pair.normal == pytest.approx(pair.coal.second @ pair.normal, abs=1e-9)


@pytest.mark.parametrize("distances", RANGES)
@pytest.mark.parametrize("kinds", SEARCHED, ids="-".join)
def test_curved_pair_agrees_with_coal_as_far_as_coal_is_exact(
    kinds: tuple[str, str], distances: str
) -> None:
    found = pairs(kinds, distances)
    ahead = np.array([pair.distance - pair.coal.distance for pair in found])
    assert ahead.min() > -1e-6
    assert np.median(np.abs(ahead)) < 1e-9 or distances == "overlap"
    agree = np.abs(ahead) < 1e-6
    assert agree.mean() > (0.95 if distances == "apart" else 0.5)
    normals = [np.abs(pair.normal - pair.coal.normal).max() for pair in found]
    assert np.median(np.array(normals)[agree]) < 1e-5


def icosphere(random: np.random.Generator) -> tuple[Any, Any]:
    """Return the hull of points on an ellipsoid."""
    from scipy.spatial import ConvexHull

    points = random.normal(size=(40, 3))
    points *= random.uniform(0.3, 0.8, 3) / np.linalg.norm(points, axis=1)[:, None]
    hull = ConvexHull(points)
    inside = np.einsum(
        "ij,ij->i",
        np.cross(
            points[hull.simplices[:, 1]] - points[hull.simplices[:, 0]],
            points[hull.simplices[:, 2]] - points[hull.simplices[:, 0]],
        ),
        hull.equations[:, :3],
    )
    faces = np.where(inside[:, None] < 0, hull.simplices[:, ::-1], hull.simplices)
    return points, faces


@pytest.mark.parametrize("kind", ["plane", *POLYHEDRAL])
def test_mesh_of_a_box_is_as_far_from_others_as_the_box(kind: str) -> None:
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    sides = [
        *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]),
        *([2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
    ]
    for distances in RANGES:
        for pair in pairs((kind, "box"), distances)[:20]:
            mesh = ConvexMesh("box", corners * pair.shapes[1][1], sides)
            poses = list(zip(pair.R, pair.p, strict=True))
            found = mesh_distance(pair.shapes[0], poses[0], mesh, poses[1])
            assert found.distance == pytest.approx(pair.distance, abs=1e-9)
            assert found.normal == pytest.approx(pair.normal, abs=1e-8)


def test_meshes_apart_are_so_along_their_normal() -> None:
    random = np.random.default_rng(2)
    for _ in range(20):
        meshes = [ConvexMesh(name, *icosphere(random)) for name in ("one", "other")]
        poses = [(rotation(random), np.zeros(3)), (rotation(random), random.normal(size=3) + 1.0)]
        found = mesh_distance(meshes[0], poses[0], meshes[1], poses[1])
        one, other = (m.vertices @ R.T + p for m, (R, p) in zip(meshes, poses, strict=True))
        gap = (other @ found.normal).min() - (one @ found.normal).max()
        assert found.distance == pytest.approx(gap, abs=1e-9)
