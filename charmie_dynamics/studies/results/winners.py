# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The files of a study's winners: robots with their numbers, and a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from charmie_dynamics.model.equations.number_paths import parsed
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.studies.design.quantities import KINDS, unit_of
from charmie_dynamics.studies.design.study import Study
from charmie_dynamics.studies.engine.methods import NUMBER, MethodResult
from charmie_dynamics.studies.robot_parameters.robot_files import (
    numbers_outside_urdf,
    rewritten_mechanisms,
    rewritten_urdf,
)
from charmie_dynamics.studies.search.sensitivity import Sensitivity
from charmie_dynamics.tasks.versions import versions

from .table import index_rows

OF_URDF = ("inertials", "joints")
MOST_REASONS = 8  # of undefined candidates in the report


class Winner(NamedTuple):
    """A candidate that a method proposes.

    Attributes
    ----------
    name : str
        Of its folder: that of the result, and the index on a front.
    candidate : (n,) array
    values : (m,) array
    """

    name: str
    candidate: Floats
    values: Floats


def winners_of(results: Sequence[MethodResult]) -> list[Winner]:
    """Return the proposals of each method."""
    winners = []
    for result in results:
        several = len(result.best) > 1
        for k, (candidate, values) in enumerate(zip(result.best, result.best_values, strict=True)):
            name = f"{result.name}-{k + 1:02d}" if several else result.name
            winners.append(Winner(name, candidate, values))
    return winners


def best_of(study: Study, winners: Sequence[Winner]) -> Winner:
    """Return the winner with the smallest weighted sum of objectives among the feasible ones.

    If none is feasible, the one with the smallest violation.
    """
    values = np.array([winner.values for winner in winners])
    weights = np.array([objective.weight for objective in study.objectives])
    merit = (study.goals(values) / study.scales()) @ weights
    excess = np.where(study.feasible(values), 0.0, study.excess(values))
    return winners[int(np.lexsort((merit, excess))[0])]


def is_feasible(study: Study, winner: Winner) -> bool:
    """Return whether a winner meets all constraints."""
    return bool(study.feasible(winner.values[None])[0])


def write_winner(folder: Path, study: Study, winner: Winner) -> list[Path]:
    """Write the files of a winner that differ from those of the described robot."""
    numbers = study.evaluator.numbers(winner.candidate)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    sections = {parsed(path).section for path in numbers}
    source = f"found by the study '{study.name}' ({winner.name})"
    tree = study.evaluator.base.tree
    outside = numbers_outside_urdf(tree, numbers)
    if sections - set(OF_URDF) or outside:
        paths.append(folder / "mechanisms.yaml")
        text = rewritten_mechanisms(study.mechanisms_text, numbers, tree=tree)
        names = [p for p in numbers if parsed(p).section not in OF_URDF or p in outside]
        heading = f"# {source}: {', '.join(names)}"
        paths[-1].write_text(f"{heading}\n{text}", encoding="utf-8")
    if any(parsed(p).section in OF_URDF and p not in outside for p in numbers):
        paths.append(folder / "robot.urdf")
        text = rewritten_urdf(tree, numbers)
        paths[-1].write_text(text, encoding="utf-8")
    return paths


def report(study: Study, results: Sequence[MethodResult], pictures: Sequence[str] = ()) -> str:
    """Return the results of a study as Markdown."""
    best = best_of(study, winners_of(results))
    is_met = is_feasible(study, best)
    count = sum(len(r.candidates) for r in results)
    about = f"seed {study.seed}; " + ", ".join(f"{name} {v}" for name, v in versions().items())
    lines = [f"# {study.name}", ""]
    if is_met:
        lines.append(f"Best: `{best.name}`, of {count} candidates; {about}.")
    else:
        lines.append(
            f"No candidate meets the constraints; {count} candidates; {about}. The tables show the "
            f"nearest one, of `{best.name}`."
        )
    heading = "best" if is_met else "nearest"
    lines += ["", *_quantities(study, best, heading), "", *_variables(study, best, heading)]
    lines += ["", "| method | candidates | defined | feasible |", "| --- | --- | --- | --- |"]
    for result in results:
        defined = int(np.isfinite(result.values).all(axis=1).sum())
        feasible = int(study.feasible(result.values).sum())
        lines.append(f"| {result.name} | {len(result.candidates)} | {defined} | {feasible} |")
    lines += _refusals(results)
    for result in results:
        if result.sensitivity is not None:
            lines += ["", *_indices(study, result.name, result.sensitivity)]
        if len(study.objectives) > 1 and len(result.best) > 1:
            lines += ["", *_front(study, result)]
    at_bound = [
        variable.name
        for variable, value in zip(study.evaluator.space.variables, best.candidate, strict=True)
        if not variable.is_discrete and min(value - variable.lower, variable.upper - value)
        <= 1e-6 * (variable.upper - variable.lower)
    ]  # fmt: skip
    if at_bound:
        lines += ["", f"At a bound, where wider ones may give more: {', '.join(at_bound)}."]
    for picture in pictures:
        lines += ["", f"![{Path(picture).stem.replace('_', ' ')}]({picture})"]
    return "\n".join(lines) + "\n"


