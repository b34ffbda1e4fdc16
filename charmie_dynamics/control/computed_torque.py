# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Computed-torque control: the inverse dynamics make all actuators equal double integrators."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from charmie_dynamics.model.model import Model
from charmie_dynamics.motions import SampledMotion
from charmie_dynamics.numerics.vectors import Floats

from .controller import Controller
from .per_actuator import PerActuator, per_actuator

# position, velocity, acceleration (a,) to effort (a,)
InverseDynamics = Callable[[Floats, Floats, Floats], Floats]


class ComputedTorque(Controller):
    """Computed-torque control.

    The law of the *structural paper* (see `core.equations.structural`), section 5.3 ::

        effort = inverse_dynamics(q, v, a_d + kd (v_d - v) + kp (q_d - q))

    with the inverse dynamics of the model, closed loops, springs and loads included. If the robot
    equals the model, has no friction and stays within the effort limits, each error e = q_d - q
    obeys e'' + kd e' + kp e = 0 independently of the others.

    Parameters
    ----------
    model : Model
    kp : float, (a,) array_like or mapping of str to float
        Gain of the position (1/s^2): sqrt(kp) is the angular frequency of the error.
    kd : float, (a,) array_like or mapping of str to float, optional
        Gain of the velocity (1/s). Default: 2 sqrt(kp), critical damping.
    effort_limits, friction, motion : optional
        As for every `Controller`.
    inverse_dynamics : callable, optional
        Efforts without friction from position, velocity and acceleration, for instance the code
        that `charmie_dynamics.symbolic` generates.

    Raises
    ------
    InputError
        If a gain or limit is negative, not finite, or of the wrong shape.
    UnknownNameError
        For an unknown actuator.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.control import ComputedTorque
    >>> model = load_model()
    >>> controller = ComputedTorque(model, kp=200.0)
    >>> rest = model.zero_position()
    >>> measured = rest.copy()
    >>> measured[4] += 0.001  # m, of the torso actuator
    >>> effort, is_limited = controller.compute(measured, 0 * rest, rest, 0 * rest, 0 * rest)
    >>> print(effort[4].round(2), is_limited.any())  # N
    -139.57 False
    """

    def __init__(
        self,
        model: Model,
        kp: PerActuator,
        kd: PerActuator | None = None,
        *,
        effort_limits: PerActuator | None = None,
        friction: bool = True,
        motion: SampledMotion | None = None,
        inverse_dynamics: InverseDynamics | None = None,
    ) -> None:
        kp = per_actuator("kp", kp, model.actuator_names)
        damping = 2.0 * np.sqrt(kp) if kd is None else kd
        super().__init__(
            model, kp, damping, effort_limits=effort_limits, friction=friction, motion=motion
        )
        self._inverse_dynamics = inverse_dynamics

    def _unlimited_effort(
        self, start: Floats, q: Floats, v: Floats, q_d: Floats, v_d: Floats, a_d: Floats
    ) -> Floats:
        command = self.kp * (q_d - q)
        command += self.kd * (v_d - v)
        command += a_d
        if self._inverse_dynamics is not None:
            return self._inverse_dynamics(q, v, command)
        return self._motion_effort(start, q, v, command)
