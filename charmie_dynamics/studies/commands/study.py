# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The command charmie_study: sweeps and optimisation of a robot's numbers."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from charmie_dynamics.studies.design.study import Study
from charmie_dynamics.studies.design.study_file import read_study
from charmie_dynamics.studies.engine.methods import MethodResult, run_method
from charmie_dynamics.studies.engine.study_job import StudyJob
from charmie_dynamics.studies.results.table import TABLE, write_method_tables, write_table
from charmie_dynamics.studies.results.winners import (
    best_of,
    is_feasible,
    report,
    winners_of,
    write_winner,
)
from charmie_dynamics.tasks.engine import TaskEngine
from charmie_dynamics.tasks.journal import Journal
from charmie_dynamics.tasks.options import TaskBar, engine_of

JOURNAL = "journal"


class StudyRun(NamedTuple):
    """The report of a study, the files that were written, and whether a candidate is feasible."""

    text: str
    files: list[Path]
    is_feasible: bool


def run_study(options: argparse.Namespace) -> StudyRun:
    """Run a study.

    Raises
    ------
    CharmieError
        If the study cannot be run.
    """
    study = read_study(options.study)
    folder = options.out or options.study.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    job = StudyJob(study)
    with TaskBar(quiet=options.quiet) as bar:
        journal = Journal(folder / JOURNAL, job.digest)
        with engine_of(options, job, journal, bar.note) as engine:
            results = run_methods(engine)
    return _write(folder, study, results, options)


def run_methods(engine: TaskEngine[StudyJob]) -> list[MethodResult]:
    """Run all methods of a study one by one."""
    used: Counter[str] = Counter()
    results = []
    for call in engine.job.study.methods:
        used[call.name] += 1
        stage = call.name if used[call.name] == 1 else f"{call.name}-{used[call.name]}"
        results.append(run_method(engine, call.name, call.options, stage))
    return results


def _write(
    folder: Path, study: Study, results: Sequence[MethodResult], options: argparse.Namespace
) -> StudyRun:
    """Write tables, files of the feasible winners, pictures and report."""
    (folder / "study.yaml").write_text(study.text, encoding="utf-8")
    write_table(folder / TABLE, study, results)
    files = [folder / TABLE, *write_method_tables(folder, study, results)]
    winners = [winner for winner in winners_of(results) if is_feasible(study, winner)]
    for winner in winners:
        files += write_winner(folder / "winners" / winner.name, study, winner)
    pictures = [] if options.no_pictures else _draw(folder, study, results, options.theme)
    text = report(study, results, [path.name for path in pictures])
    (folder / "report.md").write_text(text, encoding="utf-8")
    return StudyRun(text, [*files, *pictures, folder / "report.md"], bool(winners))


def _draw(folder: Path, study: Study, results: Sequence[MethodResult], theme: str) -> list[Path]:
    # the only part that needs matplotlib
    from charmie_dynamics.studies.results import pictures

    paths = []
    for result in results:
        if result.sensitivity is not None:
            paths.append(folder / f"{result.name}.png")
            pictures.draw_sensitivities(paths[-1], study, result.sensitivity, theme)
        if len(study.objectives) > 1 and (len(result.best) > 1 or result is results[-1]):
            paths.append(folder / f"{result.name}_front.png")
            pictures.draw_front(paths[-1], study, result, theme)
    best = best_of(study, winners_of(results))
    if not is_feasible(study, best):
        return paths
    evaluator = study.evaluator
    path = folder / "before_and_after.png"
    if pictures.draw_before_and_after(path, study, best.candidate, theme):
        paths.append(path)
    models = {"described": evaluator.base, "changed": evaluator.model(best.candidate)}
    for name, model in models.items():
        paths.append(folder / f"mechanism_{name}.png")
        pictures.draw_mechanism(paths[-1], model, f"{study.name}: {name}", theme)
    return paths


def run(options: argparse.Namespace) -> int:
    """Run a study.

    The exit status is 0 if a candidate satisfies the constraints, 130 after an interrupt, else 1.
    """
    try:
        done = run_study(options)
    except KeyboardInterrupt:
        print("charmie_study: interrupted; the same command continues from here", file=sys.stderr)
        return 130
    print(done.text)
    for path in done.files:
        print(path)
    if not done.is_feasible:
        print("charmie_study: no candidate meets the constraints", file=sys.stderr)
        return 1
    return 0
