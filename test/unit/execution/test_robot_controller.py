# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The controller in a loop with a simulated robot: goals, tolerances, stops, losses, limits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from charmie_dynamics import Model, load_model
from charmie_dynamics.errors import InputError, UnknownNameError, UnsupportedError
from charmie_dynamics.execution.execution import GoalOutcome
from charmie_dynamics.execution.goal_check import fault_of_path
from charmie_dynamics.execution.goals import (
    BRAKING_TIME,
    Code,
    Defaults,
    Goal,
    GoalError,
    GoalTolerances,
    gripper_goal,
    tolerances_of,
    trajectory_goal,
)
from charmie_dynamics.execution.groups import groups_of
from charmie_dynamics.execution.robot_controller import ControlSettings, RobotController
from charmie_dynamics.motions import Trajectory
from charmie_dynamics.motions.trajectory import columns_of
from charmie_dynamics.simulation import Plant

SECOND = 1_000_000_000
STEP = 0.002
DEFAULTS = Defaults()
SHOULDER, ELBOW = "left_arm_joint_2", "left_arm_joint_3"


class Loop:
    """A controller and a simulated robot that equals its model."""

    def __init__(self, settings: ControlSettings | None = None) -> None:
        settings = settings or ControlSettings()
        self.model = load_model()
        self.start = self.model.rest_position()
        self.plant = Plant(self.model, self.start, 0.0 * self.start, step=STEP, joint_stops=True)
        self.controller = RobotController(self.model, groups_of(self.model), settings)
        self.now, self.outcomes = 0, list[GoalOutcome]()
        self.efforts = list[np.ndarray]()
        self.measure()

    def measure(self) -> None:
        state = self.model.kinematics(self.plant.position, self.plant.velocity)
        self.outcomes += self.controller.update(self.now, state)

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        for _ in range(round(seconds / STEP)):
            if until():
                return
            self.efforts.append(self.controller.effort(self.now))
            self.plant.advance(self.efforts[-1], 1)
            self.now += round(STEP * SECOND)
            self.measure()

    def goal(
        self, names: list[str], time: list[float], offset: list[list[float]], **changes: object
    ) -> Goal:
        """Return a goal with positions relative to the start."""
        columns = [self.model.joint_names.index(name) for name in names]
        begin = self.model.kinematics(self.start).joint_position[columns]
        trajectory = Trajectory(names, np.array(time), begin + np.array(offset))
        group = groups_of(self.model)["left_arm"]
        tolerances = tolerances_of(names, {}, {}, 0.0, DEFAULTS)
        goal = trajectory_goal(group, self.model, trajectory, None, tolerances)
        return goal._replace(**changes)

    def error(self) -> float:
        desired = self.controller.desired(self.now).position
        return float(np.abs(self.plant.position - desired).max())


def test_pose_of_the_first_sample_is_held() -> None:
    loop = Loop()
    loop.run(1.0)
    np.testing.assert_allclose(loop.plant.position, loop.start, atol=1e-6)


def test_trajectory_is_followed_to_the_accuracy_of_the_steps_and_succeeds() -> None:
    loop = Loop()
    loop.controller.execution.start(
        "left_arm", loop.goal([SHOULDER, ELBOW], [1.0], [[0.3, -0.2]]), 0
    )
    errors = []
    loop.run(2.0, lambda: bool(errors.append(loop.error()) or loop.outcomes))
    assert loop.outcomes == [("left_arm", Code.SUCCESSFUL, "", False)]
    assert 0.9 < loop.now / SECOND < 1.3
    # efforts are constant in a step of 2 ms
    assert max(errors) < 2e-3
    k = loop.model.joint_names.index(SHOULDER)
    assert loop.plant.position[k] == pytest.approx(loop.start[k] + 0.3, abs=DEFAULTS.goal)


@pytest.mark.parametrize("mode", ["computed_torque", "pd"])
def test_each_mode_reaches_the_goal(mode: str) -> None:
    loop = Loop(ControlSettings(mode))
    loop.controller.execution.start("left_arm", loop.goal([SHOULDER], [1.0], [[0.3]]), 0)
    loop.run(3.0, lambda: bool(loop.outcomes))
    assert [end.code for end in loop.outcomes] == [Code.SUCCESSFUL]


def test_gravity_compensation_keeps_the_robot_at_rest_wherever_it_is_moved() -> None:
    loop = Loop(ControlSettings("gravity_compensation"))
    moved = loop.start.copy()
    moved[6] += 0.4
    loop.plant.reset(moved, 0.0 * moved)
    loop.now += round(STEP * SECOND)
    loop.measure()
    loop.run(1.0)
    np.testing.assert_allclose(loop.plant.position, moved, atol=1e-4)


