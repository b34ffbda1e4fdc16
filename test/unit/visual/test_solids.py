# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from charmie_dynamics.errors import InputError
from charmie_dynamics.visual.pictures.solids import Solid, solid_of
from charmie_dynamics.visual.scene import Shape

TURN = np.linspace(0.0, 6.0 * math.pi, 200)
HELIX = np.c_[0.1 * np.cos(TURN), 0.1 * np.sin(TURN), 0.05 * TURN]
HELIX_LENGTH = float(np.linalg.norm(np.diff(HELIX, axis=0), axis=1).sum())

SHAPES = {
    "box": Shape("t", 0, "box", "f", scale=(0.2, 0.3, 0.5)),
    "cylinder": Shape("t", 0, "cylinder", "f", scale=(0.2, 0.4, 0.7)),
    "sphere": Shape("t", 0, "sphere", "f", scale=(0.2, 0.3, 0.4)),
    "tube": Shape("t", 0, "line_strip", "f", scale=(0.02, 0.0, 0.0), points=HELIX),
    "arrow": Shape(
        "t", 0, "arrow", "f", scale=(0.1, 0.2, 0.3), points=np.array([[0, 0, 0], [1, 2, 2.0]])
    ),
}
VOLUMES = {
    "box": 0.2 * 0.3 * 0.5,
    "cylinder": math.pi * 0.1 * 0.2 * 0.7,
    "sphere": 4.0 / 3.0 * math.pi * 0.1 * 0.15 * 0.2,
    "tube": math.pi * 0.01**2 * HELIX_LENGTH,
    "arrow": math.pi * 0.05**2 * 2.7 + math.pi * 0.1**2 * 0.3 / 3.0,
}


def face_normals(solid: Solid) -> np.ndarray:
    a, b, c = np.moveaxis(solid.corners, 1, 0)
    return np.cross(b - a, c - a)


def area_filter(solid: Solid) -> np.ndarray:
    """The triangles at a pole or tip, which have no area, have no direction either."""
    return np.linalg.norm(face_normals(solid), axis=1) > 1e-12


@pytest.mark.parametrize("name", SHAPES)
def test_volume_enclosed_by_the_surface_is_that_of_the_shape(name: str) -> None:
    solid = solid_of(SHAPES[name])
    volume = np.einsum("mi,mi->", solid.corners[:, 0], face_normals(solid)) / 6.0
    # Circles are polygons of 12 sides or more: up to 4.5 % of the volume is cut off.
    assert 0.95 * VOLUMES[name] < volume < 1.001 * VOLUMES[name]


@pytest.mark.parametrize("name", ["box", "cylinder", "sphere", "tube"])
def test_surface_is_closed(name: str) -> None:
    solid = solid_of(SHAPES[name])
    keys = [[tuple(p) for p in t] for t in np.round(solid.corners[area_filter(solid)], 9)]
    edges = Counter((t[i], t[(i + 1) % 3]) for t in keys for i in range(3))
    assert all(edges[(b, a)] == count for (a, b), count in edges.items())


@pytest.mark.parametrize("name", SHAPES)
def test_corner_normals_are_units_on_the_outer_side_of_their_face(name: str) -> None:
    solid = solid_of(SHAPES[name])
    faces = face_normals(solid)[area_filter(solid)]
    normals = solid.normals[area_filter(solid)]
    np.testing.assert_allclose(np.linalg.norm(normals, axis=-1), 1.0, atol=1e-12)
    assert (np.einsum("mi,mci->mc", faces, normals) > 0.0).all()


def test_pose_of_the_shape_moves_its_surface() -> None:
    R_frame_shape = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    shape = Shape("t", 0, "box", "f", (1.0, 2.0, 3.0), R_frame_shape, (0.2, 0.4, 0.6))
    corners = solid_of(shape).corners.reshape(-1, 3)
    np.testing.assert_allclose(corners.min(axis=0), [0.8, 1.9, 2.7])
    np.testing.assert_allclose(corners.max(axis=0), [1.2, 2.1, 3.3])


def test_arrow_ends_at_its_tip_even_when_shorter_than_its_head() -> None:
    points = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.1]])
    shape = Shape("t", 0, "arrow", "f", scale=(0.1, 0.2, 0.3), points=points)
    corners = solid_of(shape).corners.reshape(-1, 3)
    assert corners[:, 2].min() == pytest.approx(0.0)
    assert corners[:, 2].max() == pytest.approx(0.1)
    assert np.hypot(corners[:, 0], corners[:, 1]).max() == pytest.approx(0.1 / 3.0)


def test_mesh_is_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"bodies/7 in frame 'head' is a mesh"):
        solid_of(Shape("bodies", 7, "mesh", "head", mesh="file:///head.stl"))


@pytest.mark.parametrize("points", [None, np.zeros((1, 3)), np.ones((3, 3)), np.zeros((2, 2))])
def test_line_without_length_is_refused(points: np.ndarray | None) -> None:
    with pytest.raises(InputError, match="springs/2"):
        solid_of(Shape("springs", 2, "line_strip", "f", points=points))
