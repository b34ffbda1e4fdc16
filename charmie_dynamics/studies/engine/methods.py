# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The methods of a study by name: their tasks, and the evaluation of these."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import differential_evolution

from charmie_dynamics.errors import InputError
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.studies.design.study import Study
from charmie_dynamics.studies.search.sampling import grid, latin_hypercube, sobol
from charmie_dynamics.studies.search.scalarisation import (
    Scalarisation,
    lattice,
    non_dominated,
    weighted_sum,
    worst_of,
)
from charmie_dynamics.studies.search.sensitivity import (
    Sensitivity,
    sensitivities,
    sensitivity_candidates,
)
from charmie_dynamics.tasks.engine import TaskEngine
from charmie_dynamics.tasks.task import JobTask

from .study_job import StudyJob, evaluation_task, local_task

_Engine = TaskEngine[StudyJob]
NUMBER = re.compile(r"[-+0-9.e]*[0-9]")
CHUNK = 200  # candidates per task: a fraction of a second of work for a few kilobytes of transfer
SAMPLES_A_START = 16  # candidates, of which the best become starts of local searches
ITERATIONS = 30  # of the local search after a global one
ROUNDING = 4  # digits of the width of a front
UNDEFINED, INFEASIBLE = 1e9, 1e3  # merit of undefined candidates, and per unit of a violation


class MethodResult(NamedTuple):
    """Result of one call of a method in a study.

    Attributes
    ----------
    name : str
        Of the call: the method; from the second call of a method on with the number of the call.
    candidates : (N, n) array
        All evaluated candidates.
    values : (N, m) array
        Their quantities, NaN if undefined.
    reasons : (N,) array of str
        Reasons of undefined quantities.
    best : (w, n) array
        The proposals: one, or the points of a front.
    best_values : (w, m) array
    sensitivity : Sensitivity or None
    """

    name: str
    candidates: Floats
    values: Floats
    reasons: Any
    best: Floats
    best_values: Floats
    sensitivity: Sensitivity | None = None


def run_method(
    engine: _Engine, name: str, options: Mapping[str, float], stage: str
) -> MethodResult:
    """Run a method of a study.

    Parameters
    ----------
    engine : TaskEngine of a StudyJob
    name : str
        One of `METHODS` of ``design.study_file``.
    options : mapping of str to float
    stage : str
        Name of the result, and prefix of the tasks in the journal.

    Raises
    ------
    CharmieError
        If no candidate could be evaluated; states the reason.
    """
    return _METHODS[name](engine, options, stage)


def evaluated(engine: _Engine, candidates: Floats, stage: str) -> tuple[Floats, Any]:
    """Return the quantities (N, m) of candidates (N, n), and the reasons of undefined ones."""
    tasks = [
        evaluation_task(stage, k, candidates[first : first + CHUNK])
        for k, first in enumerate(range(0, len(candidates), CHUNK))
    ]
    results = engine.run(tasks)
    values = np.concatenate([result["values"] for result in results])
    return values, np.concatenate([result["reasons"] for result in results])


def _sampled(candidates_of: Callable[[Study, Mapping[str, float]], Floats]) -> Callable[..., Any]:
    def run(engine: _Engine, options: Mapping[str, float], stage: str) -> MethodResult:
        return _of_candidates(engine, candidates_of(engine.job.study, options), stage)

    return run


def _of_candidates(engine: _Engine, candidates: Floats, stage: str) -> MethodResult:
    """Return the result of a method that evaluates candidates and proposes the best one."""
    study = engine.job.study
    values, reasons = evaluated(engine, candidates, stage)
    _require_defined(study, values, reasons)
    best = _best_rows(study, values, 1)
    return MethodResult(stage, candidates, values, reasons, candidates[best], values[best])


def _sensitivity(engine: _Engine, options: Mapping[str, float], stage: str) -> MethodResult:
    study = engine.job.study
    space = study.evaluator.space
    candidates = sensitivity_candidates(space, int(options["samples"]), study.seed)
    result = _of_candidates(engine, candidates, stage)
    return result._replace(sensitivity=sensitivities(space, result.values, study.seed))