def _quantities(study: Study, best: Winner, heading: str) -> Iterator[str]:
    """Yield the table of the quantities, of the described robot and of the best candidate."""
    before = study.evaluator.evaluate_described()
    yield f"| quantity | described | {heading} | ratio | limits |"
    yield "| --- | --- | --- | --- | --- |"
    limits = {c.quantity.name: (c.lower, c.upper) for c in study.constraints}
    for k, quantity in enumerate(study.evaluator.quantities):
        was, now = before.values[k], best.values[k]
        share = f"{now / was:.3f}" if was and np.isfinite(was) else ""
        lower, upper = limits.get(quantity.name, (-np.inf, np.inf))
        between = " to ".join(f"{limit:.6g}" for limit in (lower, upper) if np.isfinite(limit))
        title = f"{quantity.name}: {KINDS[quantity.kind].meaning}"
        if quantity.subject:
            title += f", `{quantity.subject}`"
        unit = unit_of(quantity, study.evaluator.base)
        title += f" ({unit})" if unit else ""
        yield f"| {title} | {_number(was)} | {_number(now)} | {share} | {between} |"
    if before.reason:
        yield f"\nThe described robot: {before.reason}."


def _variables(study: Study, best: Winner, heading: str) -> Iterator[str]:
    """Yield the table of the variables, of the described robot and of the best candidate."""
    yield f"| variable | described | {heading} | bounds |"
    yield "| --- | --- | --- | --- |"
    evaluator = study.evaluator
    for k, variable in enumerate(evaluator.space.variables):
        yield (
            f"| {variable.name} | {_number(evaluator.described[k])} | "
            f"{best.candidate[k]:.6g} | {variable.lower:.6g} to {variable.upper:.6g} |"
        )
    own = evaluator.space.numbers(best.candidate)
    for path, value in evaluator.numbers(best.candidate).items():
        if path not in own:
            yield f"\n`{path}` is {value:.6g}: narrowed to the reach of the candidate."


def _refusals(results: Sequence[MethodResult]) -> Iterator[str]:
    """Yield the reasons of undefined candidates, with counts."""
    counts: Counter[str] = Counter()
    example: dict[str, str] = {}
    for result in results:
        for reason in result.reasons:
            if reason:
                kind = NUMBER.sub("#", str(reason))
                counts[kind] += 1
                example.setdefault(kind, str(reason))
    if counts:
        yield from ("", "| candidates | refused for a reason such as |", "| --- | --- |")
    for kind, count in counts.most_common(MOST_REASONS):
        yield f"| {count} | {example[kind]} |"


def _indices(study: Study, name: str, sensitivity: Sensitivity) -> Iterator[str]:
    """Yield the table of Sobol's indices, with half widths of 95 % intervals."""
    yield f"Sobol indices of `{name}`: share of the variance of a quantity by one variable alone "
    yield "(first order), and with its interactions (total)."
    yield ""
    yield "| quantity | variable | first order | total |"
    yield "| --- | --- | --- | --- |"
    for row in index_rows(study, sensitivity):
        yield (
            f"| {row.quantity} | {row.variable} | {row.first:.3f} +- {row.first_error:.3f} | "
            f"{row.total:.3f} +- {row.total_error:.3f} |"
        )


def _front(study: Study, result: MethodResult) -> Iterator[str]:
    """Yield the table of the points of a Pareto front."""
    names = [objective.quantity.name for objective in study.objectives]
    yield f"Pareto front of `{result.name}`: {len(result.best)} points."
    yield ""
    yield f"| point | {' | '.join((*names, *study.evaluator.space.names))} |"
    yield "| --- |" + " --- |" * (len(names) + len(study.evaluator.space.names))
    order = np.argsort(result.best_values[:, 0], kind="stable")
    for k in order.tolist():
        numbers = (*result.best_values[k, : len(names)], *result.best[k])
        yield f"| {result.name}-{k + 1:02d} | {' | '.join(map(_number, numbers))} |"


def _number(value: float) -> str:
    return f"{value:.6g}" if np.isfinite(value) else "-"
