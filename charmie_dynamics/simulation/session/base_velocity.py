# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A commanded velocity of the base, as a motion of its actuators."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.model.flat.checks import checked
from charmie_dynamics.model.model import Model
from charmie_dynamics.motions import MotionPoint
from charmie_dynamics.numerics.vectors import Floats

from .base_drive import BaseDrive
from .settings import SessionSettings

TWIST = ("linear.x", "linear.y", "linear.z", "angular.x", "angular.y", "angular.z")
LAG = 0.1  # s at the rated velocity by which a blocked base may lag behind its target


class BaseVelocity:
    """The newest command of the velocity of a base.

    The target velocity changes by `base_acceleration` at most. It ends `input_timeout` after the
    last command: the base slows down, then it holds its position.

    Parameters
    ----------
    model : Model
        The robot alone.
    base : BaseDrive
    settings : SessionSettings

    Attributes
    ----------
    columns : (n,) array of int
        The actuators of the base among those of the robot.
    is_active : bool
        Whether the actuators of the base follow this command.
    """

    def __init__(self, model: Model, base: BaseDrive, settings: SessionSettings) -> None:
        self._base, self.columns = base, base.columns
        self._timeout = round(settings.input_timeout * NANOSECONDS)
        self._acceleration = settings.base_acceleration
        limits = [model.actuator_limits()[k] for k in base.columns]
        self._lower, self._upper, self._rated = np.array(
            [(limit.lower, limit.upper, limit.velocity) for limit in limits]
        ).T
        self._rated[self._rated <= 0.0] = math.inf  # a URDF without a limit may state 0
        self.is_active = False

    def take(self, twist: npt.ArrayLike, now: int, position: Floats, velocity: Floats) -> None:
        """Follow a twist from a time (ns).

        Parameters
        ----------
        twist : (6,) array_like
            Linear (m/s), then angular velocity (rad/s) of the base in its axes; of these x, y and
            the rotation about z are used.
        now : int
        position, velocity : (a,) array
            Of the actuators of the robot.

        Raises
        ------
        InputError
            If the number of values is wrong, or some are not finite.
        """
        requested = checked("cmd_vel", twist, TWIST)[[0, 1, 5]]
        if not self.is_active:
            self._position, rate = position[self.columns], velocity[self.columns]
            self._velocity = self._base.jacobian(self._position) @ rate
            self._now = now
            self._point = MotionPoint(self._position, rate, np.zeros_like(rate))
        rates = self._base.rates(position[self.columns], requested)
        excess = float(np.max(np.abs(rates) / self._rated, initial=1.0))
        self._target, self._end = requested / excess, now + self._timeout
        self.is_active = True

    def at(self, now: int, position: Floats) -> MotionPoint:
        """Return the desired motion (n,) at a time (ns); times do not decrease.

        Parameters
        ----------
        now : int
        position : (a,) array
            Of the actuators of the robot.
        """
        duration = (now - self._now) / NANOSECONDS
        if duration <= 0.0:
            return self._point
        target = self._target if now < self._end else np.zeros(3)
        change = target - self._velocity
        most = self._acceleration * duration
        self._velocity = self._velocity + change * min(1.0, most / max(np.abs(change).max(), most))
        present, before = position[self.columns], self._point.velocity
        if self._velocity.any():
            rate = self._base.rates(present, self._velocity)
        else:
            rate = np.zeros_like(before)
        moved = self._position + 0.5 * duration * (before + rate)
        lag = LAG * self._rated
        moved = np.clip(moved, present - lag, present + lag)
        self._position, self._now = np.clip(moved, self._lower, self._upper), now
        self._point = MotionPoint(self._position, rate, (rate - before) / duration)
        return self._point

    def note_displacement(self, before: Floats, after: Floats) -> None:
        """Register that actuators were moved at once: positions (a,) before and after."""
        old, new = before[self.columns], after[self.columns]
        self._position = np.where(old != new, new, self._position)
        self._point = self._point._replace(position=self._position)
