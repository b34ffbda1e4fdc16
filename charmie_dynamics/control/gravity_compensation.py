# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Gravity compensation, with or without proportional-derivative control."""

from __future__ import annotations

from charmie_dynamics.model.model import Model
from charmie_dynamics.motions import SampledMotion
from charmie_dynamics.numerics.vectors import Floats

from .controller import Controller
from .per_actuator import PerActuator


class GravityCompensation(Controller):
    """Proportional-derivative control with compensation of gravity and springs.

    ::

        effort = inverse_dynamics(q, 0, 0) + kd (v_d - v) + kp (q_d - q)

    Without gains a robot that equals the model stays at rest, and can be guided by hand. With both
    gains it settles in the desired position if the effort limits allow it. The desired acceleration
    is ignored, so that the robot lags behind a motion.

    Parameters
    ----------
    model : Model
    kp, kd : float, (a,) array_like or mapping of str to float
        Gains of position (N m/rad or N/m) and velocity (N m s/rad or N s/m).
    effort_limits, friction, motion : optional
        As for every `Controller`.

    Raises
    ------
    InputError
        If a gain or limit is negative, not finite, or of the wrong shape.
    UnknownNameError
        For an unknown actuator.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.control import GravityCompensation
    >>> model = load_model()
    >>> controller = GravityCompensation(model)
    >>> rest = model.zero_position()
    >>> effort, _ = controller.compute(rest, 0 * rest, rest, 0 * rest, 0 * rest)
    >>> print(effort[3:5].round(2))  # lift and torso actuator, N
    [ 74.21 -44.04]
    """

    def __init__(
        self,
        model: Model,
        kp: PerActuator = 0.0,
        kd: PerActuator = 0.0,
        *,
        effort_limits: PerActuator | None = None,
        friction: bool = True,
        motion: SampledMotion | None = None,
    ) -> None:
        super().__init__(
            model, kp, kd, effort_limits=effort_limits, friction=friction, motion=motion
        )

    def _unlimited_effort(
        self, start: Floats, q: Floats, v: Floats, q_d: Floats, v_d: Floats, a_d: Floats
    ) -> Floats:
        effort = self.kp * (q_d - q)
        effort += self.kd * (v_d - v)
        effort += self._motion_effort(start, q, self._still, self._still)
        return effort
