# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The entrance: the motion of a robot under efforts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from charmie_dynamics.control import PerActuator
from charmie_dynamics.errors import InputError, SimulationError
from charmie_dynamics.model.flat.checks import checked
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation.contact.contact_scene import ContactScene

from .accuracy import GAIN, BalanceWatch, bounded, require_closed
from .adaptive import Tolerances, require_method, solve_adaptive
from .applied_efforts import AppliedEfforts, EffortLaw
from .events import Event, EventWatch, StateAt
from .fixed_step import FixedSteps
from .integrated_motion import IntegratedMotion, between, joined
from .joint_laws import JointStops, joint_laws
from .methods import INTEGRATORS, require_positive
from .run import Run
from .stepper import Stepper

DEFAULT_STEP = 1e-3  # s, for the design of stops of methods without a fixed step
# permitted error of the balance of energies for methods with variable step. Errors of single steps,
# which rtol bounds, add up; it decreases with the root of rtol, so that a smaller rtol may succeed.
BALANCE_BY_ROOT_OF_RTOL = 0.1
BALANCE_BY_ATOL = 100.0
ROUND_OFF = 1e-9  # of a step


def simulate(
    model: Model,
    position: npt.ArrayLike,
    velocity: npt.ArrayLike | None,
    duration: float,
    effort: npt.ArrayLike | EffortLaw | None = None,
    integrator: str = "adaptive",
    step: float | None = None,
    *,
    rtol: float = 1e-6,
    atol: float = 1e-9,
    times: npt.ArrayLike | None = None,
    hold: bool = False,
    events: Sequence[Event] = (),
    friction: bool = True,
    effort_limits: PerActuator | bool | None = None,
    joint_stops: JointStops | bool = False,
    energy_tolerance: float | None = None,
    contact_gain: float | None = None,
    most_evaluations: int = 1_000_000,
    contacts: ContactScene | None = None,
) -> Run:
    """Return the motion of a robot under efforts.

    Parameters
    ----------
    model : Model
    position : (p,) array_like
        At the start: rad, m, or pin-to-pin length.
    velocity : (v,) array_like or None
        At the start; None: at rest.
    duration : float
        In seconds.
    effort : (a,) array_like or callable, optional
        Of the actuators: constant, or called as ``effort(time, position, velocity)``, which must
        not depend on anything else; none if omitted.
    integrator : str
        "adaptive" (SciPy's LSODA, which varies step and order; DOP853 for robots with loop joints),
        another method of ``scipy.integrate.solve_ivp``, or a fixed-step one: "rk4",
        "semi_implicit_euler" or "rosenbrock" (second order, for stiff springs and dampers).
    step : float, optional
        Of a fixed-step method (s), made a little shorter so that a whole number of steps fits into
        the duration; if omitted 1 ms, and 0.1 ms for "semi_implicit_euler". For other methods the
        largest step, if given.
    rtol, atol : float
        Relative and absolute tolerance of a step of methods that vary it. Errors of the steps add
        up, and some motions multiply them: repeat the run with a smaller rtol to see its error.
    times : (k,) array_like, optional
        At which the motion is given, increasing; if omitted at the steps.
    hold : bool
        Call an effort law once per step and keep its efforts until the next, as a digital
        controller does. For fixed-step methods; otherwise the law is called wherever the method
        evaluates accelerations.
    events : sequence of callable
        Called as ``event(time, position, velocity)``; their zeros are found. Like those of SciPy
        they may have attributes ``terminal`` and ``direction``. See `limit_events`.
    friction : bool
        Whether the friction that the files define acts.
    effort_limits : bool, float, (a,) array_like or mapping of str to float, optional
        Largest efforts: True for the rated ones of the model, or as for a `control.Controller`.
    joint_stops : bool or JointStops
        Whether the actuators are stopped at the ends of their ranges, and how.
    energy_tolerance : float, optional
        Permitted error of the balance as a fraction of the exchanged energy. If omitted, a tenth of
        the root of rtol for methods with variable step, which is 1e-4; else 1e-3, and 5e-3 for
        "semi_implicit_euler".
    contact_gain : float, optional
        Fraction of that energy that contacts may return in an impact beyond the stored energy. If
        omitted, `energy_tolerance` for methods with variable step, else five times that.
    most_evaluations : int
        Limit for methods with variable step; a run that needs more fails.
    contacts : ContactScene, optional
        Shapes that may touch, see `World.contacts`.

    Returns
    -------
    Run
        Ends where an event did end it.

    Raises
    ------
    SimulationError
        If the run loses its accuracy according to the balance of energies, or stalls; names the
        time, the joint and a remedy.
    InputError
        For bad input.
    UnknownNameError
        For an integrator that does not exist.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.simulation import simulate
    >>> model = load_model("charmie_lar")
    >>> run = simulate(model, model.zero_position(), None, 0.2)
    >>> bool(abs(run.energy.error).max() < 1e-3)
    True
    """
    start = (
        model.normalised_position(checked("position", position, model.position_names)),
        checked("velocity", velocity, model.velocity_names),
    )
    require_positive(duration=duration, rtol=rtol, atol=atol, step=step)
    sample_times = None if times is None else _checked_times(times, duration)
    efforts = AppliedEfforts(model, effort)
    method = INTEGRATORS.get(integrator)
    if method is None:
        require_method(integrator)
        if hold:
            raise InputError(
                f"hold: expected a fixed-step integrator ({', '.join(INTEGRATORS)}), got "
                f"'{integrator}'"
            )
    largest_step = step or (method.step if method else DEFAULT_STEP)
    count = max(1, math.ceil(duration / largest_step - ROUND_OFF))
    model = model if friction else model.without_friction()
    laws = joint_laws(
        model, step=largest_step, effort_limits=effort_limits, joint_stops=joint_stops,
        position=start[0],
    )  # fmt: skip
    own_step = duration / count
    stepper = Stepper(model, laws, method, own_step if method else None, contacts)
    stepper.begin(*start)
    stepper.require_closed()
    if method is None:
        advice = "try a smaller rtol, or another integrator"
        tolerance = energy_tolerance or BALANCE_BY_ROOT_OF_RTOL * math.sqrt(rtol)
        floor, gain, settling = BALANCE_BY_ATOL * atol, contact_gain, 0.0
    else:
        advice = "try a shorter step, another integrator, or an effort without jumps"
        tolerance = energy_tolerance or method.tolerance
        floor, gain, settling = 0.0, contact_gain or GAIN * tolerance, method.settling(own_step)
    balance = BalanceWatch(
        model, laws, tolerance, floor, advice, stepper.hardest_contact, gain, settling
    )
    watch = EventWatch(events)
    if method is None:
        tolerances = Tolerances(rtol, atol, step, most_evaluations)
        steps, motion, evaluations = solve_adaptive(
            stepper, duration, efforts, integrator, tolerances, sample_times, watch
        )
        balance.look(steps)
    else:
        fixed = FixedSteps(stepper, method, efforts, own_step, count, hold)
        motion, evaluations = _in_steps(fixed, balance, watch, sample_times), fixed.evaluations
    return Run(
        model, integrator, motion, laws, balance.start_energy, watch.times, evaluations, contacts
    )


