# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Options of commands for the workers, and the progress bar."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .engine import JobT, Progress, TaskEngine
    from .journal import Journal


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add the options for the workers.

    Examples
    --------
    >>> import argparse
    >>> from charmie_dynamics.tasks.options import add_workers
    >>> parser = argparse.ArgumentParser()
    >>> add_workers(parser)
    >>> parser.parse_args(["--workers", "2"]).workers
    2
    """
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--workers", type=positive_count, default=0, metavar="N",
        help="processes on this machine; default: only this one",
    )  # fmt: skip
    where.add_argument(
        "--scheduler", default="", metavar="ADDRESS",
        help="address of a running dask scheduler with workers, such as tcp://host:8786",
    )  # fmt: skip


def engine_of(
    options: argparse.Namespace, job: JobT, journal: Journal | None, progress: Progress
) -> TaskEngine[JobT]:
    """Return the engine for the tasks of a job, from the options of `add_workers`.

    Raises
    ------
    CharmieError
        As for `DaskEngine`.

    Examples
    --------
    >>> import argparse
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.studies import RolloutJob, roll_out
    >>> from charmie_dynamics.tasks.options import add_workers, engine_of
    >>> parser = argparse.ArgumentParser()
    >>> add_workers(parser)
    >>> job = RolloutJob(load_model("scara"), lambda k, t, p, v: k, duration=0.1)
    >>> with engine_of(parser.parse_args([]), job, None, lambda stage, done, total: None) as engine:
    ...     len(roll_out(engine, [[0.0] * 5] * 4).reasons)
    4
    """
    # not for a parser of options
    from .dask_engine import DaskEngine
    from .engine import SerialEngine

    if options.workers or options.scheduler:
        where = {"workers": options.workers, "scheduler": options.scheduler}
        return DaskEngine(job, journal, progress, **where)
    return SerialEngine(job, journal, progress)


def whole_number(text: str) -> int:
    """Return a whole number of at least 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 0, got '{text}'")
    return int(text)


def positive_count(text: str) -> int:
    """Return a whole number above 0."""
    value = int(text) if text.isdigit() else 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number above 0, got '{text}'")
    return value


class TaskBar:
    """A progress bar on standard error, one per stage."""

    def __init__(self, *, quiet: bool, unit: str = "task") -> None:
        self._quiet, self._unit = quiet, unit
        self._bar: Any = None
        self._stage = ""

    def __enter__(self) -> TaskBar:
        return self

    def note(self, stage: str, done: int, total: int) -> None:
        """Show the progress of a stage."""
        if stage != self._stage:
            from tqdm import tqdm

            self._close()
            self._stage = stage
            self._bar = tqdm(total=total, desc=stage, unit=self._unit, disable=self._quiet)
        self._bar.update(done - self._bar.n)

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
