# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Desired motions of all actuators: a constant pose, a trajectory, a named motion."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from charmie_dynamics.errors import InputError
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.model.model import Model
from charmie_dynamics.motions import (
    Motion,
    MotionPoint,
    PiecewisePolynomial,
    Trajectory,
    joined_points,
)
from charmie_dynamics.motions.trajectory import checked_points, columns_of
from charmie_dynamics.numerics.vectors import Floats

A_MOTION, A_TRAJECTORY, A_CONSTANT_POSE = "a motion", "a trajectory", "a constant pose"


class ScheduledMotion(NamedTuple):
    """A motion that a robot follows from a given time.

    Attributes
    ----------
    kind : {"a motion", "a trajectory", "a constant pose"}
    motion : Motion
    start : int
        ns.
    loop : bool
        Repeat at the end; false: stay there at rest.
    """

    kind: str
    motion: Motion
    start: int = 0
    loop: bool = False

    def at(self, now: int) -> MotionPoint:
        """Return the desired motion of the actuators (a,) at a time (ns)."""
        t, duration = (now - self.start) / NANOSECONDS, self.motion.duration
        if self.loop:
            return self.motion.at(t % duration)
        point = self.motion.at(min(t, duration))
        if t > duration:
            rest = np.zeros_like(point.position)
            point = MotionPoint(point.position, rest, rest)
        return point


class NamedPath(NamedTuple):
    """A path of some joints or actuators in time.

    Attributes
    ----------
    model : Model
        A robot all of whose coordinates have actuators.
    names : tuple of str, length m
        Joints, or linear actuators instead of the joints that they move.
    columns : (m,) list of int
        Their actuators.
    spline : PiecewisePolynomial
        Of the named joints and actuators, in seconds.
    """

    model: Model
    names: tuple[str, ...]
    columns: list[int]
    spline: PiecewisePolynomial

    @property
    def has_joints(self) -> bool:
        """Whether a name is that of a joint that a linear actuator moves."""
        return self.names != tuple(self.model.actuator_names[k] for k in self.columns)

    @property
    def end(self) -> float:
        """Time of the last point (s)."""
        return float(self.spline.time[-1])

    def write(self, point: MotionPoint, motion: MotionPoint) -> None:
        """Write a point of the spline (m,) to the motion of all actuators (a,).

        Raises
        ------
        OutOfReachError
            If a linear actuator's loop cannot be closed.
        """
        if not self.has_joints:
            for every, own in zip(motion, point, strict=True):
                every[self.columns] = own
            return
        for name, column, *values in zip(self.names, self.columns, *point, strict=True):
            if name != self.model.actuator_names[column]:
                values = [*self.model.actuator_from_joint(name, *map(float, values))]
            for every, value in zip(motion, values, strict=True):
                every[column] = value

    def trajectory(self) -> Trajectory:
        """Return the path as a trajectory with velocities that starts at time zero."""
        time, coefficients = self.spline
        h = np.diff(time)[:, None]
        position, velocity, acceleration = self.spline.at(float(time[-1]))
        positions, velocities, accelerations = (
            np.vstack((rows, last[None]))
            for rows, last in (
                (coefficients[0], position),
                (coefficients[1] / h, velocity),
                (2.0 * coefficients[2] / h**2, acceleration),
            )
        )
        is_quintic = coefficients[4:].any()
        return Trajectory(
            self.names, time - time[0], positions, velocities, accelerations if is_quintic else None
        )


def constant_pose(position: Floats) -> ScheduledMotion:
    """Return a pose (a,) at rest."""
    rest = np.zeros_like(position)
    point = MotionPoint(position.copy(), rest, rest)
    return ScheduledMotion(A_CONSTANT_POSE, Motion("pose", math.inf, lambda time: point))


