# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Random goals, stops and jumps of time on random robots whose joints follow exactly."""

from __future__ import annotations

import numpy as np
from descriptions import SINGLE, Description
from generator import OF_TREES, Plan, described, plans
from hypothesis import assume, given, note
from hypothesis import strategies as st
from situations import assert_close, situation

from charmie_dynamics import CharmieError, Model
from charmie_dynamics.control.per_actuator import rated_efforts
from charmie_dynamics.execution.execution import RELEASED
from charmie_dynamics.execution.following import in_joints
from charmie_dynamics.execution.goals import (
    BRAKING_TIME,
    Code,
    Defaults,
    GoalError,
    gripper_goal,
    tolerances_of,
    trajectory_goal,
)
from charmie_dynamics.execution.groups import JointGroup, groups_of
from charmie_dynamics.execution.robot_controller import ControlSettings, RobotController
from charmie_dynamics.motions import MotionPoint, Trajectory
from charmie_dynamics.motions.trajectory import columns_of

SECOND = 1_000_000_000
PERIOD = SECOND // 100
COMMANDS = st.lists(
    st.tuples(
        st.sampled_from(["goal", "goal", "goal", "stop", "jump", "lose"]),
        st.integers(0, 1),  # group
        st.integers(0, 2),  # given derivatives
        st.integers(-20, 40),  # start, in periods from now; 0: immediately
        st.integers(1, 30),  # periods until the next command
        st.integers(0, 999),
    ),
    min_size=1,
    max_size=6,
)


