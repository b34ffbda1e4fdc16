# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from charmie_dynamics import Model
from charmie_dynamics.model.flat.census import Census


def test_charmie_has_the_bodies_and_joints_of_the_paper(charmie: Model) -> None:
    assert charmie.census() == Census(rigid_bodies=40, revolute=34, prismatic=10, fixed=3)


def test_charmie_has_21_degrees_of_freedom(charmie: Model) -> None:
    assert len(charmie.joint_names) == len(charmie.actuator_names) == 21


def test_actuators_are_in_the_order_of_the_interface(charmie: Model) -> None:
    def arm(side: str) -> list[str]:
        return [*(f"{side}_arm_joint_{i}" for i in range(1, 7)), f"{side}_gripper_joint"]

    assert list(charmie.actuator_names) == [
        *("base_x_joint", "base_y_joint", "base_yaw_joint", "lift_actuator", "torso_actuator"),
        *arm("left"),
        *arm("right"),
        *("neck_pan_joint", "neck_tilt_joint"),
    ]


def test_joints_stand_in_the_places_of_their_actuators(charmie: Model) -> None:
    driven = {"lift_actuator": "lift_joint", "torso_actuator": "torso_joint"}
    assert list(charmie.joint_names) == [driven.get(n, n) for n in charmie.actuator_names]


def test_auxiliary_bodies_have_two_frames_each_or_four_in_a_balance(charmie: Model) -> None:
    links = len(charmie.tree.links)
    assert charmie.frame_names[links:] == (
        *("lift_actuator_tube", "lift_actuator_rod"),
        *("torso_actuator_tube", "torso_actuator_rod"),
        *("torso_spring_base", "torso_spring_tip"),
        *(
            f"lift_balance_{side}_{part}"
            for side in ("left", "right")
            for part in ("bar", "upright", "spring_base", "spring_tip")
        ),
    )


def test_crane_is_counted_by_the_same_rules(crane: Model) -> None:
    # 5 bodies turn, 3 slide, 2 are brackets, the floor has no mass; 4 members, 2 balances
    assert crane.census() == Census(
        rigid_bodies=5 + 3 + 2 + 2 * 4 + 4 * 2,
        revolute=5 + 2 * 4 + 4 * 2,
        prismatic=3 + 4 + 2 * 2,
        fixed=2,
    )
