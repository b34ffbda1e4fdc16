# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""CPU of the simulator node that plays CHARMIE in real time, in steps of 1 ms.

Alone, and with the dynamics node and the recorder listening, each a process of its own. Its samples
come a hundred times a second, as it has them by default, and with each step.

Run in a ROS 2 environment: ``python -m benchmarks.simulator --seconds 20``.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from validation.harness.processes import Process

from .node import REPORT, START

RATES = (100.0, 1000.0)  # Hz
STEP = 0.001  # s
SETTLE = 3.0  # s
Measure = Callable[[float, float], list[dict[str, Any]]]


def measure(rate: float, seconds: float) -> list[dict[str, Any]]:
    """Return the shares of a core: of the simulator alone, and with listeners."""
    parameters = ("-p", f"rate:={rate}", "-p", f"step:={STEP}")
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:

        def start(said: str, *words: str) -> Process:
            started = Process([sys.executable, "-m", *words])
            stack.callback(started.close)
            started.wait_for(said, START)
            return started

        nodes = "charmie_dynamics.ros.nodes"
        simulator = start("ready: ", f"{nodes}.simulator_node", "--ros-args", *parameters)
        found = [_share(simulator, seconds, rate, listeners=False)]
        start("ready: ", f"{nodes}.dynamics_node")
        output = ("--ros-args", "-p", f"output:={Path(folder, 'bag')}")
        start(REPORT, f"{nodes}.recorder", *output)
        return [*found, _share(simulator, seconds, rate, listeners=True)]


def _share(simulator: Process, seconds: float, rate: float, *, listeners: bool) -> dict[str, Any]:
    time.sleep(SETTLE)
    cpu_time, begin = simulator.cpu_time, time.monotonic()
    time.sleep(seconds)
    share = (simulator.cpu_time - cpu_time) / (time.monotonic() - begin)
    distro = os.environ.get("ROS_DISTRO", "unknown")
    return {"distro": distro, "rate": rate, "listeners": listeners, "cpu": share}


def print_records(
    program: str, description: str | None, measure: Measure, rates: Sequence[float], seconds: float
) -> None:
    """Print one JSON object a line for each record; `seconds` is the default of the option."""
    parser = argparse.ArgumentParser(prog=f"python -m {program}", description=description)
    parser.add_argument("--seconds", type=float, default=seconds, help="of each measurement")
    given = parser.parse_args()
    for rate in rates:
        for record in measure(rate, given.seconds):
            print(json.dumps(record), flush=True)


if __name__ == "__main__":
    print_records("benchmarks.simulator", __doc__, measure, RATES, 20.0)
