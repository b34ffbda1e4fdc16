# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Runs by SciPy, which varies step and order."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.errors import (
    CharmieError,
    InputError,
    SimulationError,
    UnknownNameError,
    choices,
)
from charmie_dynamics.numerics.vectors import Floats, Ints

from .applied_efforts import AppliedEfforts
from .events import EventWatch
from .integrated_motion import IntegratedMotion
from .methods import INTEGRATORS
from .step_rows import evaluated
from .stepper import Stepper
from .touches import TouchWatch, displacements_in

# the methods of "adaptive", see docs/simulation.md
ADAPTIVE, ADAPTIVE_WITH_LOOPS = "LSODA", "DOP853"
EXPLICIT = ("RK23", "RK45", "DOP853")
TRYING = (*EXPLICIT, "Radau", "BDF")  # take a shorter step if a stage gives no numbers
METHODS = (*EXPLICIT, "Radau", "BDF", "LSODA")
# permitted opening of the loops by a step, as a multiple of its tolerances; in runs through the
# singular positions of A02 that end where they should it was up to 130
FARTHEST = 1e4
DIFFERENCE = 2.0**-26  # of difference quotients, by the size of a number and 1
DISPLACED = 1e-3  # m, a size of internal displacements
MISSING = (
    "integrator '{}': SciPy is missing; pip install 'charmie_dynamics[simulation]', or choose 'rk4'"
)


class Tolerances(NamedTuple):
    """Requested accuracy of a run.

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


def solve_adaptive(
    stepper: Stepper,
    duration: float,
    efforts: AppliedEfforts,
    integrator: str,
    tolerances: Tolerances,
    times: Floats | None,
    watch: EventWatch,
) -> tuple[IntegratedMotion, IntegratedMotion, int]:
    """Return the motion at the steps and at the requested times, and the number of evaluations.

    The integrator is one that `require_method` permits.

    SciPy integrates the rates at the nearest state with loops closed and quaternions of length one.
    On such states these are the rates of the robot, and no error of a stage or of a difference
    quotient opens a loop. After each step, one-step methods continue from the nearest such state;
    multistep methods continue from their own state, because it does not fit their history. They
    restart when a contact begins or ends.

    Raises
    ------
    SimulationError
        If the run stalls or loses its accuracy.
    InputError
        If SciPy is missing, or does not take the tolerances.
    """
    method = _method_of(integrator, stepper.model.flat.sizes.r > 0)
    system = _System(stepper, efforts, tolerances.evaluations)
    system.advice = _advice(method, stepper)
    system.tries = stepper.contacts is not None and method in TRYING
    arrays = stepper.arrays
    options: dict[str, Any] = {"rtol": tolerances.rtol, "atol": tolerances.atol}
    if method not in EXPLICIT:
        options["jac"] = system.derivatives
    if tolerances.largest_step is not None:
        options["max_step"] = tolerances.largest_step
    start = np.concatenate([*arrays.states, arrays.velocity, stepper.energies])
    make_solver = _solver_class(method)
    solver = make_solver(system.rates, 0.0, system.integrated(start), duration, **options)
    touches = TouchWatch(stepper, system.put, system.note)
    asked = np.zeros(0) if times is None else times
    time, rows = [0.0], [system.closed(0.0, solver.y)]
    found = list(rows) if len(asked) and asked[0] == 0.0 else []
    while solver.status == "running":
        if hasattr(solver, "max_step"):  # not LSODA
            solver.max_step = min(options.get("max_step", np.inf), touches.longest_step)
        message = solver.step()
        if solver.status == "failed":
            raise SimulationError(
                solver.t,
                f"{integrator} cannot continue: {message} {system.fastest()}; try a larger rtol, "
                "another integrator, or an effort without jumps",
            ) from system.failure
        before, now = time[-1], float(solver.t)
        row = system.accepted(now, solver.y, tolerances)
        within = _WithinStep(solver, system)
        touch = touches.change(before, now, within)
        if touch is not None:
            now, row = touch, within(touch)
        if watch.is_needed:
            position, velocity = system.motion_of(np.array([rows[-1], row]))
            watch.look(np.array([before, now]), position, velocity, within.motion_at)
            if watch.end is not None:
                now, row = watch.end, within(watch.end)
        reached = int(np.searchsorted(asked, now, side="right"))
        found += [within(each) for each in asked[len(found) : reached].tolist()]
        time.append(now)
        rows.append(row)
        if watch.end is not None:
            break
        if touch is not None:
            # a contact changes the rates: no method may step across its start or end
            row = touches.renew(row)
            system.remember()
            solver = make_solver(system.rates, now, system.integrated(row), duration, **options)
        # LSODA and BDF, as multistep methods, ignore it
        solver.y = system.integrated(row)
    motion = steps = system.motion(np.array(time), np.array(rows))
    if times is not None:
        motion = system.motion(times[: len(found)], np.reshape(found, (-1, len(start))))
    return steps, motion, system.count


def require_method(integrator: str) -> None:
    """Check the name of an adaptive method.

    Raises
    ------
    UnknownNameError
        If the name is unknown.
    """
    if integrator != "adaptive" and integrator not in METHODS:
        valid = ("adaptive", *INTEGRATORS, *METHODS)
        raise UnknownNameError(f"integrator '{integrator}' is unknown{choices(integrator, valid)}")


def _method_of(integrator: str, has_loops: bool) -> str:
    """Return SciPy's name of a method, for a robot with loop joints or without."""
    if integrator != "adaptive":
        return integrator
    return ADAPTIVE_WITH_LOOPS if has_loops else ADAPTIVE


