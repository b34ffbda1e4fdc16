# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Proportional-derivative control with feed-forward of the desired motion."""

from __future__ import annotations

from charmie_dynamics.numerics.vectors import Floats

from .controller import Controller


class PDFeedForward(Controller):
    """Proportional-derivative control with feed-forward of the desired motion.

    ::

        effort = inverse_dynamics(q_d, v_d, a_d) + kd (v_d - v) + kp (q_d - q)

    The first part does not depend on measured values and may be computed in advance; so noise is
    only multiplied by the gains. The gains are in units of effort: the decay of an error depends on
    the inertia.

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
    >>> from charmie_dynamics.control import PDFeedForward
    >>> model = load_model()
    >>> controller = PDFeedForward(model, kp=5000.0, kd=300.0)
    >>> rest = model.zero_position()
    >>> measured = rest.copy()
    >>> measured[4] += 0.001  # m, of the torso actuator
    >>> effort, _ = controller.compute(measured, 0 * rest, rest, 0 * rest, 0 * rest)
    >>> print(effort[4].round(2))  # N, 5 less than at rest
    -49.04
    """

    def _unlimited_effort(
        self, start: Floats, q: Floats, v: Floats, q_d: Floats, v_d: Floats, a_d: Floats
    ) -> Floats:
        effort = self.kp * (q_d - q)
        effort += self.kd * (v_d - v)
        effort += self._motion_effort(start, q_d, v_d, a_d)
        return effort