def test_newer_goal_replaces_the_present_one_without_a_jump() -> None:
    loop = Loop()
    execution = loop.controller.execution
    execution.start("left_arm", loop.goal([SHOULDER, ELBOW], [1.0], [[0.4, 0.2]]), 0)
    loop.run(0.5)
    before = loop.controller.desired(loop.now)
    replaced = execution.start("left_arm", loop.goal([SHOULDER], [1.0], [[0.0]]), loop.now)
    after = loop.controller.desired(loop.now)
    assert replaced is not None and replaced.code == Code.INVALID_GOAL
    np.testing.assert_allclose(after.position, before.position, atol=1e-12)
    np.testing.assert_allclose(after.velocity, before.velocity, atol=1e-12)
    assert np.abs(before.velocity).max() > 0.1
    worst = 0.0

    def ended() -> bool:
        nonlocal worst
        worst = max(worst, loop.error())
        return bool(loop.outcomes)

    loop.run(3.0, ended)
    assert [end.code for end in loop.outcomes] == [Code.SUCCESSFUL] and worst < 5e-3


def test_path_tolerance_ends_the_goal_and_the_group_stops() -> None:
    loop = Loop()
    names = [SHOULDER]
    tight = tolerances_of(names, {SHOULDER: (1e-9, 0.0, 0.0)}, {}, 0.0, DEFAULTS)
    goal = loop.goal(names, [1.0], [[0.3]], tolerances=tight)
    loop.controller.execution.start("left_arm", goal, 0)
    loop.run(2.0)
    (end,) = loop.outcomes
    assert end.code == Code.PATH_TOLERANCE_VIOLATED and SHOULDER in end.text
    assert np.abs(loop.plant.velocity).max() < 1e-3


def test_goal_that_is_not_reached_in_time_ends_with_its_tolerance() -> None:
    loop = Loop()
    names = [SHOULDER]
    tight = tolerances_of(names, {}, {SHOULDER: (1e-12, 0.0, 0.0)}, 0.2, DEFAULTS)
    loop.controller.execution.start(
        "left_arm", loop.goal(names, [0.5], [[0.1]], tolerances=tight), 0
    )
    loop.run(2.0, lambda: bool(loop.outcomes))
    assert [end.code for end in loop.outcomes] == [Code.GOAL_TOLERANCE_VIOLATED]
    assert loop.now / SECOND == pytest.approx(0.7, abs=0.01)


def test_group_that_is_stopped_brakes_within_the_braking_time() -> None:
    loop = Loop()
    loop.controller.execution.start("left_arm", loop.goal([SHOULDER], [1.0], [[0.5]]), 0)
    loop.run(0.5)
    begin = loop.controller.desired(loop.now).position
    (end,) = loop.controller.stop_group("left_arm", loop.now)
    assert end.code == Code.INVALID_GOAL
    loop.run(BRAKING_TIME + 0.2)
    desired = loop.controller.desired(loop.now)
    assert not desired.velocity.any()
    k = 6
    assert 0.0 < desired.position[k] - begin[k] < 0.1
    assert loop.error() < 1e-3


@pytest.mark.parametrize("fallback", ["hold", "damp", "zero"])
def test_fallback_after_a_stop(fallback: str) -> None:
    loop = Loop(ControlSettings(fallback=fallback))
    loop.controller.execution.start("left_arm", loop.goal([SHOULDER], [1.0], [[0.5]]), 0)
    loop.run(0.5)
    (end,) = loop.controller.stop(loop.now)
    assert "stopped" in end.text and loop.controller.is_stopped
    begin = loop.plant.velocity[6]
    loop.run(0.3)
    if fallback == "zero":
        assert not loop.efforts[-1].any()
    else:
        assert abs(loop.plant.velocity[6]) < 0.5 * begin and loop.efforts[-1].any()
    loop.controller.resume()
    loop.run(2.0)
    assert np.abs(loop.plant.velocity).max() < 0.05 and loop.error() < 0.05


@pytest.mark.parametrize("jump", [-5.0, 0.0, 7.0])
def test_jump_of_time_ends_goals_and_the_measured_pose_is_held(jump: float) -> None:
    loop = Loop()
    loop.controller.execution.start("left_arm", loop.goal([SHOULDER], [1.0], [[0.5]]), 0)
    loop.run(0.5)
    loop.now += round(jump * SECOND)
    loop.measure()
    (end,) = loop.outcomes
    assert end.code == Code.INVALID_GOAL and "time jumped" in end.text
    np.testing.assert_array_equal(loop.controller.desired(loop.now).position, loop.plant.position)