def path_of(model: Model, trajectory: Trajectory, now: float, present: MotionPoint) -> NamedPath:
    """Return the path of a trajectory from the present desired state on.

    Points that are due already are replaced by the present state. Without velocities in the
    trajectory, the way to the next point belongs to its spline.

    Parameters
    ----------
    model : Model
        All of whose coordinates have actuators.
    trajectory : Trajectory
        Of joints or actuators, with one point or more.
    now : float
        In the time of the trajectory (s).
    present : MotionPoint
        Desired motion of the actuators (a,) now.

    Raises
    ------
    InputError
        If times do not increase, values are not finite, shapes disagree, or it is already over.
    UnknownNameError
        If a joint or actuator is unknown.
    OutOfReachError
        If a linear actuator's loop cannot be closed at a point or between two.
    """
    names, columns = tuple(trajectory.names), columns_of(model, trajectory.names)
    if not len(trajectory.time):
        raise InputError("trajectory: expected a point, got none")
    end = float(trajectory.time[-1])
    if end <= now:
        raise InputError(
            f"trajectory: expected an end after now, got one that ended {now - end:.3g} s ago"
        )
    first = in_joints(model, columns, names, present)
    begun = _begun(trajectory, now, first)
    time, position, velocity, acceleration = checked_points(begun)
    begin = None if velocity is not None else first.velocity
    spline = joined_points(time, position, velocity, acceleration, begin)
    path = NamedPath(model, names, columns, spline)
    motion = MotionPoint(*(part.copy() for part in present))
    # reach ends at a position of each joint or actuator: the spline may pass it between points
    for instant in (*time.tolist(), *spline.extreme_times().tolist()):
        path.write(spline.at(instant), motion)
        model.kinematics(motion.position)
    return path


def followed_trajectory(
    model: Model, trajectory: Trajectory, start: int, now: int, present: MotionPoint
) -> ScheduledMotion:
    """Return the motion along a trajectory of some joints; the others hold their position.

    Parameters
    ----------
    model : Model
    trajectory : Trajectory
        As for `path_of`, which states the errors, too.
    start : int
        When its time is zero (ns).
    now : int
        ns.
    present : MotionPoint
        Desired motion of the actuators now.
    """
    path = path_of(model, trajectory, (now - start) / NANOSECONDS, present)
    held = present.position.copy()

    def at(t: float) -> MotionPoint:
        desired = MotionPoint(held.copy(), np.zeros_like(held), np.zeros_like(held))
        path.write(path.spline.at(t), desired)
        return desired

    return ScheduledMotion(A_TRAJECTORY, Motion("trajectory", path.end, at), start)


def _begun(trajectory: Trajectory, now: float, first: MotionPoint) -> Trajectory:
    """Return the points of a trajectory after `now` (s), and before them the present state."""
    rows = trajectory.position, trajectory.velocity, trajectory.acceleration
    shape = (len(trajectory.time), len(trajectory.names))
    for part in rows:
        if part is not None and np.shape(part) != shape:
            raise InputError(f"trajectory: expected shape {shape}, got {np.shape(part)}")
    later = int(np.searchsorted(trajectory.time, now, side="right"))
    position, velocity, acceleration = (
        None if part is None else np.vstack((begin[None], part[later:]))
        for begin, part in zip(first, rows, strict=True)
    )
    time = np.concatenate(([now], trajectory.time[later:]))
    if position is None:
        raise InputError("trajectory: expected positions")
    return Trajectory(trajectory.names, time, position, velocity, acceleration)


def in_joints(
    model: Model, columns: list[int], names: tuple[str, ...], motion: MotionPoint
) -> MotionPoint:
    """Return the motion of all actuators expressed for the joints or actuators of these names."""
    state = model.kinematics(*motion)
    joints = state.joint_position, state.joint_velocity, state.joint_acceleration
    of_joints = [name != model.actuator_names[k] for name, k in zip(names, columns, strict=True)]
    rows = [
        np.where(of_joints, joint[columns], actuator[columns])
        for joint, actuator in zip(joints, motion, strict=True)
    ]
    return MotionPoint(*rows)
