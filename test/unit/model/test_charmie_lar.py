# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The second robot of the package: CHARMIE as it is built, with one arm."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from charmie_dynamics import Model, load_model
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.motions import make_motion

FILES = share_file("urdf", "charmie_lar.urdf"), share_file("config", "charmie_lar_mechanisms.yaml")
ARM_MASSES = (2.7, 2.16, 1.71, 1.384, 1.115, 1.275, 0.1096)


def test_short_name_and_paths_load_the_same_robot(lar: Model) -> None:
    by_path = load_model(*FILES)
    assert by_path.actuator_names == lar.actuator_names
    position = lar.zero_position()
    efforts = [each.compute(position).actuator_effort for each in (lar, by_path)]
    np.testing.assert_array_equal(*efforts)


def test_a_path_alone_has_no_mechanisms() -> None:
    assert load_model(FILES[0]).mechanisms.linear_actuators == ()


def test_the_default_robot_has_a_short_name_too() -> None:
    assert load_model("charmie").actuator_names == load_model().actuator_names


def test_it_has_legs_torso_neck_and_one_arm(lar: Model) -> None:
    assert set(lar.joint_names) == {
        *("base_x_joint", "base_y_joint", "base_yaw_joint", "legs_joint", "torso_joint"),
        *("neck_pan_joint", "neck_tilt_joint"),
        *(f"xarm_joint{i}" for i in range(1, 7)),
    }


def test_the_arm_weighs_what_its_vendor_says(lar: Model) -> None:
    names = ["xarm_link_base", *(f"xarm_link{i}" for i in range(1, 7))]
    inertials = [lar.tree.links[name].inertial for name in names]
    assert [i.mass for i in inertials if i is not None] == list(ARM_MASSES)


@pytest.mark.parametrize("degrees", [8.0, 36.0, 64.0])
@pytest.mark.parametrize("height", [0.0, 0.07, 0.14])
def test_the_robots_range_is_within_the_limits_of_the_actuators(
    lar: Model, height: float, degrees: float
) -> None:
    limits = dict(zip(lar.actuator_names, lar.actuator_limits(), strict=True))
    joints = {"legs_joint": height, "torso_joint": math.radians(degrees) - 0.15708}
    names = {a.joint: a.name for a in lar.mechanisms.linear_actuators}
    for joint, value in joints.items():
        length, _, _ = lar.actuator_from_joint(joint, value)
        limit = limits[names[joint]]
        assert limit.lower <= length <= limit.upper


def test_upright_is_where_the_column_leans_by_the_angle_that_is_told(lar: Model) -> None:
    position = lar.zero_position()
    row = lar.actuator_names.index("torso_actuator")
    told = math.radians(8.0)
    position[row] = lar.actuator_from_joint("torso_joint", told - 0.15708)[0]
    p_world_hinge, R_world_torso = lar.compute(position).frame("torso_link")
    assert math.atan2(R_world_torso[0, 2], R_world_torso[2, 2]) == pytest.approx(told, abs=1e-9)
    # floor to base, base to the lowered legs, legs to hinge: all published
    assert p_world_hinge == pytest.approx([0.0, 0.0, 0.05 + 0.335 + 0.25], abs=1e-9)


def test_every_value_has_a_source() -> None:
    """Each group of values says where it is from, by the marks that the file explains."""
    text = FILES[0].read_text(encoding="utf-8")
    head, body = text.split("<robot ", 1)
    marks = {mark for mark in "RTXCE" if f"[{mark}]" in body}
    assert {mark for mark in "RTXCE" if f"[{mark}]  " in head} == marks | {"E"}
    for link, inertial in re.findall(r'<link name="(\w+)">\n(.*<inertial>.*)', body):
        if not link.startswith("xarm_"):  # those of the arm: one remark for all
            assert "<!--" in inertial, f"inertial of {link} without a source"


def test_the_wave_moves_it_within_reach(lar: Model) -> None:
    motion = make_motion("wave", lar)
    for t in np.linspace(0.0, motion.duration, 40):
        assert np.isfinite(lar.compute(*motion.at(float(t))).actuator_effort).all()
