# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The desired motion of all groups of a robot: goals begin, are watched, and end."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from charmie_dynamics.control.per_actuator import rated_efforts
from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.movable import require_actuators_alone
from charmie_dynamics.model.state import State
from charmie_dynamics.motions import MotionPoint, joined_points
from charmie_dynamics.motions.trajectory import columns_of
from charmie_dynamics.numerics.vectors import Floats

from .following import NamedPath, in_joints, path_of
from .goals import Code, Goal, GoalError, approach, braking_time
from .groups import JointGroup

# difference of two states that are the same (rad, m, rad/s, m/s)
SAME = 1e-9
# of a gripper that does not move any more (rad/s, m/s), and for how long (s)
STALLED_SPEED, STALL_TIME = 0.01, 0.3
# distance from its goal below which a gripper does not press (rad, m)
RELEASED = 0.02


class GoalOutcome(NamedTuple):
    """The end of a goal.

    Attributes
    ----------
    group : str
    code : Code
    text : str
        The reason.
    is_stalled : bool
        Of a gripper that stopped before its goal.
    """

    group: str
    code: Code
    text: str
    is_stalled: bool = False


class GoalProgress(NamedTuple):
    """State of a goal, for the m joints or actuators of its trajectory.

    Attributes
    ----------
    names : tuple of str
    time : float
        Since its start (s).
    desired, actual : (2, m) array
        Position and velocity.
    """

    names: tuple[str, ...]
    time: float
    desired: Floats
    actual: Floats


class Beginning(NamedTuple):
    """Time and state in which a goal begins.

    Attributes
    ----------
    time : int
        Stamp (ns).
    start : int
        Stamp at which the time of the trajectory is zero (ns).
    present : MotionPoint
        Expected desired motion of the actuators (a,) at `time`.
    is_at_rest : bool
        The group is at rest, and the goal states no start: it can begin at any time from then on.
    """

    time: int
    start: int
    present: MotionPoint
    is_at_rest: bool


class Plan(NamedTuple):
    """A path, and where it begins."""

    beginning: Beginning
    path: NamedPath


class _Moving:
    """A path that actuators follow from a time (ns)."""

    def __init__(self, path: NamedPath, start: int) -> None:
        self.path, self.start = path, start
        self._last: tuple[int, MotionPoint] | None = None

    def time_at(self, now: int) -> float:
        return (now - self.start) / NANOSECONDS

    def at(self, now: int) -> MotionPoint:
        """Return the point of the spline (m,), which is asked for twice in each cycle."""
        if self._last is None or self._last[0] != now:
            self._last = now, self.path.spline.at(self.time_at(now))
        return self._last[1]


class _Active(_Moving):
    """A goal, and the path on which a group follows it."""

    def __init__(self, path: NamedPath, start: int, goal: Goal) -> None:
        super().__init__(path, start)
        self.goal = goal
        names = path.model.actuator_names
        self.joints = [k for k, n in enumerate(path.names) if n != names[path.columns[k]]]
        self.stalled_since: int | None = None
        self.progress: GoalProgress | None = None

    def measured(self, state: State) -> Floats:
        """Return measured position and velocity (2, m) of the named joints and actuators."""
        columns = self.path.columns
        actual = np.array([state.position[columns], state.velocity[columns]])
        for k in self.joints:
            actual[:, k] = state.joint_position[columns[k]], state.joint_velocity[columns[k]]
        return actual


