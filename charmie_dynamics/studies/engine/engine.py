# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Where the tasks of a study are computed: in this process, or by the workers of dask.

Workers may come, go and die. dask gives the tasks of one that died to others; each result is
written into the journal once, as soon as it is there, so that a study that is interrupted goes on
where it was.
"""

from __future__ import annotations

import pickle
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from types import TracebackType
from typing import Any

import numpy.typing as npt

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.studies.design.study import Study

from .journal import Journal
from .tasks import Task, digest_of, execute, packed

Result = dict[str, npt.NDArray[Any]]
Progress = Callable[[str, int, int], None]
# dask gives up a task after so many workers died with it: by chance or by the task's own fault
MOST_DEATHS = 10
AHEAD = 4  # tasks for each worker that dask knows of at once: few, so that its memory stays small


class Engine(AbstractContextManager["Engine"]):
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

    def run(self, tasks: Sequence[Task]) -> list[Result]:
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
    def _compute(self, tasks: Sequence[tuple[int, Task]]) -> Iterator[tuple[int, Result]]:
        """Yield the results of numbered tasks, in any order."""


class SerialEngine(Engine):
    """Computes tasks one after the other in this process."""

    def _compute(self, tasks: Sequence[tuple[int, Task]]) -> Iterator[tuple[int, Result]]:
        for k, task in tasks:
            yield k, execute(self.study, task)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave: there is nothing to end."""


class DaskEngine(Engine):
    """Computes tasks by the workers of dask.

    Parameters
    ----------
    study, journal, progress
        As for `Engine`.
    workers : int
        Processes of a cluster on this machine; with a scheduler not used.
    scheduler : str
        Address of a running scheduler, such as ``tcp://host:8786``; empty: a cluster is started.

    Raises
    ------
    CharmieError
        If dask is not installed, or the scheduler does not answer.
    """

    def __init__(
        self,
        study: Study,
        journal: Journal,
        progress: Progress | None = None,
        *,
        workers: int = 1,
        scheduler: str = "",
    ) -> None:
        super().__init__(study, journal, progress)
        try:
            dask, distributed = import_module("dask"), import_module("distributed")
        except ImportError as error:
            raise CharmieError(
                f"workers need dask and distributed, which cannot be imported ({error}); install "
                "the extra 'studies'"
            ) from None
        dask.config.set({"distributed.scheduler.allowed-failures": MOST_DEATHS})
        self._cluster: Any = None
        self._client: Any
        if not scheduler:
            self._cluster = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
            )
        try:
            self._client = distributed.Client(scheduler or self._cluster, timeout=20)
        except (OSError, TimeoutError) as error:
            raise CharmieError(
                f"scheduler '{scheduler}': expected the address of a running dask scheduler, such "
                f"as tcp://host:8786; {error}"
            ) from None
        self._digest = digest_of(study)
        # a task of its own, which dask computes again where it is lost
        self._packed = self._client.submit(_same, packed(study), key=f"study-{self._digest}")

    @property
    def client(self) -> Any:
        """The client of dask."""
        return self._client

    def _compute(self, tasks: Sequence[tuple[int, Task]]) -> Iterator[tuple[int, Result]]:
        waiting = iter(tasks)
        numbers: dict[Any, int] = {}

        def submit(task: tuple[int, Task]) -> Any:
            number, own = task
            future = self._client.submit(
                _execute_packed, self._packed, self._digest, own,
                key=f"{own.stage}-{own.number}-{own.key[:16]}-{self._digest[:16]}",
            )  # fmt: skip
            numbers[future.key] = number
            return future

        count = AHEAD * max(1, len(self._client.scheduler_info()["workers"]))
        first = [submit(task) for _, task in zip(range(count), waiting, strict=False)]
        done: Any = import_module("distributed").as_completed(first)
        for future in done:
            yield numbers.pop(future.key), future.result()
            task = next(waiting, None)
            if task is not None:
                done.add(submit(task))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the workers that were started here, and leave others."""
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


def _same(content: bytes) -> bytes:
    return content


# of this process, the study that it was asked about last: it is unpacked once
_STUDIES: dict[str, Study] = {}


def _execute_packed(content: bytes, digest: str, task: Task) -> Result:
    """Compute a task in another process."""
    if digest not in _STUDIES:
        _STUDIES.clear()
        _STUDIES[digest] = pickle.loads(content)
    return execute(_STUDIES[digest], task)
