# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Goals of clients: what is executed has been checked; others wait, end, and are refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from goal_clients import Client, Delayed

from charmie_dynamics import load_model
from charmie_dynamics.execution.goals import Code, Defaults, Goal, tolerances_of, trajectory_goal
from charmie_dynamics.execution.groups import groups_of
from charmie_dynamics.execution.robot_controller import ControlSettings, RobotController
from charmie_dynamics.motions import Trajectory
from charmie_dynamics.motions.trajectory import columns_of
from charmie_dynamics.ros.controller.goal_runs import GoalRuns

SECOND, STEP = 1_000_000_000, 10_000_000
SHOULDER, LIMIT = "left_arm_joint_2", 3.0  # rad/s


class Robot:
    """A robot that follows exactly; checks last for a given time (s)."""

    def __init__(self, delay: float = 0.02) -> None:
        self.model, self.delay, self.logged = load_model(), delay, list[str]()
        self.group = groups_of(self.model)["left_arm"]
        (self.column,) = columns_of(self.model, [SHOULDER])
        self.controller = RobotController(self.model, groups_of(self.model), ControlSettings())
        self.now, self.fastest = SECOND, 0.0
        self.checks = Delayed(lambda: self.now + round(self.delay * SECOND))
        self.runs = GoalRuns(
            self.controller, lambda: "", checks=self.checks, log=self.logged.append
        )
        self.controller.update(self.now, self.model.kinematics(self.model.rest_position()))
        self.start = self.here

    @property
    def here(self) -> float:
        return float(self.controller.desired(self.now).position[self.column])

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        for _ in range(round(seconds * SECOND / STEP)):
            if until():
                return
            before = self.controller.desired(self.now)
            self.now += STEP
            self.checks.make(self.now)
            position, velocity, _ = self.controller.desired(self.now)
            self.runs.finish(
                self.controller.update(self.now, self.model.kinematics(position, velocity))
            )
            self.runs.advance(self.now)
            after = self.controller.desired(self.now)
            step = (after.position - before.position)[self.column] / (STEP / SECOND)
            self.fastest = max(self.fastest, abs(step), abs(after.velocity[self.column]))

    def send(self, time: float, offset: float, start: int | None = None, points: int = 1) -> Client:
        """Send a goal relative to the start."""
        share = np.linspace(0.0, 1.0, points + 1)[1:]
        trajectory = Trajectory([SHOULDER], share * time, self.start + offset * share[:, None])
        tolerances = tolerances_of([SHOULDER], {}, {}, 0.0, Defaults())
        return self.accept(
            lambda: trajectory_goal(self.group, self.model, trajectory, start, tolerances)
        )

    def accept(self, make: Callable[[], Goal]) -> Client:
        client = Client()
        self.runs.accept("left_arm", make, client, self.now)
        return client


def test_goal_from_rest_begins_as_soon_as_it_is_checked() -> None:
    robot = Robot(delay=0.3)
    client = robot.send(1.0, 0.3)
    robot.run(0.29)
    assert robot.here == robot.start
    robot.run(3.0, lambda: client.outcome is not None)
    assert client.code == Code.SUCCESSFUL
    assert robot.here == pytest.approx(robot.start + 0.3)
    assert robot.now - SECOND < 1.4 * SECOND


def test_later_goal_is_checked_again_from_where_a_cancelled_one_stopped() -> None:
    robot = Robot()
    first = robot.send(4.0, 0.8)
    robot.run(0.2)
    later = robot.send(0.2, 0.8, start=robot.now + 5 * SECOND)
    robot.run(1.0)
    assert later.outcome is None
    first.is_cancel_requested = True
    robot.run(6.0)
    assert first.is_cancelled
    assert later.code == Code.INVALID_GOAL and later.outcome is not None
    assert "velocity" in later.outcome.text and robot.fastest < LIMIT


def test_later_goal_begins_where_the_group_is_at_its_start() -> None:
    robot = Robot()
    robot.send(4.0, 0.8)
    robot.run(0.5)
    later = robot.send(1.5, 0.0, start=robot.now + SECOND)
    robot.run(4.0, lambda: later.outcome is not None)
    assert later.code == Code.SUCCESSFUL and robot.fastest < LIMIT


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.3, 3.0])
def test_goal_that_replaces_a_moving_one_begins_where_the_group_is(delay: float) -> None:
    """Without a jump: the velocity between two samples counts, too."""
    robot = Robot()
    first = robot.send(10.0, 0.9)
    robot.run(3.0)
    robot.delay = delay
    newer = robot.send(3.0, 0.35, points=5)
    robot.run(15.0, lambda: newer.outcome is not None)
    assert first.code == Code.INVALID_GOAL and newer.code == Code.SUCCESSFUL
    assert robot.here == pytest.approx(robot.start + 0.35) and robot.fastest < LIMIT


