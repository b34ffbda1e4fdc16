# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""From measured motion and goals to efforts; what happens without measurements or after a stop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from charmie_dynamics.control import (
    ComputedTorque,
    ControlEffort,
    Controller,
    GravityCompensation,
    PDFeedForward,
)
from charmie_dynamics.control.per_actuator import per_actuator
from charmie_dynamics.errors import InputError, choices
from charmie_dynamics.live.wire.stamps import NANOSECONDS
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.state import State
from charmie_dynamics.motions import MotionPoint
from charmie_dynamics.motions.trajectory import columns_of
from charmie_dynamics.numerics.vectors import Floats

from .execution import Execution, GoalOutcome, worst_error
from .following import in_joints
from .goals import Code, Goal, GoalError
from .groups import JointGroup

COMPUTED_TORQUE, PD, GRAVITY_COMPENSATION = "computed_torque", "pd", "gravity_compensation"
MODES = (COMPUTED_TORQUE, PD, GRAVITY_COMPENSATION)
HOLD, DAMP, ZERO = "hold", "damp", "zero"
FALLBACKS = (HOLD, DAMP, ZERO)
# 1/s^2, of the error of a position without other gains
STIFFNESS = 400.0


@dataclass(frozen=True)
class ControlSettings:
    """Settings of a `RobotController`.

    Parameters
    ----------
    mode : {"computed_torque", "pd", "gravity_compensation"}
        See `control`. Gravity compensation follows no trajectories.
    kp, kd : tuple of float
        Gains of position and velocity, one for all actuators or one for each, in the units of the
        mode. Empty: critically damped errors with an angular frequency of 20 rad/s; none of gravity
        compensation.
    fallback : {"hold", "damp", "zero"}
        After a stop, and without measurements, see `RobotController`.
    damping : float
        Rate at which `damp` slows down each actuator alone (1/s).
    timeout : float
        A longer time between two samples ends all goals (s).

    Raises
    ------
    InputError
        For an unknown choice.
    """

    mode: str = COMPUTED_TORQUE
    kp: tuple[float, ...] = ()
    kd: tuple[float, ...] = ()
    fallback: str = HOLD
    damping: float = 5.0
    timeout: float = 0.2

    def __post_init__(self) -> None:
        for name, valid in (("mode", MODES), ("fallback", FALLBACKS)):
            value = getattr(self, name)
            if value not in valid:
                raise InputError(f"{name}: '{value}' is no choice{choices(value, valid)}")