class Execution:
    """Desired motions of all actuators, group by group. Reads no clock; times are stamps (ns).

    A group without a goal holds its pose. A goal replaces the one before. A group whose goal ends
    early stops within `BRAKING_TIME`.

    Parameters
    ----------
    model : Model
        A robot all of whose coordinates have actuators.
    groups : dict of str to JointGroup

    Attributes
    ----------
    groups : dict of str to JointGroup

    Raises
    ------
    UnsupportedError
        For a robot with other coordinates.
    """

    def __init__(self, model: Model, groups: dict[str, JointGroup]) -> None:
        require_actuators_alone(model, "controller")
        self._model, self.groups = model, groups
        limits = model.actuator_limits()
        self._low, self._high = (
            np.array([getattr(x, n) for x in limits]) for n in ("lower", "upper")
        )
        self._active: dict[str, _Active] = {}
        self._braking: dict[str, _Moving] = {}
        self._pressing: set[str] = set()
        self._rated = rated_efforts(model)
        self.hold(np.zeros(len(limits)))

    def hold(self, position: Floats) -> None:
        """Hold a pose (a,) from now on; all goals are forgotten."""
        self._active.clear()
        self._braking.clear()
        self._pressing.clear()
        self._held = np.array(position)
        self._rest = np.zeros_like(self._held)
        self.effort_limits = np.full_like(self._held, math.inf)

    def goal_of(self, group: str) -> Goal | None:
        """Return the goal that a group executes."""
        active = self._active.get(group)
        return None if active is None else active.goal

    def progress_of(self, group: str) -> GoalProgress | None:
        """Return the progress of a group's goal at the last `update`; None without a goal."""
        active = self._active.get(group)
        return None if active is None else active.progress

    def desired(self, now: int) -> MotionPoint:
        """Return the desired motion of all actuators (a,) at a time (ns)."""
        motion = MotionPoint(self._held.copy(), self._rest.copy(), self._rest.copy())
        for moving in (*self._braking.values(), *self._active.values()):
            moving.path.write(moving.at(now), motion)
        return motion

    def is_at_rest(self, group: str, now: int) -> bool:
        """Return whether a group neither moves nor brakes from now on, unless a goal begins."""
        both = self._active.get(group), self._braking.get(group)
        return all(moving is None or moving.time_at(now) >= moving.path.end for moving in both)

    def beginning(self, group: str, goal: Goal, now: int, lead: int = 0) -> Beginning:
        """Return where a goal begins that is accepted now.

        Parameters
        ----------
        group : str
        goal : Goal
        now : int
            ns.
        lead : int
            Of a goal without a later start, unless the group is at rest: time until it begins (ns).

        Raises
        ------
        GoalError
            If the trajectory ends before.
        """
        is_at_rest = goal.start is None and self.is_at_rest(group, now)
        time = now if is_at_rest else now + lead
        if goal.start is not None and goal.start > time:
            time = goal.start
        start = time if goal.start is None else goal.start
        late = (time - start) / NANOSECONDS - float(goal.trajectory.time[-1])
        if late >= 0.0:
            raise GoalError(
                Code.OLD_HEADER_TIMESTAMP,
                f"{group}: expected an end after now, got one that ended {late:.3g} s ago",
            )
        return Beginning(time, start, self.desired(time), is_at_rest)

    def planned(self, group: str, goal: Goal, now: int) -> Plan:
        """Return the path of a goal that starts now, or later from where the group is then.

        Raises
        ------
        GoalError
            If the path cannot be followed.
        """
        return plan_from(self._model, group, goal, self.beginning(group, goal, now))

    def is_current(self, group: str, plan: Plan, now: int) -> bool:
        """Return whether a path still begins where the group will be, or is if it may begin now."""
        beginning, columns = plan.beginning, plan.path.columns
        if beginning.is_at_rest and not self.is_at_rest(group, now):
            return False
        expected = self.desired(now if beginning.is_at_rest else beginning.time)
        return all(
            bool((abs(one[columns] - other[columns]) <= SAME).all())
            for one, other in zip(expected[:2], beginning.present[:2], strict=True)
        )

    def start(self, group: str, goal: Goal, now: int) -> GoalOutcome | None:
        """Plan and begin a goal, and return the end of the one that it replaces.

        Raises
        ------
        GoalError
            As `planned`; the present goal is continued then.
        """
        return self.begin(group, goal, self.planned(group, goal, now), now)

    def begin(self, group: str, goal: Goal, plan: Plan, now: int) -> GoalOutcome | None:
        """Execute a goal on a path that is current, and return the end of the one before.

        Joints of the group that the new goal does not move stop as in `stop`.
        """
        beginning, path = plan
        replaced = self.goal_of(group)
        self.stop(group, now, set(path.columns))
        columns = list(self.groups[group].columns)
        self.effort_limits[columns] = math.inf if goal.effort is None else goal.effort
        start = now if beginning.is_at_rest else beginning.start
        self._active[group] = _Active(path, start, goal)
        if replaced is None:
            return None
        return GoalOutcome(group, Code.INVALID_GOAL, f"{group}: replaced by a newer goal")

    def pressed(self, effort: Floats, position: Floats) -> Floats:
        """Return efforts (a,) in which grippers that hold something press with their largest one.

        Parameters
        ----------
        effort, position : (a,) array
            Of the control law, and measured.
        """
        most = np.minimum(self.effort_limits, self._rated)
        effort = np.clip(effort, -most, most)
        for group in self._pressing:
            (k,) = self.groups[group].columns
            error = self._held[k] - position[k]
            # near its goal the gripper has lost what it held
            if math.isfinite(most[k]) and abs(error) > RELEASED:
                effort[k] = math.copysign(most[k], error)
        return effort

    def stop(self, group: str, now: int, moved: Collection[int] = ()) -> None:
        """End the goal of a group: its actuators except `moved` stop within `BRAKING_TIME`.

        They stop at once if they would leave the reach of a linear actuator.
        """
        motion = self.desired(now)
        self._active.pop(group, None)
        self._braking.pop(group, None)
        self._pressing.discard(group)
        columns = [k for k in self.groups[group].columns if k not in moved]
        position, velocity = motion.position[columns], motion.velocity[columns]
        self._held[columns] = position
        if not velocity.any():
            return
        # a constant deceleration, which does not leave the range of the actuator
        duration = np.array(
            [
                braking_time(p, v, (self._low[k], self._high[k]))
                for p, v, k in zip(position.tolist(), velocity.tolist(), columns, strict=True)
            ]
        )
        last = motion.position.copy()
        last[columns] = position + 0.5 * duration * velocity
        try:
            self._model.kinematics(last)
        except CharmieError:  # beyond the reach of a linear actuator without limits
            return
        names = tuple(self._model.actuator_names[k] for k in columns)
        times = np.unique((0.0, *duration))
        t = np.minimum(times[:, None], duration)
        spline = joined_points(
            times,
            position + (t - 0.5 * t * t / duration) * velocity,
            (1.0 - t / duration) * velocity,
        )
        path = NamedPath(self._model, names, columns, spline)
        self._braking[group] = _Moving(path, now)

    def update(self, now: int, state: State) -> list[GoalOutcome]:
        """Compare the measured state at a time (ns) with all goals; return those that end.

        Parameters
        ----------
        now : int
        state : State
            Kinematics of the measured positions and velocities.
        """
        ended = []
        for group, braking in list(self._braking.items()):
            if braking.time_at(now) >= braking.path.end:
                self._hold_end(braking)
                del self._braking[group]
        for group, active in list(self._active.items()):
            outcome = self._judged(group, active, now, state)
            if outcome is not None:
                ended.append(outcome)
                if outcome.code == Code.SUCCESSFUL:
                    self._hold_end(active)
                    del self._active[group]
                else:
                    self.stop(group, now)
        return ended

    def _judged(self, group: str, active: _Active, now: int, state: State) -> GoalOutcome | None:
        """Return the end of a goal, if it ends now."""
        time, path, tolerances = active.time_at(now), active.path, active.goal.tolerances
        desired, actual = np.array(active.at(now)[:2]), active.measured(state)
        active.progress = GoalProgress(path.names, time, desired, actual)
        errors = np.abs(desired - actual)
        if time < path.end:
            if (errors <= tolerances.path).all():
                return None
            text = f"{group}: {worst_error(path.names, errors, tolerances.path)} along the path"
            return GoalOutcome(group, Code.PATH_TOLERANCE_VIOLATED, text)
        if (errors <= tolerances.goal).all():
            return GoalOutcome(group, Code.SUCCESSFUL, "")
        if self.groups[group].is_gripper:
            return self._stalled(group, active, now, float(actual[1, 0]))
        if time <= path.end + tolerances.time:
            return None
        text = (
            f"{group}: {worst_error(path.names, errors, tolerances.goal)} at the goal, "
            f"{tolerances.time:g} s after the end"
        )
        return GoalOutcome(group, Code.GOAL_TOLERANCE_VIOLATED, text)

    def _stalled(self, group: str, active: _Active, now: int, speed: float) -> GoalOutcome | None:
        """Return the end of the goal of a gripper that holds something; it continues to press."""
        if abs(speed) > STALLED_SPEED:
            active.stalled_since = None
        elif active.stalled_since is None:
            active.stalled_since = now
        elif now - active.stalled_since > STALL_TIME * NANOSECONDS:
            self._pressing.add(group)
            return GoalOutcome(group, Code.SUCCESSFUL, f"{group}: stalled", is_stalled=True)
        return None

    def _hold_end(self, moving: _Moving) -> None:
        """Hold the actuators of a path at its end."""
        rest = np.zeros_like(self._held)
        point = moving.path.spline.at(moving.path.end)
        moving.path.write(point, MotionPoint(self._held, rest, rest.copy()))


