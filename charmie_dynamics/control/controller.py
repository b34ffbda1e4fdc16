# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the controllers share: gains, inputs, friction and effort limits."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import InputError
from charmie_dynamics.model.flat.checks import checked
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

from .per_actuator import PerActuator, per_actuator

Flags = npt.NDArray[np.bool_]
INPUTS = (
    *("position", "velocity"),
    *("desired position", "desired velocity", "desired acceleration"),
)
TOO_LARGE = "errors, gains or desired motion: so large that the efforts are not finite"


class ControlEffort(NamedTuple):
    """What a controller asks of the a actuators.

    Attributes
    ----------
    effort : (a,) array
        Within the limits (N m or N).
    is_limited : (a,) array of bool
        Where more was asked for than the limit allows.

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
    """From the measured state and the desired motion of all actuators to their efforts.

    All controllers are called alike, so that one can take the place of another. They keep nothing
    from one call to the next. A difference of angles is not reduced to less than a turn.

    Parameters
    ----------
    model : Model
        The robot as it is taken to be, with its loads.
    kp, kd : float, (a,) array_like or mapping of str to float
        Gains of position and velocity, for all actuators, for each, or by their names.
    effort_limits : float, (a,) array_like or mapping of str to float, optional
        Largest efforts (N m or N); ``numpy.inf`` for none. Those that are not given are the rated
        efforts of the model, where it has any.
    friction : bool
        Overcome the friction that the files of the model define, at the desired velocity: at rest,
        the sign of the measured velocity is that of its noise.

    Attributes
    ----------
    model : Model
    kp, kd : (a,) array
    effort_limits : (a,) array

    Raises
    ------
    InputError
        If a gain or limit is negative, not finite, or of the wrong shape.
    UnknownNameError
        If one is for an actuator that does not exist.
    """

    def __init__(
        self,
        model: Model,
        kp: PerActuator,
        kd: PerActuator,
        *,
        effort_limits: PerActuator | None = None,
        friction: bool = True,
    ) -> None:
        names = model.actuator_names
        self.model = model
        self.kp = per_actuator("kp", kp, names)
        self.kd = per_actuator("kd", kd, names)
        # 0 stands for a rated effort that is not given
        rated = np.array([limit.effort or math.inf for limit in model.actuator_limits()])
        limits = {} if effort_limits is None else effort_limits
        self.effort_limits = per_actuator("effort_limits", limits, names, rest=rated)
        self._lower_limits = -self.effort_limits
        self._shape = self.kp.shape
        self._has_friction = friction and model.has_friction

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
            Measured, in the order of `Model.actuator_names`: rad, m, or pin-to-pin length.
        desired_position, desired_velocity, desired_acceleration : (a,) array_like

        Returns
        -------
        ControlEffort
            Owns its arrays.

        Raises
        ------
        InputError
            For an array of the wrong shape or values that are not finite; names it.
        OutOfReachError
            If a length closes no loop.

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
        given = (
            position, velocity, desired_position, desired_velocity, desired_acceleration
        )  # fmt: skip
        for values in given:
            if not (
                isinstance(values, np.ndarray)
                and values.shape == self._shape
                and values.dtype.char == "d"
            ):
                return self._compute(*self._checked(given))
        return self._compute(*given)  # type: ignore[arg-type]

    def _compute(
        self, q: Floats, v: Floats, q_d: Floats, v_d: Floats, a_d: Floats
    ) -> ControlEffort:
        try:
            asked = self._unlimited_effort(q, v, q_d, v_d, a_d)
            if self._has_friction:
                asked = asked + self.model.friction_effort(v_d, q_d)
        except InputError as error:
            self._checked((q, v, q_d, v_d, a_d))  # whose fault it was, in the caller's words
            raise InputError(TOO_LARGE) from error
        effort = np.minimum(asked, self.effort_limits)
        np.maximum(effort, self._lower_limits, out=effort)
        is_limited = effort != asked
        # without looking at all five inputs in each cycle: what is not finite in them is so in here
        if not math.isfinite(np.dot(effort, effort)):
            self._checked((q, v, q_d, v_d, a_d))
            raise InputError(TOO_LARGE)
        return ControlEffort(effort, is_limited)

    def _checked(self, given: tuple[npt.ArrayLike, ...]) -> tuple[Floats, ...]:
        names = self.model.actuator_names
        pairs = zip(INPUTS, given, strict=True)
        return tuple(checked(subject, values, names) for subject, values in pairs)

    @abstractmethod
    def _unlimited_effort(
        self, q: Floats, v: Floats, q_d: Floats, v_d: Floats, a_d: Floats
    ) -> Floats:
        """Return the efforts (a,) without friction."""
