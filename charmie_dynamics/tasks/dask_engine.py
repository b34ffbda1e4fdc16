# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Execute tasks by the workers of dask, on this machine or others.

Workers may join, leave and die: dask reassigns the tasks of one that died. If dask gives up, since
several workers died with a task, the task is submitted again. Results are taken one by one, so that
each is in the journal once.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import signal
import socket
import tempfile
import threading
import time
import traceback
import warnings
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, nullcontext
from importlib import import_module
from typing import Any

from charmie_dynamics.errors import CharmieError

from .engine import JobT, Progress, TaskEngine
from .journal import Journal
from .task import Job, JobTask, Result
from .versions import code_in_words, imported

MOST_DEATHS = 10  # of workers with one task; so many are caused by the task, not by chance
AHEAD = 4  # submitted tasks per worker: few, so that dask's memory remains small
ANSWER = 20.0  # s until a scheduler must answer
PATIENCE = 60.0  # s without any worker, after which the run fails
POLL_PERIOD = 1.0  # s between two checks of the number of workers
# Of the workers' C library (bytes). dask sets only the first, and lower: then each large temporary
# array is memory that the system clears again, which takes three quarters of the time.
ALLOCATOR = {"MALLOC_TRIM_THRESHOLD_": "268435456", "MALLOC_MMAP_THRESHOLD_": "268435456"}
TIMEOUTS = (TimeoutError, asyncio.TimeoutError)  # two classes before Python 3.11