def _in_steps(
    run: FixedSteps, balance: BalanceWatch, events: EventWatch, times: Floats | None
) -> IntegratedMotion:
    """Return a motion in fixed steps; each part is checked before the next is computed."""
    parts: list[IntegratedMotion] = []
    model = run.model
    for knots in run:
        events.look(knots.time, knots.position, knots.velocity, _state_between(model, knots))
        if events.end is not None:
            last = int(np.searchsorted(knots.time, events.end))
            at_end = between(model, knots, np.array([events.end]))
            knots = joined((knots.part(slice(last)), at_end))
        fit = bounded(knots)
        balance.look(fit)
        require_closed(model, fit)
        if len(fit.time) < len(knots.time):
            raise SimulationError(
                knots.time[len(fit.time)], "the motion has diverged; try a shorter step"
            )
        if run.failure is not None and events.end is None:
            break
        # the first time of a part is the last one of the part before
        if times is None:
            parts.append(knots.part(slice(1 if parts else 0, None)))
        else:
            first, last_time = knots.time[0], knots.time[-1]
            here = times[(times > first if parts else times >= first) & (times <= last_time)]
            parts.append(run.evaluated(between(model, knots, here)))
        if events.end is not None:
            break
    if run.failure is not None and events.end is None:
        raise run.failure
    return joined(parts)


def _state_between(model: Model, knots: IntegratedMotion) -> StateAt:
    def state_at(time: float) -> tuple[Floats, Floats]:
        state = between(model, knots, np.array([time]))
        return state.position[0], state.velocity[0]

    return state_at


def _checked_times(times: npt.ArrayLike, duration: float) -> Floats:
    try:
        found = np.array(times, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"times: expected numbers: {error}") from None
    if found.ndim != 1 or not np.isfinite(found).all() or (np.diff(found) <= 0.0).any():
        raise InputError("times: expected finite numbers of shape (k,) that increase")
    # counting up to the duration may miss it by round-off
    if len(found) and duration < found[-1] <= duration * (1.0 + ROUND_OFF):
        found[-1] = duration
    if len(found) and (found[0] < 0.0 or found[-1] > duration):
        raise InputError(
            f"times: expected numbers from 0 to the duration, {duration:g} s, got "
            f"{found[0]:g} to {found[-1]:g}"
        )
    return found