def test_without_measurements_the_last_pose_is_held_by_its_own_efforts() -> None:
    loop = Loop()
    loop.controller.execution.start("left_arm", loop.goal([SHOULDER], [1.0], [[0.5]]), 0)
    loop.run(0.5)
    (end,) = loop.controller.lose("no inputs")
    assert "no inputs" in end.text
    pose = loop.plant.position
    expected = loop.model.compute(pose).actuator_effort
    np.testing.assert_allclose(loop.controller.effort(loop.now), expected, atol=1e-9)
    loop.measure()  # measurements return
    np.testing.assert_array_equal(loop.controller.desired(loop.now).position, pose)


def test_efforts_never_exceed_the_limits() -> None:
    loop = Loop(ControlSettings(kp=(1e6,)))
    loop.plant.reset(loop.start + 0.05, 0.0 * loop.start)
    loop.now += round(STEP * SECOND)
    loop.controller.update(loop.now, loop.model.kinematics(loop.plant.position))
    effort = loop.controller.effort(loop.now)
    rated = np.array([limit.effort or np.inf for limit in loop.model.actuator_limits()])
    assert (np.abs(effort) <= rated).all() and loop.controller.limited == 1


def test_gripper_presses_with_its_effort_and_stalls() -> None:
    loop = Loop()
    model, group = loop.model, groups_of(loop.model)["left_gripper"]
    (column,) = group.columns
    low = model.actuator_limits()[column].lower
    # the gripper meets its stop before the goal
    goal = gripper_goal(group, model, low - 0.2, 0.3, float(loop.start[column]), DEFAULTS)
    loop.controller.execution.start("left_gripper", goal, 0)
    loop.run(10.0, lambda: bool(loop.outcomes))
    assert [(end.code, end.is_stalled) for end in loop.outcomes] == [(Code.SUCCESSFUL, True)]
    loop.run(0.1)
    assert abs(loop.efforts[-1][column]) == pytest.approx(0.3)


def test_actuators_of_no_group_are_not_commanded() -> None:
    model = load_model()
    controller = RobotController(model, groups_of(model, ["left_arm"]), ControlSettings())
    controller.update(0, model.kinematics(model.rest_position()))
    effort = controller.effort(0)
    commanded = [
        name for name, value in zip(model.actuator_names, effort, strict=True) if np.isfinite(value)
    ]
    assert commanded == list(groups_of(model)["left_arm"].names)


def test_group_that_does_not_exist_is_named_with_the_next_one() -> None:
    with pytest.raises(UnknownNameError, match="left_arm"):
        groups_of(load_model(), ["left_am"])


def test_robot_with_a_free_base_is_refused() -> None:
    model = load_model("athena")
    with pytest.raises(UnsupportedError):
        RobotController(model, groups_of(model), ControlSettings())


@pytest.mark.parametrize(
    "settings", [{"mode": "magic"}, {"fallback": "fall"}, {"kp": (1.0, 2.0)}, {"kd": (-1.0,)}]
)
def test_settings_that_cannot_be_used_are_refused(settings: dict[str, object]) -> None:
    model = load_model("scara")
    with pytest.raises(InputError, match=next(iter(settings))):
        RobotController(model, groups_of(model), ControlSettings(**settings))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def charmie() -> Model:
    return load_model()


@pytest.mark.parametrize(
    ("names", "time", "code", "text"),
    [
        (["left_arm_joint_9"], [1.0], Code.INVALID_JOINTS, "left_arm_joint_"),
        (["right_arm_joint_1"], [1.0], Code.INVALID_JOINTS, "joints of the group"),
        ([], [1.0], Code.INVALID_JOINTS, "none"),
        ([SHOULDER, SHOULDER], [1.0], Code.INVALID_JOINTS, "once"),
        ([SHOULDER], [], Code.INVALID_GOAL, "expected a point"),
        ([SHOULDER], [1.0, 0.5], Code.INVALID_GOAL, "increase"),
        ([SHOULDER], [-1.0, 0.0], Code.INVALID_GOAL, "after its start"),
    ],
)
def test_goals_that_are_none_are_refused_with_their_code(
    charmie: Model, names: list[str], time: list[float], code: Code, text: str
) -> None:
    group = groups_of(charmie)["left_arm"]
    trajectory = Trajectory(names, np.array(time), np.zeros((len(time), len(names))))
    with pytest.raises(GoalError, match=text) as caught:
        trajectory_goal(group, charmie, trajectory, None, free_tolerances(len(names)))
    assert caught.value.code == code


def free_tolerances(count: int) -> GoalTolerances:
    return GoalTolerances(np.full((2, count), np.inf), np.full((2, count), np.inf), 1.0)


