# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Messages as goals."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from trajectory_msgs.msg import JointTrajectory

from charmie_dynamics.errors import InputError
from charmie_dynamics.execution.goals import (
    Code,
    Defaults,
    Goal,
    GoalError,
    tolerances_of,
    trajectory_goal,
)
from charmie_dynamics.execution.groups import JointGroup
from charmie_dynamics.live.wire.stamps import SECONDS
from charmie_dynamics.model.model import Model
from charmie_dynamics.ros.inputs.trajectory_check import trajectory_from_message
from charmie_dynamics.ros.outputs.conversions import stamp_from_time

MOST_POINTS = 10_000  # takes 60 ms, for which the node's cycles wait; the check does not block


def goal_of_trajectory(
    group: JointGroup, model: Model, message: JointTrajectory, defaults: Defaults
) -> Goal:
    """Return the goal of a trajectory without tolerances of its own.

    Raises
    ------
    GoalError
        As `goal_of_request`.
    """
    return _goal(group, model, message, ((), (), 0.0), defaults)


def goal_of_request(group: JointGroup, model: Model, request: Any, defaults: Defaults) -> Goal:
    """Return the goal of a FollowJointTrajectory.Goal.

    Efforts of points must be finite; the controller computes its own from the model.

    Raises
    ------
    GoalError
        With the code of the reason.
    """
    several = "multi_dof_trajectory", "component_path_tolerance", "component_goal_tolerance"
    if request.multi_dof_trajectory.points or any(getattr(request, n) for n in several[1:]):
        raise GoalError(
            Code.INVALID_GOAL,
            f"{group.name}: expected empty {', '.join(several)}: no joint of the group has several "
            "coordinates",
        )
    time = stamp_from_time(request.goal_time_tolerance) * SECONDS
    tolerances = request.path_tolerance, request.goal_tolerance, time
    return _goal(group, model, request.trajectory, tolerances, defaults)


def _goal(
    group: JointGroup,
    model: Model,
    message: JointTrajectory,
    tolerances: tuple[Iterable[Any], Iterable[Any], float],
    defaults: Defaults,
) -> Goal:
    names = list(message.joint_names)
    try:
        trajectory = trajectory_from_message(message, MOST_POINTS)
        for k, point in enumerate(message.points):
            if len(point.effort) not in (0, len(names)) or not all(
                map(math.isfinite, point.effort)
            ):
                raise InputError(
                    f"trajectory: effort: expected {len(names)} finite values or none in point {k}"
                )
    except InputError as error:
        raise GoalError(Code.INVALID_GOAL, f"{group.name}: {error}") from error
    path, goal = (
        {each.name: (each.position, each.velocity, each.acceleration) for each in part}
        for part in tolerances[:2]
    )
    start = stamp_from_time(message.header.stamp)
    chosen = tolerances_of(names, path, goal, tolerances[2], defaults)
    return trajectory_goal(group, model, trajectory, start or None, chosen)
