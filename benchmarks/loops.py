# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Closed loops in this package and in other programs: ``scripts/bench --only loops``.

``docs/performance.md`` has the tables that its template places, ``build/reports/loops.md`` all of
them, among them each run.

Efforts are compared with Lagrange multipliers in extended precision, ends of motions with a
converged integration (`validation.references.loops`). The time of a program is that of its coarsest
run that ends within `TARGET` of the reference with loops open by at most `CLOSURE`, or of its most
exact run.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from statistics import median
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics import CharmieError
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.simulation import simulate
from validation.harness.machine import PROGRAMS, describe_machine
from validation.harness.pages import places, renew
from validation.harness.run import Evidence
from validation.harness.tables import bullets, table
from validation.harness.timing import turns
from validation.problems.looped_robots import problems
from validation.problems.problem import Problem, named_values
from validation.references.loops import EXTENDED, LoopReference
from validation.witnesses import JointState, WitnessRun, witness_run

TARGET = 1e-6  # m, of the centres of mass at the end
CLOSURE = 1e-9  # m, of the loops at the end
MOST_TIME = 0.5  # s; no run with more steps follows one that takes longer
STEPS = tuple(round(25 * 2.0 ** (k / 2.0)) for k in range(28))
TOLERANCES = tuple(10.0 ** (-0.5 * k) for k in range(6, 23))
STATES, DRAWS, SEED = 8, 20, 5
EFFORT, FASTER = 1e-9, 5.0  # relative, times: what this package has to reach
OURS = "this package"
DEFAULT_STEP = 2e-3  # s, of MuJoCo


class Other(NamedTuple):
    """A program: the module of `validation.witnesses`, options, whether its steps are varied."""

    module: str
    options: Mapping[str, Any] = {}
    varied: bool = True


OTHERS = {
    "Pinocchio": Other("pinocchio_runs"),
    "MuJoCo, default": Other("mujoco_runs", {"tuned": False}, False),
    "MuJoCo, tuned": Other("mujoco_runs"),
    "Drake": Other("drake_runs"),
    "Exudyn": Other("exudyn_runs", {"planar": False, "redundant": True}),
}
ATTEMPTS = {  # at redundant constraints
    "Pinocchio, proximal": ("pinocchio_runs", {}),
    "Pinocchio, not proximal": ("pinocchio_runs", {"proximal": False}),
    "MuJoCo, tuned": ("mujoco_runs", {}),
    "Drake": ("drake_runs", {}),
    "Exudyn, `ignoreSingularJacobian`": ("exudyn_runs", {"planar": False, "redundant": True}),
    "Exudyn, default": ("exudyn_runs", {"planar": False}),
}
ATTEMPT_STEPS = 400
FAILURES = ArithmeticError, RuntimeError, CharmieError


