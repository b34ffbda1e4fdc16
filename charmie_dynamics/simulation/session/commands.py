# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The active commands of a robot: efforts, targets, or a motion to follow; velocity of its base."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from charmie_dynamics.control import ComputedTorque, ControlEffort
from charmie_dynamics.errors import InputError
from charmie_dynamics.execution.following import (
    A_CONSTANT_POSE,
    A_MOTION,
    ScheduledMotion,
    constant_pose,
    followed_trajectory,
)
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.model.flat.checks import checked, converted
from charmie_dynamics.model.model import Model
from charmie_dynamics.motions import MotionPoint, Trajectory, make_motion
from charmie_dynamics.motions.trajectory import columns_of
from charmie_dynamics.numerics.vectors import Floats, Ints

from .base_drive import BaseDrive
from .base_pose import base_frame
from .base_velocity import BaseVelocity
from .command_interfaces import command_interfaces
from .joint_targets import FOREVER, DriveTarget, JointTargets, joint_targets
from .position_drives import PositionDrives
from .settings import SessionSettings
from .simulated_system import SimulatedRobot, SimulatedSystem

NOT_FOLLOWED = (
    "expected a robot all of whose coordinates have actuators, got one with others; command its "
    "efforts"
)
NOT_DRIVEN = (
    "cmd_vel: expected a robot with base joints that move its base_body, or with Swedish wheels, "
    "in a world or fixed to it, got '{}'; command its actuators"
)


class Tracking(Protocol):
    """A controller that computes efforts from a desired motion of the actuators."""

    def compute(
        self, q: Floats, v: Floats, q_d: Floats, v_d: Floats, a_d: Floats, /
    ) -> ControlEffort:
        """Return the efforts (a,) for measured and desired motion."""


class Actuation(NamedTuple):
    """Efforts and targets of the drives of a robot.

    Attributes
    ----------
    effort : (a,) array
    until : int
        Time until which it is valid (ns).
    target : DriveTarget or None
        Of the drives, which add their efforts; None: no drives.
    """

    effort: Floats
    until: int
    target: DriveTarget | None = None


def controller_of(
    robot: SimulatedRobot, system: SimulatedSystem, settings: SessionSettings
) -> Tracking | None:
    """Return the controller of followed motions: computed torque or position drives; None: none.

    A robot alone with coordinates without actuators is free: there is no ground to support it.
    """
    model, world = robot.model, system.world
    limits = None if settings.limit_efforts else math.inf
    whole = model.actuator_names == model.position_names
    if whole and (world is None or world.require(robot.name).moves == "fixed"):
        return ComputedTorque(model, kp=settings.tracking_gain, effort_limits=limits)
    if world is None:
        return None
    step = settings.step
    return PositionDrives(
        system.model, system.position, model, robot.prefix, step, settings.limit_efforts
    )


