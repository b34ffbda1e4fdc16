# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Latency, losses and CPU of the node process beside those of an echo, with a robot's graph around.

Around the node there are the processes that a user has: a publisher of the samples, a receiver of
the efforts, a viewer that receives the markers and a recorder of all topics, each with the priority
that a process has by default. Around the echo (`benchmarks.graph.echo`) there are the same but for
the viewer: nobody sends markers there. Both graphs live for the whole run, each in a ROS 2 domain
of its own, and take turns of some seconds, in which the other gets no samples.

Run in a ROS 2 environment: ``python -m benchmarks.node robot --seconds 60``.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from charmie_dynamics.live import topics
from charmie_dynamics.live.outputs import CYCLE_OUTPUTS
from validation.harness.processes import Process

from .node_tables import node_table

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

START = 180.0  # s; the first start compiles
ANSWER = 30.0  # s
SETTLE = 0.5  # s for what is still on its way at the end of a turn
TURN = 10.0  # s
FIRST = 2.0  # s of the turn that is not measured
DOMAINS = 101  # that are free of the ports of other programs
EFFORTS = topics.ACTUATOR_EFFORTS.name
MARKERS = topics.MARKERS.name
REPORT = '"counts"'  # stands in each report of the recorder
EACH_CYCLE = tuple(output.topic.name for output in CYCLE_OUTPUTS if not output.rate)


@dataclass(frozen=True)
class Run:
    """A configuration and how it is measured; in each there are a viewer and a recorder.

    Attributes
    ----------
    lengths : bool
        True: linear actuators by their lengths on a topic of their own, as on the robot; False:
        all joints in one message.
    rate : float
        Samples a second, on each topic (Hz).
    share : float
        Of the time that is asked for.
    """

    lengths: bool
    rate: float
    share: float


RUNS = {
    "robot": Run(True, 1000.0, 1.0),
    "without-lengths": Run(False, 1000.0, 0.5),
    "robot-100hz": Run(True, 100.0, 1.0 / 3.0),
}


@dataclass(frozen=True)
class Measurement:
    """What one run has shown of one process.

    Attributes
    ----------
    process : str
        ``node``, ``echo`` or another one.
    distro, rmw : str
        ROS 2 distribution and middleware.
    lengths : bool
        Whether the samples came on two topics.
    viewer, recorder : bool
        Whether a process received the markers, and one recorded all topics.
    rate : float
        Samples a second (Hz).
    seconds : float
        That were measured, in all turns together.
    sent : int
        Samples in that time.
    lost : int
        Samples whose efforts did not come.
    lost_in_recording : dict
        Messages of each cycle that the receiver's efforts tell of and the recorder did not get,
        by topic, warm-ups included.
    markers : int
        Messages that the viewer received.
    latency_median, latency_p99, latency_longest : float
        From just before a sample is sent to the efforts' arrival in another process (s).
    cpu : float
        Share of one core.
    memory : float
        Resident (bytes), at the end.
    """

    process: str
    distro: str
    rmw: str
    lengths: bool
    viewer: bool
    recorder: bool
    rate: float
    seconds: float
    sent: int
    lost: int
    lost_in_recording: dict[str, int]
    markers: int
    latency_median: float
    latency_p99: float
    latency_longest: float
    cpu: float
    memory: float