class LoopCase:
    """A mechanism of the benchmark with its references, and random states for its efforts.

    Attributes
    ----------
    problem : Problem
        From a position with closed loops.
    model : Model
    rank, rows : int
        Of the constraints at the start.
    """

    def __init__(self, problem: Problem, states: int = STATES) -> None:
        self._states = states
        self.reference = known = LoopReference(problem.urdf, problem.mechanisms)
        self.start = known.closed(*map(known.array, (problem.position, problem.velocity)))
        position, velocity = map(known.by_name, self.start)
        self.problem = replace(problem, position=position, velocity=velocity)
        self.model = self.problem.model()
        found = self.model.constraints(*self.problem.start(self.model))
        self.rank, self.rows = found.rank, len(found.jacobian)

    @cached_property
    def end(self) -> Floats:
        """Centres of mass at the end (k, 3) (m)."""
        state = self.reference.end(*self.start, self.problem.duration)
        found: Floats = self.reference.centres(self.reference.motion(*state))
        return found

    @cached_property
    def turnover(self) -> float:
        """Largest kinetic energy of the motion (J)."""
        run = self._simulated(rtol=1e-8, atol=1e-10)
        return float(run.energy.kinetic.max())

    @cached_property
    def efforts(self) -> tuple[list[JointState], list[dict[str, float]]]:
        """Random motions with closed loops near the start, and the efforts that they need."""
        known, rng = self.reference, np.random.default_rng(SEED)
        names = np.array(known.names)[known.driven].tolist()
        states, efforts = [], []
        for _ in range(self._states):
            q, v = self.draw(rng)
            wanted = rng.uniform(-1.0, 1.0, len(names)).astype(EXTENDED)
            effort, a = known.inverse(q, v, wanted)
            states.append(JointState(*map(known.by_name, (q, v, a))))
            efforts.append(dict(zip(names, map(float, effort), strict=True)))
        return states, efforts

    def draw(self, rng: np.random.Generator) -> tuple[Any, Any]:
        """Return a random state near the start with closed loops, in extended precision."""
        known, n = self.reference, len(self.start[0])
        for _ in range(DRAWS):
            q = self.start[0] + rng.uniform(-0.1, 0.1, n) * known.driven
            try:
                v = rng.uniform(-1.0, 1.0, n).astype(EXTENDED)
                return known.closed(q.astype(EXTENDED), v)
            except ArithmeticError:
                continue
        raise ArithmeticError(f"{self.problem.title}: no closed position near the start")

    def effort_error(self, found: list[dict[str, float]]) -> float:
        """Return the largest error of an effort relative to the largest of its state."""
        return max(
            max(abs(got[name] - value) for name, value in known.items())
            / max(map(abs, known.values()))
            for got, known in zip(found, self.efforts[1], strict=True)
        )

    def our_efforts(self) -> list[dict[str, float]]:
        """Return the efforts of this package."""
        model, found = self.model, []
        for state in self.efforts[0]:
            values = (named_values(x, model.velocity_names) for x in state)
            effort = model.compute(*values).actuator_effort
            found.append(dict(zip(model.actuator_names, map(float, effort), strict=True)))
        return found

    def our_run(self, **options: Any) -> WitnessRun:
        """Simulate with this package."""
        begin = process_time()
        run = self._simulated(**options)
        seconds = process_time() - begin
        names = self.model.position_names
        ends = (dict(zip(names, x[-1], strict=True)) for x in (run.position, run.velocity))
        tree = self.reference.tree
        return witness_run(tree, tree.motion(*ends), seconds)

    def end_error(self, run: WitnessRun) -> float:
        """Return the largest distance of a centre of mass from the reference (m)."""
        distance = np.linalg.norm(self.reference.centres(run.motion) - self.end, axis=1)
        return float(distance.max())

    def energy_error(self, run: WitnessRun) -> float:
        """Return the change of the energy relative to the largest kinetic energy."""
        begin = sum(self.reference.energy(self.reference.motion(*self.start)))
        return abs(sum(self.reference.energy(run.motion)) - begin) / self.turnover

    def _simulated(self, **options: Any) -> Any:
        problem, model = self.problem, self.model
        effort = problem.constant_effort(model)
        return simulate(model, *problem.start(model), problem.duration, effort, **options)


class Choice(NamedTuple):
    """A run of a program, by what is varied.

    Attributes
    ----------
    error, opening : float
        Of the centres of mass and of the loops at the end (m).
    """

    label: str
    run: Callable[[], WitnessRun]
    outcome: WitnessRun
    error: float
    opening: float

    @property
    def excess(self) -> float:
        """Larger of both as a multiple of its target."""
        return max(self.error / TARGET, self.opening / CLOSURE)


def choices(case: LoopCase, runs: Mapping[str, Callable[[], WitnessRun]]) -> list[Choice]:
    """Return runs, from coarse to fine, up to the first that is exact enough or takes too long."""
    found = []
    for label, run in runs.items():
        try:
            outcome = run()
        except FAILURES:
            continue  # too coarse
        ends = case.end_error(outcome), case.reference.opening(outcome.motion)
        if not np.isfinite(ends).all():
            continue
        found.append(Choice(label, run, outcome, *ends))
        if found[-1].excess <= 1.0 or outcome.seconds > MOST_TIME:
            break
    return found


