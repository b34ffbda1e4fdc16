# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The active command of a robot: efforts, targets of its drives, or a motion to follow."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
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
from charmie_dynamics.model.flat.checks import checked
from charmie_dynamics.model.model import Model
from charmie_dynamics.motions import MotionPoint, Trajectory, make_motion
from charmie_dynamics.numerics.vectors import Floats

from .joint_targets import DriveTarget, JointTargets, joint_targets
from .position_drives import PositionDrives
from .settings import SessionSettings
from .simulated_system import SimulatedRobot, SimulatedSystem

# ns: end of a command without an end
FOREVER = 1 << 62
NOT_FOLLOWED = (
    "expected a robot all of whose coordinates have actuators, got one with others; command its "
    "efforts"
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

    The newest command is active. Efforts and targets of drives end after `input_timeout`; then the
    robot holds its pose, or moves freely. The last pose of a trajectory is held. A refused command
    does not change the active one.

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

    @property
    def _is_whole(self) -> bool:
        """Whether all coordinates have actuators."""
        return self._model.actuator_names == self._model.position_names

    @cached_property
    def _gains(self) -> tuple[Floats, Floats]:
        return self._find_gains()

    def begin(self, position: Floats, now: int) -> None:
        """Forget all commands; the robot is at a position (a,) at a time (ns)."""
        self._end = FOREVER
        if self._motion is not None:
            self._follow(ScheduledMotion(A_MOTION, self._motion, now, self._settings.loop))
        else:
            self._be_idle(position)

    def start_state(self) -> tuple[Floats, Floats] | None:
        """Return the initial position and velocity of the motion (a,); None without a motion."""
        if self._motion is None:
            return None
        position, velocity, _ = self._motion.at(0.0)
        return position.copy(), velocity.copy()

    def take_efforts(self, efforts: npt.ArrayLike, now: int) -> None:
        """Apply efforts (a,) from a time (ns).

        Raises
        ------
        InputError
            If their number is wrong, or some are not finite.
        """
        values = checked("effort_commands", efforts, self._model.actuator_names)
        self._effort, self._targets, self._followed = values, None, None
        self._end = now + self._timeout

    def take_targets(
        self,
        names: Sequence[str],
        parts: tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike],
        now: int,
        measured: Floats,
    ) -> None:
        """Follow targets of drives from a time (ns); see `joint_targets`.

        Actuators that are not commanded hold their target, or without one the measured position.
        """
        held = measured
        if self._followed is not None:
            held = self._followed.at(now).position
        elif self._targets is not None:
            moved = self._targets.at(now, self._model, self._gains)
            held = np.where(moved.stiffness > 0.0, moved.position, measured)
        targets = joint_targets(self._model, names, parts, now, held)
        self._effort, self._targets, self._followed = None, targets, None
        self._end = now + self._timeout

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
        else:
            # the desired motion; the measured one while nothing is followed
            present = MotionPoint(*measured, self._rest)
            if self._followed is not None:
                present = self._followed.at(now)
            begin = now if start is None else start
            followed = followed_trajectory(self._model, trajectory, begin, now, present)
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
        if now >= self._end:
            self._end = FOREVER
            self._be_idle(position)
        if self._effort is not None:
            return Actuation(self._effort, self._end)
        if self._targets is not None:
            return self._driven(self._targets, now, position, velocity)
        if self._followed is None or self.controller is None:
            return Actuation(self._rest, FOREVER)
        desired = self._followed.at(now)
        return Actuation(self.controller.compute(position, velocity, *desired).effort, now)

    def _driven(
        self, targets: JointTargets, now: int, position: Floats, velocity: Floats
    ) -> Actuation:
        """Return efforts and drives; actuators that hold their position follow the controller."""
        target = targets.at(now, self._model, self._gains)
        if self.controller is None or not targets.is_held.any():
            return Actuation(targets.effort, now, target)
        desired = np.where(target.stiffness > 0.0, target.position, position)
        tracking = self.controller.compute(position, velocity, desired, target.velocity, self._rest)
        effort = np.where(targets.is_held, tracking.effort, targets.effort)
        stiffness, damping = (np.where(targets.is_held, 0.0, gain) for gain in target[:2])
        return Actuation(effort, now, DriveTarget(stiffness, damping, *target[2:]))

    def note_displacement(self, before: Floats, after: Floats) -> None:
        """Register that actuators were moved at once: positions (a,) before and after."""
        followed = self._followed
        if followed and followed.kind == A_CONSTANT_POSE and (before != after).any():
            held = followed.at(0).position
            self._followed = constant_pose(np.where(before != after, after, held))

    def described(self) -> str:
        """Return a readable description of the active command."""
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
