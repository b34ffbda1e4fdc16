# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The active command of a robot: efforts, or a motion to follow."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
import numpy.typing as npt

from charmie_dynamics.control import ComputedTorque, ControlEffort
from charmie_dynamics.errors import InputError
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.model.flat.checks import checked
from charmie_dynamics.model.model import Model
from charmie_dynamics.motions.named import make_motion
from charmie_dynamics.motions.trajectory import Trajectory
from charmie_dynamics.numerics.vectors import Floats

from .following import Desired, Followable, FollowedTrajectory, HeldPose, RepeatedMotion
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

    The newest command is active. Efforts end after `input_timeout`; then the robot holds its pose,
    or moves freely. The last pose of a trajectory is held. A refused command does not change the
    active one.

    Parameters
    ----------
    model : Model
        The robot alone.
    settings : SessionSettings
    controller : Tracking or None
        See `controller_of`.

    Attributes
    ----------
    controller : Tracking or None
    """

    def __init__(
        self, model: Model, settings: SessionSettings, controller: Tracking | None
    ) -> None:
        self._model, self._settings, self.controller = model, settings, controller
        self._timeout = round(settings.input_timeout * NANOSECONDS)
        self._motion = make_motion(settings.motion, model) if settings.motion else None
        self._rest = np.zeros(len(model.actuator_names))
        if self._motion is not None and not self._is_whole:
            raise InputError(f"motion: {NOT_FOLLOWED}")
        self._effort: Floats | None = None
        self._end = FOREVER
        self._followed: Followable | None = None

    @property
    def _is_whole(self) -> bool:
        """Whether all coordinates have actuators."""
        return self._model.actuator_names == self._model.position_names

    def begin(self, position: Floats, now: int) -> None:
        """Forget all commands; the robot is at a position (a,) at a time (ns)."""
        self._end = FOREVER
        if self._motion is not None:
            self._follow(RepeatedMotion(self._motion, now, self._settings.loop))
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
        self._effort, self._end, self._followed = values, now + self._timeout, None

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
            As `FollowedTrajectory`.
        """
        if self.controller is None or not self._is_whole:
            raise InputError(f"trajectory: {NOT_FOLLOWED}")
        followed: Followable
        if not len(trajectory.time):
            if len(trajectory.position):
                raise InputError("trajectory: expected a time for each point, got none")
            followed = HeldPose(measured[0])
        else:
            present = self._present(now, measured)
            begin = now if start is None else start
            followed = FollowedTrajectory(self._model, trajectory, begin, now, present)
        self._end = FOREVER
        self._follow(followed)

    def effort(self, now: int, position: Floats, velocity: Floats) -> tuple[Floats, int]:
        """Return the efforts (a,) from a time (ns), and the time until which they are valid (ns).

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
            return self._effort, self._end
        if self._followed is None or self.controller is None:
            return self._rest, FOREVER
        return self.controller.compute(position, velocity, *self._followed.at(now)).effort, now

    def note_displacement(self, before: Floats, after: Floats) -> None:
        """Register that actuators were moved at once: positions (a,) before and after."""
        if isinstance(self._followed, HeldPose) and (before != after).any():
            held = self._followed.at(0)[0]
            self._followed = HeldPose(np.where(before != after, after, held))

    def described(self) -> str:
        """Return a readable description of the active command."""
        if self._effort is not None:
            return "effort commands" if self._end < FOREVER else "no command: moves free"
        if isinstance(self._followed, FollowedTrajectory):
            return "a trajectory"
        return "a motion" if isinstance(self._followed, RepeatedMotion) else "a constant pose"

    def _present(self, now: int, measured: tuple[Floats, Floats]) -> Desired:
        """Return the desired motion; the measured one while nothing is followed."""
        if self._followed is None:
            return measured[0], measured[1], self._rest
        return self._followed.at(now)

    def _be_idle(self, position: Floats) -> None:
        if self._settings.idle == "free" or self.controller is None:
            self._effort, self._followed = self._rest, None
        else:
            self._follow(HeldPose(position))

    def _follow(self, followed: Followable) -> None:
        self._effort, self._followed = None, followed
