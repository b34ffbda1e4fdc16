# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Goals of a group: a trajectory with tolerances, or a position of a gripper."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from charmie_dynamics.errors import CharmieError, InputError, choices, shown
from charmie_dynamics.model.model import Model
from charmie_dynamics.motions import Trajectory
from charmie_dynamics.motions.trajectory import checked_points, columns_of
from charmie_dynamics.numerics.vectors import Floats

from .groups import JointGroup

# rad/s or m/s: the last point of a trajectory is at rest
REST = 1e-3
# of grippers without a rated velocity (rad/s, m/s), and shortest motion (s)
UNRATED_SPEED = 1.0
SHORTEST = 0.1
# factor that keeps rounded numbers within their limit
ROUND_OFF = 1.0 + 1e-6
# s, of the motion of a gripper
LONGEST = 1e6
# s in which a group stops that is stopped, and shortest time near a limit
BRAKING_TIME, SHORTEST_BRAKING = 0.2, 0.02


class Code(IntEnum):
    """Results of control_msgs/action/FollowJointTrajectory."""

    SUCCESSFUL = 0
    INVALID_GOAL = -1
    INVALID_JOINTS = -2
    OLD_HEADER_TIMESTAMP = -3
    PATH_TOLERANCE_VIOLATED = -4
    GOAL_TOLERANCE_VIOLATED = -5