def test_goal_that_does_not_end_at_rest_is_refused(charmie: Model) -> None:
    group = groups_of(charmie)["left_arm"]
    trajectory = Trajectory([SHOULDER], np.array([1.0]), np.zeros((1, 1)), np.ones((1, 1)))
    with pytest.raises(GoalError, match="at rest") as caught:
        trajectory_goal(group, charmie, trajectory, None, free_tolerances(1))
    assert caught.value.code == Code.INVALID_GOAL


def test_goal_of_the_past_has_its_own_code() -> None:
    loop = Loop()
    loop.run(2.0)
    goal = loop.goal([SHOULDER], [1.0], [[0.1]], start=SECOND // 2)
    with pytest.raises(GoalError) as caught:
        loop.controller.execution.start("left_arm", goal, loop.now)
    assert caught.value.code == Code.OLD_HEADER_TIMESTAMP


@pytest.mark.parametrize(
    ("given", "expected"),
    [(0.0, DEFAULTS.path), (0.3, 0.3), (-1.0, np.inf)],
)
def test_tolerances_are_given_default_or_none(given: float, expected: float) -> None:
    found = tolerances_of([SHOULDER, ELBOW], {ELBOW: (given, 0.0, 0.0)}, {}, 0.0, DEFAULTS)
    assert found.path[0].tolist() == [DEFAULTS.path, expected]
    assert found.time == DEFAULTS.time


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"other": (0.1, 0.0, 0.0)}, Code.INVALID_JOINTS),
        ({SHOULDER: (-0.5, 0.0, 0.0)}, Code.INVALID_GOAL),
        ({SHOULDER: (float("nan"), 0.0, 0.0)}, Code.INVALID_GOAL),
        ({SHOULDER: (0.1, 0.0, 0.1)}, Code.INVALID_GOAL),
    ],
)
def test_tolerances_that_are_none_are_refused(
    given: dict[str, tuple[float, float, float]], code: Code
) -> None:
    with pytest.raises(GoalError) as caught:
        tolerances_of([SHOULDER], given, {}, 0.0, DEFAULTS)
    assert caught.value.code == code


def test_gripper_that_reverses_stays_within_its_rated_velocity() -> None:
    loop = Loop()
    model, group = loop.model, groups_of(loop.model)["left_gripper"]
    (column,) = group.columns
    limit, execution = model.actuator_limits()[column], loop.controller.execution
    start = float(loop.start[column])
    ends = limit.lower + 0.01, limit.upper - 0.01
    first, second = sorted(ends, key=lambda end: -abs(end - start))
    execution.start("left_gripper", gripper_goal(group, model, first, 0.0, start, DEFAULTS), 0)
    for now in range(SECOND // 20, SECOND, SECOND // 20):
        desired = execution.desired(now)
        here = float(desired.position[column])
        for end in (second, here, here + 0.002, first):
            goal = gripper_goal(group, model, end, 0.0, here, DEFAULTS)
            path = execution.planned("left_gripper", goal, now).path
            assert fault_of_path(model, path, desired.position) == ""
            assert path.spline.at(path.end).position[0] == pytest.approx(end)


def test_gripper_goal_that_lasts_too_long_is_refused(charmie: Model) -> None:
    group = groups_of(charmie)["left_gripper"]
    for position in (1e300, 1e308, -1e10):
        with pytest.raises(GoalError, match="within") as caught:
            gripper_goal(group, charmie, position, 0.0, 0.0, DEFAULTS)
        assert caught.value.code == Code.INVALID_GOAL


@pytest.mark.parametrize("room", [0.1, 0.01, 0.05])
def test_group_that_stops_near_a_limit_does_not_pass_it(charmie: Model, room: float) -> None:
    (column,) = columns_of(charmie, [SHOULDER])
    limit, start = charmie.actuator_limits()[column].upper, charmie.rest_position()
    start[column] = limit - 0.5
    controller = RobotController(charmie, groups_of(charmie), ControlSettings())
    controller.update(0, charmie.kinematics(start))
    trajectory = Trajectory([SHOULDER], np.array([1.0]), np.array([[limit]]))
    group, execution = groups_of(charmie)["left_arm"], controller.execution
    execution.start(
        "left_arm", trajectory_goal(group, charmie, trajectory, None, free_tolerances(1)), 0
    )
    now = 0
    while execution.desired(now).position[column] < limit - room:
        now += SECOND // 1000
    before = execution.desired(now)
    execution.stop("left_arm", now)
    assert execution.desired(now).velocity[column] == pytest.approx(before.velocity[column])
    positions = [execution.desired(now + k * SECOND // 1000).position[column] for k in range(300)]
    assert max(positions) <= limit + 1e-12 and max(positions) == positions[-1]
