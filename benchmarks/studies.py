# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Studies on workers: throughput, bytes of a task, a slow network.

All rows are of one run, since only their ratios mean something on a machine that others use.
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.studies import Study, parse_study
from charmie_dynamics.studies.engine.methods import CHUNK
from charmie_dynamics.studies.engine.study_job import StudyJob, evaluation_task
from charmie_dynamics.studies.search.sampling import sobol
from charmie_dynamics.tasks.dask_engine import DaskEngine, packed
from charmie_dynamics.tasks.engine import SerialEngine, TaskEngine
from charmie_dynamics.tasks.journal import Journal
from charmie_dynamics.tasks.task import JobTask
from validation.harness.machine import describe_machine
from validation.harness.pages import fill
from validation.harness.run import Evidence
from validation.harness.tables import bullets, table

TASKS = 16
DELAY, BANDWIDTH = 0.05, 1.25e6  # s each way, bytes/s: 10 Mbit/s
MANY = 1000  # workers, on paper
STUDY = """
variables:
  stiffness: {path: springs.torso_spring.stiffness, bounds: [1000, 9000]}
  anchor: {path: 'springs.torso_spring.base_point[2]', bounds: [0.05, 0.3]}
  free: {path: springs.torso_spring.free_length, bounds: [0.05, 0.3]}
  lift: {paths: [balance_mechanisms.lift_balance_left.stiffness,
    balance_mechanisms.lift_balance_right.stiffness], bounds: [100, 1000]}
motions: {wave: {named: wave, duration: 10, rate: 100}}
objectives: {torso: {peak: torso_actuator}, lift: {peak: lift_actuator}}
constraints: {tension: {spring_tension: torso_spring, max: 600}}
methods: [sobol]
"""


class Row(NamedTuple):
    """How long some tasks took, and what they came to."""

    name: str
    seconds: float
    cpu: float
    values: np.ndarray


def tasks_of(study: Study, count: int, stage: str) -> list[JobTask]:
    """Return tasks of `CHUNK` candidates each."""
    candidates = sobol(study.evaluator.space, count * CHUNK, 1)
    return [evaluation_task(stage, k, candidates[k * CHUNK :][:CHUNK]) for k in range(count)]


def timed(name: str, engine: TaskEngine[StudyJob], tasks: list[JobTask]) -> Row:
    """Time tasks on an engine whose workers know the study already."""
    engine.run(tasks_of(engine.job.study, 2, "warm"))
    begin, cpu = time.perf_counter(), time.process_time()
    found = engine.run(tasks)
    values = np.concatenate([result["values"] for result in found])
    return Row(name, time.perf_counter() - begin, time.process_time() - cpu, values)