def _local(engine: _Engine, options: Mapping[str, float], stage: str) -> MethodResult:
    study = engine.job.study
    starts, sampled = _starts(engine, int(options["starts"]), stage)
    total = _sum_of(study)
    tasks = [
        local_task(stage, k, start, total, int(options["iterations"]))
        for k, start in enumerate(starts)
    ]
    return _of_searches(study, engine.run(tasks), stage, sampled)


def _global(engine: _Engine, options: Mapping[str, float], stage: str) -> MethodResult:
    """Search by differential evolution, followed by a local search.

    R. Storn, K. Price, Differential evolution, J. Global Optim. 11 (1997) 341.
    """
    study = engine.job.study
    space = study.evaluator.space
    total = _sum_of(study)
    tried: list[tuple[Floats, Floats, Any]] = []

    def generation(_: Any, shares: Sequence[Floats]) -> list[float]:
        candidates = space.at_shares(np.clip(np.array(list(shares)), 0.0, 1.0 - 1e-12))
        values, reasons = evaluated(engine, candidates, f"{stage}-{len(tried):04d}")
        if not tried:
            _require_defined(study, values, reasons)
        tried.append((candidates, values, reasons))
        excess = study.excess(values)
        merit = total.value(study.goals(values)) + INFEASIBLE * excess
        return list(np.where(np.isnan(merit), UNDEFINED, merit))

    start = np.array([v.share(x) for v, x in zip(space.variables, study.start, strict=True)])
    count = len(space.variables)
    rng = np.random.default_rng(study.seed)
    population = rng.uniform(size=(max(5, int(options["population"])) * count, count))
    population[0] = np.clip(start, 0.0, 1.0)
    differential_evolution(
        lambda _: 0.0,
        [(0.0, 1.0)] * count,
        maxiter=int(options["generations"]),
        init=population,
        seed=study.seed,
        polish=False,
        updating="deferred",
        workers=generation,
    )
    candidates, values, reasons = (np.concatenate(each) for each in zip(*tried, strict=True))
    best = candidates[_best_rows(study, values, 1)[0]]
    results = engine.run([local_task(f"{stage}-end", 0, best, total, ITERATIONS)])
    return _of_searches(study, results, stage, (candidates, values, reasons))


def _pareto(engine: _Engine, options: Mapping[str, float], stage: str) -> MethodResult:
    study = engine.job.study
    count = len(study.objectives)
    if count < 2:
        raise InputError(f"study '{study.name}': pareto needs two objectives, got {count}")
    iterations = int(options["iterations"])
    scales = study.scales()
    starts, sampled = _starts(engine, 2, f"{stage}-samples")
    # each objective alone: the ends of the front
    tasks: list[JobTask] = []
    for k in range(count):
        alone = np.where(np.arange(count) == k, 1.0, 1e-3)
        for start in starts:
            tasks.append(
                local_task(f"{stage}-ends", len(tasks), start, weighted_sum(alone, scales),
                           iterations)
            )  # fmt: skip
    ends = _of_searches(study, engine.run(tasks), stage, sampled)
    feasible = study.feasible(ends.values)
    if not feasible.any():
        return ends
    goals = study.goals(ends.values[feasible])
    known = ends.candidates[feasible]
    ideal = goals.min(axis=0)
    worst = goals[[int(np.argmin(goals[:, k])) for k in range(count)]].max(axis=0)
    tasks = []
    targets = [
        worst_of(weights, ideal, worst) for weights in lattice(int(options["points"]), count)
    ]
    for k, target in enumerate(targets):
        start = known[int(np.argmin(target.value(goals)))]
        tasks.append(local_task(stage, k, start, target, iterations))
    results = _of_searches(
        study, engine.run(tasks), stage, (ends.candidates, ends.values, ends.reasons)
    )
    feasible = study.feasible(results.values)
    candidates, values = results.candidates[feasible], results.values[feasible]
    # the best for each target, from any search; other candidates are between two points of the
    # front, but not on it
    goals = study.goals(values)
    nearest = np.unique([int(np.argmin(target.value(goals))) for target in targets])
    candidates, values = candidates[nearest], values[nearest]
    # candidates with negligible differences count as one
    rounded = np.round(study.goals(values) / np.where(worst > ideal, worst - ideal, 1.0), ROUNDING)
    _, single = np.unique(rounded, axis=0, return_index=True)
    front = single[non_dominated(rounded[single])]
    return results._replace(best=candidates[front], best_values=values[front])


