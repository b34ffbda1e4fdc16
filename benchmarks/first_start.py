# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the first start costs: processes that find no compiled code, and compile what they need.

Beside each stands the ratio to the time in which numba alone compiles a fixed small program in the
same run, so that figures of two machines can be compared.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 3
# what a process does that needs compiled code, as lines of Python
TASK = "from charmie_dynamics.prepare.tasks import TASKS\n"
COMPUTE = """
from charmie_dynamics import load_model
model = load_model()
model.compute(model.zero_position())
"""
STARTS = {
    "node": f"{TASK}TASKS['node'].work()",
    "compute": COMPUTE,
    "compute, many": f"{TASK}TASKS['batch'].work()",
    "everything": f"{TASK}for task in TASKS.values():\n    task.work()",
}
# s of CPU, on one core of a quick machine
BUDGET = {"node": 6.0, "compute": 4.0, "everything": 25.0}
# loops, arrays, branches and calls of functions, as kernels have them
REFERENCE = """
import math
import numpy as np
from numba import njit

@njit
def product(a, b, out):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0.0
            for k in range(b.shape[0]):
                total += a[i, k] * b[k, j]
            out[i, j] = total

@njit
def factorize(a):
    for j in range(a.shape[0]):
        for k in range(j):
            for i in range(j, a.shape[0]):
                a[i, j] -= a[i, k] * a[j, k]
        if not a[j, j] > 0.0:
            return j
        root = math.sqrt(a[j, j])
        for i in range(j, a.shape[0]):
            a[i, j] /= root
    return -1

@njit
def solve(a, b):
    work = a.copy()
    if factorize(work) >= 0:
        return False
    for i in range(b.shape[0]):
        for k in range(i):
            b[i] -= work[i, k] * b[k]
        b[i] /= work[i, i]
    for i in range(b.shape[0] - 1, -1, -1):
        for k in range(i + 1, b.shape[0]):
            b[i] -= work[k, i] * b[k]
        b[i] /= work[i, i]
    return True

one, two = np.eye(3), np.eye(3)
product(one, one, two)
assert solve(two, np.ones(3))
"""
CLOCK = "\nimport time; print('\\nseconds', time.process_time())"


@dataclass(frozen=True)
class FirstStart:
    """CPU time of a start without compiled code (s), of one with it (s), and a ratio.

    The ratio is that of the first start to the compilation of the reference.
    """

    first: float
    second: float
    ratio: float


def measure(starts: Mapping[str, str] = STARTS, rounds: int = ROUNDS) -> dict[str, FirstStart]:
    """Return what each start costs: medians over rounds in which each has a turn.

    Raises
    ------
    RuntimeError
        If a start fails, with what it said.
    """
    found: dict[str, list[FirstStart]] = {name: [] for name in starts}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            reference = cpu_time(REFERENCE, Path(folder))
        for name, code in starts.items():
            with tempfile.TemporaryDirectory() as folder:
                first, second = (cpu_time(code, Path(folder)) for _ in range(2))
            found[name].append(FirstStart(first, second, first / reference))
    return {
        name: FirstStart(*(median(getattr(r, key) for r in runs) for key in vars(runs[0])))
        for name, runs in found.items()
    }


def cpu_time(code: str, cache: Path) -> float:
    """Return the CPU time (s) of a process that runs some code, from its very beginning."""
    return float(run(code + CLOCK, cache).rpartition("seconds")[2])


def run(code: str, cache: Path, **variables: str) -> str:
    """Return what a fresh process prints, with numba as it comes and its cache in a folder."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    environment.update(NUMBA_CACHE_DIR=str(cache), **variables)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"a process without compiled code failed:\n{done.stderr}")
    return done.stdout
