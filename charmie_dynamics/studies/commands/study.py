# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The command charmie_study: sweeps and optimisation of a robot's numbers."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from tqdm import tqdm

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.numerics.announcing import announce_compilation
from charmie_dynamics.studies.design.study import Study
from charmie_dynamics.studies.design.study_file import read_study
from charmie_dynamics.studies.engine.dask_engine import DaskEngine
from charmie_dynamics.studies.engine.engine import SerialEngine, StudyEngine
from charmie_dynamics.studies.engine.journal import Journal
from charmie_dynamics.studies.engine.methods import MethodResult, run_method
from charmie_dynamics.studies.engine.tasks import digest_of
from charmie_dynamics.studies.results.table import TABLE, write_table
from charmie_dynamics.studies.results.winners import best_of, report, winners_of, write_winner

JOURNAL = "journal"


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="charmie_study",
        description="Vary numbers of a robot's files within bounds, and find those with which it "
        "needs the smallest efforts, or whatever else the study file asks for. What has been "
        "computed is kept: the same command goes on where it was interrupted.",
    )
    parser.add_argument("study", type=Path, metavar="FILE", help="study file (YAML)")
    parser.add_argument(
        "--out", type=Path, metavar="DIR",
        help="folder of the results; default: the name of FILE without its ending",
    )  # fmt: skip
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--workers", type=_positive, default=0, metavar="N",
        help="processes on this machine; default: this one alone",
    )  # fmt: skip
    where.add_argument(
        "--scheduler", default="", metavar="ADDRESS",
        help="of a running dask scheduler, such as tcp://host:8786, whose workers are used",
    )  # fmt: skip
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    parser.add_argument("--no-pictures", action="store_true", help="tables and files only")
    parser.add_argument(
        "--theme", choices=("light", "dark"), default="light",
        help="colours of the pictures; default: %(default)s",
    )  # fmt: skip
    return parser


def run(options: argparse.Namespace) -> tuple[str, list[Path]]:
    """Run a study; return the report and the files that were written.

    Raises
    ------
    CharmieError
        If the study cannot be run.
    """
    study = read_study(options.study)
    folder = options.out or options.study.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    with _Bar(quiet=options.quiet) as bar:
        journal = Journal(folder / JOURNAL, digest_of(study))
        with _engine(study, journal, bar, options) as engine:
            results = run_methods(engine)
    return _write(folder, study, results, options)


def run_methods(engine: StudyEngine) -> list[MethodResult]:
    """Run all methods of a study, one after the other."""
    used: Counter[str] = Counter()
    results = []
    for call in engine.study.methods:
        used[call.name] += 1
        stage = call.name if used[call.name] == 1 else f"{call.name}-{used[call.name]}"
        results.append(run_method(engine, call.name, call.options, stage))
    return results


def _engine(study: Study, journal: Journal, bar: _Bar, options: argparse.Namespace) -> StudyEngine:
    if options.workers or options.scheduler:
        where = {"workers": options.workers, "scheduler": options.scheduler}
        return DaskEngine(study, journal, bar.note, **where)
    return SerialEngine(study, journal, bar.note)


def _write(
    folder: Path, study: Study, results: Sequence[MethodResult], options: argparse.Namespace
) -> tuple[str, list[Path]]:
    """Write table, files of the winners, pictures, report."""
    (folder / "study.yaml").write_text(study.text, encoding="utf-8")
    write_table(folder / TABLE, study, results)
    files = [folder / TABLE]
    winners = winners_of(results)
    for winner in winners:
        files += write_winner(folder / "winners" / winner.name, study, winner)
    pictures = [] if options.no_pictures else _draw(folder, study, results, options.theme)
    text = report(study, results, [path.name for path in pictures])
    (folder / "report.md").write_text(text, encoding="utf-8")
    return text, [*files, *pictures, folder / "report.md"]


def _draw(folder: Path, study: Study, results: Sequence[MethodResult], theme: str) -> list[Path]:
    # needs matplotlib, which nothing else here does
    from charmie_dynamics.studies.results import pictures

    paths = []
    for result in results:
        if result.sensitivity is not None:
            paths.append(folder / f"{result.method}.png")
            pictures.draw_sensitivities(paths[-1], study, result.sensitivity, theme)
        if len(study.objectives) > 1 and (len(result.best) > 1 or result is results[-1]):
            paths.append(folder / f"{result.method}_front.png")
            pictures.draw_front(paths[-1], study, result, theme)
    best = best_of(study, winners_of(results))
    paths.append(folder / "before_and_after.png")
    pictures.draw_before_and_after(paths[-1], study, best.candidate, theme)
    evaluator = study.evaluator
    for name, model in (("as_it_is", evaluator.base), ("changed", evaluator.model(best.candidate))):
        paths.append(folder / f"mechanism_{name}.png")
        pictures.draw_mechanism(paths[-1], model, f"{study.name}: {name.replace('_', ' ')}", theme)
    return paths


class _Bar:
    """A progress bar on standard error, one for each stage."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._bar: Any = None
        self._stage = ""

    def __enter__(self) -> _Bar:
        return self

    def note(self, stage: str, done: int, total: int) -> None:
        """Show how far a stage is."""
        if stage != self._stage:
            self._close()
            self._stage = stage
            self._bar = tqdm(total=total, desc=stage, unit="task", disable=self._quiet)
        self._bar.update(done - self._bar.n)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _positive(text: str) -> int:
    value = int(text) if text.isdigit() else 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number above 0, got '{text}'")
    return value


def main(arguments: list[str] | None = None) -> int:
    """Run a study; exit status 0 if it is done, 130 if it was interrupted, else 1."""
    options = make_parser().parse_args(arguments)
    announce_compilation()
    try:
        text, files = run(options)
    except (CharmieError, OSError) as error:
        print(f"charmie_study: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("charmie_study: interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    print(text)
    for path in files:
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