def _starts(engine: _Engine, count: int, stage: str) -> tuple[Floats, tuple[Floats, Floats, Any]]:
    """Return the described robot and the best of some samples (k, n); and these samples."""
    study = engine.job.study
    samples = sobol(study.evaluator.space, SAMPLES_A_START * count, study.seed)
    candidates = np.concatenate((study.start[None], samples))
    values, reasons = evaluated(engine, candidates, f"{stage}-starts")
    _require_defined(study, values, reasons)
    best = _best_rows(study, values, count)
    starts = np.concatenate((study.start[None], candidates[best]))
    _, first = np.unique(starts, axis=0, return_index=True)
    return starts[np.sort(first)][:count], (candidates, values, reasons)


def _sum_of(study: Study) -> Scalarisation:
    weights = np.array([objective.weight for objective in study.objectives])
    return weighted_sum(weights, study.scales())


def _best_rows(study: Study, values: Floats, count: int) -> Any:
    """Return the rows of the best candidates, feasible ones first."""
    excess = np.where(study.feasible(values), 0.0, study.excess(values))
    merit = _sum_of(study).value(study.goals(values))
    undefined = np.isnan(merit)
    keys = np.where(undefined, np.inf, merit), np.where(undefined, np.inf, excess)
    return np.lexsort(keys)[:count]


def _of_searches(
    study: Study,
    results: Sequence[Mapping[str, Any]],
    stage: str,
    before: tuple[Floats, Floats, Any],
) -> MethodResult:
    """Return the results of local searches and earlier evaluations, and the best of all."""
    candidates, values, reasons = (
        np.concatenate([earlier, *(result[name] for result in results)])
        for name, earlier in zip(("candidates", "values", "reasons"), before, strict=True)
    )
    optima = np.array([result["best"] for result in results])
    found, found_values = (
        np.concatenate([optima, before[0]]),
        np.concatenate([[result["best_values"] for result in results], before[1]]),
    )
    best = _best_rows(study, found_values, 1)
    return MethodResult(stage, candidates, values, reasons, found[best], found_values[best])


def _require_defined(study: Study, values: Floats, reasons: Any) -> None:
    """Refuse a study without any candidate that can be evaluated."""
    if np.isnan(values).any(axis=1).all():
        # the same limit is exceeded by another value each time
        kinds = [NUMBER.sub("#", reason) for reason in reasons]
        kind, count = Counter(kinds).most_common(1)[0]
        raise InputError(
            f"study '{study.name}': none of {len(values)} candidates can be judged; most often "
            f"({count} times) for a reason such as: {reasons[kinds.index(kind)]}. Expected bounds "
            "within which the robot can make the motions"
        )


_METHODS: dict[str, Callable[[_Engine, Mapping[str, float], str], MethodResult]] = {
    "grid": _sampled(lambda study, o: grid(study.evaluator.space, int(o["points"]))),
    "latin_hypercube": _sampled(
        lambda study, o: latin_hypercube(study.evaluator.space, int(o["samples"]), study.seed)
    ),
    "sobol": _sampled(lambda study, o: sobol(study.evaluator.space, int(o["samples"]), study.seed)),
    "sensitivity": _sensitivity,
    "local": _local,
    "global": _global,
    "pareto": _pareto,
}
