# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Meshes of imported robots: where they are found, and their convex hulls."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics.collision.contact_shape import shapes_of_robot
from charmie_dynamics.conversion.hulls import convex_hull
from charmie_dynamics.conversion.import_command import import_robot
from charmie_dynamics.errors import InputError, ModelFileError
from charmie_dynamics.model.description.meshes import read_mesh

CUBE = np.array([[x, y, z] for z in (0.0, 1.0) for y in (0.0, 1.0) for x in (0.0, 1.0)])
QUADS = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
ROBOT = """<robot name="ice pick/1"><link name="base"/><link name="plate">
  <visual><geometry><mesh filename="package://pick/meshes/cube.obj"/></geometry></visual>
  <collision><geometry><mesh filename="package://pick/meshes/cube.obj"/></geometry></collision>
  <collision><origin xyz="1 2 3"/><geometry>
    <mesh filename="package://pick/meshes/dent.obj" scale="2 1 -1"/></geometry></collision></link>
  <joint name="float" type="planar"><parent link="base"/><child link="plate"/><axis xyz="0 1 0"/>
  </joint></robot>"""


def obj(corners: np.ndarray) -> str:
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in corners.tolist()]
    return "\n".join(lines + ["f " + " ".join(str(v + 1) for v in quad) for quad in QUADS])


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    """Return the URDF of a robot with a cube, and with a cube whose last corner is pushed in."""
    meshes = tmp_path / "src" / "pick" / "meshes"
    meshes.mkdir(parents=True)
    dent = CUBE.copy()
    dent[7] = 0.6
    (meshes / "cube.obj").write_text(obj(CUBE))
    (meshes / "dent.obj").write_text(obj(dent))
    file = tmp_path / "pick.urdf"
    file.write_text(ROBOT)
    return file


def test_hulls_replace_meshes_that_are_not_convex(robot: Path, tmp_path: Path) -> None:
    place, out = tmp_path / "src", tmp_path / "out"
    converted, found = import_robot(robot, out, package_path=[place], hulls=True)
    assert converted.dropped == [
        "shape of 1 meshes of collisions: convex hulls in their place, of which corners lie "
        "outside by up to 0.0e+00 m"
    ]
    model = found.model
    cube, dent = shapes_of_robot(model.tree, model.mechanisms, folder=out)
    assert cube.mesh is not None and dent.mesh is not None
    assert cube.mesh.volume == pytest.approx(1.0)
    # without the corner a cube lacks a tetrahedron; mirrored and stretched
    assert dent.mesh.volume == pytest.approx(2.0 * (1.0 - 1.0 / 6.0))
    np.testing.assert_allclose(dent.p_link_shape, (1 + 1.0, 2 + 0.5, 3 - 0.5))
    visual = model.tree.links["plate"].visuals[0]
    assert Path(visual.mesh) == place / "pick" / "meshes" / "cube.obj"
    (planar,) = model.tree.joints
    np.testing.assert_array_equal(planar.axis, (0, 1, 0))


def test_without_the_option_meshes_that_are_not_convex_are_named(
    robot: Path, tmp_path: Path
) -> None:
    converted, found = import_robot(robot, tmp_path / "out", package_path=[tmp_path / "src"])
    assert converted.dropped == [
        "collisions need convex solids, others are refused: dent.obj; --hulls writes their convex "
        "hulls"
    ]
    with pytest.raises(ModelFileError, match="expected a convex surface"):
        list(shapes_of_robot(found.model.tree, found.model.mechanisms))


def test_a_mesh_that_is_not_found_is_named_with_the_places_that_were_tried(
    robot: Path, tmp_path: Path
) -> None:
    (tmp_path / "src" / "pick" / "meshes" / "dent.obj").unlink()
    converted, _ = import_robot(robot, tmp_path / "out", package_path=[tmp_path / "src"])
    assert converted.dropped[0] == (
        f"mesh 'package://pick/meshes/dent.obj': {tmp_path}/src/pick/meshes/dent.obj is no file"
    )
    converted, _ = import_robot(robot, tmp_path / "out", package_path=[tmp_path / "lib"])
    assert "package 'pick' is not installed; set ROS_PACKAGE_PATH" in converted.dropped[0]
    assert f"tried {tmp_path}/lib/pick" in converted.dropped[0]


def test_hulls_of_smooth_bodies_have_few_corners_and_lie_within_them(tmp_path: Path) -> None:
    rng = np.random.default_rng(38)
    points = rng.normal(size=(4000, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    # a ball of 0.3 m with a flat bottom whose corners lie beside the plane, as in files
    points = 0.3 * points
    low = points[:, 2] < -0.1
    points[low, 2] = -0.1 + rng.uniform(-3e-8, 3e-8, low.sum())
    hull = convex_hull(points)
    assert hull.deviation < 4e-3 * 0.6 and len(hull.vertices) <= 500
    file = tmp_path / "ball.obj"
    file.write_text(hull.obj())
    mesh = read_mesh(file)
    exact = np.pi * 0.4**2 * (0.9 - 0.4) / 3.0  # a cap of height 0.4
    assert 0.98 * exact < mesh.volume < exact
    heights = (points - mesh.middle) @ mesh.normals.T - mesh.offsets
    assert heights.max() <= hull.deviation + 1e-9


def test_points_in_a_plane_have_no_hull() -> None:
    with pytest.raises(InputError, match="its corners lie in a plane"):
        convex_hull(CUBE * [1.0, 1.0, 0.0])
