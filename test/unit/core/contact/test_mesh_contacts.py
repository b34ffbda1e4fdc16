# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Meshes meet other shapes: those of boxes as the boxes, which have methods of their own."""

from __future__ import annotations

import numpy as np
import pytest
from shape_pairs import Meeting, Posed, meet, random_rotation, random_shape

from charmie_dynamics.collision.polyhedra import CUBE, polyhedra_of
from charmie_dynamics.core.contact.detection.detector import Detector
from charmie_dynamics.core.contact.detection.records import (
    BOX,
    CAPSULE,
    CYLINDER,
    FOUND,
    MESH,
    NO_SUCH_PAIR,
    PLANE,
    SPHERE,
    Shapes,
)
from charmie_dynamics.model.description.meshes import ConvexMesh, Polyhedron

TETRAHEDRON = Polyhedron(
    ConvexMesh(
        "tetrahedron",
        [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]],
        [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]],
    )
)


def box_mesh(half: np.ndarray) -> Polyhedron:
    rows = [(loop[0], loop[k], loop[k + 1]) for loop in CUBE.loops for k in (1, 2)]
    return Polyhedron(ConvexMesh("box", CUBE.vertices * half, rows))


def meet_mesh(other: Posed, mesh: Posed, solid: Polyhedron) -> Meeting:
    """Return how a shape meets a mesh."""
    sizes = np.zeros((2, 3))
    sizes[0, : len(other.size)] = other.size
    sizes[1] = mesh.size
    kinds = [other.kind, MESH]
    shapes = Shapes(
        np.array(kinds), np.arange(2), sizes, np.tile(np.eye(3), (2, 1, 1)), np.zeros((2, 3)),
        np.zeros(0, dtype=int),
    )  # fmt: skip
    meshes = [solid if kind == MESH else None for kind in kinds]
    return meet(
        other, mesh, detector=Detector(shapes, [(0, 1)], polyhedra_of(kinds, sizes, meshes))
    )


@pytest.mark.parametrize("kind", [PLANE, SPHERE, CAPSULE, BOX])
def test_mesh_of_a_box_meets_others_as_the_box(kind: int) -> None:
    random = np.random.default_rng(kind)
    signs = set()
    for _ in range(300):
        other = random_shape(random, kind)
        p = other.p + random.normal(size=3) * random.uniform(0.1, 1.0)
        box = Posed(BOX, random.uniform(0.2, 1.0, 3), p, random_rotation(random))
        mesh = box_mesh(np.array(box.size))
        found, expected = meet_mesh(other, box._replace(kind=MESH), mesh), meet(other, box)
        signs.add(expected.distance > 0.0)
        assert found.status == FOUND
        assert found.distance == pytest.approx(expected.distance, abs=1e-12)
        # deep inside two motions may part them that are as long
        if expected.distance > -0.02:
            np.testing.assert_allclose(found.normal, expected.normal, atol=1e-9)
    assert len(signs) == 2


@pytest.mark.parametrize("kind", [SPHERE, CAPSULE, BOX])
def test_normal_separates_by_the_distance(kind: int) -> None:
    random = np.random.default_rng(kind)
    for _ in range(100):
        other = random_shape(random, kind)
        p = np.asarray(other.p) + random.normal(size=3)
        mesh = Posed(MESH, (1.0, 1.0, 1.0), p, random_rotation(random))
        found = meet_mesh(other, mesh, TETRAHEDRON)
        nearest = ((TETRAHEDRON.vertices @ mesh.R.T + p) @ found.normal).min()
        assert nearest == pytest.approx(found.second @ found.normal, abs=1e-12)
        np.testing.assert_allclose(
            found.second - found.first, found.distance * found.normal, atol=1e-12
        )


@pytest.mark.parametrize(
    ("centre", "distance", "normal"),
    [
        ([3.0, 3.0, 3.0], np.sqrt(12.0) - 0.5, [-1, -1, -1]),  # a corner
        ([-3.0, -3.0, -3.0], np.sqrt(27.0) - 1 / np.sqrt(3) - 0.5, [1, 1, 1]),  # a face
        ([0.0, 0.0, 3.0], 2.0 - 0.5, [0, 0, -1]),  # an edge
        ([-0.2, -0.2, -0.2], (0.6 - 1) / np.sqrt(3) - 0.5, [1, 1, 1]),  # within
    ],
)
def test_sphere_meets_corner_edge_and_face_of_a_tetrahedron(
    centre: list[float], distance: float, normal: list[float]
) -> None:
    found = meet_mesh(Posed(SPHERE, (0.5,), centre), Posed(MESH, (1.0, 1.0, 1.0)), TETRAHEDRON)
    assert found.distance == pytest.approx(distance, abs=1e-14)
    np.testing.assert_allclose(found.normal, np.array(normal) / np.linalg.norm(normal), atol=1e-14)


def test_mesh_that_lies_on_a_plane_has_four_shares_at_the_corners_of_its_face() -> None:
    # the last face looks down
    down = -TETRAHEDRON.normals[3]
    axis = np.cross(down, [0.0, 0.0, 1.0])
    sine, cosine = np.linalg.norm(axis), down[2]
    K = np.cross(np.eye(3), axis / sine)
    R = (np.eye(3) - sine * K + (1.0 - cosine) * K @ K).T
    R = R if (R @ down)[2] > 0.999 else R.T
    mesh = Posed(MESH, (1.0, 1.0, 1.0), (0.0, 0.0, 0.5), R)
    found = meet_mesh(Posed(PLANE, ()), mesh, TETRAHEDRON)
    assert found.shares == pytest.approx([4 / 3] * 3)
    assert found.distances == pytest.approx([0.5 - 1 / np.sqrt(3)] * 3)


def test_mesh_on_edge_and_corner_has_its_lowest_vertices_as_points() -> None:
    for R, lowest in ((np.eye(3), 2), (random_rotation(np.random.default_rng(3)), 1)):
        mesh = Posed(MESH, (1.0, 1.0, 1.0), (0.0, 0.0, 1.0), R)
        found = meet_mesh(Posed(PLANE, ()), mesh, TETRAHEDRON)
        assert found.shares.tolist() == [1.0] * 4
        assert np.sum(found.distances < found.distance + 1e-9) == lowest


def test_cylinder_and_mesh_have_no_method() -> None:
    found = meet_mesh(Posed(CYLINDER, (1.0, 1.0)), Posed(MESH, (1.0, 1.0, 1.0)), TETRAHEDRON)
    assert found.status == NO_SUCH_PAIR
