# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The command charmie_analyze: the computation of the node on recordings, without ROS."""

from __future__ import annotations

import argparse
import hashlib
import sys
from importlib import import_module
from pathlib import Path

import numpy as np

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.recordings.write.bag_writer import require_new
from charmie_dynamics.recordings.write.export import require_format
from charmie_dynamics.tasks.options import TaskBar, engine_of
from charmie_dynamics.tasks.task import Job, JobTask, Result

from .one_recording import RecordingOutcome, outcome
from .staging import clear, results_of, with_name

STAGE = "recordings"


class AnalysisJob(Job):
    """The analysis of recordings, one task each.

    Parameters
    ----------
    options : argparse.Namespace
        Of charmie_analyze.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options

    @property
    def digest(self) -> str:
        """Identifier of the computation for each recording."""
        return hashlib.sha256(repr(sorted(vars(self._options).items())).encode()).hexdigest()

    def execute(self, task: JobTask) -> Result:
        """Analyse one recording.

        Returns
        -------
        dict of str to array
            ``status``, and the text for standard output and error, ``out`` and ``err``.
        """
        result = outcome(with_name(self._options, Path(str(task.arrays["recording"]))))
        return _arrays(result)


def run(options: argparse.Namespace) -> int:
    """Analyse recordings, report each result, and return the exit status.

    Raises
    ------
    CharmieError
        If a table cannot be written, or the workers cannot compute.
    """
    for path in options.export:
        require_format(path)
    if options.plots:
        import_module("matplotlib")  # fail before the computation
    each = [with_name(options, path) for path in options.recordings]
    there = [one for one in each if options.resume and all(map(Path.exists, results_of(one)))]
    left = [one for one in each if one not in there]
    paths = [str(one.recording) for one in left]
    refused = {str(one.recording): said for one in left if (said := _refusal(one))}
    tasks = [
        JobTask(STAGE, number, "analyse", {"recording": np.array(path)})
        for number, path in enumerate(path for path in paths if path not in refused)
    ]
    several = len(options.recordings) > 1
    common = argparse.Namespace(**vars(options))
    # one progress bar: of the recordings, or of the cycles of a single one
    common.quiet = options.quiet or several or bool(options.workers or options.scheduler)
    try:
        with TaskBar(quiet=options.quiet or not common.quiet) as bar:
            with engine_of(options, AnalysisJob(common), None, bar.note) as engine:
                computed = iter(engine.run(tasks))
    finally:
        clear([path for one in each for path in results_of(one)])
    failed = []
    for path in paths:
        result = refused[path] if path in refused else next(computed)
        _tell(result, path if several else "")
        if result["status"]:
            failed.append(path)
    if several:
        line = f"{len(paths) - len(failed)} of {len(each)} recordings analysed"
        line += f", {len(there)} were there already" if there else ""
        print(line + (f"; not, or not wholly: {', '.join(failed)}" if failed else ""))
    return 1 if failed else 0


def _refusal(options: argparse.Namespace) -> Result | None:
    """Return the reason why the results of a recording cannot be written, if any."""
    try:
        if options.out:
            require_new(options.out)
        for path in (*options.export, options.json, options.friction):
            if path is not None and path.is_dir():
                raise CharmieError(f"'{path}': expected the name of a file, got a folder")
        if options.plots and options.plots.is_file():
            raise CharmieError(f"'{options.plots}': expected the name of a folder, got a file")
    except CharmieError as error:
        return _arrays(RecordingOutcome(1, "", str(error)))
    return None


def _arrays(result: RecordingOutcome) -> Result:
    return {name: np.array(value) for name, value in result._asdict().items()}


def _tell(result: Result, heading: str) -> None:
    """Print the report of a recording."""
    if heading and str(result["out"]):
        print(f"{heading}\n")
    if str(result["out"]):
        print(result["out"], end="\n\n" if heading else "\n", flush=True)
    where = f"{heading}: " if heading else ""
    for line in str(result["err"]).splitlines():
        print(f"charmie_analyze: {where}{line}", file=sys.stderr)
