# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The base of all controllers: gains, inputs, friction and effort limits."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import InputError, UnsupportedError
from charmie_dynamics.model.flat.checks import checked, converted, require_finite
from charmie_dynamics.model.model import Model
from charmie_dynamics.motions import SampledMotion
from charmie_dynamics.numerics.vectors import Floats, Ints

from .per_actuator import PerActuator, per_actuator, rated_efforts

Flags = npt.NDArray[np.bool_]
INPUTS = (
    *("position", "velocity"),
    *("desired position", "desired velocity", "desired acceleration"),
)
TOO_LARGE = "errors, gains or desired motion: so large that the efforts are not finite"


class ControlEffort(NamedTuple):
    """Efforts of a controller for the a actuators.

    Attributes
    ----------
    effort : (a,) array
        Within the limits (N m or N).
    is_limited : (a,) array of bool
        Whether the effort was reduced to the limit.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.control import GravityCompensation
    >>> model = load_model()
    >>> rest = model.zero_position()
    >>> controller = GravityCompensation(model, effort_limits={"lift_actuator": 50.0})
    >>> asked = controller.compute(rest, 0 * rest, rest, 0 * rest, 0 * rest)
    >>> print(asked.effort[3:5].round(2), asked.is_limited[3:5])  # lift and torso actuator, N
    [ 50.   -44.04] [ True False]
    """

    effort: Floats
    is_limited: Flags


