# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""From a frame that was clicked to the actuator that moves it."""

from __future__ import annotations

import pytest

from charmie_dynamics import load_model
from charmie_dynamics.view.robot import Joints, doubtful_parts

MODEL = load_model()
PARENTS = dict(zip(MODEL.frame_names, MODEL.flat.frame_parents, strict=True))
JOINTS = Joints(MODEL.tree.urdf)


def actuator_of(frame: str, prefix: str = "") -> str | None:
    def parent(name: str) -> str | None:
        above = PARENTS.get(name[len(prefix) :])
        return prefix + above if above else None

    return JOINTS.actuator_of(prefix + frame, MODEL.actuator_names, parent)


def own_joints() -> list[tuple[str, str]]:
    return [(j.child, j.name) for j in MODEL.tree.joints if j.name in MODEL.actuator_names]


@pytest.mark.parametrize(("frame", "joint"), own_joints())
@pytest.mark.parametrize("prefix", ["", "left/", "left_"])
def test_a_link_belongs_to_its_joint(frame: str, joint: str, prefix: str) -> None:
    assert actuator_of(frame, prefix) == joint


@pytest.mark.parametrize("frame", [f for f in MODEL.frame_names if "_actuator" in f])
def test_a_part_of_a_linear_actuator_belongs_to_it(frame: str) -> None:
    found = actuator_of(frame)
    assert found is not None and frame.startswith(found)


def test_a_frame_without_a_joint_belongs_to_what_carries_it() -> None:
    assert actuator_of("left_tool") == "left_arm_joint_6"


def test_a_link_whose_joint_has_no_actuator_belongs_to_none() -> None:
    torso = next(joint.child for joint in MODEL.tree.joints if joint.name == "torso_joint")
    assert actuator_of(torso) is None


@pytest.mark.parametrize(
    ("actuator", "unit"),
    [("base_x_joint", "N"), ("base_yaw_joint", "N m"), ("lift_actuator", "N")],
)
def test_the_unit_is_that_of_the_joint(actuator: str, unit: str) -> None:
    assert JOINTS.unit(actuator) == unit


@pytest.mark.parametrize("urdf", ["", "<robot"])
def test_without_a_description_there_is_no_unit(urdf: str) -> None:
    assert Joints(urdf).unit("base_x_joint") == ""


HOLLOW = """\
<robot name="r">
<link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="3" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>
"""


def test_a_link_that_no_body_can_be_is_told() -> None:
    (line,) = doubtful_parts(HOLLOW)
    assert line.startswith("robot_description, line 2: link 'arm': no body has these")


@pytest.mark.parametrize("urdf", [MODEL.tree.urdf, "", "<robot"])
def test_nothing_is_told_of_what_is_right_or_cannot_be_read(urdf: str) -> None:
    assert doubtful_parts(urdf) == []