def our_choices(case: LoopCase) -> list[Choice]:
    """Return the runs of this package, with fixed steps and with tolerances."""
    t = case.problem.duration
    fixed = {
        f"rk4, {n} steps": partial(case.our_run, integrator="rk4", step=t / n)
        for n in (4, 8, 15, *STEPS)
    }
    varied = {
        f"adaptive, {x:.0e}": partial(case.our_run, rtol=x, atol=0.01 * x) for x in TOLERANCES
    }
    case.our_run(integrator="rk4", step=t / 1000), case.our_run()  # compiles
    return choices(case, fixed) + choices(case, varied)


class Rows(NamedTuple):
    """Rows of the tables for a mechanism: a row for each program, and one in each other table."""

    runs: list[list[str]]
    times: list[str]
    errors: list[str]
    summary: list[str]
    missing: list[str]  # why programs are not there


def rows_of(case: LoopCase, rounds: int) -> Rows:
    """Measure a mechanism in all programs."""
    found = {OURS: our_choices(case)}
    efforts, missing = {OURS: case.effort_error(case.our_efforts())}, []
    for name, other in OTHERS.items():
        try:
            module = importlib.import_module(f"validation.witnesses.{other.module}")
        except ImportError as error:
            missing.append(f"{name}: the Python module `{error.name}` cannot be imported")
            continue
        counts = STEPS if other.varied else (round(case.problem.duration / DEFAULT_STEP),)
        runs = {f"{n} steps": partial(module.run, case.problem, n, **other.options) for n in counts}
        tried = choices(case, runs)
        found[name] = [c for c in tried if c.error <= TARGET][:1]  # loops of any opening
        found[name].append(min(tried, key=lambda c: c.excess))
        if hasattr(module, "efforts"):
            got = module.efforts(case.problem, case.efforts[0], **other.options)
            efforts[name] = case.effort_error(got)
    timed = {(name, c.label): c.run for name, chosen in found.items() for c in chosen}
    seconds = _medians(timed, rounds)
    title, rows, opening = case.problem.title, [], np.inf
    times, errors = [title], [title]
    for name in (OURS, *OTHERS):
        if name not in found:
            rows.append([title, name, "not installed", *6 * ["-"]])
            times.append("-")
            errors.append("-")
            continue
        best = min(found[name], key=lambda c: (max(1.0, c.excess), seconds[name, c.label]))
        opening = best.opening if name == OURS else opening
        as_exact = [c.label for c in found[OURS] if c.excess <= max(1.0, best.excess)]
        time = seconds[name, best.label]
        ratio = f"{time / min(seconds[OURS, label] for label in as_exact):.2g}"
        off = best.error if best.error > TARGET else best.opening
        missed = "" if best.excess <= 1.0 else f" ({off:.0e} m)"
        times.append((f"{1e3 * time:.3g}" if name == OURS else f"{float(ratio):g}") + missed)
        effort = f"{efforts[name]:.0e}" if name in efforts else "-"
        lost = [f"{x:.0e}" for x in (best.opening, case.energy_error(best.outcome))]
        errors.append(" / ".join((effort, *lost)))
        end, shown = f"{best.error:.0e}", f"{1e3 * time:.3g}"
        rows.append([title, name, best.label, effort, *lost, end, shown, ratio])
    summary = [
        title,
        f"{case.rank} of {case.rows}",
        _judged(f"{opening:.0e}", opening <= CLOSURE),
        _judged(f"{efforts[OURS]:.0e}", efforts[OURS] <= EFFORT),
        _following(found, seconds, lambda c: c.excess <= 1.0),
        _following(found, seconds, lambda c: c.error <= TARGET),
    ]
    return Rows(rows, times, errors, summary, missing)


