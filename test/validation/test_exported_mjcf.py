# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Robots that are exported as MJCF need the same efforts there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

from charmie_dynamics import Model, load_model
from charmie_dynamics.conversion.export_options import main
from charmie_dynamics.conversion.import_command import import_robot
from charmie_dynamics.conversion.mjcf_efforts import effort_difference
from charmie_dynamics.conversion.mjcf_writer import write_mjcf
from charmie_dynamics.errors import UnsupportedError
from charmie_dynamics.model.description.package_robots import PACKAGE_ROBOTS

MASS = 1e-8  # kg, of bodies without mass
HEAVIEST = 200.0  # N or N m by a kg of these
POSES = 5
LOOPS = """<robot name="r"><link name="ground"/>
  <link name="a"><inertial><origin xyz="0.2 0 0.1"/><mass value="1.3"/>
    <inertia ixx=".01" iyy=".02" izz=".03" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="b"><inertial><origin xyz="0.1 0 0"/><mass value="0.7"/>
    <inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="c"><inertial><origin xyz="0 0 0.2"/><mass value="0.9"/>
    <inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="first" type="revolute"><parent link="ground"/><child link="a"/>
    <axis xyz="0 1 0"/><limit lower="-0.4" upper="0.4" effort="9" velocity="9"/></joint>
  <joint name="second" type="continuous"><parent link="a"/><child link="b"/>
    <origin xyz="0.4 0 0"/><axis xyz="0 1 0"/></joint>
  <joint name="third" type="continuous"><parent link="ground"/><child link="c"/>
    <origin xyz="0.7 0 0"/><axis xyz="0 1 0"/></joint></robot>"""
# of the end of `b` at `c`; each leaves the one motion of `first`
CLOSINGS = {
    "revolute": "type: revolute, axis: [0, 1, 0], first_point: [0.3, 0, 0.35], "
    "second_point: [0, 0, 0.35]",
    "spherical": "type: spherical, first_point: [0.3, 0, 0.35], second_point: [0, 0, 0.35]",
}
SLIDING = LOOPS.replace("continuous", "prismatic", 1).replace(
    '<origin xyz="0.4 0 0"/><axis xyz="0 1 0"/>',
    '<origin xyz="0.4 0 0"/><axis xyz="1 0 0"/>'
    '<limit lower="-1" upper="1" effort="9" velocity="9"/>',
)


def looped(folder: Path, entry: str, urdf: str = LOOPS, passive: str = "second, third") -> Model:
    (folder / "r.urdf").write_text(urdf)
    (folder / "r.yaml").write_text(
        f"loop_joints:\n  end: {{first_body: b, second_body: c, {entry}}}\n"
        f"passive_joints: [{passive}]\n"
        "joint_springs:\n  s: {joint: second, stiffness: 3.0, rest: 0.1, damping: 0.2}\n"
        "  t: {joint: second, stiffness: 2.0, rest: -0.3}\n"
        "rotors:\n  first: {inertia: 0.01, gear_ratio: 3}\n"
    )
    return load_model(folder / "r.urdf", folder / "r.yaml")


def require_equal(model: Model) -> None:
    found = effort_difference(model, write_mjcf(model, MASS), POSES)
    assert found.effort < 1e-9 * (1.0 + found.largest) + HEAVIEST * MASS
    assert found.opening < 1e-9 and found.poses == POSES and found.largest > 0.0


@pytest.mark.parametrize("name", PACKAGE_ROBOTS)
def test_robots_of_the_package_are_held_by_the_same_efforts(name: str) -> None:
    require_equal(load_model(name))


@pytest.mark.parametrize("kind", CLOSINGS)
def test_loop_joints_with_springs_and_rotors_are_held_by_the_same_efforts(
    kind: str, tmp_path: Path
) -> None:
    require_equal(looped(tmp_path, CLOSINGS[kind]))


def test_a_rod_of_constant_length_is_a_tendon(tmp_path: Path) -> None:
    rod = "type: distance, first_point: [0.1, 0, 0.1], second_point: [0, 0, 0.3], length: 0.4"
    require_equal(looped(tmp_path, rod, passive="third"))


