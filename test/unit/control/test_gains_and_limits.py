# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Gains and limits are one for all, an array, or by the names of the actuators."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from charmie_dynamics import InputError, Model, UnknownNameError
from charmie_dynamics.control import ComputedTorque, PDFeedForward

BY_NAME = {"joint_1": 1.0, "joint_3": 3.0, "joint_2": 2.0, "joint_5": 5.0, "joint_4": 4.0}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (7, [7.0] * 5),
        ([1, 2, 3, 4, 5], [1.0, 2.0, 3.0, 4.0, 5.0]),
        (BY_NAME, [1.0, 2.0, 3.0, 4.0, 5.0]),
        (0.0, [0.0] * 5),
    ],
)
def test_gains_are_taken_in_each_form(scara: Model, given: object, expected: list) -> None:
    assert PDFeedForward(scara, given, given).kp.tolist() == expected
    assert PDFeedForward(scara, 1.0, given).kd.tolist() == expected


def test_a_gain_that_changes_later_does_not_change_the_controller(scara: Model) -> None:
    gains = np.ones(5)
    controller = PDFeedForward(scara, gains, gains)
    gains[:] = 9.0
    assert controller.kp.tolist() == controller.kd.tolist() == [1.0] * 5


def test_damping_is_critical_where_none_is_given(scara: Model) -> None:
    controller = ComputedTorque(scara, kp=[0.0, 1.0, 4.0, 100.0, 400.0])
    assert controller.kd.tolist() == [0.0, 2.0, 4.0, 20.0, 40.0]
    assert ComputedTorque(scara, kp=100.0, kd=3.0).kd.tolist() == [3.0] * 5


def test_limits_are_the_rated_efforts_and_those_given_by_name_replace_them(scara: Model) -> None:
    assert ComputedTorque(scara, 1.0).effort_limits.tolist() == [400.0, 150.0, 60.0, 20.0, 8.0]
    some = ComputedTorque(scara, 1.0, effort_limits={"joint_4": 5.0, "joint_1": np.inf})
    assert some.effort_limits.tolist() == [np.inf, 150.0, 60.0, 5.0, 8.0]
    assert ComputedTorque(scara, 1.0, effort_limits=np.inf).effort_limits.tolist() == [np.inf] * 5


def test_an_actuator_without_a_rated_effort_has_no_limit(scara: Model) -> None:
    joints = scara.tree.joints
    unrated = replace(joints[1], limit=replace(joints[1].limit, effort=0.0))
    tree = replace(scara.tree, joints=(joints[0], unrated, *joints[2:]))
    controller = ComputedTorque(Model(tree, scara.mechanisms), 1.0)
    assert controller.effort_limits.tolist() == [400.0, np.inf, 60.0, 20.0, 8.0]


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ([1.0, 2.0], InputError, "kp: expected one number or shape (5,), got (2,)"),
        ([[1.0] * 5], InputError, "kp: expected one number or shape (5,), got (1, 5)"),
        (-1.0, InputError, "kp: expected a finite number of at least 0, got -1 for 'joint_1'"),
        (
            [1, 1, np.nan, 1, 1],
            InputError,
            "kp: expected a finite number of at least 0, got nan for 'joint_3'",
        ),
        (np.inf, InputError, "kp: expected a finite number of at least 0, got inf for 'joint_1'"),
        ("much", InputError, "kp: expected numbers: "),
        ({**BY_NAME, "joint_2": "much"}, InputError, "kp: expected numbers: "),
        (
            {**BY_NAME, "joint_6": 1.0},
            UnknownNameError,
            "kp: 'joint_6' is no actuator; did you mean 'joint_",
        ),
        (
            {"joint_1": 1.0, "joint_2": 1.0},
            InputError,
            "kp: expected a number for each of the 5 actuators, got none for joint_3, joint_4, "
            "joint_5",
        ),
    ],
)
def test_gains_that_cannot_be_used_are_refused(
    scara: Model, given: object, error: type, message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        ComputedTorque(scara, kp=given)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (np.nan, InputError, "effort_limits: expected a number of at least 0, got nan"),
        ({"joint_1": -5.0}, InputError, "effort_limits: expected a number of at least 0, got -5"),
        ({"joint1": 5.0}, UnknownNameError, "did you mean 'joint_1'? Valid: joint_1, joint_2"),
    ],
)
def test_limits_that_cannot_be_used_are_refused(
    scara: Model, given: object, error: type, message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        ComputedTorque(scara, 1.0, effort_limits=given)


def test_a_gain_of_the_velocity_is_named_in_its_message(scara: Model) -> None:
    with pytest.raises(InputError, match=r"^kd: expected a finite number"):
        ComputedTorque(scara, 1.0, kd=-2.0)
