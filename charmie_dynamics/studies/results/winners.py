# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The files of a study's winners: robots with their numbers, and a report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from charmie_dynamics.model.equations.number_paths import parsed
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.studies.design.quantities import KINDS, unit_of
from charmie_dynamics.studies.design.study import Study
from charmie_dynamics.studies.engine.methods import MethodResult
from charmie_dynamics.studies.robot_files import rewritten_mechanisms, rewritten_urdf
from charmie_dynamics.tasks.versions import versions

OF_URDF = ("inertials", "joints")


class Winner(NamedTuple):
    """A candidate that a method proposes.

    Attributes
    ----------
    name : str
        Of its folder: the method, and its number on a front.
    candidate : (n,) array
    values : (m,) array
    """

    name: str
    candidate: Floats
    values: Floats


def winners_of(results: Sequence[MethodResult]) -> list[Winner]:
    """Return what each method proposes."""
    found = []
    for result in results:
        several = len(result.best) > 1
        for k, (candidate, values) in enumerate(zip(result.best, result.best_values, strict=True)):
            name = f"{result.method}-{k + 1:02d}" if several else result.method
            found.append(Winner(name, candidate, values))
    return found


def best_of(study: Study, winners: Sequence[Winner]) -> Winner:
    """Return the winner with the smallest weighted sum of objectives among the feasible ones."""
    values = np.array([winner.values for winner in winners])
    weights = np.array([objective.weight for objective in study.objectives])
    merit = (study.goals(values) / study.scales()) @ weights
    excess = np.where(study.feasible(values), 0.0, study.excess(values))
    return winners[int(np.lexsort((merit, excess))[0])]


def write_winner(folder: Path, study: Study, winner: Winner) -> list[Path]:
    """Write the files of a winner that differ from those of the robot as it is."""
    numbers = study.evaluator.space.numbers(winner.candidate)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    sections = {parsed(path).section for path in numbers}
    source = f"found by the study '{study.name}' ({winner.name})"
    if sections - set(OF_URDF):
        paths.append(folder / "mechanisms.yaml")
        tree = study.evaluator.base.tree
        text = rewritten_mechanisms(study.mechanisms_text, numbers, tree=tree)
        heading = f"# {source}: {', '.join(p for p in numbers if parsed(p).section not in OF_URDF)}"
        paths[-1].write_text(f"{heading}\n{text}", encoding="utf-8")
    if sections & set(OF_URDF):
        paths.append(folder / "robot.urdf")
        text = rewritten_urdf(study.evaluator.base.tree, numbers)
        paths[-1].write_text(text, encoding="utf-8")
    return paths


def report(study: Study, results: Sequence[MethodResult], pictures: Sequence[str] = ()) -> str:
    """Return what a study has found, as Markdown."""
    winners = winners_of(results)
    best = best_of(study, winners)
    before = study.evaluator.evaluate(study.start)
    lines = [
        f"# {study.name}", "",
        f"Best: `{best.name}`, of {sum(len(r.candidates) for r in results)} candidates; seed "
        f"{study.seed}; " + ", ".join(f"{name} {v}" for name, v in versions().items()) + ".", "",
        "| quantity | as it is | best | of it | limits |", "| --- | --- | --- | --- | --- |",
    ]  # fmt: skip
    limits = {c.quantity.name: (c.lower, c.upper) for c in study.constraints}
    for k, quantity in enumerate(study.evaluator.quantities):
        was, now = before.values[k], best.values[k]
        share = f"{now / was:.3f}" if was else ""
        lower, upper = limits.get(quantity.name, (-np.inf, np.inf))
        between = " to ".join(f"{limit:.6g}" for limit in (lower, upper) if np.isfinite(limit))
        title = f"{quantity.name}: {KINDS[quantity.kind].meaning}"
        if quantity.subject:
            title += f", `{quantity.subject}`"
        unit = unit_of(quantity, study.evaluator.base)
        title += f" ({unit})" if unit else ""
        lines.append(f"| {title} | {was:.6g} | {now:.6g} | {share} | {between} |")
    lines += ["", "| variable | as it is | best | bounds |", "| --- | --- | --- | --- |"]
    for k, variable in enumerate(study.evaluator.space.variables):
        lines.append(
            f"| {variable.name} | {study.start[k]:.6g} | {best.candidate[k]:.6g} | "
            f"{variable.lower:.6g} to {variable.upper:.6g} |"
        )
    lines += ["", "| method | candidates | defined | feasible |", "| --- | --- | --- | --- |"]
    for result in results:
        defined = int(np.isfinite(result.values).all(axis=1).sum())
        feasible = int(study.feasible(result.values).sum())
        lines.append(f"| {result.method} | {len(result.candidates)} | {defined} | {feasible} |")
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