class Graph:
    """The measured process and the processes around it, in a domain of their own.

    Parameters
    ----------
    stack : ExitStack
        Ends them.
    process : str
        ``node`` or ``echo``.
    command : sequence of str
        Of the measured process.
    run : Run
    folder : Path
        For what they write; must not exist.
    domain : int
    """

    def __init__(
        self,
        stack: ExitStack,
        process: str,
        command: Sequence[str],
        run: Run,
        folder: Path,
        domain: int,
    ) -> None:
        folder.mkdir()
        self._name, self._run, self._folder = process, run, folder
        self._processes: list[Process] = []

        self._cpu = self._seconds = 0.0
        self._turns: list[tuple[int, int, int]] = []
        self._begin = 0
        self._recorded: dict[str, int] = {}

        def start(*words: str) -> Process:
            started = Process([sys.executable, "-m", *words], ROS_DOMAIN_ID=str(domain))
            stack.callback(started.close)
            self._processes.append(started)
            return started

        self._process = start(*command)
        start("benchmarks.graph", "receive", str(folder / "efforts.npz"), EFFORTS)
        if process != "echo":
            start("benchmarks.graph", "receive", str(folder / "markers.npz"), MARKERS)
        # two listen to each topic: the measured process and the recorder
        words = ("benchmarks.graph", "publish", str(run.rate), "2", *_lengths(run))
        self._publisher = start(*words)
        output = ("--ros-args", "-p", f"output:={folder / 'bag'}")
        self._recorder = start("charmie_dynamics.ros.nodes.recorder", *output)

    def begin(self) -> None:
        """Wait until all processes have started, and let samples through that are not measured."""
        for process in self._processes:
            process.wait_for(REPORT if process is self._recorder else "ready: ", START)
        self.take_turn(FIRST)
        self._cpu = self._seconds = 0.0
        self._turns.clear()
        self._begin = time.monotonic_ns()
        self._recorded = self._recorded_at_rest()

    def take_turn(self, seconds: float) -> None:
        """Send samples for some seconds, after a warm-up, and measure."""
        self._publisher.tell(f"{seconds}")
        self._publisher.wait_for("begin", ANSWER)
        cpu_time, start = self._process.cpu_time, time.monotonic()
        words = self._publisher.wait_for("end ", seconds + ANSWER).split()
        self._cpu += self._process.cpu_time - cpu_time
        self._seconds += time.monotonic() - start
        first, last, sent = map(int, words[1:])
        self._turns.append((first, last, sent))
        time.sleep(SETTLE)

    def finish(self) -> Measurement:
        """End all processes and return what the turns have shown."""
        recorded = self._recorded_at_rest()
        memory = self._process.sizes().resident
        for process in self._processes:
            process.interrupt()
        for process in self._processes:
            process.finish()
        efforts = self._notes("efforts", EFFORTS)
        measured = self._is_measured(efforts[:, 0])
        latency = (efforts[measured, 1] - efforts[measured, 0]) * 1e-9
        median, p99 = np.percentile(latency, (50, 99)) if len(latency) else (np.nan, np.nan)
        markers = 0
        if self._name != "echo":
            markers = int(self._is_measured(self._notes("markers", MARKERS)[:, 0]).sum())
        sent = sum(turn[2] for turn in self._turns)
        cycles = int((efforts[:, 0] > self._begin).sum())
        return Measurement(
            process=self._name,
            distro=os.environ.get("ROS_DISTRO", "unknown"),
            rmw=os.environ.get("RMW_IMPLEMENTATION", "default"),
            lengths=self._run.lengths,
            viewer=self._name != "echo",
            recorder=True,
            rate=self._run.rate,
            seconds=self._seconds,
            sent=sent,
            lost=sent - len(np.unique(efforts[measured, 0])),
            lost_in_recording={
                name: cycles - (count - self._recorded[name]) for name, count in recorded.items()
            },
            markers=markers,
            latency_median=float(median),
            latency_p99=float(p99),
            latency_longest=float(latency.max(initial=0.0)),
            cpu=self._cpu / self._seconds,
            memory=memory,
        )

    def _recorded_at_rest(self) -> dict[str, int]:
        """Return how many messages of each cycle the recorder has, once no more come."""
        names = EACH_CYCLE if self._name != "echo" else (EFFORTS,)
        before: dict[str, int] | None = None
        deadline = time.monotonic() + ANSWER
        while time.monotonic() < deadline:
            counts = json.loads(self._recorder.next_line(REPORT, ANSWER))["counts"]
            recorded = {name: int(counts[name]) for name in names}
            if recorded == before:
                return recorded
            before = recorded
        raise RuntimeError(f"the recorder still wrote what was sent {ANSWER:g} s ago")

    def _notes(self, file: str, topic: str) -> Ints:
        """Return stamps and arrivals (ns) that a receiver has noted, (k, 2)."""
        with np.load(self._folder / f"{file}.npz") as arrays:
            notes: Ints = arrays[topic]
            return notes

    def _is_measured(self, stamps: Ints) -> Bools:
        """Tell which stamps (ns) lie within a turn."""
        inside = np.zeros(len(stamps), dtype=np.bool_)
        for first, last, _ in self._turns:
            inside |= (first <= stamps) & (stamps <= last)
        return inside


def _lengths(run: Run) -> tuple[str, ...]:
    return ("--lengths",) if run.lengths else ()


def measure(
    run: Run,
    seconds: float,
    parameters: Sequence[str] = (),
    commands: Mapping[str, Sequence[str]] = {},
) -> list[Measurement]:
    """Measure the echo and the node in turns, or other processes.

    Parameters
    ----------
    run : Run
    seconds : float
        That each of the two is measured for, in all turns together (s).
    parameters : sequence of str
        Of the node, ``name:=value``.
    commands : mapping of str to sequence of str
        Of the other processes, by name.

    Returns
    -------
    list of Measurement
        Of the echo and of the node, or of the other processes.

    Raises
    ------
    RuntimeError
        If a process ends early or does not answer.
    """
    given = [word for parameter in parameters for word in ("-p", parameter)]
    commands = commands or {
        "echo": ["benchmarks.graph", "echo", *_lengths(run)],
        "node": ["charmie_dynamics.ros.nodes.dynamics_node", "--ros-args", *given],
    }
    domain = int(os.environ.get("ROS_DOMAIN_ID", "0"))
    turns = max(2, round(seconds / TURN))
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        graphs = []
        for process, command in commands.items():
            graphs.append(Graph(stack, process, command, run, Path(folder, process), domain))
            domain = domain % DOMAINS + 1
        for graph in graphs:
            graph.begin()
        for _ in range(turns):
            for graph in graphs:
                graph.take_turn(seconds / turns)
        return [graph.finish() for graph in graphs]


def main() -> None:
    """Print one line for each process of each run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.node", description=__doc__)
    parser.add_argument(
        "runs", nargs="*", metavar="RUN", help=f"of {', '.join(RUNS)}; default: all of them"
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=60.0,
        help="that node and echo are each measured for in the run 'robot'; in the others "
        + ", ".join(f"{r.share:.2f} of it ({name})" for name, r in RUNS.items() if r.share < 1.0),
    )
    parser.add_argument("--parameter", action="append", default=[], help="name:=value of the node")
    parser.add_argument("--json", action="store_true", help="print JSON, one object a line")
    given = parser.parse_args()
    unknown = [name for name in given.runs if name not in RUNS]
    if unknown:
        parser.error(f"unknown run '{unknown[0]}'; expected of {', '.join(RUNS)}")
    if not given.seconds > 0.0:
        parser.error(f"--seconds: expected more than 0, got {given.seconds:g}")
    # else the processes that were started would go on
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for name in given.runs or RUNS:
        run = RUNS[name]
        print(f"benchmarks.node: {name}", file=sys.stderr, flush=True)
        seconds = given.seconds * run.share
        results = measure(run, seconds, parameters=given.parameter)
        records = [asdict(result) for result in results]
        lines = map(json.dumps, records) if given.json else [node_table(records)]
        print("\n".join(lines), flush=True)


if __name__ == "__main__":
    main()
