# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Elements of a URDF that are not read, and inertials that do not fit the robot."""

from __future__ import annotations

from pathlib import Path

import pytest

from charmie_dynamics import ModelFileWarning, load_model
from charmie_dynamics.model.description.description_warnings import DescriptionWarning
from charmie_dynamics.model.description.urdf import parse_urdf

ROBOT = """<robot name="arm">
{robot}
<link name="base"/>
<link name="upper">{link}
<inertial><origin xyz="{com} 0 0"/><mass value="{mass}"/>
<inertia ixx="{xx}" iyy="{xx}" izz="{xx}" ixy="0" ixz="0" iyz="0"/>{inertial}</inertial>
</link>
<link name="fore"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><box size="0.4 0.02 0.02"/></geometry>{visual}</visual></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>{joint}</joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/>
<origin xyz="{reach} 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>"""
PLACES = ("robot", "link", "inertial", "visual", "joint")


def warnings_of(**changes: object) -> tuple[DescriptionWarning, ...]:
    empty = dict.fromkeys(PLACES, "")
    given = {"com": 0.1, "mass": 2.0, "xx": 0.02, "reach": 0.4, **empty, **changes}
    return parse_urdf(ROBOT.format(**given), "arm.urdf").warnings


@pytest.mark.parametrize(
    ("place", "text", "name", "words"),
    [
        ("robot", '<loop_joint name="x"><link1 link="a"/></loop_joint>', "loop_joint", "loop_joi"),
        ("robot", '<drake:linear_spring_damper xmlns:drake="d"/>', "drake:linear_spring_damper",
         "springs are defined in a mechanisms file"),
        ("robot", "<mujoco><compiler/></mujoco>", "mujoco", "ignored"),
        ("robot", "<constraint/>", "constraint", "loop_joints"),
        ("link", "<contact><stiffness value='3'/></contact>", "contact", "world file"),
        ("inertial", "<inertia_scaling value='2'/>", "inertia_scaling", "in <inertial>"),
        ("joint", "<spring stiffness='2'/>", "spring", "springs are defined"),
        ("robot", "<gazebo reference='upper'><mu1>0.3</mu1></gazebo>", "gazebo", "with mu1"),
    ],
)  # fmt: skip
def test_elements_with_a_physical_meaning_are_reported(
    place: str, text: str, name: str, words: str
) -> None:
    (warning,) = warnings_of(**{place: text})
    assert (warning.element, warning.name) == ("element", name)
    assert words in str(warning)
    line = {"robot": 2, "link": 4, "inertial": 6, "joint": 12}[place]
    assert f"arm.urdf, line {line}: element <{name}>" in str(warning)


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("robot", "<gazebo><plugin name='p'><mu1>1</mu1><kp>3</kp></plugin></gazebo>"),
        ("robot", "<gazebo reference='upper'><material>Grey</material></gazebo>"),
        ("robot", "<transmission name='t'><type>a</type></transmission>"),
        ("robot", "<sensor name='s'><parent link='base'/></sensor><ros2_control/>"),
        ("link", "<self_collision_checking/>"),
        ("joint", "<safety_controller k_velocity='3'/><calibration rising='0'/>"),
        ("visual", "<shininess/>"),
    ],
)
def test_other_elements_are_skipped(place: str, text: str) -> None:
    assert warnings_of(**{place: text}) == ()


def test_elements_of_one_name_are_one_warning_with_their_number() -> None:
    (warning,) = warnings_of(robot="<loop_joint/>\n<loop_joint/>\n<loop_joint/>")
    assert "(3 elements)" in warning.fault
    assert warning.line == 2


def test_elements_of_gazebo_are_one_warning_with_their_names() -> None:
    block = "<gazebo><kp>1</kp><mu2>2</mu2></gazebo>"
    (warning,) = warnings_of(robot=block + "<gazebo><sensor/></gazebo>" + block)
    assert warning.fault == "with kp, mu2 in <robot> is not supported (2 elements)"


def test_attributes_of_dynamics_are_reported() -> None:
    (warning,) = warnings_of(joint='<dynamics damping="1" spring_stiffness="3"/>')
    assert warning.subject == "joint 'shoulder'"
    assert "attribute 'spring_stiffness' of <dynamics>" in warning.fault


def test_loading_warns_once(tmp_path: Path) -> None:
    given = {"com": 0.1, "mass": 2.0, "xx": 0.02, "reach": 0.4, **dict.fromkeys(PLACES, "")}
    given["robot"] = "<loop_joint/><loop_joint/>"
    path = tmp_path / "arm.urdf"
    path.write_text(ROBOT.format(**given), encoding="utf-8")
    with pytest.warns(ModelFileWarning, match="loop_joint") as caught:
        model = load_model(urdf=path)
    assert len(caught) == 1
    assert [warning.name for warning in model.warnings] == ["loop_joint"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"xx": 2000.0}, "radius of gyration of 31.6 m, larger than the robot (0.8"),
        ({"xx": 5.0}, "radius of gyration of 1.58 m"),
        ({"com": 110.0}, "centre of mass at a distance of 110 m, larger than the robot"),
        ({"com": 110.0, "xx": 4e4, "reach": 0.0}, "larger than the robot (0.4"),
    ],
)
def test_inertials_larger_than_the_robot_are_reported(changes: dict, words: str) -> None:
    (warning,) = warnings_of(**changes)
    assert (warning.element, warning.name) == ("link", "upper")
    assert words in warning.fault
    assert "URDF expects m, kg and kg m^2" in warning.consequence


@pytest.mark.parametrize(
    "changes", [{"xx": 1.0}, {"com": 0.75}, {"mass": 1e-9, "xx": 1e-6}, {"xx": 20.0, "reach": 4.0}]
)
def test_inertials_that_fit_the_robot_are_not(changes: dict) -> None:
    assert warnings_of(**changes) == ()


def test_a_robot_of_unknown_size_may_have_3_m() -> None:
    urdf = """<robot name="pendulum"><link name="base"/><link name="rod"><inertial>
    <origin xyz="{} 0 0"/><mass value="1"/>
    <inertia ixx="{}" iyy="{}" izz="{}" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/></joint></robot>
    """
    assert parse_urdf(urdf.format(2.5, 4.0, 4.0, 4.0), "a.urdf").warnings == ()
    assert len(parse_urdf(urdf.format(0.1, 11.0, 11.0, 11.0), "a.urdf").warnings) == 1
