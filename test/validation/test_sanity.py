# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The checks of validation.sanity with fewer cases, and that each of them can fail."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from charmie_dynamics import Model, load_model
from validation.mirror import links_after, mirror_map, mirrored_efforts
from validation.sanity import (
    mass_on_the_tool,
    run,
    springs_on_a_closed_path,
    tool_jacobian,
    weight_on_the_floor,
    with_mass,
)
from validation.world import moved_tree, place_on_the_floor, world_frame


@pytest.fixture(scope="module")
def charmie() -> Model:
    return load_model()


def test_floor_carries_mass_times_gravity(charmie: Model) -> None:
    assert weight_on_the_floor(charmie, count=10) < 1e-12


def test_weight_that_the_urdf_does_not_know_shows(charmie: Model) -> None:
    lighter = replace(
        charmie.tree, urdf=charmie.tree.urdf.replace('mass value="28"', 'mass value="27"')
    )
    assert weight_on_the_floor(Model(lighter, charmie.mechanisms), count=1) > 0.01


def test_springs_do_no_work_along_a_closed_path_and_lose_what_they_do_on_the_way(
    charmie: Model,
) -> None:
    closed, energy, curve = springs_on_a_closed_path(charmie, count=2)
    assert closed < 1e-12
    assert energy < 1e-12
    assert np.abs(curve[0]).max() > 1.0  # J: there is work to lose


def test_spring_of_another_stiffness_than_its_energy_shows(charmie: Model) -> None:
    # the closed path alone cannot tell: any force that depends on one length only passes it
    spring = charmie.mechanisms.springs[0]
    softer = replace(spring, stiffness=0.9 * spring.stiffness)
    mechanisms = replace(charmie.mechanisms, springs=(softer,))
    model = Model.of(replace(charmie.robot, mechanisms=mechanisms))
    _, energy, _ = springs_on_a_closed_path(model, count=1)
    assert energy > 1e-3


@pytest.mark.parametrize("tool", ["left_tool", "right_tool"])
def test_mass_on_a_tool_adds_its_weight_through_the_jacobian(charmie: Model, tool: str) -> None:
    assert mass_on_the_tool(charmie, tool, count=3) < 1e-11


def test_mass_on_one_tool_leaves_the_other_arm_alone(charmie: Model) -> None:
    position = charmie.zero_position()
    position[5:19] = 0.3
    heavier = Model(with_mass(charmie.tree, "left_tool", 2.0), charmie.mechanisms)
    gained = heavier.compute(position).actuator_effort - charmie.compute(position).actuator_effort
    left, right = gained[5:11], gained[12:18]
    assert np.abs(left).max() > 1.0
    np.testing.assert_allclose(right, 0.0, atol=1e-12)


def test_jacobian_of_the_base_is_known(charmie: Model) -> None:
    position = charmie.zero_position()
    position[3:5] = 0.45, 0.4
    J = tool_jacobian(charmie, "left_tool", position, np.full(21, 0.0005))
    np.testing.assert_allclose(J[:, :2], [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], atol=1e-11)


def test_mirrored_states_take_mirrored_efforts_where_the_head_is_reflected(charmie: Model) -> None:
    agreement, unreflected, shown = mirrored_efforts(charmie, count=5)
    assert agreement < 1e-12
    assert unreflected > 1e-3
    assert len(shown) == 21
    for entry in (
        "base_x_joint -> -base_x_joint",
        "base_y_joint -> base_y_joint",
        "base_yaw_joint -> -base_yaw_joint",
        "lift_actuator -> lift_actuator",
        "left_arm_joint_1 -> -right_arm_joint_1",
        "right_arm_joint_2 -> left_arm_joint_2",
        "left_gripper_joint -> -right_gripper_joint",
        "neck_pan_joint -> -neck_pan_joint",
    ):
        assert entry in shown


def test_robot_that_is_not_symmetric_has_no_mirror_image(charmie: Model) -> None:
    with pytest.raises(ValueError, match="no single mirror image"):
        mirror_map(charmie, charmie)
    assert links_after(charmie.tree, "neck_mount") == {"neck_pan_link", "head", "head_top"}


def test_world_frame_may_stand_anywhere(charmie: Model) -> None:
    assert world_frame(charmie, count=4) < 1e-12


def test_gravity_that_does_not_turn_with_the_world_shows(charmie: Model) -> None:
    tilt = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    position = charmie.zero_position()
    tilted = Model(moved_tree(charmie.tree, tilt, np.zeros(3)), charmie.mechanisms)
    difference = (
        tilted.compute(position).actuator_effort - charmie.compute(position).actuator_effort
    )
    assert np.abs(difference).max() > 100.0


def test_robot_may_stand_anywhere_on_the_floor(charmie: Model) -> None:
    assert place_on_the_floor(charmie, count=4) < 1e-12


def test_report_has_seven_checks_that_hold_and_a_figure(tmp_path) -> None:
    checks = run(tmp_path)
    assert len(checks) == 7
    assert [check.title for check in checks if not check.holds] == []
    (name,) = [name for check in checks for name in check.figures]
    assert re.fullmatch(r"[a-z_]+\.png", name)
    assert 1_000 < (tmp_path / name).stat().st_size < 150_000
