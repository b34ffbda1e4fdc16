# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Meshes are read from STL, OBJ and DAE files; what is no convex solid is refused."""

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
        ("a.ply", b"", "'.ply' is no format of meshes. Valid: .dae, .obj, .stl"),
        ("a.dae", b"<COLLADA>", "not a valid DAE file: no element found"),
        ("a.dae", b"<!DOCTYPE x><x/>", "not a valid DAE file: it has a DOCTYPE declaration"),
    ],
)
def test_what_is_no_convex_solid_is_refused(
    tmp_path: Path, name: str, data: bytes, message: str
) -> None:
    with pytest.raises(ModelFileError, match=message):
        read(tmp_path, name, data)


NODE = """<node id="{id}"><translate>{p}</translate><rotate>0 0 1 90</rotate>
<scale>2 1 1</scale>{of}</node>"""
DAE = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="box"><mesh>
<source id="p"><float_array id="pa" count="24">{points}</float_array>
<technique_common><accessor source="#pa" count="8" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>{faces}
</mesh></geometry></library_geometries>
<library_nodes>{inner}</library_nodes>
<library_visual_scenes><visual_scene id="s">{outer}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
SIX_QUADS = " ".join(f"{v} 7" for quad in QUADS for v in quad)
INPUTS = '<input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" offset="1"/>'
TWELVE = " ".join(f"{q[0]} 7 {q[k]} 7 {q[k + 1]} 7" for q in QUADS for k in (1, 2))
FACES = {
    "polylist": f"{INPUTS}<vcount>4 4 4 4 4 4</vcount><p>{SIX_QUADS}</p>",
    "triangles": f"{INPUTS}<p>{TWELVE}</p>",
    "polygons": INPUTS + "".join(f"<p>{' '.join(f'{v} 7' for v in quad)}</p>" for quad in QUADS),
}


def dae(kind: str = "polylist", faces: str = "", of: str = "#box") -> bytes:
    """Return a box in cm, within two nodes that each stretch, turn and move it."""
    inner = NODE.format(id="inner", p="100 0 0", of=f'<instance_geometry url="{of}"/>')
    return DAE.format(
        points=" ".join(f"{x:g}" for x in CORNERS.ravel()),
        faces=f"<{kind}>{faces or FACES[kind]}</{kind}>",
        inner=inner,
        outer=NODE.format(id="outer", p="0 200 0", of='<instance_node url="#inner"/>'),
    ).encode()


@pytest.mark.parametrize("kind", list(FACES))
def test_scene_of_a_collada_file_is_read_in_its_unit_and_its_nodes(
    tmp_path: Path, kind: str
) -> None:
    mesh = read(tmp_path, "a.dae", dae(kind))
    assert (len(mesh.vertices), len(mesh.edges), len(mesh.loops)) == (8, 12, 6)

    def step(points: Floats, p: list[float]) -> Floats:
        x, y, z = (points * np.array([2.0, 1.0, 1.0])).T
        return np.column_stack([-y, x, z]) + np.array(p)

    expected = 0.01 * step(step(CORNERS, [100, 0, 0]), [0, 200, 0])
    corners = expected.min(axis=0), expected.max(axis=0)
    np.testing.assert_allclose(mesh.middle - mesh.half_size, corners[0], atol=1e-12)
    np.testing.assert_allclose(mesh.middle + mesh.half_size, corners[1], atol=1e-12)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (dae(of="#ball"), "<instance_geometry> refers to 'ball', which is no part of the file"),
        (dae(faces=f"{INPUTS}<vcount>4</vcount><p>0 0</p>"), "<polylist> has 1 corners of 4"),
        (dae(faces=f"{INPUTS}<vcount>3</vcount><p>0 0 1 0 8 0</p>"), "beyond its 8 points"),
        (dae(faces="<p>0</p>"), "<polylist> has no input VERTEX"),
        (dae("tristrips", INPUTS), "<tristrips> is not read"),
        (dae().replace(b"#inner", b"#outer"), "its scene has too many nodes"),
        (dae().replace(b"200 0<", b"200<"), "not a valid DAE file"),
        (dae().replace(b">100", b">1oo"), "not a valid DAE file"),
    ],
)
def test_collada_files_with_faults_say_why(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        read(tmp_path, "a.dae", data)


def test_mesh_of_a_package_is_found_where_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "share" / "stones").mkdir(parents=True)
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    assert find_mesh("package://stones/a.stl") == tmp_path / "share" / "stones" / "a.stl"
    with pytest.raises(ModelFileError, match=r"package 'rocks' is not installed; .*share/rocks"):
        find_mesh("package://rocks/a.stl")


def test_packages_are_found_by_option_environment_and_the_folders_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, sourced, installed = (tmp_path / name for name in ("own", "src", "install"))
    for root in (own, sourced, installed / "share"):
        (root / "arm" / "meshes").mkdir(parents=True)
    name, file = "package://arm/meshes/a.stl", Path("arm/meshes/a.stl")
    assert find_mesh(name, sourced / "arm" / "urdf") == sourced / file
    assert find_mesh("model://arm/meshes/a.stl", sourced / "hand") == sourced / file
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"{tmp_path}:{sourced}")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(installed))
    assert find_mesh(name) == installed / "share" / file
    assert find_mesh(name, package_path=[own]) == find_mesh(name, package_path=[own / "arm"])
    assert find_mesh(name, package_path=[own]) == own / file
    # the first place that has the file
    (sourced / file).touch()
    assert find_mesh(name, package_path=[own]) == sourced / file
    with pytest.raises(ModelFileError, match=f"tried {own}/leg, {own}/share/leg, {installed}/leg"):
        find_mesh("package://leg/a.stl", package_path=[own])
