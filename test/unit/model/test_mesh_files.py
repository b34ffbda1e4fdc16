# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Meshes are read from STL and OBJ files; what is no convex solid is refused."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics.errors import ModelFileError
from charmie_dynamics.model.description.meshes import Polyhedron, find_mesh, read_mesh
from charmie_dynamics.numerics.vectors import Floats

CORNERS = np.array([[x, y, z] for z in (0.0, 2.0) for y in (0.0, 3.0) for x in (0.0, 4.0)])
QUADS = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]


def triangles(corners: Floats = CORNERS) -> Floats:
    rows = [[q[0], q[k], q[k + 1]] for q in QUADS for k in (1, 2)]
    return corners[np.array(rows)]


def binary_stl(corners: Floats) -> bytes:
    records = [struct.pack("<12fH", 0, 0, 0, *triangle.ravel(), 0) for triangle in corners]
    return b"solid as some do".ljust(80) + struct.pack("<I", len(corners)) + b"".join(records)


def text_stl(corners: Floats) -> bytes:
    lines = ["solid vertex of nothing"]
    for triangle in corners:
        lines += ["facet normal 0 0 0", " outer loop"]
        lines += [f"  vertex {x!r} {y!r} {z!r}" for x, y, z in triangle.tolist()]
        lines += [" endloop", "endfacet"]
    return "\n".join([*lines, "endsolid"]).encode()


def obj(corners: Floats = CORNERS, quads: list[list[int]] = QUADS) -> bytes:
    lines = ["# a comment", "vn 0 0 1"] + [f"v {x!r} {y!r} {z!r}" for x, y, z in corners.tolist()]
    lines += ["f " + " ".join(f"{v + 1}//1" for v in quad) for quad in quads]
    return "\n".join(lines).encode()


def read(
    folder: Path, name: str, data: bytes, factors: tuple[float, ...] = (1, 1, 1)
) -> Polyhedron:
    path = folder / name
    path.write_bytes(data)
    return read_mesh(path, factors)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.stl", binary_stl(triangles())),
        ("a.STL", text_stl(triangles())),
        ("a.obj", obj()),
        ("b.obj", obj(quads=[[v - 8 - 1 for v in quad] for quad in QUADS])),  # from the last on
    ],
)
def test_box_is_read_with_its_faces_and_edges(tmp_path: Path, name: str, data: bytes) -> None:
    mesh = read(tmp_path, name, data)
    assert (len(mesh.vertices), len(mesh.edges), len(mesh.loops)) == (8, 12, 6)
    assert mesh.half_size.tolist() == [2.0, 1.5, 1.0]
    assert mesh.middle.tolist() == mesh.centroid.tolist() == [2.0, 1.5, 1.0]
    assert np.array(mesh.shares).tolist() == [[1.0] * 4] * 6


@pytest.mark.parametrize("factors", [(1.0, 1.0, 1.0), (2.0, 0.5, -1.0)])
def test_mass_centre_and_inertia_of_a_box_are_those_of_the_formula(
    tmp_path: Path, factors: tuple[float, ...]
) -> None:
    mesh = read(tmp_path, "a.obj", obj(), factors)
    a, b, c = np.array([4.0, 3.0, 2.0]) * np.abs(factors)
    assert mesh.volume == pytest.approx(a * b * c, rel=1e-14)
    assert mesh.centroid == pytest.approx(np.array([2.0, 1.5, 1.0]) * factors, abs=1e-14)
    expected = np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) / 12.0
    np.testing.assert_allclose(mesh.squares, expected, rtol=1e-13, atol=1e-13)


