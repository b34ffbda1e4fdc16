# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Trajectories that are followed: they begin where the robot is, and what cannot be is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics import InputError, Model, load_model
from charmie_dynamics.errors import OutOfReachError
from charmie_dynamics.execution.execution import Execution
from charmie_dynamics.execution.following import (
    ScheduledMotion,
    constant_pose,
    followed_trajectory,
    path_of,
)
from charmie_dynamics.execution.goals import Defaults, tolerances_of, trajectory_goal
from charmie_dynamics.execution.groups import groups_of
from charmie_dynamics.motions import MotionPoint, Trajectory, joined_points
from charmie_dynamics.simulation.session.simulated_system import start_position

SECOND = 1_000_000_000
SHOULDER = 6  # left_arm_joint_2


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model()


def followed(
    model: Model,
    names: list[str],
    time: list[float],
    position: list[list[float]],
    start: int = 0,
    now: int = 0,
) -> ScheduledMotion:
    rest = np.zeros(21)
    trajectory = Trajectory(names, np.array(time), np.array(position))
    present = MotionPoint(start_position(model), rest, rest)
    return followed_trajectory(model, trajectory, start, now, present)


def test_a_single_point_is_gone_to_from_where_the_robot_is(model: Model) -> None:
    here = start_position(model)[SHOULDER]
    motion = followed(model, ["left_arm_joint_2"], [2.0], [[here + 0.2]])
    position, velocity, _ = motion.at(0)
    assert position[SHOULDER] == pytest.approx(here) and velocity[SHOULDER] == 0.0
    assert motion.at(SECOND)[0][SHOULDER] == pytest.approx(here + 0.1)
    position, velocity, acceleration = motion.at(5 * SECOND)
    assert position[SHOULDER] == pytest.approx(here + 0.2)
    assert not velocity.any() and not acceleration.any()
    others = np.delete(position, SHOULDER)
    np.testing.assert_array_equal(others, np.delete(start_position(model), SHOULDER))