class Controller(ABC):
    """Computes efforts of all actuators from their measured state and desired motion.

    All controllers have the same interface, so that they are interchangeable. `compute` stores
    nothing between calls; as an effort law without a `motion` a controller stores the position at
    the start of the run. A difference of angles is not reduced to less than a turn.

    Parameters
    ----------
    model : Model
        The model of the robot, with its loads.
    kp, kd : float, (a,) array_like or mapping of str to float
        Gains of position and velocity, for all actuators, for each, or by their names.
    effort_limits : float, (a,) array_like or mapping of str to float, optional
        Largest efforts (N m or N); ``numpy.inf`` for none. Default: the rated efforts of the model,
        if they are defined.
    friction : bool
        Compensate the friction that the files of the model define, at the desired velocity: at
        rest, the sign of the measured velocity is that of its noise.
    motion : SampledMotion, optional
        Of all actuators, which the controller follows as an effort law, linear between its times;
        default: hold the position at which a simulation starts.

    Attributes
    ----------
    model : Model
    kp, kd : (a,) array
    effort_limits : (a,) array

    Raises
    ------
    InputError
        If a gain or limit is negative, not finite, or of the wrong shape. For a motion with wrong
        shapes, values that are not finite, or times that do not increase.
    UnknownNameError
        For an unknown actuator.
    UnsupportedError
        If a coordinate has neither an actuator nor a loop that moves it, such as those of a
        floating base.
    """

    def __init__(
        self,
        model: Model,
        kp: PerActuator,
        kd: PerActuator,
        *,
        effort_limits: PerActuator | None = None,
        friction: bool = True,
        motion: SampledMotion | None = None,
    ) -> None:
        names = model.actuator_names
        self.model = model
        self._of_position, self._of_velocity = _actuated(model, type(self).__name__)
        self._has_loops = model.position_names != names
        self._motion = None if motion is None else _checked_motion(motion, names)
        self._hold = _Hold()
        self.kp = per_actuator("kp", kp, names)
        self.kd = per_actuator("kd", kd, names)
        limits = {} if effort_limits is None else effort_limits
        rated = rated_efforts(model)
        self.effort_limits = per_actuator("effort_limits", limits, names, rest=rated)
        self._lower_limits = -self.effort_limits
        self._shape = self.kp.shape
        self._still = np.zeros(self._shape)
        self._has_friction = friction and model.has_friction

    def __call__(self, time: float, position: Floats, velocity: Floats) -> Floats:
        """Return the efforts (a,) at a time (s), position (p,) and velocity (v,) of a robot.

        The controller can be the effort law of `simulation.simulate`.

        Raises
        ------
        InputError, OutOfReachError, LoopError
            As for `compute`.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.control import ComputedTorque
        >>> from charmie_dynamics.simulation import simulate
        >>> model = load_model("scara")
        >>> start = np.array([0.2, 0.1, 0.1, 0.3, 0.0])
        >>> run = simulate(model, start, None, 0.1, effort=ComputedTorque(model, kp=100.0))
        >>> bool(abs(run.position[-1] - start).max() < 1e-6)
        True
        """
        q, v = position[self._of_position], velocity[self._of_velocity]
        if self._motion is None:
            desired = self._hold.at(time, q), self._still, self._still
        else:
            desired = _sampled(self._motion, time)
        if not self._has_loops:
            return self.compute(q, v, *desired).effort
        return self._compute(position, velocity, *desired).effort

    def compute(
        self,
        position: npt.ArrayLike,
        velocity: npt.ArrayLike,
        desired_position: npt.ArrayLike,
        desired_velocity: npt.ArrayLike,
        desired_acceleration: npt.ArrayLike,
    ) -> ControlEffort:
        """Return the efforts for one control cycle.

        Parameters
        ----------
        position, velocity : (a,) array_like
            Measured, in the order of `Model.actuator_names`: rad, m, or pin-to-pin length. The
            passive joints of loops follow, starting at their values in `Model.zero_position`.
        desired_position, desired_velocity, desired_acceleration : (a,) array_like

        Returns
        -------
        ControlEffort
            Owns its arrays.

        Raises
        ------
        InputError
            For a wrong shape or values that are not finite; names the array.
        OutOfReachError, LoopError
            If a loop cannot be closed, for example for a length.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.control import ComputedTorque
        >>> model = load_model()
        >>> rest = model.zero_position()
        >>> controller = ComputedTorque(model, kp=200.0)
        >>> effort, _ = controller.compute(rest, 0 * rest, rest, 0 * rest, 0 * rest)
        >>> print(effort[3:5].round(2))  # lift and torso actuator, N
        [ 74.21 -44.04]
        """
        arguments: tuple[Any, ...] = (
            position, velocity, desired_position, desired_velocity, desired_acceleration
        )  # fmt: skip
        for values in arguments:
            if not (
                isinstance(values, np.ndarray)
                and values.shape == self._shape
                and values.dtype.char == "d"
            ):
                arguments = self._checked(arguments)
                break
        q, v, *desired = arguments
        if self._has_loops:
            q, v = self._whole(self.model.zero_position(), q, v)
        return self._compute(q, v, *desired)

    def _motion_effort(self, start: Floats, q: Floats, v: Floats, a: Floats) -> Floats:
        """Return the efforts (a,) without friction for a motion of the actuators.

        Parameters
        ----------
        start : (p,) array
            Start of the search for the passive joints of loops.
        q, v, a : (a,) array
        """
        if not self._has_loops:
            return self.model.compute(q, v, a, friction=False).actuator_effort
        position, velocity = self._whole(start, q, v)
        acceleration = np.zeros(len(velocity))
        acceleration[self._of_velocity] = a
        motion = self.model.assemble(position, velocity, acceleration)
        return self.model.compute(*motion, friction=False).actuator_effort

    def _friction_effort(self, start: Floats, q: Floats, v: Floats) -> Floats:
        if not self._has_loops:
            return self.model.friction_effort(v, q)
        motion = self.model.assemble(*self._whole(start, q, v))
        return self.model.friction_effort(motion.velocity, motion.position)

    def _whole(self, start: Floats, q: npt.ArrayLike, v: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Return position (p,) and velocity (v,) from those of the actuators (a,)."""
        position, velocity = start.copy(), np.zeros(len(self.model.velocity_names))
        position[self._of_position] = q
        velocity[self._of_velocity] = v
        return position, velocity

    def _compute(
        self, position: Floats, velocity: Floats, q_d: Floats, v_d: Floats, a_d: Floats
    ) -> ControlEffort:
        """Return the efforts from the position (p,) and velocity (v,) of all coordinates."""
        q, v = position, velocity
        if self._has_loops:
            q, v = position[self._of_position], velocity[self._of_velocity]
        try:
            asked = self._unlimited_effort(position, q, v, q_d, v_d, a_d)
            if self._has_friction:
                asked = asked + self._friction_effort(position, q_d, v_d)
        except InputError as error:
            self._checked((q, v, q_d, v_d, a_d))  # names the wrong input
            raise InputError(TOO_LARGE) from error
        effort = np.minimum(asked, self.effort_limits)
        np.maximum(effort, self._lower_limits, out=effort)
        is_limited = effort != asked
        # without a check of all five inputs in each cycle: any value that is not finite appears
        # here
        if not math.isfinite(np.dot(effort, effort)):
            self._checked((q, v, q_d, v_d, a_d))
            raise InputError(TOO_LARGE)
        return ControlEffort(effort, is_limited)

    def _checked(self, arguments: tuple[npt.ArrayLike, ...]) -> tuple[Floats, ...]:
        names = self.model.actuator_names
        pairs = zip(INPUTS, arguments, strict=True)
        return tuple(checked(subject, values, names) for subject, values in pairs)

    @abstractmethod
    def _unlimited_effort(
        self, start: Floats, q: Floats, v: Floats, q_d: Floats, v_d: Floats, a_d: Floats
    ) -> Floats:
        """Return the efforts (a,) without friction; `start` (p,) as for `inverse_dynamics`."""


class _Hold:
    """Stores the position at the start of a run: at the first time, or after time restarts."""

    def __init__(self) -> None:
        self._first, self._last, self._position = math.inf, math.inf, np.empty(0)

    def at(self, time: float, position: Floats) -> Floats:
        """Return the held position (a,) at a time (s)."""
        if time < self._first or (time == self._first and self._last > time):
            self._first, self._position = time, position.copy()
        self._last = time
        return self._position


def _checked_motion(motion: SampledMotion, names: tuple[str, ...]) -> tuple[Floats, ...]:
    """Return times (k,), positions, velocities and accelerations (k, a) of a motion."""
    time = np.array(motion.time, dtype=np.float64)
    if time.ndim != 1 or len(time) < 2:
        raise InputError(f"motion: expected times of shape (k,), k of at least 2, got {time.shape}")
    if not (np.isfinite(time).all() and (np.diff(time) > 0.0).all()):
        raise InputError("motion: expected times that are finite and increase")
    rows = [time]
    for subject in ("position", "velocity", "acceleration"):
        values = converted(f"motion: {subject}", getattr(motion, subject), (len(time), len(names)))
        require_finite(f"motion: {subject}", values, names)
        rows.append(values)
    return tuple(rows)


def _sampled(motion: tuple[Floats, ...], time: float) -> tuple[Floats, Floats, Floats]:
    """Return position, velocity and acceleration (a,) at a time, linear between samples."""
    times, *rows = motion
    k = int(np.clip(np.searchsorted(times, time, side="right"), 1, len(times) - 1))
    share = min(max((time - times[k - 1]) / (times[k] - times[k - 1]), 0.0), 1.0)
    matches = [(1.0 - share) * array[k - 1] + share * array[k] for array in rows]
    return matches[0], matches[1], matches[2]


def _actuated(model: Model, name: str) -> tuple[Ints, Ints]:
    """Return the indices of the actuators in positions and velocities (a,).

    Raises
    ------
    UnsupportedError
        If a coordinate has neither an actuator nor a loop that moves it.
    """
    actuators, passive = model.actuator_names, set(model.mechanisms.passive_joints)
    free = [n for n in model.velocity_names if n not in actuators and n not in passive]
    if free:
        raise UnsupportedError(
            f"{name}: no actuator moves '{free[0]}' of '{model.name}'; expected a robot whose "
            "coordinates all have an actuator or belong to loops. For robots on wheels "
            "or legs see WheelDrive and LegDrive"
        )
    positions, velocities = (
        np.array([names.index(name) for name in actuators], dtype=np.int64)
        for names in (model.position_names, model.velocity_names)
    )
    return positions, velocities