def _solver_class(method: str) -> Any:
    try:
        from scipy import integrate
    except ImportError:
        raise InputError(MISSING.format(method)) from None
    if method != "BDF":
        return getattr(integrate, method)

    class InitialisedBdf(integrate.BDF):
        """BDF whose first step does not compute with uninitialised differences, which may warn."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.D[2:] = 0.0

    return InitialisedBdf


def _advice(method: str, stepper: Stepper) -> str:
    """Return methods that may succeed where the given one stalls."""
    touches = stepper.contacts is not None
    if method in EXPLICIT:
        stiff = "integrator 'LSODA' or 'Radau', whose steps are not bounded by stiffness"
        return f"{stiff}, or 'rk4'" if touches else stiff
    if touches:
        return "integrator 'rk4' with the step of World.contact_need"
    # multistep methods may stall where they land on a singular position
    has_loops = stepper.model.flat.sizes.r > 0
    return f"integrator '{ADAPTIVE_WITH_LOOPS}'" if has_loops else "another integrator"


class _WithinStep:
    """The state at times within the last step of a solver."""

    def __init__(self, solver: Any, system: _System) -> None:
        self._solver = solver
        self._system = system

    @cached_property
    def _interpolant(self) -> Any:
        return self._solver.dense_output()

    def __call__(self, time: float) -> Floats:
        """Return the row."""
        if time == self._solver.t:
            return self._system.closed(time, self._solver.y)
        return self._system.closed(time, self._interpolant(time))

    def motion_at(self, time: float) -> tuple[Floats, Floats]:
        """Return position (p,) and velocity (v,)."""
        return self._system.motion_of(self(time))


class _System:
    """The robot as SciPy sees it.

    A row has positions, the memory of contacts, velocities, work and losses. All are integrated,
    but of the memory only the internal displacements of touching points: the rest is constant until
    the next touch and has no meaningful difference quotient.
    """

    def __init__(self, stepper: Stepper, efforts: AppliedEfforts, most: int) -> None:
        self._stepper = stepper
        self._efforts = efforts
        self._most = most
        self._p = len(stepper.position)
        self._x = self._p + len(stepper.memory)
        self._v = len(stepper.arrays.velocity)
        self._memory = np.zeros(self._x - self._p)
        self.remember()
        self.has_loops = stepper.model.flat.sizes.r > 0
        self.count = 0
        # a stage deep within another shape may fail
        self.tries = False
        self.failure: SimulationError | None = None
        self.advice = "another integrator"

    def note(self, time: float) -> None:
        """Count an evaluation.

        Raises
        ------
        SimulationError
            If there are more than allowed.
        """
        self.count += 1
        if self.count > self._most:
            raise SimulationError(
                time,
                f"more than {self._most} evaluations; {self.fastest()}; try {self.advice}, a "
                "larger rtol, or more most_evaluations",
            )

    def rates(self, time: float, y: Floats) -> Floats:
        """Return the rates of all, at the nearest state with loops closed."""
        self.note(time)
        try:
            return self._rates(time, y)
        except SimulationError as error:
            if not self.tries:
                raise
            self.failure = error
            return np.full(len(y), np.nan)

    def _rates(self, time: float, y: Floats) -> Floats:
        self._close(time, y)
        stepper = self._stepper
        arrays = stepper.arrays
        try:
            stepper.set_efforts(self._efforts.at(time, stepper.position, arrays.velocity))
            stepper.probe()
        except CharmieError as error:
            raise SimulationError(time, str(error)) from error
        displacement_rate = arrays.rate.memory[self._displacements - self._p]
        return np.concatenate(
            [arrays.rate.position, displacement_rate, arrays.acceleration, stepper.powers]
        )

    def derivatives(self, time: float, y: Floats) -> Floats:
        """Return the derivatives (n, n) of the rates by difference quotients.

        SciPy's difference quotients enlarge the differences of ineffective variables, such as the
        position on a plane, until the state is invalid.
        """
        here = self.rates(time, y)
        result = np.zeros((len(y), len(y)))
        size = np.maximum(1.0, np.abs(y))
        size[self._p : self._p + len(self._displacements)] = DISPLACED
        for k in range(len(y) - 2):  # the rates do not depend on work and losses
            there = y.copy()
            there[k] += DIFFERENCE * size[k]
            result[:, k] = (self.rates(time, there) - here) / (there[k] - y[k])
        return result

    def remember(self) -> None:
        """Take over the stepper's memory of contacts."""
        self._memory[:] = self._stepper.memory
        self._displacements: Ints = self._p + displacements_in(self._stepper)

    def integrated(self, row: Floats) -> Floats:
        """Return the integrated part of a row."""
        return np.concatenate([row[: self._p], row[self._displacements], row[self._x :]])

    def closed(self, time: float, y: Floats) -> Floats:
        """Return the row of an integrated part, with loops closed and quaternions of length one."""
        self._close(time, y)
        arrays = self._stepper.arrays
        return np.concatenate([*arrays.states, arrays.velocity, y[-2:]])

    def accepted(self, time: float, y: Floats, tolerances: Tolerances) -> Floats:
        """Return `closed` after a step.

        Raises
        ------
        SimulationError
            If it is farther off than the tolerances explain.
        """
        row = self.closed(time, y)
        if not self.has_loops:
            return row
        state, found = y[:-2], self.integrated(row)[:-2]
        off = float(np.abs(found - state).max(initial=0.0))
        allowed = tolerances.atol + tolerances.rtol * float(np.abs(found).max(initial=0.0))
        if not off <= FARTHEST * allowed:
            raise SimulationError(
                time,
                f"a step has opened the loops by {off:.1e}, expected at most "
                f"{FARTHEST * allowed:.1e} by rtol and atol; {self.fastest()}; try integrator "
                f"'{ADAPTIVE_WITH_LOOPS}', a smaller rtol, or a shorter largest step",
            )
        return row

    def motion_of(self, rows: Floats) -> tuple[Floats, Floats]:
        """Return position (..., p) and velocity (..., v) in rows of integrated parts."""
        x, v = self._x, self._v
        return rows[..., : self._p].copy(), rows[..., x : x + v].copy()

    def fastest(self) -> str:
        """Return which coordinate is fastest, for messages."""
        velocity = self._stepper.arrays.velocity
        k = int(np.abs(velocity).argmax()) if len(velocity) else 0
        return f"fastest: '{self._stepper.model.velocity_names[k]}' at {velocity[k]:.3g}"

    def motion(self, time: Floats, rows: Floats) -> IntegratedMotion:
        """Return the motion of rows (k, x + v + 2)."""
        ends = [self._p, self._x, self._x + self._v]
        position, memory, velocity, energies = np.split(rows, ends, axis=1)
        unknown = np.empty((len(time), 0))
        motion = IntegratedMotion(
            time, position, velocity, velocity, unknown, energies, energies, unknown, unknown,
            memory,
        )  # fmt: skip
        return evaluated(self._stepper, self._efforts, motion)

    def put(self, row: Floats) -> None:
        """Put the state of a row into the stepper."""
        arrays = self._stepper.arrays
        arrays.states.position[:] = row[: self._p]
        arrays.states.memory[:] = row[self._p : self._x]
        arrays.velocity[:] = row[self._x : self._x + self._v]

    def _close(self, time: float, y: Floats) -> None:
        """Put the nearest state with loops closed into the stepper."""
        arrays, first = self._stepper.arrays, self._p + len(self._displacements)
        arrays.states.position[:] = y[: self._p]
        arrays.states.memory[:] = self._memory
        arrays.states.memory[self._displacements - self._p] = y[self._p : first]
        arrays.velocity[:] = y[first : first + self._v]
        try:
            self._stepper.close()
        except CharmieError as error:
            raise SimulationError(
                time, f"{error}; try a smaller rtol, a shorter largest step, or another integrator"
            ) from error
