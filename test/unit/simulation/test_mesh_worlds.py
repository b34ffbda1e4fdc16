# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Meshes in worlds move as the same shapes that are no meshes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics.collision.polyhedra import CUBE
from charmie_dynamics.errors import ModelFileError
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import World, load_world
from charmie_dynamics.visual.pictures import WorldPainter
from charmie_dynamics.visual.scene.entities import entity_shapes

LAWS = (
    "contacts: {default: {normal: hunt_crossley, stiffness: 1.0e5, restitution: 0.5, "
    "friction: bengisu_akay, kinetic: 0.4, v0: 0.1}}\nentities:\n"
)
FLOOR = "  floor: {shape: plane}\n"
BOX = "{shape: box, size: [0.1, 0.08, 0.06], mass: 1.0, pose: POSE}\n"
MESH = "{shape: mesh, mesh: cube.obj, size: [0.05, 0.04, 0.03], mass: 1.0, pose: POSE}\n"
POSES = ["[0, 0, 0.0305, 0, 0, 0]", "[0, 0, 0.1, 0.3, 0.4, 0.5]"]
FLAT = "[0, 0, 0.03, 0, 0, 0]"
URDF = """
<robot name="sledge">
  <link name="body">
    <inertial><mass value="1"/>
      <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 0.1"/>
      <geometry><mesh filename="cube.obj" scale="0.05 0.04 0.03"/></geometry></collision>
  </link>
</robot>
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    corners = "".join(f"v {x} {y} {z}\n" for x, y, z in CUBE.vertices.tolist())
    faces = "".join(f"f {' '.join(str(v + 1) for v in loop)}\n" for loop in CUBE.loops)
    (tmp_path / "cube.obj").write_text(corners + faces)
    (tmp_path / "sledge.urdf").write_text(URDF)
    return tmp_path


def world(folder: Path, entities: str) -> World:
    path = folder / "world.yaml"
    path.write_text(LAWS + entities)
    return load_world(path)


def motion(folder: Path, entities: str) -> Floats:
    run = world(folder, entities).simulate(0.2, integrator="rk4", step=2e-4)
    return np.hstack([run.position, run.velocity])


@pytest.mark.parametrize("pose", POSES)
def test_mesh_of_a_box_falls_on_a_plane_as_the_box(folder: Path, pose: str) -> None:
    found = [motion(folder, FLOOR + "  can: " + can.replace("POSE", pose)) for can in (BOX, MESH)]
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-9)


def test_mesh_of_a_box_rests_as_deep_as_the_box(folder: Path) -> None:
    found, steps = [], []
    for can in (BOX, MESH):
        own = world(folder, FLOOR + "  can: " + can.replace("POSE", POSES[0]))
        run = own.simulate(0.5, integrator="rk4", step=2e-4)
        found.append(run.contacts.part(run.contacts.time == run.time[-1]).indentation)
        need = own.contact_need("rk4")
        assert need is not None
        steps.append(need.step)
    assert len(found[0]) == len(found[1]) == 4
    assert steps[1] == pytest.approx(steps[0], rel=1e-9)
    # m g over four springs, each K x^1.5
    assert found[1] == pytest.approx(found[0], abs=1e-9)
    assert found[1] == pytest.approx((9.81 / 4e5) ** (2 / 3), rel=1e-2)


@pytest.mark.parametrize("lower", [BOX, MESH], ids=["box", "mesh"])
@pytest.mark.parametrize("pose", ["[0.02, 0, 0.0905, 0, 0, 0.3]", "[0, 0, 0.14, 0.3, 0.4, 0.5]"])
def test_mesh_of_a_box_falls_on_a_body_as_the_box(folder: Path, lower: str, pose: str) -> None:
    found = []
    for can, table in ((BOX, BOX), (MESH, lower)):
        below = "  table: " + table.replace("mass: 1.0, pose: POSE", f"moves: fixed, pose: {FLAT}")
        found.append(motion(folder, below + "  can: " + can.replace("POSE", pose)))
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "other", ["shape: sphere, size: [0.02]", "shape: capsule, size: [0.02, 0.04]"]
)
@pytest.mark.parametrize(
    "pose", ["[0.01, 0, 0.083, 1.5707963267948966, 0, 0]", "[0.04, 0.03, 0.12, 0.4, 0.7, 0]"]
)
def test_round_body_falls_on_a_mesh_of_a_box_as_on_the_box(
    folder: Path, other: str, pose: str
) -> None:
    found = []
    for table in (BOX, MESH):
        below = "  table: " + table.replace("mass: 1.0, pose: POSE", f"moves: fixed, pose: {FLAT}")
        found.append(motion(folder, f"{below}  ball: {{{other}, mass: 0.5, pose: {pose}}}\n"))
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-9)


def test_collision_mesh_of_a_robot_touches(folder: Path) -> None:
    robot = "  robot: {urdf: sledge.urdf, moves: free, pose: [0, 0, 0, 0, 0, 0]}\n"
    run = world(folder, FLOOR + robot).simulate(0.5, integrator="rk4", step=2e-4)
    assert run.pose("robot")[0][-1, 2] == pytest.approx(-0.07, abs=2e-3)
    assert len(run.contacts) > 0


def test_pair_without_a_method_is_named(folder: Path) -> None:
    can = "  can: {shape: cylinder, size: [0.1, 0.2], mass: 1.0, pose: [1, 0, 0, 0, 0, 0]}\n"
    with pytest.raises(ModelFileError, match="'can' and 'stone': a cylinder and a mesh are not"):
        world(folder, can + "  stone: " + MESH.replace("POSE", POSES[1]))


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{shape: mesh, mass: 1}", "expected mesh, the file of it"),
        ("{shape: box, size: [1, 1, 1], mesh: cube.obj, mass: 1}", "a box has no such key"),
        (
            "{shape: mesh, mesh: none.stl, mass: 1}",
            "line 3: entities.can.mesh: .*none.stl: expected a file",
        ),
        (
            "{shape: mesh, mesh: cube.obj, size: [1, 1], mass: 1}",
            "expected 3 numbers of a mesh, got 2",
        ),
        ("{shape: mesh, mesh: world.yaml, mass: 1}", "no format of meshes"),
    ],
)
def test_bad_entry_of_a_mesh_is_refused(folder: Path, entry: str, message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        world(folder, f"  can: {entry}\n")


def test_mesh_is_drawn_and_shown_by_its_file(folder: Path) -> None:
    own = world(folder, FLOOR + "  can: " + MESH.replace("POSE", POSES[0]))
    (shape,) = (s for s in entity_shapes(own.model, own.entities.values()) if s.frame == "can")
    assert (shape.kind, shape.mesh) == ("mesh", (folder / "cube.obj").as_uri())
    assert shape.scale == (0.05, 0.04, 0.03)
    run = own.simulate(0.01, integrator="rk4", step=1e-3)
    boxed = world(folder, FLOOR + "  can: " + BOX.replace("POSE", POSES[0]))
    pictures = [WorldPainter(w, run, contacts=(), size=(160, 120)).image(0) for w in (own, boxed)]
    np.testing.assert_array_equal(*pictures)
