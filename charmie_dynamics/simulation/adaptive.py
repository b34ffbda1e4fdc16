# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Runs by SciPy, which varies step and order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.errors import (
    CharmieError,
    InputError,
    SimulationError,
    UnknownNameError,
    choices,
)
from charmie_dynamics.numerics.vectors import Floats

from .applied_efforts import AppliedEfforts
from .events import Event, direction_of, is_terminal
from .integrated_motion import IntegratedMotion
from .integrators import INTEGRATORS
from .stepper import Stepper

# what "adaptive" stands for
ADAPTIVE = "LSODA"
METHODS = ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA")
MISSING = "integrator '{}': SciPy is missing; expected it installed, as by the extra 'simulation'"


class Tolerances(NamedTuple):
    """How exact a run is to be.

    Attributes
    ----------
    rtol, atol : float
    largest_step : float or None
        In seconds.
    evaluations : int
        So many at most.
    """

    rtol: float
    atol: float
    largest_step: float | None
    evaluations: int


class Solution(NamedTuple):
    """What SciPy found.

    Attributes
    ----------
    steps : IntegratedMotion
        At its steps.
    motion : IntegratedMotion
        At the times asked for.
    event_times : tuple of (e,) array
        When each event happened (s).
    evaluations : int
    """

    steps: IntegratedMotion
    motion: IntegratedMotion
    event_times: tuple[Floats, ...]
    evaluations: int


def solve_adaptive(
    stepper: Stepper,
    duration: float,
    efforts: AppliedEfforts,
    integrator: str,
    tolerances: Tolerances,
    times: Floats | None,
    events: Sequence[Event],
) -> Solution:
    """Return a motion.

    Raises
    ------
    SimulationError
        If the run does not get on.
    InputError
        If SciPy is missing, or does not take the tolerances.
    """
    try:
        from scipy.integrate import solve_ivp
    except ImportError:
        raise InputError(MISSING.format(integrator)) from None
    system = _System(stepper, efforts, tolerances.evaluations)
    arrays = stepper.arrays
    options: dict[str, Any] = {"rtol": tolerances.rtol, "atol": tolerances.atol}
    if tolerances.largest_step is not None:
        options["max_step"] = tolerances.largest_step
    start = np.concatenate([arrays.position, arrays.velocity, stepper.energies])
    found = solve_ivp(
        system.rates,
        (0.0, duration),
        start,
        method_of(integrator),
        dense_output=times is not None,
        events=[system.function_of(event) for event in events] or None,
        **options,
    )
    if found.status < 0:
        raise SimulationError(
            found.t[-1],
            f"{integrator} does not get on: {found.message} {system.fastest()}; try a larger rtol, "
            "another integrator, or an effort without jumps",
        )
    events_at = tuple(np.asarray(each) for each in found.t_events or ())
    evaluations = system.count
    motion = steps = system.motion(found.t, found.y.T)
    if times is not None:
        time = times[times <= found.t[-1]]
        motion = system.motion(time, found.sol(time).T if len(time) else found.y.T[:0])
    return Solution(steps, motion, events_at, evaluations)


def method_of(integrator: str) -> str:
    """Return SciPy's name of a method.

    Raises
    ------
    UnknownNameError
        If there is none of that name.
    """
    if integrator != "adaptive" and integrator not in METHODS:
        valid = ("adaptive", *INTEGRATORS, *METHODS)
        raise UnknownNameError(f"integrator '{integrator}' is unknown{choices(integrator, valid)}")
    return ADAPTIVE if integrator == "adaptive" else integrator


class _System:
    """The robot as SciPy sees it: positions, velocities, work and losses in one array."""

    def __init__(self, stepper: Stepper, efforts: AppliedEfforts, most: int) -> None:
        self._stepper = stepper
        self._efforts = efforts
        self._most = most
        self._p = len(stepper.arrays.position)
        self._v = len(stepper.arrays.velocity)
        self.count = 0

    def rates(self, time: float, y: Floats) -> Floats:
        """Return the rates of all."""
        self.count += 1
        if self.count > self._most:
            raise SimulationError(
                time,
                f"more than {self._most} evaluations; {self.fastest()}; try a larger rtol, another "
                "integrator, or more most_evaluations",
            )
        try:
            self._probe(time, y)
        except CharmieError as error:
            raise SimulationError(time, str(error)) from error
        arrays = self._stepper.arrays
        return np.concatenate([arrays.rate, arrays.acceleration, self._stepper.powers])

    def function_of(self, event: Event) -> Any:
        """Return an event as SciPy calls it."""
        p, v = self._p, self._v

        def function(time: float, y: Floats) -> float:
            position = self._stepper.model.normalised_position(y[:p])
            return float(event(time, position, y[p : p + v].copy()))

        function.terminal = is_terminal(event)  # type: ignore[attr-defined]
        function.direction = direction_of(event)  # type: ignore[attr-defined]
        return function

    def fastest(self) -> str:
        """Return which coordinate is fastest, for messages."""
        velocity = self._stepper.arrays.velocity
        k = int(np.abs(velocity).argmax()) if len(velocity) else 0
        return f"fastest: '{self._stepper.model.velocity_names[k]}' at {velocity[k]:.3g}"

    def motion(self, time: Floats, rows: Floats) -> IntegratedMotion:
        """Return the motion that SciPy's rows (k, p + v + 2) say."""
        position, velocity, energies = np.split(rows, [self._p, self._p + self._v], axis=1)
        unknown = np.empty((len(time), 0))
        motion = IntegratedMotion(
            time, position, velocity, velocity, unknown, energies, energies, unknown
        )
        return self._stepper.evaluated(self._efforts, motion)

    def _probe(self, time: float, y: Floats) -> None:
        stepper, p, v = self._stepper, self._p, self._v
        arrays = stepper.arrays
        arrays.position[:] = y[:p]
        arrays.velocity[:] = y[p : p + v]
        stepper.normalise()
        stepper.ask(self._efforts.at(time, arrays.position, arrays.velocity))
        stepper.probe()
