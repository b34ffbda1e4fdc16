# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Processes that compile the kernels of a task, and end.

A process that has compiled keeps the compiler's memory; one that only loads the code is smaller.
"""

from __future__ import annotations

import subprocess
import sys
from queue import Empty, Queue
from threading import Thread
from typing import Protocol

from charmie_dynamics.numerics.jit import on_compilation

from .tasks import TASKS

# A line for each kernel that has to be compiled. It ends with whoever has started it, whatever
# ended that: then nobody holds its standard input open any more.
CHILD = """
import os, sys
from threading import Thread
Thread(target=lambda: (sys.stdin.read(), os._exit(1)), daemon=True).start()
from charmie_dynamics.numerics.jit import on_compilation
on_compilation(lambda name: print(name, flush=True))
from charmie_dynamics.prepare.tasks import TASKS
TASKS[sys.argv[1]].work()
sys.stdout.flush()
os._exit(0)
"""
DONE = ""


class Progress(Protocol):
    """Whoever is told what is being compiled."""

    def begin(self, task: str, kernel: str) -> None:
        """Note that a kernel is being compiled; that of the same task before it is done."""

    def end(self, task: str, kernels: int) -> None:
        """Note that a task has ended, with so many kernels that were not told of as done."""

    def show(self) -> None:
        """Show what is known; called several times a second."""


class _LackingError(Exception):
    """A kernel is not on disk."""


def load(task: str) -> bool:
    """Do the work of a task with kernels that are on disk.

    Returns
    -------
    bool
        False if one of them is not there; nothing has been compiled then.
    """

    def refuse(name: str) -> None:
        raise _LackingError(name)

    end = on_compilation(refuse)
    try:
        TASKS[task].work()
    except _LackingError:
        return False
    finally:
        end()
    return True


def compile_in_processes(tasks: list[str], jobs: int, progress: Progress) -> list[str]:
    """Run tasks, each in a process of its own, and return what went wrong, a text for each."""
    lines: Queue[tuple[str, str]] = Queue()
    waiting = sorted(tasks, key=lambda task: -len(TASKS[task].kernels))
    running: dict[str, tuple[subprocess.Popen[str], int]] = {}
    faults = []
    try:
        while waiting or running:
            while waiting and len(running) < max(jobs, 1):
                task = waiting.pop(0)
                running[task] = _start(task, lines), len(TASKS[task].kernels)
            try:
                task, kernel = lines.get(timeout=0.2)
            except Empty:
                progress.show()
                continue
            process, left = running[task]
            if kernel != DONE:
                running[task] = process, left - 1
                progress.begin(task, kernel)
            else:
                del running[task]
                if process.wait() != 0:
                    faults.append(f"{task}: its process ended with status {process.returncode}")
                progress.end(task, left + 1 if left < len(TASKS[task].kernels) else left)
            progress.show()
    finally:
        for process, _ in running.values():
            process.kill()
            process.wait()
    return faults


def _start(task: str, lines: Queue[tuple[str, str]]) -> subprocess.Popen[str]:
    """Start the process of a task, the lines of which come into the queue, at its end `DONE`."""
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, task],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def read() -> None:
        for line in process.stdout or ():
            lines.put((task, line.strip()))
        lines.put((task, DONE))

    Thread(target=read, daemon=True).start()
    return process
