# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Contacts of random convex meshes beside coal 3: apart, touching, overlapping.

Where two polyhedra overlap, several motions may part them with nearly the same length; there the
normal is compared only if coal's depth is the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from charmie_dynamics.collision.polyhedra import polyhedra_of
from charmie_dynamics.core.contact.detection.detector import Detector
from charmie_dynamics.core.contact.detection.pairs import TYPES
from charmie_dynamics.core.contact.detection.records import FOUND, Shapes
from charmie_dynamics.model.description.meshes import ConvexMesh, Polyhedron
from charmie_dynamics.simulation.contact.meshes import mesh_distance
from charmie_dynamics.simulation.contact.meshes.distance import SIZES

pytest.importorskip("coal")
RANGES = {"apart": (0.01, 2.0), "touch": (-1e-3, 1e-3), "overlap": (-0.2, -1e-3)}
CASES = 40


def rotation(random: np.random.Generator) -> Any:
    q, _ = np.linalg.qr(random.normal(size=(3, 3)))
    return q * np.linalg.det(q)


def hull(random: np.random.Generator, corners: int) -> Polyhedron:
    """Return the hull of points on an ellipsoid."""
    from scipy.spatial import ConvexHull

    points = random.normal(size=(corners, 3))
    points *= random.uniform(0.3, 0.8, 3) / np.linalg.norm(points, axis=1)[:, None]
    found = ConvexHull(points)
    a, b, c = (points[found.simplices[:, k]] for k in range(3))
    inwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), found.equations[:, :3]) < 0
    faces = np.where(inwards[:, None], found.simplices[:, ::-1], found.simplices)
    return Polyhedron(ConvexMesh("hull", points, faces))


def as_mesh(solid: Polyhedron) -> ConvexMesh:
    faces = [
        (loop[0], loop[k], loop[k + 1]) for loop in solid.loops for k in range(1, len(loop) - 1)
    ]
    return ConvexMesh("hull", solid.vertices, faces)


class Pair:
    """A shape and a mesh, random, at nearly some distance."""

    def __init__(self, random: np.random.Generator, kind: str, goal: float) -> None:
        mesh = hull(random, int(random.integers(4, 30)))
        other = hull(random, int(random.integers(4, 30))) if kind == "mesh" else None
        size = other.half_size if other else random.uniform(0.2, 1.0, SIZES[kind])
        sizes = np.zeros((2, 3))
        sizes[0, : len(size)] = size
        sizes[1] = mesh.half_size
        kinds = [TYPES.index(kind), TYPES.index("mesh")]
        shapes = Shapes(
            np.array(kinds), np.arange(2), sizes, np.tile(np.eye(3), (2, 1, 1)), np.zeros((2, 3)),
            np.zeros(0, dtype=int),
        )  # fmt: skip
        self.detector = Detector(shapes, [(0, 1)], polyhedra_of(kinds, sizes, [other, mesh]))
        self.R = np.array([rotation(random), rotation(random)])
        u = random.normal(size=3)
        u = self.R[0, :, 2] if kind == "plane" else u / np.linalg.norm(u)
        low, high = 0.0, 8.0
        for _ in range(45):
            middle = 0.5 * (low + high)
            self.detector.find(self.R, [np.zeros(3), middle * u])
            if self.detector.contacts.pair_distance[0] < goal:
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
        given = as_mesh(other) if other else (kind, size)
        self.coal = mesh_distance(given, poses[0], as_mesh(mesh), poses[1])


def pairs(kind: str, distances: str) -> list[Pair]:
    random = np.random.default_rng(len(kind))
    return [Pair(random, kind, random.uniform(*RANGES[distances])) for _ in range(CASES)]


@pytest.mark.parametrize("distances", RANGES)
@pytest.mark.parametrize("kind", ["plane", "sphere", "capsule", "box", "mesh"])
def test_mesh_agrees_with_coal_to_1e_9(kind: str, distances: str) -> None:
    for pair in pairs(kind, distances):
        assert pair.distance == pytest.approx(pair.coal.distance, abs=1e-9)
        assert pair.normal == pytest.approx(pair.coal.normal, abs=1e-9)
        assert pair.first @ pair.normal == pytest.approx(pair.coal.first @ pair.normal, abs=1e-9)
        assert pair.second @ pair.normal == pytest.approx(pair.coal.second @ pair.normal, abs=1e-9)