def _following(
    found: Mapping[str, list[Choice]],
    seconds: Mapping[tuple[str, str], float],
    is_exact: Callable[[Choice], bool],
) -> str:
    """Return the fastest other program among the exact runs, as a multiple of this package."""
    times = {
        name: min((seconds[name, c.label] for c in chosen if is_exact(c)), default=np.inf)
        for name, chosen in found.items()
    }
    own = times.pop(OURS)
    time, name = min(((time, name) for name, time in times.items()), default=(np.inf, ""))
    if not np.isfinite(time):
        return "no other"
    return _judged(f"{name}: {time / own:.1f}", time / own >= FASTER)


def _judged(shown: str, met: bool) -> str:
    return shown if met else f"{shown}, **not met**"


def redundancy(case: LoopCase) -> list[str]:
    """Return how far from the reference (m) each attempt ends; rows that depend on each other."""
    step = case.problem.duration / ATTEMPT_STEPS
    cells = [f"{case.end_error(case.our_run(integrator='rk4', step=step)):.0e}"]
    for module, options in ATTEMPTS.values():
        try:
            program = importlib.import_module(f"validation.witnesses.{module}")
            error = case.end_error(program.run(case.problem, ATTEMPT_STEPS, **options))
            cells.append(f"{error:.0e}" if np.isfinite(error) else "fails")
        except ImportError:
            cells.append("-")
        except FAILURES:
            cells.append("fails")
    return cells


def measure(rounds: int) -> tuple[dict[str, str], list[str]]:
    """Return the tables of the page, and what is missing."""
    found, handled = [], {}
    for problem in problems():
        case = LoopCase(problem)
        found.append(rows_of(case, rounds))
        if case.rank < case.rows:
            handled[problem.title] = redundancy(case)
    by_program = zip((OURS, *ATTEMPTS), zip(*handled.values(), strict=True), strict=True)
    heads = (
        *("mechanism", "program", "run", ">effort error", ">opening (m)", ">energy error"),
        *(">error at the end (m)", ">CPU time (ms)", ">times ours"),
    )
    needs = (
        *("mechanism", "rank", f"opening (m; at most {CLOSURE:g})"),
        *(f"effort error (at most {EFFORT:g})", f"next program, times ours (at least {FASTER:g})"),
        "the same with any opening",
    )
    missing = dict.fromkeys(text for each in found for text in each.missing)
    return {
        "summary": table(needs, [each.summary for each in found]),
        "times": table(
            ("mechanism", f">{OURS} (ms)", *(f">{name}, times ours" for name in OTHERS)),
            [each.times for each in found],
        ),
        "errors": table(("mechanism", OURS, *OTHERS), [each.errors for each in found]),
        "runs": table(heads, [row for each in found for row in each.runs]),
        "redundancy": table(
            (f"error at the end (m), {ATTEMPT_STEPS} steps", *(f">{title}" for title in handled)),
            [(name, *cells) for name, cells in by_program],
        ),
    }, [*missing]


def make(rounds: int = 7, load: float | None = None) -> Evidence:
    """Measure all and return the page with these tables, and all tables.

    Parameters
    ----------
    rounds : int
        Turns of each run.
    load : float, optional
        Average load before the run; None: that of now.
    """
    before = os.getloadavg()[0] if load is None else load
    machine = bullets(describe_machine(before, (*PROGRAMS, "exudyn")))
    sections, missing = measure(rounds)
    found = {"loop_machine": machine} | {f"loop_{name}": text for name, text in sections.items()}
    placed = places("performance") & set(found)
    page = renew("performance", {name: found[name] for name in placed})
    every = "\n\n".join(f"## {name}\n\n{text}" for name, text in found.items())
    return Evidence({"performance.md": page}, missing, {"loops.md": f"{every}\n"})


def _medians(
    runs: Mapping[tuple[str, str], Callable[[], WitnessRun]], rounds: int
) -> dict[tuple[str, str], float]:
    """Return the median times (s) of runs that take turns."""
    timed = {key: partial(_seconds, run) for key, run in runs.items()}
    return {key: median(times) for key, times in turns(timed, rounds).items()}


def _seconds(run: Callable[[], WitnessRun]) -> float:
    return run().seconds