@contextmanager
def slow_network(port: int) -> Iterator[int]:
    """Pass bytes on to a port with `DELAY` and `BANDWIDTH`; yield the port to connect to."""
    loop = asyncio.new_event_loop()

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        parts: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def send() -> None:
            while True:
                due, content = await parts.get()
                await asyncio.sleep(max(0.0, due - loop.time()))
                if not content:
                    writer.close()
                    return
                writer.write(content)
                await writer.drain()

        sending, free = loop.create_task(send()), 0.0
        content = b"-"
        while content:
            try:
                content = await reader.read(1 << 16)
            except OSError:
                content = b""
            free = max(free, loop.time()) + len(content) / BANDWIDTH
            parts.put_nowait((free + DELAY, content))
        await sending

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        ways = pass_on(reader, far_writer), pass_on(far_reader, writer)
        await asyncio.gather(*ways, return_exceptions=True)

    server = loop.run_until_complete(asyncio.start_server(connect, "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        asyncio.run_coroutine_threadsafe(_cancel_others(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


@contextmanager
def elsewhere(folder: Path, workers: int) -> Iterator[int]:
    """Start a scheduler, and workers that reach it by a slow network; yield that port."""
    file = folder / "scheduler.json"
    base = [sys.executable, "-m"]
    quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    options = ["--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
    started = [subprocess.Popen([*base, "distributed.cli.dask_scheduler", *options], **quiet)]
    try:
        while not (file.exists() and file.stat().st_size):
            time.sleep(0.1)
        port = int(json.loads(file.read_text())["address"].rpartition(":")[2])
        with slow_network(port) as entrance:
            options = [f"tcp://127.0.0.1:{entrance}", "--nthreads", "1", "--no-nanny"]
            command = [*base, "distributed.cli.dask_worker", *options, "--no-dashboard"]
            started += [subprocess.Popen(command, **quiet) for _ in range(workers)]
            yield entrance
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def measure(folder: Path, count: int) -> tuple[list[Row], float]:
    """Return the rows, and the seconds of the scheduler and client for a task of no work."""
    study = parse_study(STUDY)
    job = StudyJob(study)
    tasks = tasks_of(study, count, "part")
    with SerialEngine(job, Journal(folder / "0", "s")) as engine:
        rows = [timed("this process alone", engine, tasks)]
    overhead = 0.0
    for workers in (1, 2):
        journal = Journal(folder / str(workers), "s")
        with DaskEngine(job, journal, workers=workers) as engine:
            name = f"{workers} worker{'s' if workers > 1 else ''}"
            rows.append(timed(name, engine, tasks))
            client = engine.client
            begin = time.process_time()
            client.gather(client.map(abs, range(-1000, 0), key="nothing"))
            overhead = (time.process_time() - begin) / 1000
    with elsewhere(folder, 2) as port:
        address = f"tcp://127.0.0.1:{port}"
        with DaskEngine(job, Journal(folder / "slow", "s"), scheduler=address) as engine:
            engine.client.wait_for_workers(2)
            rows.append(timed("2 workers, slow network", engine, tasks))
    return rows, overhead


def throughput_table(rows: list[Row], count: int) -> str:
    """Return the table of throughput."""
    cells = []
    for row in rows:
        ratio = rows[0].seconds / row.seconds
        workers = 2 if row.name.startswith("2") else 1
        same = "yes" if row.values.tobytes() == rows[0].values.tobytes() else "**no**"
        rates = f"{count / row.seconds:.2f}", f"{count * CHUNK / row.seconds:.0f}"
        cells.append((row.name, *rates, f"{ratio:.2f}", f"{ratio / workers:.2f}", same))
    heads = ("where", ">tasks/s", ">evaluations/s", ">times this process alone", ">each worker",
             "same results")  # fmt: skip
    return table(heads, cells)


def paper_table(rows: list[Row], overhead: float, count: int) -> str:
    """Return what limits a study on many workers, on paper."""
    study = parse_study(STUDY)
    job = StudyJob(study)
    task = tasks_of(study, 1, "part")[0]
    out, back = (len(pickle.dumps(x, protocol=5)) for x in (task, job.execute(task)))
    length, sent = rows[0].cpu / count, len(packed(job))
    many = f"{MANY} workers: "
    cells = [
        (
            "computing, CPU",
            f"{1e3 * length:.0f} ms, {1e3 * length / CHUNK:.2f} ms each evaluation",
            f"{many}{MANY / length:.0f} tasks/s",
        ),
        (
            "scheduler and client, CPU",
            f"{1e3 * overhead:.2f} ms",
            f"{1.0 / overhead:.0f} tasks/s, {length / overhead:.0f} workers busy",
        ),
        ("bytes out", out, f"{many}{MANY / length * out / 1e6:.1f} MB/s"),
        ("bytes back", back, f"{many}{MANY / length * back / 1e6:.1f} MB/s"),
        (
            "the study, once for each worker",
            f"{sent / 1e6:.2f} MB",
            f"{many}{MANY * sent / 1e9:.1f} GB, which workers pass on to each other",
        ),
    ]
    return table(("what", ">of a task", "limits"), cells)


def make(tasks: int = TASKS) -> Evidence:
    """Measure, with so many tasks in each row, and return the page."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        rows, overhead = measure(Path(folder), tasks)
    sections = {
        "machine": bullets(describe_machine(load)),
        "throughput": throughput_table(rows, tasks),
        "paper": paper_table(rows, overhead, tasks),
        "network": f"{1e3 * DELAY:.0f} ms each way and {8e-6 * BANDWIDTH:.0f} Mbit/s",
        "chunk": str(CHUNK),
    }
    faults = ["results differ"] if "**no**" in sections["throughput"] else []
    return Evidence({"studies.md": fill("studies", sections)}, faults)
