# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""CPU, latency and losses of the simulator, the dynamics node and the controller on one graph.

CHARMIE is simulated in steps of 1 ms. In turns there is the controller, whose efforts move the
robot, or an echo (`benchmarks.graph.answer`), which sends a message of the same size for each of
the joint states, and computes nothing; the simulated robot then holds its pose by itself.

Run in a ROS 2 environment: ``python -m benchmarks.controlled_robot --seconds 30``.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from charmie_dynamics.simulation.session.topics import EFFORT_COMMANDS
from validation.harness.processes import Process

from .node import START
from .simulator import SETTLE, STEP, print_records

RATES = (200.0, 1000.0)  # Hz
ANSWER = 0.1  # s within which the last joint states are answered
TURNS = 2
NODES = "charmie_dynamics.ros.nodes"
ECHOED = "echoed_commands"
ANSWERS = {"controller": EFFORT_COMMANDS.name, "echo": ECHOED}
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def measure(rate: float, seconds: float) -> list[dict[str, Any]]:
    """Return one record of the graph with the echo and one of that with the controller."""
    turns = [
        (name, _turn(name, rate, seconds / TURNS))
        for _ in range(TURNS)
        for name in ("echo", "controller")
    ]
    records = []
    for name in ("echo", "controller"):
        shares, latencies, counts = zip(*(f for each, f in turns if each == name), strict=True)
        states, answers = np.sum(counts, axis=0)
        latency = np.concatenate(latencies)
        records.append(
            {
                "process": name,
                "distro": os.environ.get("ROS_DISTRO", "unknown"),
                "rmw": os.environ.get("RMW_IMPLEMENTATION", "default"),
                "rate": rate,
                "seconds": seconds,
                "cpu": {key: np.mean([share[key] for share in shares]) for key in shares[0]},
                "latency_median": float(np.median(latency)),
                "latency_p99": float(np.percentile(latency, 99)),
                "states": int(states),
                "lost": int(states - answers),
            }
        )
    return records


def _turn(
    name: str, rate: float, seconds: float
) -> tuple[dict[str, float], Floats, tuple[int, int]]:
    """Return shares of a core, latencies (s), and the numbers of joint states and answers."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        processes = {}

        def start(key: str, *words: str) -> None:
            processes[key] = started = Process([sys.executable, "-m", *words])
            stack.callback(started.close)
            started.wait_for("ready: ", START)

        pace = ("--ros-args", "-p", f"rate:={rate}")
        start("simulator", f"{NODES}.simulator_node", *pace, "-p", f"step:={STEP}")
        start("dynamics", f"{NODES}.dynamics_node")
        if name == "controller":
            start(name, f"{NODES}.controller_node", *pace)
        else:
            start(name, "benchmarks.graph", "answer", ECHOED)
        notes = Path(folder, "notes.npz")
        start("observer", "benchmarks.graph", "observe", str(notes), ANSWERS[name])
        time.sleep(SETTLE)
        begin, before = time.monotonic(), {key: p.cpu_time for key, p in processes.items()}
        time.sleep(seconds)
        elapsed = time.monotonic() - begin
        shares = {key: (p.cpu_time - before[key]) / elapsed for key, p in processes.items()}
        processes["simulator"].interrupt()
        time.sleep(ANSWER)
        processes["observer"].interrupt()
        processes["observer"].finish()
        with np.load(notes) as arrays:
            return shares, *_pairs(arrays["states"], arrays["answers"], 1e9 * begin)


def _pairs(states: Ints, answers: Ints, begin: float) -> tuple[Floats, tuple[int, int]]:
    """Return the latencies (s) since `begin` (ns), and the numbers of states and of answers."""
    # begin where each of two states has been answered before the next came
    answered = np.searchsorted(answers, states)
    regular = np.diff(answered) == 1
    (places,) = np.nonzero(regular[:-1] & regular[1:] & (states[2:] > begin))
    first = places[0] + 2
    # later the controller sends those of its fallback
    end = np.searchsorted(answers, states[-1] + 1e9 * ANSWER)
    states, answers = states[first:], answers[answered[first] : end]
    count = min(len(states), len(answers))
    latencies: Floats = 1e-9 * (answers[:count] - states[:count]).astype(float)
    return latencies, (len(states), len(answers))


if __name__ == "__main__":
    print_records("benchmarks.controlled_robot", __doc__, measure, RATES, 60.0)
