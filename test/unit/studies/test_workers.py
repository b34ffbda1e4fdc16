# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Workers of dask that come, go and are killed: the results are those of one process."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from distributed import Client
from study_texts import study_of

from charmie_dynamics import CharmieError
from charmie_dynamics.studies import Study
from charmie_dynamics.studies.engine.study_job import StudyJob, evaluation_task
from charmie_dynamics.studies.search.sampling import sobol
from charmie_dynamics.tasks import dask_engine
from charmie_dynamics.tasks.dask_engine import DaskEngine
from charmie_dynamics.tasks.engine import SerialEngine, TaskEngine
from charmie_dynamics.tasks.journal import Journal
from charmie_dynamics.tasks.task import Job, JobTask, Result

# distributed leaves sockets of workers that were killed to the collector
pytestmark = pytest.mark.filterwarnings(
    "ignore:unclosed:ResourceWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",
    "ignore::DeprecationWarning",
)
VARIABLES = (
    "stiffness: {path: springs.torso_spring.stiffness, bounds: [1000, 9000]}\n"
    "pretension: {path: springs.torso_spring.pretension, bounds: [0, 200]}"
)


class CountingJournal(Journal):
    """Counts how often each result is written."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "study")
        self.written: Counter[tuple[str, int]] = Counter()

    def write(self, task: JobTask, result: Result) -> None:
        self.written[task.stage, task.number] += 1
        super().write(task, result)


@pytest.fixture(scope="module")
def study() -> Study:
    return study_of(variables=VARIABLES, motions="wave: {named: wave, rate: 25}")


@pytest.fixture(scope="module")
def expected(study: Study, tmp_path_factory: pytest.TempPathFactory) -> list[Result]:
    """The results of one process."""
    journal = Journal(tmp_path_factory.mktemp("serial"), "study")
    with SerialEngine(StudyJob(study), journal) as engine:
        return engine.run(tasks_of(study))


def tasks_of(study: Study, count: int = 24, size: int = 60) -> list[JobTask]:
    candidates = sobol(study.evaluator.space, count * size, 1)
    return [evaluation_task("part", k, candidates[k * size :][:size]) for k in range(count)]


def assert_equal_results(one: list[Result], other: list[Result]) -> None:
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        assert a.keys() == b.keys()
        for name in a:
            np.testing.assert_array_equal(a[name], b[name])


def pids(engine: DaskEngine) -> list[int]:
    return list(engine.client.run(os.getpid).values())


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split()[2] != "Z"
    except OSError:
        return False


def wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


class Cluster:
    """A scheduler and workers as processes of their own, as on several machines."""

    def __init__(self, folder: Path) -> None:
        self.file, self._folder = folder / "scheduler.json", folder
        self.processes = [
            self._start("dask_scheduler", "--port", "0", "--no-dashboard",
                        "--scheduler-file", str(self.file))
        ]  # fmt: skip
        wait_until(lambda: self.file.exists() and self.file.stat().st_size > 0)

    @property
    def address(self) -> str:
        return json.loads(self.file.read_text(encoding="utf-8"))["address"]

    def add_worker(self) -> subprocess.Popen[bytes]:
        worker = self._start(
            "dask_worker", "--scheduler-file", str(self.file), "--nthreads", "1", "--no-nanny",
            "--no-dashboard", "--local-directory", str(self._folder),
        )  # fmt: skip
        self.processes.append(worker)
        return worker

    def _start(self, name: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-W", "ignore", "-m", f"distributed.cli.{name}", *options]
        return subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self._folder
        )


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    made = Cluster(folder)
    try:
        yield made
    finally:
        for process in reversed(made.processes):
            process.kill()
            process.wait()


def during(engine: TaskEngine[StudyJob], after: int, action: Callable[[], None]) -> None:
    """Let something happen in another thread once some tasks are done."""
    report = engine._progress
    begun = threading.Event()

    def progress(stage: str, done: int, total: int) -> None:
        report(stage, done, total)
        if done >= after and not begun.is_set():
            begun.set()
            action()

    engine._progress = progress


def test_workers_that_are_killed_lose_nothing(
    tmp_path: Path, study: Study, expected: list[Result]
) -> None:
    tasks = tasks_of(study)
    journal = CountingJournal(tmp_path / "dask")
    with DaskEngine(StudyJob(study), journal, workers=2) as engine:
        first = pids(engine)

        def kill() -> None:
            for pid in first:
                os.kill(pid, signal.SIGKILL)

        during(engine, 3, kill)
        found = engine.run(tasks)
        last = pids(engine)
    assert_equal_results(expected, found)
    assert set(journal.written.values()) == {1}
    assert len(journal.written) == len(tasks) == len(list((tmp_path / "dask").glob("*.npz")))
    assert not set(first) & set(last)
    wait_until(lambda: not any(is_alive(pid) for pid in first + last))


def test_workers_elsewhere_may_come_late_and_go(
    tmp_path: Path, study: Study, expected: list[Result]
) -> None:
    tasks = tasks_of(study)
    journal = CountingJournal(tmp_path / "dask")
    with cluster(tmp_path) as elsewhere:
        with DaskEngine(StudyJob(study), journal, scheduler=elsewhere.address) as engine:
            # there is none at first
            threading.Timer(1.0, elsewhere.add_worker).start()

            def exchange() -> None:
                second = elsewhere.add_worker()
                wait_until(lambda: len(engine.client.nthreads()) == 2)
                elsewhere.processes[1].kill()
                assert second.poll() is None

            during(engine, 3, exchange)
            found = engine.run(tasks)
        # it was not started here, and is left as it is
        assert elsewhere.processes[0].poll() is None
        assert elsewhere.processes[2].poll() is None
    assert_equal_results(expected, found)
    assert set(journal.written.values()) == {1}


def test_a_scheduler_without_workers_is_told(tmp_path: Path, study: Study, monkeypatch) -> None:
    monkeypatch.setattr(dask_engine, "PATIENCE", 2.0)
    with cluster(tmp_path) as elsewhere:
        with DaskEngine(
            StudyJob(study), Journal(tmp_path, "s"), scheduler=elsewhere.address
        ) as engine:
            with pytest.raises(CharmieError, match=r"has had no workers for 2 s; .*dask worker"):
                engine.run(tasks_of(study, 2, 2))


def test_a_scheduler_that_goes_is_told(tmp_path: Path, study: Study) -> None:
    with cluster(tmp_path) as elsewhere:
        elsewhere.add_worker()
        with DaskEngine(
            StudyJob(study), Journal(tmp_path, "s"), scheduler=elsewhere.address
        ) as engine:
            during(engine, 2, elsewhere.processes[0].kill)
            with pytest.raises(
                CharmieError, match=r"no longer answers.*repeat the command to continue"
            ):
                engine.run(tasks_of(study))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nowhere:1:2", "tcp://"])
def test_a_scheduler_that_is_not_there_is_told(
    tmp_path: Path, study: Study, monkeypatch, address: str
) -> None:
    monkeypatch.setattr(dask_engine, "ANSWER", 2.0)
    with pytest.raises(CharmieError, match="expected the address of a running dask scheduler"):
        DaskEngine(StudyJob(study), Journal(tmp_path, "s"), scheduler=address)
    # closed by the garbage collector, a client may wait for a lock that its own thread holds
    clients = [each for each in gc.get_objects() if type(each) is Client]
    assert all(each.status == "closed" for each in clients)


def test_a_worker_with_other_code_is_refused(tmp_path: Path, study: Study, monkeypatch) -> None:
    monkeypatch.setattr(dask_engine, "code_in_words", lambda: "charmie_dynamics 9.9")
    with DaskEngine(StudyJob(study), Journal(tmp_path, "s"), workers=1) as engine:
        with pytest.raises(CharmieError, match=r"worker on .*: expected charmie_dynamics 9.9.*got"):
            engine.run(tasks_of(study, 1, 2))


class Failing(Job):
    """Raises, ends its process (after a line in `log`) or cannot be loaded."""

    digest = "failing"

    def __init__(self, how: str, log: Path) -> None:
        self.how, self.log = how, log

    def __setstate__(self, state: dict[str, object]) -> None:
        if state["how"] == "load":
            raise ImportError("no module some_tools")
        self.__dict__ = state

    def execute(self, task: JobTask) -> Result:
        if self.how == "raise":
            raise AttributeError("no attribute of the job")
        with self.log.open("a") as file:
            file.write("death\n")
        os._exit(1)


FAILING = [JobTask("part", 0, "fail", {})]


def test_an_attribute_error_of_the_job_is_reported_unchanged(tmp_path: Path) -> None:
    with DaskEngine(Failing("raise", tmp_path / "log"), workers=1) as engine:
        with pytest.raises(AttributeError, match="no attribute of the job"):
            engine.run(FAILING)


def test_a_job_whose_modules_the_worker_lacks_is_refused(tmp_path: Path) -> None:
    with DaskEngine(Failing("load", tmp_path / "log"), workers=1) as engine:
        with pytest.raises(CharmieError, match="modules of the job, got no module some_tools"):
            engine.run(FAILING)


def test_a_task_ends_a_limited_number_of_workers(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(dask_engine, "MOST_DEATHS", 3)
    monkeypatch.setattr(dask_engine, "PATIENCE", 600.0)  # a busy machine starts workers slowly
    with DaskEngine(Failing("end", tmp_path / "log"), workers=1) as engine:
        with pytest.raises(CharmieError, match=r"task 0 of part: the workers .* died repeatedly"):
            engine.run(FAILING)
    assert (tmp_path / "log").read_text().count("death") == 3


def test_an_engine_that_cannot_start_closes_its_cluster(tmp_path: Path, monkeypatch) -> None:
    engines = []

    def send(engine: DaskEngine, content: bytes) -> None:
        engines.append((engine, pids(engine)))
        raise CharmieError("not sent")

    monkeypatch.setattr(DaskEngine, "_send_job", send)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(CharmieError, match="not sent"):
        DaskEngine(Failing("raise", tmp_path / "log"), workers=1)
    ((engine, workers),) = engines
    assert engine.client.status == "closed"
    assert not list(tmp_path.glob("charmie_tasks_*"))
    wait_until(lambda: not any(is_alive(pid) for pid in workers))


def test_the_memory_of_a_worker_stays_flat(tmp_path: Path, study: Study) -> None:

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]) * 4096

    with DaskEngine(StudyJob(study), Journal(tmp_path, "s"), workers=1) as engine:
        sizes = []
        for part in range(3):
            candidates = sobol(study.evaluator.space, 600, part)
            engine.run([evaluation_task(f"s{part}", k, candidates[k : k + 1]) for k in range(600)])
            sizes.append(next(iter(engine.client.run(resident).values())))
    # the first part also loads the modules and arrays that an evaluation needs
    assert sizes[2] - sizes[1] < 8e6


def test_workers_keep_the_memory_of_large_arrays(tmp_path: Path, study: Study) -> None:
    with DaskEngine(StudyJob(study), Journal(tmp_path, "s"), workers=1) as engine:
        (found,) = engine.client.run(allocator_thresholds).values()
    assert found == ["268435456", "268435456"]


def allocator_thresholds() -> list[str]:
    return [os.environ[f"MALLOC_{name}_THRESHOLD_"] for name in ("TRIM", "MMAP")]
