# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Trajectories are judged before they run."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from charmie_dynamics import InputError, Model, OutOfReachError, UnknownNameError
from charmie_dynamics.model.loads import Payload
from charmie_dynamics.model.stability import Support, stability_of
from charmie_dynamics.motions import Trajectory, judge

SHOULDER = "left_arm_joint_2"


@pytest.fixture
def rest(charmie: Model) -> np.ndarray:
    position = charmie.zero_position()
    for name, value in charmie.mechanisms.rest_pose.items():
        position[charmie.actuator_names.index(name)] = value
    return position


def raising(angle: float, seconds: float = 4.0) -> Trajectory:
    """An arm that is raised sideways, from rest to rest."""
    return Trajectory([SHOULDER], np.array([0.0, seconds]), np.array([[0.0], [angle]]))


def test_efforts_at_the_points_are_those_of_the_model(charmie: Model, rest: np.ndarray) -> None:
    time, names = np.array([0.0, 0.5, 1.5]), (SHOULDER, "torso_actuator")
    p, v, a = np.random.default_rng(1).uniform(0.0, 0.05, (3, 3, 2)) + [[[0.0, 0.32]]] * 1
    v, a = v - [0.0, 0.32], a - [0.0, 0.32]
    verdict = judge(charmie, Trajectory(names, time, p, v, a), rest)
    for k in range(3):
        everything = np.array([rest, np.zeros(len(rest)), np.zeros(len(rest))])
        for m, name in enumerate(names):
            everything[:, charmie.actuator_names.index(name)] = p[k, m], v[k, m], a[k, m]
        expected = charmie.compute(*everything).actuator_effort
        np.testing.assert_allclose(verdict.effort[k], expected, atol=1e-8)


def test_what_the_robot_can_do_is_said_to_be_possible(charmie: Model, rest: np.ndarray) -> None:
    verdict = judge(charmie, raising(0.8), rest)
    assert verdict.excesses == ()
    assert 0.0 < verdict.share.max() <= 1.0


@pytest.mark.parametrize(("acceleration", "tips"), [(1.0, False), (8.0, True)])
def test_base_that_accelerates_too_much_tips_over(
    charmie: Model, rest: np.ndarray, acceleration: float, tips: bool
) -> None:
    time = np.array([0.0, 0.5])
    velocity = np.array([[0.0], [0.5 * acceleration]])
    position = np.array([[0.0], [0.125 * acceleration]])
    verdict = judge(charmie, Trajectory(["base_x_joint"], time, position, velocity), rest)
    assert (verdict.tip_over is not None) == tips
    if verdict.tip_over is not None:
        support = Support.of(charmie)
        motion = np.zeros((2, len(rest)))
        motion[1, charmie.actuator_names.index("base_x_joint")] = acceleration
        margin = stability_of(charmie, support, charmie.compute(rest, *motion)).margin
        assert verdict.tip_over.margin == pytest.approx(margin, abs=1e-9)
        assert "tips over" in verdict.faults[-1]


def test_too_heavy_a_payload_is_named_with_actuator_effort_and_limit(
    charmie: Model, rest: np.ndarray
) -> None:
    verdict = judge(charmie.with_loads({"left_tool": Payload(30.0)}), raising(0.8), rest)
    excess = next(e for e in verdict.excesses if e.actuator == SHOULDER)
    rated = charmie.actuator_limits()[charmie.actuator_names.index(SHOULDER)].effort
    assert (excess.quantity, excess.limit) == ("effort", rated)
    assert excess.value > rated


def test_too_fast_a_motion_is_named_although_it_is_at_rest_at_the_points(
    charmie: Model, rest: np.ndarray
) -> None:
    verdict = judge(charmie, raising(0.8, 0.1), rest)
    excess = next(e for e in verdict.excesses if e.quantity == "velocity")
    assert excess.actuator == SHOULDER
    assert excess.time == pytest.approx(0.05)
    assert excess.value == pytest.approx(1.5 * 0.8 / 0.1)


