# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The proof of the controller: ten minutes of random trajectories, and of random faults.

A simulated CHARMIE is controlled as by the controller node, which adds topics and actions only. Its
error e obeys, for critically damped gains and any difference d of the acceleration from the
commanded one (*structural paper*, section 5.3, see `control.ComputedTorque`)

    e'' + kd e' + kp e = d,    |e| <= max |d| / kp                                              (1)

The difference is that of the efforts, which are constant in a step, and of wrong masses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics import Model, load_model
from charmie_dynamics.control.per_actuator import rated_efforts
from charmie_dynamics.execution.execution import GoalOutcome
from charmie_dynamics.execution.goals import (
    Code,
    Defaults,
    Goal,
    tolerances_of,
    trajectory_goal,
)
from charmie_dynamics.execution.groups import JointGroup, groups_of
from charmie_dynamics.execution.robot_controller import (
    STIFFNESS,
    ControlSettings,
    RobotController,
)
from charmie_dynamics.model.variation import varied
from charmie_dynamics.motions import Trajectory, joined_points
from charmie_dynamics.ros.controller.goal_runs import GoalRuns
from charmie_dynamics.simulation import Plant

from .harness.pages import DOCS, between
from .harness.run import Evidence
from .harness.tables import table

SECOND = 1_000_000_000
STEP = 0.002  # s, of the simulation and the control
DAMPING = 2.0 * np.sqrt(STIFFNESS)
SPACING = 0.1  # s between the points of a trajectory, as MoveIt sends them
SPEED = 0.4  # of the rated velocity
SHORTEST = 2.0  # s: a faster base tips over
WRONG_MASSES = 0.8
PREDICTION_LIMIT = 2e-2  # relative to the largest error: d is assumed linear in a step
Floats = np.ndarray