class Commands:
    """The active command of a robot, and the controller that follows it.

    The newest command of an actuator is active. Efforts command all actuators, a velocity those of
    the base. Targets, and efforts of some actuators, leave the others to their earlier efforts and
    targets; without any these hold their position. A trajectory commands the actuators that it
    names; the others hold their position, except a base that follows a velocity.

    Efforts and targets of drives end after `input_timeout`, those of each actuator by themselves.
    The actuator then holds its position; after the last one the robot holds its pose, or moves
    freely. The last pose of a trajectory is held. A refused command does not change the active one.

    Parameters
    ----------
    model : Model
        The robot alone.
    settings : SessionSettings
    controller : Tracking or None
        See `controller_of`.
    gains : callable
        Returns stiffness and damping (a,) of the drives, see `robot_gains`.

    Attributes
    ----------
    controller : Tracking or None
    """

    def __init__(
        self,
        model: Model,
        settings: SessionSettings,
        controller: Tracking | None,
        gains: Callable[[], tuple[Floats, Floats]],
    ) -> None:
        self._find_gains = gains
        self._model, self._settings, self.controller = model, settings, controller
        self._timeout = round(settings.input_timeout * NANOSECONDS)
        self._motion = make_motion(settings.motion, model) if settings.motion else None
        self._rest = np.zeros(len(model.actuator_names))
        if self._motion is not None and not self._is_whole:
            raise InputError(f"motion: {NOT_FOLLOWED}")
        self._effort: Floats | None = None
        self._targets: JointTargets | None = None
        self._end = FOREVER
        self._followed: ScheduledMotion | None = None
        drive = BaseDrive.of(model, base_frame(model)) if controller is not None else None
        self._base = None if drive is None else BaseVelocity(model, drive, settings)

    @property
    def _is_whole(self) -> bool:
        """Whether all coordinates have actuators."""
        return self._model.actuator_names == self._model.position_names

    @cached_property
    def _interfaces(self) -> Mapping[str, frozenset[str]]:
        return command_interfaces(self._model.tree.urdf)

    @cached_property
    def _gains(self) -> tuple[Floats, Floats]:
        return self._find_gains()

    def begin(self, position: Floats, now: int) -> None:
        """Forget all commands; the robot is at a position (a,) at a time (ns)."""
        self._end = FOREVER
        self._end_velocity()
        if self._motion is not None:
            self._follow(ScheduledMotion(A_MOTION, self._motion, now, self._settings.loop))
        else:
            self._be_idle(position)

    @property
    def end_of_motion(self) -> int | None:
        """End of the given motion (ns); None if it repeats or is not followed."""
        followed = self._followed
        if followed is None or followed.kind != A_MOTION or followed.loop:
            return None
        return followed.start + round(followed.motion.duration * NANOSECONDS)

    def start_state(self) -> tuple[Floats, Floats] | None:
        """Return the initial position and velocity of the motion (a,); None without a motion."""
        if self._motion is None:
            return None
        position, velocity, _ = self._motion.at(0.0)
        return position.copy(), velocity.copy()

    def take_efforts(self, efforts: npt.ArrayLike, now: int, measured: Floats) -> None:
        """Apply efforts (a,) from a time (ns).

        Actuators whose effort is NaN are not commanded, as those that targets do not name.

        Raises
        ------
        InputError
            If their number is wrong, some are infinite, or all are NaN.
        """
        names = self._model.actuator_names
        values = converted("effort_commands", efforts, (len(names),))
        left = np.isnan(values)
        if left.any() and not left.all():
            end = now + self._timeout
            targets = joint_targets(self._model, names, ((), (), values), now, end, {})
            self._add(targets, now, measured)
            return
        values = checked("effort_commands", efforts, names)
        self._effort, self._targets, self._followed = values, None, None
        self._end = now + self._timeout
        self._end_velocity()

    def take_velocity(
        self, twist: npt.ArrayLike, now: int, measured: tuple[Floats, Floats]
    ) -> None:
        """Drive the base at a velocity from a time (ns); see `BaseVelocity.take`.

        Parameters
        ----------
        twist : (6,) array_like
        now : int
        measured : tuple of (a,) arrays
            Position and velocity of the robot.

        Raises
        ------
        InputError
            If the robot has no base to drive, or values are not finite.
        """
        if self._base is None:
            raise InputError(NOT_DRIVEN.format(self._model.name))
        self._base.take(twist, now, *measured)
        if self._targets is not None:
            held = JointTargets.holding(measured[0])
            self._targets = self._targets.replaced(self._base.columns, held)
            self._end = self._targets.next_end or now

    def take_targets(
        self,
        names: Sequence[str],
        parts: tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike],
        now: int,
        measured: Floats,
    ) -> None:
        """Follow targets of drives from a time (ns); see `joint_targets`.

        Actuators that are not commanded keep their efforts or targets, or without any hold the
        position of a trajectory or pose, or else the measured position.
        """
        end = FOREVER if self._settings.hold_joint_commands else now + self._timeout
        targets = joint_targets(self._model, names, parts, now, end, self._interfaces)
        self._add(targets, now, measured)

    def _add(self, targets: JointTargets, now: int, measured: Floats) -> None:
        """Replace the commands of the actuators that targets command."""
        is_commanded = ~targets.is_held
        if not is_commanded.any():
            return
        self._end_targets(now, measured)
        if self._targets is not None:
            present = self._targets
        elif self._effort is not None and self._end < FOREVER:
            present = JointTargets.of_efforts(self._effort, self._end)
        elif self._followed is not None:
            present = JointTargets.holding(self._followed.at(now).position)
        else:
            present = JointTargets.holding(measured)
        base = self._base
        if base is not None and base.is_active:
            held = _with(measured, base.columns, base.at(now, measured).position)
            present = present.replaced(base.columns, JointTargets.holding(held))
            if is_commanded[base.columns].any():
                self._end_velocity()
        self._effort, self._followed = None, None
        self._targets = present.replaced(is_commanded, targets)
        self._end = self._targets.next_end or FOREVER

    def take_trajectory(
        self, trajectory: Trajectory, start: int | None, now: int, measured: tuple[Floats, Floats]
    ) -> None:
        """Follow a trajectory from a time (ns); a trajectory without points stops the motion.

        Parameters
        ----------
        trajectory : Trajectory
        start : int or None
            When its time is zero (ns); None: now.
        now : int
            ns.
        measured : tuple of (a,) arrays
            Position and velocity of the robot.

        Raises
        ------
        InputError, UnknownNameError, OutOfReachError
            As `followed_trajectory`.
        """
        if self.controller is None or not self._is_whole:
            raise InputError(f"trajectory: {NOT_FOLLOWED}")
        if not len(trajectory.time):
            if len(trajectory.position):
                raise InputError("trajectory: expected a time for each point, got none")
            followed = constant_pose(measured[0])
            self._end_velocity()
        else:
            # the desired motion; the measured one while nothing is followed
            present = MotionPoint(*measured, self._rest)
            if self._followed is not None:
                present = self._followed.at(now)
            base = self._base
            if base is not None and base.is_active:
                present = _with_base(present, base, now, measured[0])
            begin = now if start is None else start
            followed = followed_trajectory(self._model, trajectory, begin, now, present)
            commanded = columns_of(self._model, trajectory.names)
            if base is not None and np.isin(base.columns, commanded).any():
                self._end_velocity()
        self._end = FOREVER
        self._follow(followed)

    def effort(self, now: int, position: Floats, velocity: Floats) -> Actuation:
        """Return efforts and targets (a,) from a time (ns).

        Parameters
        ----------
        now : int
        position, velocity : (a,) array
            Of the robot.
        """
        self._end_targets(now, position)
        own, tracked, desired = self._commanded(now, position, velocity)
        if self._base is not None and self._base.is_active:
            desired = _with_base(desired, self._base, now, position)
            tracked[self._base.columns] = True
        if self.controller is None or not tracked.any():
            return own
        tracking = self.controller.compute(position, velocity, *desired)
        target = own.target
        if target is not None:
            stiffness, damping = (np.where(tracked, 0.0, gain) for gain in target[:2])
            target = DriveTarget(stiffness, damping, *target[2:])
        return Actuation(np.where(tracked, tracking.effort, own.effort), now, target)

    def _end_targets(self, now: int, position: Floats) -> None:
        """End what ends by a time (ns); its actuators hold their position (a,)."""
        if now < self._end:
            return
        if self._targets is not None:
            held = JointTargets.holding(position)
            self._targets = self._targets.replaced(self._targets.end <= now, held)
            end = self._targets.next_end
            if end is not None:
                self._end = end
                return
            position = self._targets.position  # each since its own end
        self._end = FOREVER
        self._be_idle(position)

    def _commanded(
        self, now: int, position: Floats, velocity: Floats
    ) -> tuple[Actuation, npt.NDArray[np.bool_], MotionPoint]:
        """Return the actuation, which actuators the controller moves, and the desired motion."""
        tracked = np.zeros(len(self._rest), dtype=bool)
        measured = MotionPoint(position, velocity, self._rest)
        if self._effort is not None:
            return Actuation(self._effort, self._end), tracked, measured
        if self._targets is not None:
            target = self._targets.at(now, self._model, self._gains)
            desired = np.where(target.stiffness > 0.0, target.position, position)
            own = Actuation(self._targets.effort, now, target)
            return own, self._targets.is_held.copy(), MotionPoint(desired, *target[3:], self._rest)
        if self._followed is None or self.controller is None:
            return Actuation(self._rest, FOREVER), tracked, measured
        return Actuation(self._rest, now), ~tracked, self._followed.at(now)

    def note_displacement(self, before: Floats, after: Floats) -> None:
        """Register that actuators were moved at once: positions (a,) before and after."""
        followed = self._followed
        if followed and followed.kind == A_CONSTANT_POSE and (before != after).any():
            held = followed.at(0).position
            self._followed = constant_pose(np.where(before != after, after, held))
        if self._base is not None and self._base.is_active:
            self._base.note_displacement(before, after)

    def described(self) -> str:
        """Return a readable description of the active commands."""
        of_base = " and a velocity of the base"
        moves = self._base is not None and self._base.is_active
        return self._described() + (of_base if moves else "")

    def _described(self) -> str:
        if self._effort is not None:
            return "effort commands" if self._end < FOREVER else "no command: moves free"
        if self._targets is not None:
            return "joint commands"
        return A_CONSTANT_POSE if self._followed is None else self._followed.kind

    def _be_idle(self, position: Floats) -> None:
        if self._settings.idle == "free" or self.controller is None:
            self._effort, self._targets, self._followed = self._rest, None, None
        else:
            self._follow(constant_pose(position))

    def _follow(self, followed: ScheduledMotion) -> None:
        self._effort, self._targets, self._followed = None, None, followed

    def _end_velocity(self) -> None:
        if self._base is not None:
            self._base.is_active = False


def _with(values: Floats, columns: Ints, part: Floats) -> Floats:
    """Return a copy of values (a,) in which some columns have other values."""
    result = values.copy()
    result[columns] = part
    return result


def _with_base(desired: MotionPoint, base: BaseVelocity, now: int, position: Floats) -> MotionPoint:
    """Return a desired motion (a,) in which the base follows its velocity."""
    parts = zip(desired, base.at(now, position), strict=True)
    return MotionPoint(*(_with(every, base.columns, part) for every, part in parts))
