# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Where the tasks of a study are computed: one after the other, in this process.

Each result is written into the journal once, as soon as it is there, so that a study that is
interrupted goes on where it was.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any

import numpy.typing as npt

from charmie_dynamics.studies.design.study import Study

from .journal import Journal
from .tasks import StudyTask, execute

Result = dict[str, npt.NDArray[Any]]
Progress = Callable[[str, int, int], None]


class StudyEngine(AbstractContextManager["StudyEngine"]):
    """Computes tasks of a study and keeps their results in a journal.

    Parameters
    ----------
    study : Study
    journal : Journal
    progress : callable, optional
        Is told stage, tasks done, tasks in all.
    """

    def __init__(self, study: Study, journal: Journal, progress: Progress | None = None) -> None:
        self.study, self._journal = study, journal
        self._progress = progress or (lambda *_: None)

    def run(self, tasks: Sequence[StudyTask]) -> list[Result]:
        """Return the results of tasks of one stage, in their order."""
        found = {k: result for k, task in enumerate(tasks) if (result := self._journal.read(task))}
        missing = [k for k in range(len(tasks)) if k not in found]
        if tasks:
            self._progress(tasks[0].stage, len(found), len(tasks))
        for k, result in self._compute([(k, tasks[k]) for k in missing]):
            self._journal.write(tasks[k], result)
            found[k] = result
            self._progress(tasks[k].stage, len(found), len(tasks))
        return [found[k] for k in range(len(tasks))]

    @abstractmethod
    def _compute(self, tasks: Sequence[tuple[int, StudyTask]]) -> Iterator[tuple[int, Result]]:
        """Yield the results of numbered tasks, in any order."""


class SerialEngine(StudyEngine):
    """Computes tasks one after the other in this process."""

    def _compute(self, tasks: Sequence[tuple[int, StudyTask]]) -> Iterator[tuple[int, Result]]:
        for k, task in tasks:
            yield k, execute(self.study, task)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave: there is nothing to end."""