class Immediately(Executor):
    """Makes checks at once, so that runs repeat."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **options: Any) -> Future:
        """Return the result of a function."""
        future: Future = Future()
        future.set_result(function(*arguments, **options))
        return future


class Client:
    """Who sent a goal."""

    def __init__(self, expected: set[tuple[Code, bool]]) -> None:
        self.expected, self.is_cancel_requested = expected, False
        self.outcome: tuple[Code, bool] | None = None
        self.text = ""

    def end(self, outcome: GoalOutcome, is_cancelled: bool) -> None:
        """Note the result, of which there is one."""
        if self.outcome is not None:
            raise RuntimeError(f"a second result: {outcome}")
        self.outcome, self.text = (outcome.code, is_cancelled), outcome.text


class ControlledRobot:
    """A simulated CHARMIE, its controller and its goals."""

    def __init__(self, assumed: Model, seed: int) -> None:
        self.model, self.rng = load_model(), np.random.default_rng(seed)
        start = self.model.rest_position()
        self.plant = Plant(self.model, start, 0.0 * start, step=STEP, joint_stops=True)
        self.groups = {n: g for n, g in groups_of(assumed).items() if not g.is_gripper}
        self.controller = RobotController(assumed, groups_of(assumed), ControlSettings())
        self.runs = GoalRuns(self.controller, lambda: "", checks=Immediately())
        self.now, self.effort = 0, 0.0 * start
        self.measure()

    def measure(self) -> None:
        """Pass the true state to the controller."""
        state = self.model.kinematics(self.plant.position, self.plant.velocity)
        self.runs.finish(self.controller.update(self.now, state))
        if self.controller.was_interrupted:
            self.runs.end_waiting("time jumped")
        self.runs.advance(self.now)

    def advance(self) -> None:
        """Make a step under the efforts of the controller."""
        self.effort = self.controller.effort(self.now)
        self.plant.advance(self.effort, 1)
        self.now += round(STEP * SECOND)
        self.measure()

    def errors(self) -> tuple[Floats, Floats, Floats]:
        """Return errors of position and velocity, and the commanded acceleration (a,)."""
        q_d, v_d, a_d = self.controller.desired(self.now)
        e, rate = q_d - self.plant.position, v_d - self.plant.velocity
        return e, rate, a_d + DAMPING * rate + STIFFNESS * e

    def random_goal(self, group: JointGroup, speed: float = SPEED) -> Goal:
        """Return a trajectory to a random pose of the group, as MoveIt sends it."""
        columns, limits = list(group.columns), self.model.actuator_limits()
        here = self.controller.desired(self.now).position[columns]
        low, high = (np.array([getattr(limits[k], n) for k in columns]) for n in ("lower", "upper"))
        low, high = np.maximum(low, here - 0.5), np.minimum(high, here + 0.5)
        target = low + (high - low) * self.rng.uniform(0.1, 0.9, len(columns))
        fastest = np.array([limits[k].velocity or 1.0 for k in columns])
        # a quintic from rest to rest is 15 / 8 times as fast as its mean
        duration = max(SHORTEST, float((1.875 * abs(target - here) / fastest).max()) / speed)
        count = max(2, round(duration / SPACING))
        rest = np.zeros((2, len(columns)))
        motion = joined_points([0.0, duration], [here, target], rest, rest).sampled(
            np.linspace(0.0, duration, count + 1)
        )
        names = [self.model.actuator_names[k] for k in columns]
        trajectory = Trajectory(names, *motion)
        return trajectory_goal(
            group, self.model, trajectory, None, tolerances_of(names, {}, {}, 0.0, Defaults())
        )

    def send(self, group: str, make: Callable[[], Goal], *expected: tuple[Code, bool]) -> Client:
        """Send a goal that is to have one of these results."""
        client = Client(set(expected))
        self.runs.accept(group, make, client, self.now)
        return client


class Tracking(NamedTuple):
    """Errors (k, a) of a run, and those that (1) predicts; goals by their result."""

    error: Floats
    predicted: Floats
    bound: Floats
    effort: Floats
    ended: Counter[str]


def track(minutes: float, factor: float, seed: int = 1) -> Tracking:
    """Send a new trajectory to each group whenever it has none; masses differ by a factor."""
    robot = ControlledRobot(varied(load_model(), lambda: factor), seed)
    errors, predicted, differences, efforts = [], [], [], []
    e = rate = np.zeros(len(robot.effort))
    clients: dict[str, Client] = {}
    for _ in range(round(60.0 * minutes / STEP)):
        for name, group in robot.groups.items():
            if name not in clients or clients[name].outcome is not None:
                goal = robot.random_goal(group)
                clients[name] = robot.send(name, _maker(robot, group, "as it is", goal))
        q, v = robot.plant.position, robot.plant.velocity
        robot.runs.advance(robot.now)
        *_, command = robot.errors()
        effort = robot.controller.effort(robot.now)
        before = command - robot.model.forward(q, v, effort).acceleration
        robot.advance()
        error, _, command = robot.errors()
        after = command - robot.plant.acceleration
        e, rate = _integrated(e, rate, before, after)
        errors.append(error)
        predicted.append(e)
        differences.append(np.maximum(abs(before), abs(after)))
        efforts.append(robot.effort)
    bound = np.max(differences, axis=0) / STIFFNESS
    return Tracking(
        np.array(errors), np.array(predicted), bound, np.array(efforts), robot.runs.ended
    )


def _integrated(e: Floats, rate: Floats, before: Floats, after: Floats) -> tuple[Floats, Floats]:
    """Return the solution of (1) after a step in which d changes linearly, by Runge-Kutta."""

    def slope(x: Floats, s: float) -> Floats:
        d = (1.0 - s) * before + s * after
        return np.array([x[1], d - DAMPING * x[1] - STIFFNESS * x[0]])

    x = np.array([e, rate])
    k1 = slope(x, 0.0)
    k2 = slope(x + 0.5 * STEP * k1, 0.5)
    k3 = slope(x + 0.5 * STEP * k2, 0.5)
    k4 = slope(x + STEP * k3, 1.0)
    x = x + STEP / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return x[0], x[1]


class Faults(NamedTuple):
    """Goals with random faults: their results, and those that are not the expected ones."""

    ended: Counter[str]
    wrong: list[str]
    largest: float  # effort relative to its limit


SUCCESS, CANCELLED = (Code.SUCCESSFUL, False), (Code.SUCCESSFUL, True)
INVALID, FOREIGN = (Code.INVALID_GOAL, False), (Code.INVALID_JOINTS, False)
LATE = (Code.OLD_HEADER_TIMESTAMP, False)
PATH = (Code.PATH_TOLERANCE_VIOLATED, False)


def disturb(goals: int, seed: int = 2) -> Faults:
    """Send goals of which many are invalid, cancelled, replaced or interrupted."""
    robot = ControlledRobot(load_model(), seed)
    rng, sent, rated = robot.rng, list[tuple[str, Client]](), rated_efforts(robot.model)
    largest, active = 0.0, dict[str, Client]()
    pause = 0
    while len(sent) < goals or any(client.outcome is None for _, client in sent):
        active = {name: client for name, client in active.items() if client.outcome is None}
        if pause == 0 and len(sent) < goals:
            kind = str(rng.choice(KINDS))
            name = str(rng.choice(list(robot.groups)))
            sent += [(kind, client) for client in _send(robot, kind, name, active)]
            pause = int(rng.integers(1, 400))
        pause = max(0, pause - 1)
        robot.advance()
        largest = max(largest, float((abs(robot.effort) / rated).max()))
    wrong = [
        f"{kind}: {client.outcome} ({client.text})"
        for kind, client in sent
        if client.outcome not in client.expected
    ]
    return Faults(robot.runs.ended, wrong, largest)


KINDS = (
    *("valid",) * 4,
    *("cancelled", "too fast", "out of range", "unknown joint", "joint of another group"),
    *("not a number", "past", "future", "narrow tolerance", "loss", "jump", "stop"),
)


def _send(robot: ControlledRobot, kind: str, name: str, active: dict[str, Client]) -> list[Client]:
    """Send a goal, or interrupt the present ones; note the results that are then right."""
    group, controller = robot.groups[name], robot.controller
    if kind in ("loss", "jump", "stop"):
        for client in active.values():
            client.expected |= {INVALID}
        if kind == "loss":
            robot.runs.finish(controller.lose("no inputs"))
            robot.runs.end_waiting("no inputs")
        elif kind == "jump":
            robot.now += 3 * SECOND
        else:
            robot.runs.finish(controller.stop(robot.now))
            robot.runs.end_waiting("stopped")
            controller.resume()
        return []
    goal = robot.random_goal(group, 30.0 if kind == "too fast" else SPEED)
    trajectory, names = goal.trajectory, list(goal.trajectory.names)
    expected = {SUCCESS}
    if kind == "too fast":
        goal = goal._replace(trajectory=_scaled(trajectory, 0.01))
        expected = {INVALID}
    elif kind == "out of range":
        position = trajectory.position.copy()
        position[-1] += 100.0
        goal, expected = (
            goal._replace(trajectory=Trajectory(names, trajectory.time, position)),
            {INVALID},
        )
    elif kind == "past":
        goal, expected = goal._replace(start=max(robot.now - 100 * SECOND, 1)), {LATE}
        if robot.now < 100 * SECOND:
            return []
    elif kind == "future":
        goal = goal._replace(start=robot.now + SECOND // 2)
    elif kind == "narrow tolerance":
        path = dict.fromkeys(names, (1e-9, 0.0, 0.0))
        goal = goal._replace(tolerances=tolerances_of(names, path, {}, 0.0, Defaults()))
        expected = {PATH}
    if controller.desired(robot.now).velocity[list(group.columns)].any():
        expected |= {INVALID}  # it begins at rest, which a moving group may not reach in time
    make = _maker(robot, group, kind, goal)
    if kind in ("unknown joint", "joint of another group"):
        expected = {FOREIGN}
    elif kind == "not a number":
        expected = {INVALID}
    client = robot.send(name, make, *expected)
    if client.outcome is None:
        if name in active:
            active[name].expected |= {INVALID}  # replaced
        active[name] = client
    if kind == "cancelled":
        client.is_cancel_requested, client.expected = True, {CANCELLED}
    return [client]


def _maker(robot: ControlledRobot, group: JointGroup, kind: str, goal: Goal) -> Callable[[], Goal]:
    """Return a function that makes the goal as from a message."""
    trajectory = goal.trajectory
    names, position = list(trajectory.names), trajectory.position
    if kind == "unknown joint":
        names[0] = "no_such_joint"
    elif kind == "joint of another group":
        names[0] = next(n for g in robot.groups.values() if g != group for n in g.names)
    elif kind == "not a number":
        position = np.full_like(position, np.nan)
    else:
        return lambda: goal
    changed = Trajectory(names, trajectory.time, position)
    return lambda: trajectory_goal(group, robot.model, changed, None, goal.tolerances)


def _scaled(trajectory: Trajectory, factor: float) -> Trajectory:
    return Trajectory(trajectory.names, factor * trajectory.time, trajectory.position)


def make(minutes: float = 10.0, goals: int = 500) -> Evidence:
    """Run the proof; return the page, and what does not hold."""
    faults, rows = [], []
    rated = rated_efforts(load_model())
    for title, factor in (("exact model", 1.0), ("masses 20 % too small", WRONG_MASSES)):
        run = track(minutes, factor)
        largest = np.abs(run.error).max(axis=0)
        prediction = float((np.abs(run.error - run.predicted).max(axis=0) / largest).max())
        share = float((largest / run.bound).max())
        effort = float((np.abs(run.effort) / rated).max())
        rows.append(
            (
                title,
                str(run.ended["SUCCESSFUL"]),
                f"{1e3 * largest.max():.2g}",
                f"{100.0 * share:.0f} %",
                f"{100.0 * prediction:.1g} %",
                f"{100.0 * effort:.0f} %",
            )
        )
        others = {name: count for name, count in run.ended.items() if name != "SUCCESSFUL"}
        for what, holds in (
            (f"goals that did not succeed: {others}", not others),
            (f"errors beyond the bound: {share:.3g}", share <= 1.0),
            (f"errors that (1) does not predict: {prediction:.3g}", prediction <= PREDICTION_LIMIT),
            (f"efforts beyond their limits: {effort:.3g}", effort <= 1.0),
        ):
            if not holds:
                faults.append(f"{title}: {what}")
    one, other = (track(0.5, 1.0, seed=3).effort for _ in range(2))
    if not np.array_equal(one, other):
        faults.append("two runs from one seed differ")
    disturbed = disturb(goals)
    faults += disturbed.wrong
    counts = ", ".join(f"{n.lower()} {k}" for n, k in sorted(disturbed.ended.items()))
    headings = (
        *("controller", "goals", "largest error (mrad, mm)", "of the bound"),
        *("not predicted", "largest effort"),
    )
    text = (
        f"{minutes:g} simulated minutes of random trajectories of all groups, in steps of "
        f"{1e3 * STEP:g} ms:\n\n{table(headings, rows)}\n\n"
        f"{goals} random goals and interruptions: {len(disturbed.wrong)} with a wrong result "
        f"({counts}); largest effort {100.0 * disturbed.largest:.0f} % of its limit."
    )
    pages = {
        name: (DOCS / name).read_text(encoding="utf-8") for name in ("control.in.md", "control.md")
    }
    return Evidence({name: between(page, "proof", text) for name, page in pages.items()}, faults)