def test_derivatives_of_what_is_followed_are_those_of_its_positions(model: Model) -> None:
    joint = model.compute(start_position(model)).joint_position[3]
    motion = followed(model, ["lift_joint"], [0.5, 1.5], [[joint + 0.02], [joint]])
    h = 1_000_000
    for now in (300_000_000, 800_000_000, 1_400_000_000):
        (p0, v0, _), (_, v, a), (p1, v1, _) = (motion.at(now + k * h) for k in (-1, 0, 1))
        np.testing.assert_allclose((p1 - p0) / 0.002, v, atol=1e-5)
        np.testing.assert_allclose((v1 - v0) / 0.002, a, atol=1e-4)
    # in lengths of the actuator, which turns the joint to where it is to be
    reached = model.compute(motion.at(SECOND // 2)[0]).joint_position[3]
    assert reached == pytest.approx(joint + 0.02, abs=1e-9)


def test_velocity_of_now_is_where_a_spline_begins(model: Model) -> None:
    start, moving = start_position(model), np.zeros(21)
    moving[SHOULDER] = 0.3
    trajectory = Trajectory(
        ["left_arm_joint_2"], np.array([1.0, 2.0]), start[SHOULDER] + np.array([[0.1], [0.0]])
    )
    present = MotionPoint(start, moving, 0.0 * moving)
    motion = followed_trajectory(model, trajectory, 0, 0, present)
    assert motion.at(0)[1][SHOULDER] == pytest.approx(0.3)


def test_a_stamp_ahead_is_waited_for_and_one_behind_is_caught_up(model: Model) -> None:
    here = start_position(model)[SHOULDER]
    position = [[here], [here + 0.2]]
    late = followed(model, ["left_arm_joint_2"], [0.0, 1.0], position, start=3 * SECOND)
    assert late.at(3 * SECOND)[0][SHOULDER] == pytest.approx(here)
    assert late.at(4 * SECOND)[0][SHOULDER] == pytest.approx(here + 0.2)
    early = followed(
        model, ["left_arm_joint_2"], [0.0, 1.0], position, start=SECOND, now=3 * SECOND // 2
    )
    # without a jump: from the present pose to the next point, at its time
    assert early.at(3 * SECOND // 2)[0][SHOULDER] == pytest.approx(here)
    assert early.at(2 * SECOND)[0][SHOULDER] == pytest.approx(here + 0.2)


@pytest.mark.parametrize(
    ("names", "time", "position", "text"),
    [
        (["left_arm_joint_2"], [1.0, 0.5], [[0.0], [0.1]], "increase"),
        (["left_arm_joint_2"], [1.0, 1.0], [[0.0], [0.1]], "increase"),
        (["left_arm_joint_2"], [1.0], [[float("nan")]], "finite"),
        (["left_arm_joint_2"], [1.0], [[1e308]], "below"),
        (["left_arm_joint_2"], [-1.0, -0.5], [[0.0], [0.1]], "end after now"),
        (["lift_joint", "lift_actuator"], [1.0], [[0.0, 0.5]], "each joint once"),
        (["left_arm_joint_2"], [1.0], [[0.1, 0.2]], "shape"),
    ],
)
def test_points_that_cannot_be_followed_are_refused(
    model: Model, names: list[str], time: list[float], position: list[list[float]], text: str
) -> None:
    with pytest.raises(InputError, match=text):
        followed(model, names, time, position)


@pytest.mark.parametrize("derivatives", [0, 1, 2])
def test_a_path_and_its_trajectory_are_the_same_motion(model: Model, derivatives: int) -> None:
    rng = np.random.default_rng(derivatives)
    start, moving = start_position(model), np.zeros(21)
    moving[SHOULDER] = 0.3
    rows = [start[[SHOULDER]] + 0.1 * rng.standard_normal((3, 1)), *rng.standard_normal((2, 3, 1))]
    trajectory = Trajectory(
        ["left_arm_joint_2"], np.array([0.5, 1.0, 2.0]), *rows[: derivatives + 1]
    )
    path = path_of(model, trajectory, 0.0, MotionPoint(start, moving, 0.0 * moving))
    again = path.trajectory()
    joined = joined_points(again.time, again.position, again.velocity, again.acceleration)
    for time in np.linspace(0.0, 2.0, 9).tolist():
        for one, other in zip(path.spline.at(time), joined.at(time), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-12)


def test_a_length_out_of_reach_is_refused_before_anything_moves(model: Model) -> None:
    with pytest.raises(OutOfReachError):
        followed(model, ["lift_actuator"], [1.0, 2.0], [[0.5], [2.0]])


def test_a_length_out_of_reach_between_two_points_is_refused(model: Model) -> None:
    start = start_position(model)
    lift = model.actuator_names.index("lift_actuator")
    points, fast = np.full((2, 1), start[lift]), np.array([[3.0], [0.0]])
    trajectory = Trajectory(["lift_actuator"], np.array([1.0, 4.0]), points, fast)
    with pytest.raises(OutOfReachError):
        path_of(model, trajectory, 0.0, MotionPoint(start, *np.zeros((2, 21))))


def test_a_held_pose_is_at_rest() -> None:
    position, velocity, acceleration = constant_pose(np.array([1.0, 2.0])).at(7)
    assert position.tolist() == [1.0, 2.0] and not velocity.any() and not acceleration.any()


def test_a_stop_near_a_dead_centre_does_not_pass_it(tmp_path: Path) -> None:
    (tmp_path / "a.urdf").write_text(
        """<robot name="a"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
</joint></robot>""",
        encoding="utf-8",
    )
    (tmp_path / "a.yaml").write_text(
        "linear_actuators: {rod: {joint: turn, base_body: base, base_point: [-0.5, 0, 0], "
        "tip_body: arm, tip_point: [0.1, 0, 0.3]}}\n",
        encoding="utf-8",
    )
    arm = load_model(tmp_path / "a.urdf", tmp_path / "a.yaml")
    execution = Execution(arm, groups_of(arm))
    start = arm.actuator_from_joint("turn", 0.9)[0]
    execution.hold(np.array([start]))
    trajectory = Trajectory(["turn"], np.array([0.1, 0.2]), np.array([[1.1], [1.2]]))
    tolerances = tolerances_of(["turn"], {}, {}, 0.0, Defaults())
    goal = trajectory_goal(execution.groups["robot"], arm, trajectory, None, tolerances)
    execution.start("robot", goal, 0)
    execution.stop("robot", 80_000_000)
    for now in range(80_000_000, 400_000_000, 10_000_000):
        arm.kinematics(execution.desired(now).position)