class Run:
    """A controller of groups, two if none are given, and the goals that it has to end."""

    def __init__(
        self,
        model: Model,
        position: np.ndarray,
        mode: str,
        groups: dict[str, JointGroup] | None = None,
    ) -> None:
        self.model, names = model, model.actuator_names
        halves = (range(0, len(names), 2), range(1, len(names), 2))
        self.groups = groups or {
            f"group_{k}": JointGroup(f"group_{k}", tuple(names[i] for i in half), tuple(half))
            for k, half in enumerate(halves)
            if len(half)
        }
        self.controller = RobotController(model, self.groups, ControlSettings(mode))
        self.now = SECOND
        self.expected: dict[str, Code] = {}
        self.measure(MotionPoint(position, 0.0 * position, 0.0 * position))

    def measure(self, motion: MotionPoint) -> None:
        """The robot is where it should be: goals end with success, at the end of their path."""
        state = self.model.kinematics(motion.position, motion.velocity)
        for end in self.controller.update(self.now, state):
            assert end.code == self.expected.pop(end.group), end

    def advance(self, periods: int) -> None:
        for _ in range(periods):
            before = self.controller.desired(self.now)
            self.now += PERIOD
            after = self.controller.desired(self.now)
            step, dt = after.position - before.position, PERIOD / SECOND
            # continuous: the mean velocity lies near those at both ends
            least, most = np.sort([before.velocity, after.velocity], axis=0)
            bend = dt * np.abs([before.acceleration, after.acceleration]).max(axis=0)
            assert (step >= dt * (least - 3.0 * bend) - 1e-3).all()
            assert (step <= dt * (most + 3.0 * bend) + 1e-3).all()
            self.measure(after)

    def here(self, names: tuple[str, ...]) -> np.ndarray:
        """Return the desired positions of actuators, or of joints that linear actuators move."""
        columns = columns_of(self.model, names)
        return in_joints(self.model, columns, names, self.controller.desired(self.now)).position

    def goal(self, group: JointGroup, derivatives: int, start: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        names = [name for name in group.names if rng.random() < 0.8] or [group.names[0]]
        count, here = int(rng.integers(1, 4)), self.here(tuple(names))
        rows = [
            here + 0.02 * rng.standard_normal((count, len(names))),
            *(0.02 * rng.standard_normal((2, count, len(names)))),
        ]
        rows[1][-1] = 0.0
        time = np.cumsum(rng.uniform(0.05, 0.2, count))
        trajectory = Trajectory(names, time, *rows[: derivatives + 1])
        tolerances = tolerances_of(names, {}, {}, 0.0, Defaults())
        if 0.0 < start * PERIOD / SECOND + time[-1] < PERIOD / SECOND:
            return  # it would end within a period
        stamp = None if start == 0 else self.now + start * PERIOD
        goal = trajectory_goal(group, self.model, trajectory, stamp, tolerances)
        before, is_late = self.controller.desired(self.now), start * PERIOD / SECOND + time[-1] <= 0
        try:
            self.controller.execution.planned(group.name, goal, self.now)
            if stamp is not None and start > 0:
                self.advance(start)
                before = self.controller.desired(self.now)
            replaced = self.controller.execution.start(group.name, goal, self.now)
        except GoalError as error:
            assert error.code == (Code.OLD_HEADER_TIMESTAMP if is_late else Code.INVALID_GOAL)
            return
        assert not is_late and (replaced is not None) == (group.name in self.expected)
        self.expected[group.name] = Code.SUCCESSFUL
        self.require_continuity(before)

    def require_continuity(self, before: MotionPoint) -> None:
        after = self.controller.desired(self.now)
        assert_close(after.position, before.position)
        assert_close(after.velocity, before.velocity)

    def interrupt(self, how: str, group: JointGroup) -> None:
        before = self.controller.desired(self.now)
        if how == "stop":
            ended = self.controller.stop_group(group.name, self.now)
            self.require_continuity(before)
        elif how == "jump":
            self.now += 5 * SECOND
            ended = self.controller.update(self.now, self.model.kinematics(before.position))
        else:
            ended = self.controller.lose("test")
            self.now += PERIOD
            self.measure(before)
        for end in ended:
            assert end.code == Code.INVALID_GOAL
            assert self.expected.pop(end.group) == Code.SUCCESSFUL
        if how != "stop":
            assert not self.expected
            assert_close(self.controller.desired(self.now).position, before.position)


@given(
    plan=plans(OF_TREES, kinds=SINGLE),
    commands=COMMANDS,
    mode=st.sampled_from(["computed_torque", "pd"]),
)
def test_goals_end_as_they_should_and_motions_are_continuous(
    plan: Plan, commands: list[tuple[str, int, int, int, int, int]], mode: str
) -> None:
    s = situation(plan)
    assume(s.model.actuator_names == s.model.position_names)
    run = Run(s.model, s.x, mode)
    for kind, number, derivatives, start, periods, seed in commands:
        group = run.groups.get(f"group_{number}", run.groups["group_0"])
        if kind == "goal":
            run.goal(group, derivatives, start, seed)
        else:
            run.interrupt(kind, group)
        run.advance(periods)
    run.advance(250)
    assert not run.expected
    desired = run.controller.desired(run.now)
    assert not desired.velocity.any() and not desired.acceleration.any()


@given(plan=plans(OF_TREES, kinds=SINGLE), mode=st.sampled_from(["computed_torque", "pd"]))
def test_efforts_without_errors_are_those_of_the_inverse_dynamics(plan: Plan, mode: str) -> None:
    s = situation(plan)
    assume(s.model.actuator_names == s.model.position_names)
    run = Run(s.model, s.x, mode)
    run.goal(run.groups["group_0"], 2, 0, plan.seed)
    rated = rated_efforts(s.model)
    for _ in range(10):
        run.now += PERIOD
        desired = run.controller.desired(run.now)
        run.measure(desired)
        try:
            expected = s.model.compute(*desired).actuator_effort
        except CharmieError:  # beyond the reach of a mechanism
            return
        effort = run.controller.effort(run.now)
        assert_close(effort, np.clip(expected, -rated, rated))


def with_groups(robot: Description, model: Model, rng: np.random.Generator) -> Description:
    """Return a robot with grippers and groups; joints may stand for their linear actuators."""
    joints = {name: each["joint"] for name, each in robot.section("linear_actuators").items()}
    names = [
        joints[name] if name in joints and rng.random() < 0.5 else name
        for name in rng.permutation(model.actuator_names).tolist()
    ]
    count = int(rng.integers(0, 3))
    robot.mechanisms["grippers"] = {f"gripper_{k}": n for k, n in enumerate(names[:count])}
    parts = [names[count::2], names[count + 1 :: 2]]
    groups = {f"group_{k}": part for k, part in enumerate(parts) if part}
    robot.mechanisms["joint_groups"] = groups
    note(robot.report())
    return robot


@given(
    plan=plans(OF_TREES, kinds=SINGLE),
    commands=st.lists(st.tuples(st.integers(0, 9), st.integers(1, 30)), min_size=1, max_size=6),
    seed=st.integers(0, 999),
)
def test_groups_and_grippers_of_files_move_their_joints_alone(
    plan: Plan, commands: list[tuple[int, int]], seed: int
) -> None:
    """A gripper that is blocked presses with the effort of its goal, until the next one."""
    s, rng = situation(plan), np.random.default_rng(seed)
    assume(s.model.actuator_names == s.model.position_names)
    model = with_groups(described(plan).copy(), s.model, rng).load()
    run = Run(model, s.x, "pd", groups_of(model))
    rated = rated_efforts(model)
    for number, periods in commands:
        group = list(run.groups.values())[number % len(run.groups)]
        before = run.controller.desired(run.now)
        if group.is_gripper:
            (here,) = run.here(group.names)
            end, effort = here + 0.05 * rng.standard_normal(), float(rng.uniform(0.1, 5.0))
            goal = gripper_goal(group, model, end, effort, here, Defaults())
            try:
                replaced = run.controller.execution.start(group.name, goal, run.now)
            except GoalError as error:
                assert error.code == Code.INVALID_GOAL
                continue
            assert (replaced is not None) == (group.name in run.expected)
            run.expected[group.name] = Code.SUCCESSFUL
            (column,) = group.columns
            assert abs(run.controller.effort(run.now)[column]) <= effort
        else:
            run.goal(group, int(rng.integers(3)), 0, int(rng.integers(999)))
        is_alone = not any(name != group.name for name in run.expected)
        run.advance(periods)
        if is_alone:
            still = np.delete(np.arange(len(s.x)), list(group.columns))
            change = np.abs(run.controller.desired(run.now).position - before.position)
            most = BRAKING_TIME * np.abs(before.velocity)
            assert (change <= most)[still].all()
    run.advance(250)
    assert not run.expected
    for group in run.groups.values():
        if group.is_gripper:
            press(run, group, rated, float(rng.uniform(0.1, 5.0)))


def press(run: Run, group: JointGroup, rated: np.ndarray, effort: float) -> None:
    """Block a gripper: its goal ends where it is, and it presses on until the next goal."""
    (column,), (here,) = group.columns, run.here(group.names)
    start, model = run.controller.desired(run.now), run.model
    try:
        goal = gripper_goal(group, model, here + 0.1, effort, here, Defaults())
        run.controller.execution.start(group.name, goal, run.now)
    except GoalError as error:
        assert error.code == Code.INVALID_GOAL
        return
    ended = []
    for _ in range(200):
        run.now += PERIOD
        ended += run.controller.update(run.now, model.kinematics(start.position))
    (end,) = ended
    assert end.is_stalled and end.code == Code.SUCCESSFUL and end.group == group.name
    asked = run.controller.desired(run.now).position[column] - start.position[column]
    if abs(asked) > RELEASED:
        most = np.copysign(min(effort, rated[column]), asked)
        assert_close(run.controller.effort(run.now)[column], most)
    back = gripper_goal(group, model, here, effort, here, Defaults())
    run.controller.execution.start(group.name, back, run.now)
    run.expected[group.name] = Code.SUCCESSFUL
    run.advance(50)
    assert_close(run.controller.desired(run.now).position, start.position, 1e-6)


@given(
    plan=plans(OF_TREES, kinds=SINGLE),
    seed=st.integers(0, 999),
    stop=st.one_of(st.none(), st.integers(1, 60)),
)
def test_goals_that_are_accepted_stay_within_reach(plan: Plan, seed: int, stop: int | None) -> None:
    """Fast ones, in positions of joints or actuators, to the end or until a stop."""
    plan = plan._replace(features=("linear actuator", *plan.features[:2]))
    s, rng = situation(plan), np.random.default_rng(seed)
    assume(s.model.actuator_names == s.model.position_names)
    model = with_groups(described(plan).copy(), s.model, rng).load()
    run = Run(model, s.x, "pd", groups_of(model))
    for name, group in run.groups.items():
        here, rest = run.here(group.names), np.zeros((1, len(group.names)))
        rows = rng.standard_normal((2, 3, len(group.names)))
        time, speed = np.array([0.2, 0.4, 0.6]), np.vstack((3.0 * rows[1, :2], rest))
        path = Trajectory(group.names, time, here + 0.4 * rows[0].cumsum(axis=0), speed)
        tolerances = tolerances_of(group.names, {}, {}, 0.0, Defaults())
        try:
            goal = trajectory_goal(group, model, path, None, tolerances)
            run.controller.execution.start(name, goal, run.now)
        except GoalError as error:
            assert error.code == Code.INVALID_GOAL
    for k in range(90):
        if k == stop:
            run.controller.stop(run.now)
        model.kinematics(run.controller.desired(run.now).position)
        run.now += PERIOD
