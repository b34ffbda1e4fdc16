"""Latency, losses and CPU of the node process, with real processes around it.

Run in a ROS 2 environment: ``python -m benchmarks.node --rate 1000 --seconds 20``.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from charmie_dynamics.ros.outputs import topics

TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
START = 120.0  # s; the first start compiles
SETTLE = 1.0  # s for what is still on its way at the end
END = 20.0  # s
OTHERS = tuple(
    t.name for t in (*topics.EACH_CYCLE, *topics.THINNED) if t != topics.ACTUATOR_EFFORTS
)
ECHOED = topics.ACTUATOR_EFFORTS.name


@dataclass(frozen=True)
class Measurement:
    """What one run has shown.

    Attributes
    ----------
    process : str
        What was measured.
    distro, rmw : str
        ROS 2 distribution and middleware.
    rate : float
        Samples a second (Hz).
    sent : int
        Samples.
    received : dict
        Messages of those samples by output topic; a topic that none came on has 0.
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
    rate: float
    sent: int
    received: dict[str, int]
    latency_median: float
    latency_p99: float
    latency_longest: float
    cpu: float
    memory: float


def measure_node(
    rate: float,
    seconds: float,
    *,
    lengths: bool = False,
    parameters: Sequence[str] = (),
    echo: str | None = None,
) -> Measurement:
    """Measure the node, or the bare echo, under input at a fixed rate.

    Parameters
    ----------
    rate : float
        Samples a second (Hz).
    seconds : float
        Length of the measured interval, after a warm-up (s).
    lengths : bool
        True: linear actuators by their lengths on a topic of their own; False: all joints in one
        message.
    parameters : sequence of str
        Of the node, ``name:=value``.
    echo : str, optional
        Executor (``chosen``, single, wait_set, events) of a process that sends each message on,
        measured in place of the node.
    """
    graph = [sys.executable, "-m", "benchmarks.graph"]
    if echo is None:
        given = [word for parameter in parameters for word in ("-p", parameter)]
        measured = [sys.executable, "-m", "charmie_dynamics.ros.nodes.dynamics_node", "--ros-args"]
        command, expected = [*measured, *given], (ECHOED, *OTHERS)
    else:
        command, expected = [*graph, "echo", echo], (ECHOED,)
    publisher = [*graph, "publish", str(rate), str(seconds), *(["--lengths"] if lengths else [])]
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        enter = stack.enter_context
        node = enter(_running(command, "ready: "))
        files = [Path(folder, "efforts.npz"), Path(folder, "others.npz")]
        # the efforts in a process of their own: their latency must not hold the work on the others
        receivers = [enter(_running([*graph, "receive", str(files[0]), ECHOED], "ready"))]
        if len(expected) > 1:
            others = [*graph, "count", str(files[1]), *OTHERS]
            receivers.append(enter(_running(others, "ready")))
        source = enter(_running(publisher, "begin"))
        before, start = _cpu_time(node.pid), time.monotonic()
        first, last, sent = map(int, _wait_for_line(source, "end ").split()[1:])
        cpu = (_cpu_time(node.pid) - before) / (time.monotonic() - start)
        memory = _resident(node.pid)
        time.sleep(SETTLE)
        for receiver in receivers:
            _finish(receiver)
        notes: dict[str, Any] = {}
        for file in files[: len(receivers)]:
            with np.load(file) as arrays:
                notes.update(arrays)
    notes = {
        name: note[(first <= note[:, 0]) & (note[:, 0] <= last)] for name, note in notes.items()
    }
    latency = (notes[ECHOED][:, 1] - notes[ECHOED][:, 0]) * 1e-9
    median, p99 = np.percentile(latency, (50, 99)) if len(latency) else (np.nan, np.nan)
    return Measurement(
        process="node" if echo is None else f"echo ({echo})",
        distro=os.environ.get("ROS_DISTRO", "unknown"),
        rmw=os.environ.get("RMW_IMPLEMENTATION", "default"),
        rate=rate,
        sent=sent,
        received={name: len(notes[name]) for name in expected},
        latency_median=float(median),
        latency_p99=float(p99),
        latency_longest=float(latency.max(initial=0.0)),
        cpu=cpu,
        memory=memory,
    )


@contextmanager
def _running(command: Sequence[str], said: str) -> Iterator[subprocess.Popen[str]]:
    """Run a process that has said `said`; end it in the end."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        _wait_for_line(process, said)
        yield process
    finally:
        _end(process)


def _wait_for_line(process: subprocess.Popen[str], said: str) -> str:
    seen: list[str] = []
    for line in process.stdout or ():
        if said in line:
            return line
        seen.append(line)
    raise RuntimeError(f"{process.args} ended before it said '{said}':\n{''.join(seen)}")


def _finish(process: subprocess.Popen[str]) -> None:
    """End a process whose results matter."""
    _end(process)
    if process.returncode:
        said = "" if process.stdout is None else process.stdout.read()
        raise RuntimeError(f"{process.args} ended with status {process.returncode}:\n{said}")


def _end(process: subprocess.Popen[str]) -> None:
    if process.stdin is not None and not process.stdin.closed:
        process.stdin.close()
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _cpu_time(pid: int) -> float:
    """Return the time (s) that all threads of a process have run."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def _resident(pid: int) -> float:
    return float(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE


def describe(result: Measurement) -> str:
    """Return one line a run, with what was lost if anything was."""
    thinned = {topic.name for topic in topics.THINNED}
    lost = {
        name: result.sent - n
        for name, n in result.received.items()
        if n != result.sent and name not in thinned
    }
    shown = "".join(f", {n} of {name}" for name, n in result.received.items() if name in thinned)
    return (
        f"{result.process}, {result.distro}, {result.rmw}, {result.rate:g} Hz: latency median "
        f"{1e6 * result.latency_median:.0f} us, p99 {1e6 * result.latency_p99:.0f} us, longest "
        f"{1e6 * result.latency_longest:.0f} us; CPU {100 * result.cpu:.1f} %, "
        f"{result.memory / 2**20:.0f} MB; {result.sent} samples, lost {lost or 'nothing'}{shown}"
    )


def main() -> None:
    """Print one line a run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, default=1000.0, help="samples a second (Hz)")
    parser.add_argument("--seconds", type=float, default=20.0, help="of the measured interval")
    parser.add_argument("--lengths", action="store_true", help="actuator lengths apart")
    parser.add_argument("--parameter", action="append", default=[], help="name:=value")
    kinds = ("chosen", "single", "wait_set", "events")
    parser.add_argument("--echo", choices=kinds, help="a bare echo with this executor")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print JSON, one object a line")
    given = parser.parse_args()
    # else the processes that were started would go on
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    show: Callable[[Measurement], str] = describe
    if given.json:
        show = lambda result: json.dumps(asdict(result))  # noqa: E731
    for _ in range(given.repeat):
        result = measure_node(
            given.rate,
            given.seconds,
            lengths=given.lengths,
            parameters=given.parameter,
            echo=given.echo,
        )
        print(show(result), flush=True)


if __name__ == "__main__":
    main()