@pytest.mark.parametrize("beyond", [-20.0, 20.0])
def test_position_beyond_a_limit_is_named(charmie: Model, rest: np.ndarray, beyond: float) -> None:
    limit = charmie.actuator_limits()[charmie.actuator_names.index(SHOULDER)]
    verdict = judge(charmie, raising(beyond, 1000.0), rest)
    excess = next(e for e in verdict.excesses if e.quantity == "position")
    assert excess.limit == (limit.upper if beyond > 0.0 else limit.lower)
    assert excess.value == beyond


def test_joint_of_a_linear_actuator_may_be_named_in_its_place(
    charmie: Model, rest: np.ndarray
) -> None:
    """A point where both stand still."""
    time = np.array([0.0, 1.0])
    length, _, _ = charmie.actuator_from_joint("torso_joint", 0.3)
    by_joint = judge(charmie, Trajectory(["torso_joint"], time, np.full((2, 1), 0.3)), rest)
    names = ["torso_actuator"]
    by_length = judge(charmie, Trajectory(names, time, np.full((2, 1), length)), rest)
    np.testing.assert_allclose(by_joint.effort, by_length.effort, atol=1e-9)


def test_points_are_given_back_with_all_actuators(charmie: Model, rest: np.ndarray) -> None:
    verdict = judge(charmie, raising(0.8), rest)
    column = charmie.actuator_names.index(SHOULDER)
    np.testing.assert_allclose(verdict.motion.time, [0.0, 4.0])
    np.testing.assert_allclose(verdict.motion.position[:, column], [0.0, 0.8])
    others = np.delete(verdict.motion.position, column, axis=1)
    np.testing.assert_array_equal(others, np.delete([rest, rest], column, axis=1))


def test_length_out_of_reach_is_refused(charmie: Model, rest: np.ndarray) -> None:
    position = np.array([[0.35], [2.0]])
    with pytest.raises(OutOfReachError, match="torso_actuator"):
        judge(charmie, Trajectory(["torso_actuator"], np.array([0.0, 1.0]), position), rest)


def test_unknown_joint_is_refused_with_the_nearest_name(charmie: Model, rest: np.ndarray) -> None:
    with pytest.raises(UnknownNameError, match=r"'left_arm_join_2'.*left_arm_joint_2"):
        judge(charmie, Trajectory(["left_arm_join_2"], np.arange(2.0), np.zeros((2, 1))), rest)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"time": np.array([0.0])}, "expected 2 to 10001 points, got 1"),
        ({"time": np.array([0.0, 0.0])}, "expected times that are finite and increase"),
        ({"time": np.array([0.0, np.nan])}, "expected times that are finite and increase"),
        ({"position": np.zeros((2, 2))}, "position: expected shape (2, 1), got (2, 2)"),
        ({"velocity": np.array([[0.0], [np.inf]])}, "velocity: expected finite values"),
        (
            {"names": ["lift_joint", "lift_actuator"], "position": np.zeros((2, 2))},
            "expected each joint once",
        ),
    ],
)
def test_what_is_no_trajectory_is_refused(
    charmie: Model, rest: np.ndarray, change: dict[str, Any], reason: str
) -> None:
    values = {"names": [SHOULDER], "time": np.arange(2.0), "position": np.zeros((2, 1)), **change}
    with pytest.raises(InputError, match=re.escape(reason)):
        judge(charmie, Trajectory(**values), rest)


def test_accelerations_without_velocities_are_omitted(charmie: Model, rest: np.ndarray) -> None:
    alone = raising(0.8)
    with_acceleration = replace(alone, acceleration=np.ones((2, 1)))
    found, expected = (judge(charmie, each, rest) for each in (with_acceleration, alone))
    np.testing.assert_array_equal(found.effort, expected.effort)
