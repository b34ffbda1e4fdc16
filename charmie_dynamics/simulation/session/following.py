# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Desired motions of all actuators: a held pose, a trajectory, a named motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from charmie_dynamics.errors import InputError
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.model.model import Model
from charmie_dynamics.motions.named import Motion
from charmie_dynamics.motions.splines import joined_points
from charmie_dynamics.motions.trajectory import Trajectory, checked_points, columns_of
from charmie_dynamics.numerics.vectors import Floats

# position, velocity, acceleration (a,)
Desired = tuple[Floats, Floats, Floats]


class Followable(Protocol):
    """A motion that can be followed."""

    def at(self, now: int) -> Desired:
        """Return the desired motion at a time (ns)."""


class HeldPose:
    """A pose at rest.

    Parameters
    ----------
    position : (a,) array
    """

    def __init__(self, position: Floats) -> None:
        rest = np.zeros_like(position)
        self._desired = position.copy(), rest, rest

    def at(self, now: int) -> Desired:
        """Return the pose."""
        return self._desired


class RepeatedMotion:
    """A named motion from a given time.

    Parameters
    ----------
    motion : Motion
    start : int
        ns.
    loop : bool
        Repeat at the end; false: stay there at rest.
    """

    def __init__(self, motion: Motion, start: int, loop: bool) -> None:
        self._motion, self._start, self._loop = motion, start, loop

    def at(self, now: int) -> Desired:
        """Return the desired motion at a time (ns)."""
        t, duration = (now - self._start) / NANOSECONDS, self._motion.duration
        if self._loop:
            return self._motion.at(t % duration)
        position, velocity, acceleration = self._motion.at(min(t, duration))
        if t > duration:
            velocity = acceleration = np.zeros_like(position)
        return position, velocity, acceleration


class FollowedTrajectory:
    """A trajectory of some joints or actuators; the others hold their position.

    It starts at the present desired state and moves from there to the first point. Without
    velocities in the trajectory, this part belongs to its spline.

    Parameters
    ----------
    model : Model
    trajectory : Trajectory
        With one point or more.
    start : int
        When its time is zero (ns).
    now : int
        ns.
    present : tuple of (a,) arrays
        Desired position, velocity and acceleration now.

    Raises
    ------
    InputError
        If times do not increase, values are not finite, shapes disagree, or it is already over.
    UnknownNameError
        If a joint or actuator is unknown.
    OutOfReachError
        If a linear actuator's loop cannot be closed at a point.
    """

    def __init__(
        self, model: Model, trajectory: Trajectory, start: int, now: int, present: Desired
    ) -> None:
        self._model, self._start = model, start
        columns = columns_of(model, trajectory.names)
        is_actuator = [
            name == model.actuator_names[k]
            for name, k in zip(trajectory.names, columns, strict=True)
        ]
        self._direct = np.flatnonzero(is_actuator)
        self._columns = np.array(columns, dtype=np.int64)[self._direct]
        self._by_joint = [
            (m, name, columns[m]) for m, name in enumerate(trajectory.names) if not is_actuator[m]
        ]
        self._held = present[0].copy()
        begun = _begun(model, trajectory, (now - start) / NANOSECONDS, columns, present)
        time, position, velocity, acceleration = checked_points(begun)
        if start + time[-1] * NANOSECONDS <= now:
            raise InputError(
                f"trajectory: expected an end after now, {now / NANOSECONDS:.9g} s; it ends at "
                f"{start / NANOSECONDS + time[-1]:.9g} s"
            )
        first_velocity = None
        if velocity is None and begun is not trajectory:
            first_velocity = _in_joints(model, columns, trajectory.names, present)[1]
        self._joined = joined_points(time, position, velocity, acceleration, first_velocity)
        self.end = start + round(float(time[-1]) * NANOSECONDS)
        for instant in time:
            model.kinematics(self.at(start + round(float(instant) * NANOSECONDS))[0])

    def at(self, now: int) -> Desired:
        """Return the desired motion at a time (ns); after the end at rest in the last pose."""
        values = self._joined.at((now - self._start) / NANOSECONDS)
        desired = self._held.copy(), np.zeros_like(self._held), np.zeros_like(self._held)
        for every, own in zip(desired, values, strict=True):
            every[self._columns] = own[self._direct]
        for m, name, column in self._by_joint:
            row = (float(own[m]) for own in values)
            for every, value in zip(
                desired, self._model.actuator_from_joint(name, *row), strict=True
            ):
                every[column] = value
        return desired


def _begun(
    model: Model, trajectory: Trajectory, now: float, columns: list[int], present: Desired
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
    model: Model, columns: list[int], names: Sequence[str], present: Desired
) -> tuple[Floats, Floats, Floats]:
    """Return the motion of all actuators expressed for the joints or actuators of these names."""
    state = model.kinematics(*present)
    joints = state.joint_position, state.joint_velocity, state.joint_acceleration
    of_joints = [name != model.actuator_names[k] for name, k in zip(names, columns, strict=True)]
    rows = [
        np.where(of_joints, joint[columns], actuator[columns])
        for joint, actuator in zip(joints, present, strict=True)
    ]
    return rows[0], rows[1], rows[2]
