# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Execution of tasks one by one, in this process.

Each result is written to the journal once, as soon as it is available, so that interrupted work
continues with the next task.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Generic, TypeVar

from .journal import Journal
from .task import Job, JobTask, Result

JobT = TypeVar("JobT", bound=Job)
Progress = Callable[[str, int, int], None]


class TaskEngine(AbstractContextManager[Any], Generic[JobT]):
    """Executes tasks of a job and stores their results in a journal.

    Parameters
    ----------
    job : Job
    journal : Journal, optional
        Default: results are not stored.
    progress : callable, optional
        Called with the stage, the number of finished tasks and the total.
    """

    def __init__(
        self, job: JobT, journal: Journal | None = None, progress: Progress | None = None
    ) -> None:
        self.job, self._journal = job, journal
        self._progress = progress or (lambda *_: None)

    def run(self, tasks: Sequence[JobTask]) -> list[Result]:
        """Return the results of tasks of one stage, in their order.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics import load_model
        >>> from charmie_dynamics.studies import RolloutJob
        >>> from charmie_dynamics.tasks.engine import SerialEngine
        >>> from charmie_dynamics.tasks.task import JobTask
        >>> job = RolloutJob(load_model("scara"), lambda k, t, p, v: k, duration=0.1)
        >>> rows = dict.fromkeys(("parameters", "position", "velocity"), np.zeros((3, 5)))
        >>> with SerialEngine(job) as engine:
        ...     len(engine.run([JobTask("some", k, "roll_out", rows) for k in range(2)]))
        2
        """
        results: dict[int, Result] = {}
        if self._journal is not None:
            known = ((k, self._journal.read(task)) for k, task in enumerate(tasks))
            results = {k: result for k, result in known if result is not None}
        missing = [k for k in range(len(tasks)) if k not in results]
        if tasks:
            self._progress(tasks[0].stage, len(results), len(tasks))
        for k, result in self._compute([(k, tasks[k]) for k in missing]):
            if self._journal is not None:
                self._journal.write(tasks[k], result)
            results[k] = result
            self._progress(tasks[k].stage, len(results), len(tasks))
        return [results[k] for k in range(len(tasks))]

    @abstractmethod
    def _compute(self, tasks: Sequence[tuple[int, JobTask]]) -> Iterator[tuple[int, Result]]:
        """Yield the results of numbered tasks, in any order."""


class SerialEngine(TaskEngine[JobT]):
    """Executes tasks one by one in this process."""

    def _compute(self, tasks: Sequence[tuple[int, JobTask]]) -> Iterator[tuple[int, Result]]:
        for k, task in tasks:
            yield k, self.job.execute(task)

    def __exit__(self, *_: object) -> None:
        """Do nothing."""