def test_inertia_of_a_tetrahedron_is_that_of_the_formula(tmp_path: Path) -> None:
    """Of the corner of a cube: m a^2 3/40 about an edge's axis, products of inertia m a^2 / 80."""
    corners = np.array([[5.0, -3, 2], [6, -3, 2], [5, -2, 2], [5, -3, 3]])
    faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    mesh = read(tmp_path, "a.obj", obj(corners, faces))
    assert mesh.volume == pytest.approx(1 / 6, rel=1e-12)
    assert mesh.centroid == pytest.approx(np.array([5.25, -2.75, 2.25]), rel=1e-12)
    expected = np.full((3, 3), 1 / 80) + np.eye(3) * (3 / 40 - 1 / 80)
    np.testing.assert_allclose(mesh.squares, expected, atol=1e-12)
    assert mesh.half_thickness == pytest.approx((1 - 0.75) / np.sqrt(3), rel=1e-12)


def test_corners_within_a_face_or_an_edge_are_left_out(tmp_path: Path) -> None:
    corners = np.vstack([CORNERS, [[2.0, 0.0, 0.0], [2.0, 1.0, 0.0]]])
    bottom = [[9, 8, 0], [9, 0, 2], [9, 2, 3], [9, 3, 1], [9, 1, 8]]
    quads = [*bottom, *QUADS[1:2], [4, 0, 8, 1, 5], *QUADS[3:]]
    mesh = read(tmp_path, "a.obj", obj(corners, quads))
    assert (len(mesh.vertices), len(mesh.edges), len(mesh.loops)) == (8, 12, 6)


def test_face_of_many_corners_touches_at_eight_with_four_shares(tmp_path: Path) -> None:
    angle = 2 * np.pi * np.arange(40) / 40
    ring = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    corners = np.vstack([ring, ring + np.array([0.0, 0.0, 1.0])])
    sides = [[k, (k + 1) % 40, 40 + (k + 1) % 40, 40 + k] for k in range(40)]
    mesh = read(
        tmp_path, "a.stl",
        binary_stl(read_triangles(corners, [list(range(40))[::-1], list(range(40, 80)), *sides])),
    )  # fmt: skip
    caps = [share for share in mesh.shares if len(share) == 40]
    assert len(caps) == 2
    for share in caps:
        assert np.count_nonzero(share) == 8
        assert share.sum() == pytest.approx(4.0)
        assert share.max() < 0.7


def read_triangles(corners: Floats, polygons: list[list[int]]) -> Floats:
    rows = [[p[0], p[k], p[k + 1]] for p in polygons for k in range(1, len(p) - 1)]
    return corners[np.array(rows)]


DENTED = CORNERS.copy()
DENTED[7] = [3.5, 2.5, 1.2]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.obj", b"", "a.obj: expected triangles, got none"),
        ("a.obj", obj(quads=QUADS[:-1]), "expected a closed surface, got an edge"),
        ("a.obj", b"v 1 2\n", "not a valid OBJ file: line 1: expected three numbers, got 2"),
        ("a.obj", b"v 0 0 0\nf 1 2 3\n", "line 2: expected corners 1 to 1, got 2"),
        ("a.obj", obj(CORNERS * [1, 1, 1e-12]), "expected a body with a volume"),
        ("a.obj", obj(CORNERS * np.nan), "expected finite numbers"),
        ("a.obj", obj(DENTED), r"expected a convex surface, got vertex \d, 0.\d+ m outside of"),
        ("a.obj", obj(quads=[q[::-1] for q in QUADS]), "expected triangles that look outwards"),
        ("a.stl", b"\0" * 100, "not a valid STL file: 100 bytes are not those of 0 triangles"),
        ("a.stl", b"solid\nvertex 1 2\n", "not a valid STL file: expected three corners"),
        ("a.dae", b"", "'.dae' is no format of meshes. Valid: .obj, .stl"),
    ],
)
def test_what_is_no_convex_solid_is_refused(
    tmp_path: Path, name: str, data: bytes, message: str
) -> None:
    with pytest.raises(ModelFileError, match=message):
        read(tmp_path, name, data)


def test_mesh_of_a_package_is_found_where_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "share" / "stones").mkdir(parents=True)
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    assert find_mesh("package://stones/a.stl") == tmp_path / "share" / "stones" / "a.stl"
    with pytest.raises(ModelFileError, match="package 'rocks' is not installed"):
        find_mesh("package://rocks/a.stl")