class RobotController:
    """Computes the efforts of a robot. Reads no clock; times are stamps (ns).

    It holds the pose of the first sample, and executes goals. `stop`, a jump of time and missing
    measurements end all goals. Then `fallback` applies: `hold` holds the pose in which the robot
    stops, `damp` compensates gravity and slows the robot down, `zero` applies no effort. Without
    measurements, hold and damp apply the efforts that held the last measured pose at rest.

    Parameters
    ----------
    model : Model
        A robot all of whose coordinates have actuators.
    groups : dict of str to JointGroup
        Actuators of no group are not commanded: their efforts are NaN.
    settings : ControlSettings

    Attributes
    ----------
    execution : Execution
    is_stopped : bool
    was_interrupted : bool
        Whether the last `update` was the first one, or followed a jump of time.
    last_effort : (a,) array
    limited : int
        Efforts that were reduced to a limit, since the start.

    Raises
    ------
    UnsupportedError
        For a robot with other coordinates.
    InputError
        For gains of a wrong number, or which are negative or not finite.
    """

    def __init__(
        self, model: Model, groups: dict[str, JointGroup], settings: ControlSettings
    ) -> None:
        self.execution = Execution(model, groups)
        self._settings = settings
        self._inertia = np.diagonal(model.equations(model.rest_position()).mass_matrix).copy()
        commanded = {k for group in groups.values() for k in group.columns}
        self._free = np.array(
            [k for k in range(len(model.actuator_names)) if k not in commanded], dtype=np.int64
        )
        self.is_stopped, self.was_interrupted, self.limited = False, False, 0
        self.last_effort = np.zeros_like(self._inertia)
        self._position, self._velocity = model.rest_position(), np.zeros_like(self._inertia)
        self._last: int | None = None
        self.carry(model)

    def carry(self, model: Model) -> None:
        """Replace the loads: `model` is the same robot with the new ones."""
        names, settings = model.actuator_names, self._settings
        self._law = _law(model, settings, self._inertia)
        self._damping = GravityCompensation(
            model, kd=per_actuator("damping", settings.damping * self._inertia, names)
        )
        self.model = model

    @property
    def mode(self) -> str:
        """The control law."""
        return self._settings.mode

    @property
    def fallback(self) -> str:
        """What happens after a stop and without measurements."""
        return self._settings.fallback

    @property
    def position(self) -> Floats:
        """The last measured position (a,)."""
        return self._position

    def update(self, now: int, state: State) -> list[GoalOutcome]:
        """Take the measured state at a time (ns), and return the goals that end.

        Parameters
        ----------
        now : int
        state : State
            Kinematics of the measured positions and velocities.
        """
        last, self._last = self._last, now
        self.was_interrupted = False
        self._position, self._velocity = state.position.copy(), state.velocity.copy()
        if last is not None and 0 < now - last <= self._settings.timeout * NANOSECONDS:
            return self.execution.update(now, state)
        self.was_interrupted = True
        jump = 0.0 if last is None else (now - last) / NANOSECONDS
        return self._end_all(f"time jumped by {jump:.6g} s")

    def require_present(self, group: str, goal: Goal) -> None:
        """Raise an error unless the robot is at the last point of a goal, within its tolerances.

        Raises
        ------
        GoalError
            With the largest error.
        """
        names = tuple(goal.trajectory.names)
        columns = columns_of(self.model, names)
        measured = MotionPoint(self._position, self._velocity, np.zeros_like(self._velocity))
        actual = in_joints(self.model, columns, names, measured)
        difference = goal.trajectory.position[-1] - actual.position
        errors = np.array([np.abs(difference), np.abs(actual.velocity)], dtype=np.float64)
        if not (errors <= goal.tolerances.goal).all():
            raise GoalError(
                Code.INVALID_GOAL,
                f"{group}: expected a last point after its start, or the present pose, got 0 s and "
                f"{worst_error(names, errors, goal.tolerances.goal)}",
            )

    def _end_all(self, reason: str) -> list[GoalOutcome]:
        """End all goals, and hold the measured pose."""
        ended = [
            GoalOutcome(name, Code.INVALID_GOAL, f"{name}: {reason}")
            for name in self.execution.groups
            if self.execution.goal_of(name) is not None
        ]
        self.execution.hold(self._position)
        return ended

    def lose(self, reason: str) -> list[GoalOutcome]:
        """End all goals since there are no measurements; the next `update` counts as the first."""
        if self._last is None:
            return []
        self._last = None
        self._velocity = np.zeros_like(self._velocity)
        return self._end_all(reason)

    def stop_group(self, group: str, now: int, reason: str = "stopped") -> list[GoalOutcome]:
        """End the goal of a group, if it has one; the group stops."""
        is_moving = self.execution.goal_of(group) is not None
        self.execution.stop(group, now)
        return [GoalOutcome(group, Code.INVALID_GOAL, f"{group}: {reason}")] if is_moving else []

    def stop(self, now: int) -> list[GoalOutcome]:
        """End all goals; the fallback applies until `resume`."""
        self.is_stopped = True
        return [end for name in self.execution.groups for end in self.stop_group(name, now)]

    def resume(self) -> None:
        """Hold the measured pose, and accept goals again."""
        if self.is_stopped and self._last is not None:
            self.execution.hold(self._position)
        self.is_stopped = False

    def effort(self, now: int) -> Floats:
        """Return the efforts (a,) for the last measured state at a time (ns), within all limits.

        Raises
        ------
        CharmieError
            As `Controller.compute`.
        """
        q, v, rest = self._position, self._velocity, np.zeros_like(self._velocity)
        is_lost, fallback = self._last is None, self._settings.fallback
        if (self.is_stopped or is_lost) and fallback == ZERO:
            asked = ControlEffort(rest, np.zeros(len(rest), dtype=bool))
        elif is_lost or (self.is_stopped and fallback == DAMP):
            asked = self._damping.compute(q, v, q, rest, rest)
        else:
            desired = self.execution.desired(now)
            if len(self._free):
                for part, measured in zip(desired, (q, v, rest), strict=True):
                    part[self._free] = measured[self._free]
            asked = self._law.compute(q, v, *desired)
        effort = self.execution.pressed(asked.effort, q)
        self.limited += int(asked.is_limited.any())
        effort[self._free] = np.nan
        self.last_effort = effort
        return effort

    def desired(self, now: int) -> MotionPoint:
        """Return the desired motion of all actuators (a,) at a time (ns)."""
        return self.execution.desired(now)


def _law(model: Model, settings: ControlSettings, inertia: Floats) -> Controller:
    names = model.actuator_names

    def gains(subject: str, given: tuple[float, ...], rest: Floats | float) -> Floats:
        return per_actuator(subject, given[0] if len(given) == 1 else given or rest, names)

    if settings.mode == GRAVITY_COMPENSATION:
        return GravityCompensation(
            model, gains("kp", settings.kp, 0.0), gains("kd", settings.kd, 0.0)
        )
    unit = inertia if settings.mode == PD else np.ones_like(inertia)
    kp = gains("kp", settings.kp, STIFFNESS * unit)
    # of critical damping: 2 sqrt(kp unit)
    kd = gains("kd", settings.kd, 2.0 * np.sqrt(kp * unit))
    kind = PDFeedForward if settings.mode == PD else ComputedTorque
    return kind(model, kp, kd)