def test_goal_that_becomes_too_fast_during_its_check_is_refused() -> None:
    robot = Robot()
    first = robot.send(4.0, 0.9)
    robot.run(1.0)
    robot.delay = 0.5
    newer = robot.send(0.2, 0.1)
    robot.run(4.0, lambda: newer.outcome is not None)
    assert newer.outcome is not None and "velocity" in newer.outcome.text
    assert first.outcome is None and robot.fastest < LIMIT


def test_replacement_is_prompt_once_the_time_of_checks_is_known() -> None:
    robot = Robot(delay=0.1)
    first = robot.send(10.0, 0.9)
    robot.run(3.0)
    begin = robot.now
    robot.send(2.0, 0.2)
    robot.run(2.0, lambda: first.outcome is not None)
    assert first.code == Code.INVALID_GOAL and robot.now - begin < 0.4 * SECOND


def test_stream_of_goals_moves_the_group() -> None:
    robot = Robot()
    clients = []
    for k in range(100):
        clients.append(robot.send(0.5, 0.01 * k))
        robot.run(0.02)
    assert robot.here > robot.start + 0.3 and robot.fastest < LIMIT
    robot.run(3.0)
    assert clients[-1].code == Code.SUCCESSFUL
    assert robot.here == pytest.approx(robot.start + 0.99)


def test_refused_goal_does_not_end_the_one_that_waits() -> None:
    robot = Robot()
    waiting = robot.send(0.5, 0.2, start=robot.now + 3 * SECOND)
    robot.run(0.3)
    refused = robot.send(1.0, 9.0)
    robot.run(0.3)
    assert refused.code == Code.INVALID_GOAL and waiting.outcome is None
    robot.run(5.0)
    assert waiting.code == Code.SUCCESSFUL


def test_checked_goal_ends_the_one_that_waits() -> None:
    robot = Robot()
    waiting = robot.send(0.5, 0.2, start=robot.now + 3 * SECOND)
    robot.run(0.3)
    newer = robot.send(1.0, 0.1)
    robot.run(0.3)
    assert waiting.outcome is not None and "replaced" in waiting.outcome.text
    robot.run(2.0)
    assert newer.code == Code.SUCCESSFUL


@pytest.mark.parametrize("values", [(1e308, None), (0.0, 1e308), (1e150, None)])
def test_numbers_that_overflow_end_the_goal_alone(values: tuple[float, float | None]) -> None:
    position, speed = values
    robot = Robot()
    velocity = None if speed is None else np.array([[speed], [0.0]])
    path = Trajectory([SHOULDER], np.array([1.0, 2.0]), np.full((2, 1), position), velocity)
    tolerances = tolerances_of([SHOULDER], {}, {}, 0.0, Defaults())
    client = robot.accept(lambda: trajectory_goal(robot.group, robot.model, path, None, tolerances))
    robot.run(0.5)
    assert client.code == Code.INVALID_GOAL
    assert robot.send(0.5, 0.1).outcome is None


@pytest.mark.parametrize("is_in_check", [False, True])
def test_unexpected_exception_ends_its_goal_and_is_logged(
    is_in_check: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot = Robot()

    def fail(*_: object) -> Goal:
        raise ZeroDivisionError("a fault")

    if is_in_check:
        monkeypatch.setattr("charmie_dynamics.ros.controller.goal_runs.fault_of_path", fail)
        client = robot.send(1.0, 0.1)
        robot.run(0.2)
    else:
        client = robot.accept(fail)
    assert client.code == Code.INVALID_GOAL and client.outcome is not None
    assert "ZeroDivisionError: a fault" in client.outcome.text
    assert robot.logged == [f"goal not executed: {client.outcome.text}"]


@pytest.mark.parametrize(("offset", "code"), [(0.0, Code.SUCCESSFUL), (0.1, Code.INVALID_GOAL)])
def test_single_point_at_time_zero_succeeds_where_the_robot_is(offset: float, code: Code) -> None:
    client = Robot().send(0.0, offset)
    assert client.code == code
