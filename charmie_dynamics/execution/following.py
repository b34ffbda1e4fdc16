# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Desired motions of all actuators: a constant pose, a trajectory, a named motion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from charmie_dynamics.errors import InputError
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.model.model import Model
from charmie_dynamics.motions import Motion, MotionPoint, Trajectory, joined_points
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


def constant_pose(position: Floats) -> ScheduledMotion:
    """Return a pose (a,) at rest."""
    rest = np.zeros_like(position)
    point = MotionPoint(position.copy(), rest, rest)
    return ScheduledMotion(A_CONSTANT_POSE, Motion("pose", math.inf, lambda time: point))


def followed_trajectory(
    model: Model, trajectory: Trajectory, start: int, now: int, present: MotionPoint
) -> ScheduledMotion:
    """Return the motion along a trajectory of some joints; the others hold their position.

    It starts at the present desired state and moves from there to the first point. Without
    velocities in the trajectory, this part belongs to its spline.

    Parameters
    ----------
    model : Model
    trajectory : Trajectory
        Of joints or actuators, with one point or more.
    start : int
        When its time is zero (ns).
    now : int
        ns.
    present : MotionPoint
        Desired motion of the actuators now.

    Raises
    ------
    InputError
        If times do not increase, values are not finite, shapes disagree, or it is already over.
    UnknownNameError
        If a joint or actuator is unknown.
    OutOfReachError
        If a linear actuator's loop cannot be closed at a point.
    """
    names, columns = trajectory.names, columns_of(model, trajectory.names)
    begun = _begun(model, trajectory, (now - start) / NANOSECONDS, columns, present)
    time, position, velocity, acceleration = checked_points(begun)
    end = float(time[-1])
    if start + end * NANOSECONDS <= now:
        raise InputError(
            f"trajectory: expected an end after now, {now / NANOSECONDS:.9g} s; it ends at "
            f"{start / NANOSECONDS + end:.9g} s"
        )
    first_velocity = None
    if velocity is None and begun is not trajectory:
        first_velocity = _in_joints(model, columns, names, present).velocity
    spline = joined_points(time, position, velocity, acceleration, first_velocity)

    held = present.position.copy()

    def at(t: float) -> MotionPoint:
        desired = MotionPoint(held.copy(), np.zeros_like(held), np.zeros_like(held))
        for name, column, *values in zip(names, columns, *spline.at(t), strict=True):
            if name != model.actuator_names[column]:
                values = [*model.actuator_from_joint(name, *map(float, values))]
            for every, value in zip(desired, values, strict=True):
                every[column] = value
        return desired

    for instant in time.tolist():
        model.kinematics(at(instant).position)
    return ScheduledMotion(A_TRAJECTORY, Motion("trajectory", end, at), start)


def _begun(
    model: Model, trajectory: Trajectory, now: float, columns: list[int], present: MotionPoint
) -> Trajectory:
    """Return the trajectory with the present desired state prepended (s, in its time)."""
    if not len(trajectory.time):
        raise InputError("trajectory: expected a point, got none")
    if not trajectory.time[0] > now:
        return trajectory
    shape = (len(trajectory.time), len(columns))
    for rows in (trajectory.position, trajectory.velocity, trajectory.acceleration):
        if rows is not None and np.shape(rows) != shape:
            raise InputError(f"trajectory: expected shape {shape}, got {np.shape(rows)}")
    first = _in_joints(model, columns, trajectory.names, present)
    parts = [
        None if rows is None else np.vstack((begin[None], rows))
        for begin, rows in zip(
            first, (trajectory.position, trajectory.velocity, trajectory.acceleration), strict=True
        )
    ]
    time = np.concatenate(([now], trajectory.time))
    position = np.vstack((first[0][None], trajectory.position))
    return Trajectory(trajectory.names, time, position, parts[1], parts[2])


def _in_joints(
    model: Model, columns: list[int], names: Sequence[str], present: MotionPoint
) -> MotionPoint:
    """Return the motion of all actuators expressed for the joints or actuators of these names."""
    state = model.kinematics(*present)
    joints = state.joint_position, state.joint_velocity, state.joint_acceleration
    of_joints = [name != model.actuator_names[k] for name, k in zip(names, columns, strict=True)]
    rows = [
        np.where(of_joints, joint[columns], actuator[columns])
        for joint, actuator in zip(joints, present, strict=True)
    ]
    return MotionPoint(*rows)