def plan_from(model: Model, group: str, goal: Goal, beginning: Beginning) -> Plan:
    """Return the path of a goal. Any thread may call it.

    Raises
    ------
    GoalError
        If the path cannot be followed.
    """
    time, present = (beginning.time - beginning.start) / NANOSECONDS, beginning.present
    trajectory = goal.trajectory
    try:
        if goal.speed is not None:
            names = tuple(trajectory.names)
            (column,) = columns_of(model, names)
            first = in_joints(model, [column], names, present)
            limit = model.actuator_limits()[column]
            is_actuator = names[0] == model.actuator_names[column]
            trajectory = approach(
                goal,
                float(first.position[0]),
                float(first.velocity[0]),
                (limit.lower, limit.upper) if is_actuator else (-math.inf, math.inf),
            )
        return Plan(beginning, path_of(model, trajectory, time, present))
    except CharmieError as error:
        raise GoalError(Code.INVALID_GOAL, f"{group}: {error}") from error


def worst_error(names: tuple[str, ...], errors: Floats, tolerances: Floats) -> str:
    """Return the largest violation as text."""
    row, column = np.unravel_index(int((errors - tolerances).argmax()), errors.shape)
    quantity = ("position", "velocity")[row]
    return (
        f"{names[column]}: {quantity} error {errors[row, column]:.4g} exceeds "
        f"{tolerances[row, column]:.4g}"
    )