class DaskEngine(TaskEngine[JobT]):
    """Executes tasks by the workers of dask.

    Parameters
    ----------
    job, journal, progress
        As for `TaskEngine`.
    workers : int
        Number of processes of a cluster on this machine; ignored with a scheduler.
    scheduler : str
        Address of a running scheduler, such as ``tcp://host:8786``; empty: start a cluster.

    Raises
    ------
    CharmieError
        If dask is not installed, the scheduler does not answer or has no workers, or a worker has
        other versions of the code.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.studies import RolloutJob, roll_out
    >>> from charmie_dynamics.tasks.dask_engine import DaskEngine
    >>> job = RolloutJob(load_model("scara"), lambda k, t, p, v: k, duration=0.1)
    >>> with DaskEngine(job, workers=1) as engine:
    ...     roll_out(engine, [[0.0] * 5] * 2).reasons.tolist()
    ['', '']
    """

    def __init__(
        self,
        job: JobT,
        journal: Journal | None = None,
        progress: Progress | None = None,
        *,
        workers: int = 1,
        scheduler: str = "",
    ) -> None:
        super().__init__(job, journal, progress)
        dask, self._dask = (
            imported(name, "workers need dask and distributed") for name in ("dask", "distributed")
        )
        self._digest, content = job.digest, packed(job)
        self._scheduler = scheduler
        self._counted_at = 0.0  # time of the last count of workers (s, monotonic)
        self._worker_count = 0  # at that time
        with ExitStack() as opened:
            self._cluster: Any = None if scheduler else self._start_cluster(dask, workers, opened)
            self._client = self._connected()
            opened.callback(self._client.close)
            self._packed = self._send_job(content)
            self._opened = opened.pop_all()
        self._last_worker_at = time.monotonic()  # last time with a worker, at first the start

    def _start_cluster(self, dask: Any, workers: int, opened: ExitStack) -> Any:
        """Return a cluster on this machine, which `opened` closes."""
        folder = tempfile.TemporaryDirectory(prefix="charmie_tasks_", ignore_cleanup_errors=True)
        opened.callback(folder.cleanup)
        # dask gives up a task after one more death
        dask.config.set({"distributed.scheduler.allowed-failures": MOST_DEATHS - 1})
        # in the environment of this process, which workers of every version of dask inherit
        for name, size in ALLOCATOR.items():
            os.environ.setdefault(name, size)
        # dask's messages about workers that die and are restarted require no action
        with _interrupts_ignored():
            cluster = self._dask.LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True,
                dashboard_address=":0", silence_logs=logging.ERROR,
                local_directory=folder.name,
            )  # fmt: skip
        opened.callback(cluster.close)
        return cluster

    def _send_job(self, content: bytes) -> Any:
        """Return the future of the packed job, which is sent once and may be large.

        It is the result of a task, since dask repeats a task whose result is lost with its worker.
        """
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "(?s).*large (graph|object)", UserWarning)
            return self._client.submit(_same, content, key=f"job-{self._digest}")

    @property
    def client(self) -> Any:
        """The client of dask."""
        return self._client

    def _connected(self) -> Any:
        if self._cluster is not None:
            return self._dask.Client(self._cluster, timeout=ANSWER)
        # A client that failed must be closed here: closed by the garbage collector, it waits for a
        # lock of dask that this thread may hold.
        client = self._dask.Client.__new__(self._dask.Client)
        try:
            client.__init__(self._scheduler, timeout=ANSWER)
            return client
        except (OSError, ValueError, *TIMEOUTS) as error:
            client.close()
            raise CharmieError(
                f"scheduler '{self._scheduler}': expected the address of a running dask scheduler, "
                f"such as tcp://host:8786; {error or 'no answer'}"
            ) from None

    def _compute(self, tasks: Sequence[tuple[int, JobTask]]) -> Iterator[tuple[int, Result]]:
        waiting = deque(tasks)
        submitted: dict[str, tuple[Any, tuple[int, JobTask]]] = {}
        deaths: Counter[int] = Counter()
        while waiting or submitted:
            while waiting and len(submitted) < AHEAD * max(1, self._workers()):
                index, task = waiting.popleft()
                future = self._submit(task, deaths[index])
                submitted[future.key] = future, (index, task)
            for future in self._done([future for future, _ in submitted.values()]):
                _, (index, task) = submitted.pop(future.key)
                result = self._result(future)
                if not isinstance(result, int):
                    yield index, result
                    continue
                deaths[index] += result
                if deaths[index] >= MOST_DEATHS:
                    raise CharmieError(
                        f"task {task.number} of {task.stage}: the workers that computed it "
                        "died repeatedly; expected workers with more memory, or shorter tasks"
                    )
                waiting.appendleft((index, task))

    def _submit(self, task: JobTask, attempt: int) -> Any:
        key = f"{task.stage}-{task.number}-{task.key[:16]}-{self._digest[:16]}"
        return self._client.submit(
            _execute_packed, self._packed, self._digest, code_in_words(), task,
            key=f"{key}-{attempt}" if attempt else key,
        )  # fmt: skip

    def _done(self, futures: Sequence[Any]) -> list[Any]:
        """Return finished futures, at least one."""
        while True:
            try:
                finished = self._dask.wait(
                    futures, timeout=POLL_PERIOD, return_when="FIRST_COMPLETED"
                )
                return list(finished.done)
            except CancelledError:
                return [future for future in futures if future.status == "cancelled"]
            except TIMEOUTS:
                self._workers()

    def _result(self, future: Any) -> Result | int:
        """Return the result of a task, or the number of workers that died with it."""
        try:
            result: Result | str = future.result()
        except (CancelledError, self._dask.scheduler.KilledWorker) as error:
            # the last count includes the dead workers, and may be of a scheduler that is gone
            self._counted_at = 0.0
            self._workers()
            if isinstance(error, CancelledError):
                return 1
            # old versions of dask do not attach the number
            known = import_module("dask").config.get("distributed.scheduler.allowed-failures")
            return 1 + int(getattr(error, "allowed_failures", known))
        except (ImportError, AttributeError) as error:
            frames = traceback.extract_tb(error.__traceback__)
            if any(frame.name == _execute_packed.__name__ for frame in frames):
                raise  # by the job
            raise CharmieError(
                f"a worker has no charmie_dynamics, or another version: {error}; expected "
                f"{code_in_words()}"
            ) from None
        if isinstance(result, str):
            raise CharmieError(result)
        return result

    def _workers(self) -> int:
        """Return the number of workers; raise an error after a long time without any."""
        now = time.monotonic()
        if now - self._counted_at < POLL_PERIOD:
            return self._worker_count
        where = f"scheduler '{self._scheduler or self._cluster.scheduler_address}'"
        try:
            self._worker_count = len(self._client.nthreads())
        except (OSError, RuntimeError, CancelledError, *TIMEOUTS) as error:
            raise CharmieError(
                f"{where} no longer answers: {error or type(error).__name__}; repeat the "
                "command to continue once the scheduler runs"
            ) from None
        self._counted_at = time.monotonic()
        if self._worker_count:
            self._last_worker_at = self._counted_at
        elif self._counted_at - self._last_worker_at > PATIENCE:
            raise CharmieError(
                f"{where} has had no workers for {PATIENCE:g} s; expected some, started by "
                "`dask worker ADDRESS` or `python -m distributed.cli.dask_worker ADDRESS`"
            )
        return self._worker_count

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End workers that this object has started, but no others."""
        interrupted = kind is not None and issubclass(kind, KeyboardInterrupt)
        with _errors_suppressed() if interrupted else nullcontext():
            self._opened.close()


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Make new processes ignore Ctrl-C, which a terminal sends to all processes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _errors_suppressed() -> Iterator[None]:
    """Suppress log messages of libraries about calls that an interrupt has ended."""
    loggers = [logging.getLogger(name) for name in ("tornado.application", "distributed")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


def packed(job: Job) -> bytes:
    """Return a job as bytes for another process, including definitions in a script."""
    content: bytes = import_module("cloudpickle").dumps(job, protocol=4)
    return content


def _same(content: bytes) -> bytes:
    """Return the packed job: the task whose result dask copies between workers."""
    return content


# the last job of this process, unpacked once
_JOBS: dict[str, Job] = {}


def _execute_packed(content: bytes, digest: str, code: str, task: JobTask) -> Result | str:
    """Execute a task in another process; return the reason of a failure, which dask would log."""
    if code != code_in_words():
        return (
            f"worker on {socket.gethostname()}: expected {code}, as the work was started with; "
            f"got {code_in_words()}; install the same there"
        )
    if digest not in _JOBS:
        _JOBS.clear()
        try:
            _JOBS[digest] = pickle.loads(content)
        except (ImportError, AttributeError) as error:
            return (
                f"worker on {socket.gethostname()}: expected the modules of the job, got {error}; "
                "install them there"
            )
    return _JOBS[digest].execute(task)