def test_a_sleeve_is_a_weld_to_a_body_that_slides(tmp_path: Path) -> None:
    """A slide on the first arm turns it as far as the second."""
    sleeve = "type: prismatic, axis: [0, 0, 1], first_point: [0.3, 0, 0], second_point: [0, 0, 0.2]"
    model = looped(tmp_path, sleeve, SLIDING, "second, third")
    require_equal(model)
    values = mujoco.MjModel.from_xml_string(write_mjcf(model, MASS))
    assert values.joint("end_slide").type[0] == int(mujoco.mjtJoint.mjJNT_SLIDE)


def test_a_plane_is_a_body_that_slides_in_it(tmp_path: Path) -> None:
    plane = "type: plane, axis: [0.3, 0.2, 1], first_point: [0.3, 0, 0], second_point: [0, 0, 0.2]"
    require_equal(looped(tmp_path, plane, passive="third"))


RELATIONS = """joint_relations:
  gear: {coefficients: {first: 0.7, second: -1.2, third: 0.4}, constant: 0.1}
passive_joints: [second]
rotors: {third: {inertia: 0.02}}
"""


def test_a_relation_of_joints_is_a_fixed_tendon(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(LOOPS)
    (tmp_path / "r.yaml").write_text(RELATIONS)
    model = load_model(tmp_path / "r.urdf", tmp_path / "r.yaml")
    require_equal(model)
    exported = mujoco.MjModel.from_xml_string(write_mjcf(model, MASS))
    assert exported.nbody == 4 and exported.nv == 3


def test_an_exported_robot_can_be_imported_again(tmp_path: Path) -> None:
    model = looped(tmp_path, CLOSINGS["revolute"])
    file = tmp_path / "robot.xml"
    file.write_text(write_mjcf(model, MASS, with_shapes=True))
    _, imported = import_robot(file, tmp_path / "again")
    again = imported.model
    assert again.actuator_names == model.actuator_names == ("first",)
    for angle in (-0.3, 0.0, 0.2):
        efforts = []
        for robot in (model, again):
            position = robot.zero_position()
            position[robot.position_names.index("first")] = angle
            motion = robot.assemble(position, np.ones(len(robot.velocity_names)))
            efforts.append(robot.compute(*motion).actuator_effort[0])
        assert efforts[1] == pytest.approx(efforts[0], abs=1e-9)


def test_shapes_limits_and_friction_are_exported(tmp_path: Path) -> None:
    model = load_model("charmie_wheeled")
    exported = mujoco.MjModel.from_xml_string(write_mjcf(model, MASS, with_shapes=True))
    shapes = [c.kind for link in model.tree.links.values() for c in link.collisions]
    assert exported.ngeom == len(shapes) - shapes.count("mesh") > 0
    arm = exported.joint("left_arm_joint_2")
    limit = next(j.limit for j in model.tree.joints if j.name == "left_arm_joint_2")
    np.testing.assert_allclose(arm.range, (limit.lower, limit.upper))


def test_a_planar_joint_is_refused(tmp_path: Path) -> None:
    robot = looped(tmp_path, CLOSINGS["revolute"])
    joints = tuple(replace(j, type="planar") if j.name == "first" else j for j in robot.tree.joints)
    planar = replace(robot.tree, joints=joints)
    with pytest.raises(UnsupportedError, match="joint 'first': MJCF has no planar joint"):
        write_mjcf(Model(planar, replace(robot.mechanisms, rotors={})), MASS)


def test_the_command_states_the_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "delta.xml"
    assert main(["delta", "--mjcf", str(file), "--poses", "3"]) == 0
    text = capsys.readouterr().out
    assert "efforts in 3 poses at rest" in text and "left out: nothing" in text
    assert mujoco.MjModel.from_xml_path(str(file)).nu == 3
    assert main(["delta", "--mjcf", str(file), "--poses", "0"]) == 1