class GoalError(CharmieError):
    """A goal that is not executed, with the code of its result."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code


class GoalTolerances(NamedTuple):
    """Largest errors of m joints or actuators (rad, m); infinite: any.

    Attributes
    ----------
    path, goal : (2, m) array
        Of position and velocity, along the path and at its end.
    time : float
        Time after the end of the trajectory in which the goal may be reached (s).
    """

    path: Floats
    goal: Floats
    time: float


class Defaults(NamedTuple):
    """Tolerances of goals that state none; infinite: any error.

    Attributes
    ----------
    path, goal : float
        Of positions (rad, m).
    speed : float
        Of velocities at the goal (rad/s, m/s).
    time : float
        See `GoalTolerances`.
    """

    path: float = 0.2
    goal: float = 0.02
    speed: float = 0.1
    time: float = 1.0


class Goal(NamedTuple):
    """A goal of a group.

    Attributes
    ----------
    trajectory : Trajectory
        Its time zero is at `start`.
    start : int or None
        ns; None: immediately.
    tolerances : GoalTolerances
    effort : float or None
        Largest effort of a gripper (N m or N); None: the limit of its actuator.
    speed : float or None
        Largest one of a gripper (rad/s, m/s), which goes to the last point of the trajectory as
        fast as it may, see `approach`. None: the times of the trajectory apply.
    """

    trajectory: Trajectory
    start: int | None
    tolerances: GoalTolerances
    effort: float | None = None
    speed: float | None = None

    @property
    def is_present_pose(self) -> bool:
        """Whether the trajectory is a single point at time zero, as to a pose that is reached."""
        time = self.trajectory.time
        return len(time) == 1 and float(time[0]) == 0.0


def trajectory_goal(
    group: JointGroup,
    model: Model,
    trajectory: Trajectory,
    start: int | None,
    tolerances: GoalTolerances,
) -> Goal:
    """Return a goal for a group, which may move some of its joints.

    A single point at time zero asks for the present pose.

    Raises
    ------
    GoalError
        With the code of the reason.
    """
    names = list(trajectory.names)
    for name in names:
        if name not in (*model.joint_names, *model.actuator_names):
            known = group.names
            raise GoalError(
                Code.INVALID_JOINTS,
                f"{group.name}: '{shown(name)}' is no joint or actuator{choices(name, known)}",
            )
    try:
        columns = columns_of(model, names)
    except InputError as error:
        raise GoalError(Code.INVALID_JOINTS, f"{group.name}: {error}") from error
    foreign = [n for n, k in zip(names, columns, strict=True) if k not in group.columns]
    if foreign or not names:
        raise GoalError(
            Code.INVALID_JOINTS,
            f"{group.name}: expected joints of the group ({', '.join(group.names)}), got "
            f"{', '.join(foreign) or 'none'}",
        )
    if not len(trajectory.time):
        raise GoalError(Code.INVALID_GOAL, f"{group.name}: expected a point, got none")
    last = float(trajectory.time[-1])
    if not (last > 0.0 or (last == 0.0 and len(trajectory.time) == 1)):
        raise GoalError(
            Code.INVALID_GOAL,
            f"{group.name}: expected a last point after its start, got {last:g} s",
        )
    try:
        # a single point is a valid goal: the present state precedes it
        checked_points(_after_a_point(trajectory))
    except InputError as error:
        raise GoalError(Code.INVALID_GOAL, f"{group.name}: {error}") from error
    velocity = trajectory.velocity
    if velocity is not None and abs(velocity[-1]).max() > REST:
        raise GoalError(
            Code.INVALID_GOAL,
            f"{group.name}: expected an end at rest, got a velocity of "
            f"{abs(velocity[-1]).max():.3g} at the last point",
        )
    return Goal(trajectory, start, tolerances)


def gripper_goal(
    group: JointGroup, model: Model, position: float, effort: float, present: float, goal: Defaults
) -> Goal:
    """Return the goal of a gripper: a position, approached with the rated velocity at most.

    Parameters
    ----------
    group : JointGroup
    model : Model
    position : float
        Of its joint or actuator (rad, m).
    effort : float
        Largest effort; 0: the limit of the actuator.
    present : float
        Its position now.
    goal : Defaults
        Tolerances.

    Raises
    ------
    GoalError
        If a number is not finite, the effort is negative, or the motion would last too long.
    """
    if not (math.isfinite(position) and math.isfinite(effort) and effort >= 0.0):
        raise GoalError(
            Code.INVALID_GOAL,
            f"{group.name}: expected a finite position and a finite max_effort of at least 0, got "
            f"{position:g} and {effort:g}",
        )
    (column,) = group.columns
    speed = model.actuator_limits()[column].velocity or UNRATED_SPEED
    duration = _duration(position - present, speed)
    if duration > LONGEST:
        raise GoalError(
            Code.INVALID_GOAL,
            f"{group.name}: expected a position that is reached within {LONGEST:g} s, got "
            f"{position:g}",
        )
    trajectory = Trajectory(group.names, np.array([duration]), np.array([[position]]))
    tolerances = GoalTolerances(
        np.full((2, 1), math.inf), np.array([[goal.goal], [goal.speed]]), math.inf
    )
    return Goal(trajectory, None, tolerances, effort or None, speed)


def approach(
    goal: Goal, position: float, velocity: float, limits: tuple[float, float]
) -> Trajectory:
    """Return the trajectory of a gripper from its present state, within its largest speed.

    It stops first if it moves away from its goal, or cannot stop before it.

    Parameters
    ----------
    goal : Goal
        With a largest speed.
    position, velocity : float
        Of the gripper (rad, m; rad/s, m/s).
    limits : tuple of float
        Least and largest position.
    """
    names, speed = goal.trajectory.names, goal.speed or UNRATED_SPEED
    end = float(goal.trajectory.position[-1, 0])
    duration = _duration(end - position, speed)
    # a cubic that ends at rest does not pass its end from a third of this velocity on
    if abs(velocity) <= REST or (end - position) / velocity >= duration / 3.0:
        return Trajectory(names, np.array([duration]), np.array([[end]]))
    braking = braking_time(position, velocity, limits)
    stopped = position + 0.5 * braking * velocity
    time = np.array([braking, braking + _duration(end - stopped, speed)])
    return Trajectory(names, time, np.array([[stopped], [end]]), np.zeros((2, 1)))


def _duration(distance: float, speed: float) -> float:
    """Return the time (s) of a cubic that ends at rest: 1.5 times as fast as its mean."""
    return max(1.5 * ROUND_OFF * abs(distance) / speed, SHORTEST)


def braking_time(position: float, velocity: float, limits: tuple[float, float]) -> float:
    """Return the time (s) of a constant deceleration to rest that ends before the limits.

    Parameters
    ----------
    position, velocity : float
        rad or m, rad/s or m/s.
    limits : tuple of float
        Least and largest position.
    """
    if velocity == 0.0:
        return BRAKING_TIME
    distance = (limits[1] if velocity > 0.0 else limits[0]) - position
    return min(max(2.0 * distance / (velocity * ROUND_OFF), SHORTEST_BRAKING), BRAKING_TIME)


def tolerances_of(
    names: Sequence[str],
    path: Mapping[str, tuple[float, float, float]],
    goal: Mapping[str, tuple[float, float, float]],
    time: float,
    defaults: Defaults,
) -> GoalTolerances:
    """Return the tolerances of a goal.

    Parameters
    ----------
    names : sequence of str, length m
        Of the trajectory.
    path, goal : mapping of str to tuple
        Tolerances of position, velocity and acceleration by name; 0: the default, -1: any error.
    time : float
        0: the default.
    defaults : Defaults

    Raises
    ------
    GoalError
        For an unknown name, a negative or infinite tolerance, and one of an acceleration, which is
        not measured.
    """
    rows = []
    for kind, given, rest in (
        ("path_tolerance", path, (defaults.path, math.inf)),
        ("goal_tolerance", goal, (defaults.goal, defaults.speed)),
    ):
        values = np.repeat(np.array(rest)[:, None], len(names), axis=1)
        for name, parts in given.items():
            if name not in names:
                raise GoalError(
                    Code.INVALID_JOINTS,
                    f"{kind}: '{shown(name)}' is no joint of the trajectory{choices(name, names)}",
                )
            if parts[2] > 0.0:
                raise GoalError(
                    Code.INVALID_GOAL,
                    f"{kind}: {name}: expected no tolerance of acceleration, got {parts[2]:g}: "
                    "accelerations are not measured",
                )
            for row, value in enumerate(parts[:2]):
                if value == -1.0:
                    values[row, names.index(name)] = math.inf
                elif value > 0.0 and math.isfinite(value):
                    values[row, names.index(name)] = value
                elif value != 0.0:
                    raise GoalError(
                        Code.INVALID_GOAL,
                        f"{kind}: {name}: expected a number above 0, 0 for the default or -1 for "
                        f"any error, got {value:g}",
                    )
        rows.append(values)
    if time < 0.0:
        raise GoalError(
            Code.INVALID_GOAL, f"goal_time_tolerance: expected at least 0 s, got {time:g}"
        )
    return GoalTolerances(rows[0], rows[1], time or defaults.time)


def _after_a_point(trajectory: Trajectory) -> Trajectory:
    """Return a trajectory with its first point repeated a second before it."""
    first, time = trajectory, np.asarray(trajectory.time, dtype=np.float64)
    rows = (
        None if part is None else np.concatenate((part[:1], part))
        for part in (first.position, first.velocity, first.acceleration)
    )
    position, velocity, acceleration = rows
    return Trajectory(
        first.names,
        np.concatenate((time[:1] - 1.0, time)),
        np.asarray(position),
        velocity,
        acceleration,
    )
