# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Child processes that compile the kernels of a task.

A process does not release the memory that it used for compilation; one that only loads the compiled
code needs less.
"""

from __future__ import annotations

import subprocess
import sys
from queue import Empty, Queue
from threading import Thread
from typing import Protocol

from charmie_dynamics.numerics.jit import on_compilation

from .tasks import TASKS

# Prints a line for each kernel that it compiles; other output goes to standard error. It exits when
# its parent does, even if the parent was killed: then its standard input is closed.
CHILD = """
import os, sys
from threading import Thread
Thread(target=lambda: (sys.stdin.read(), os._exit(1)), daemon=True).start()
from charmie_dynamics.numerics.jit import on_compilation
kernels, sys.stdout = sys.stdout, sys.stderr
on_compilation(lambda name: print(name, file=kernels, flush=True))
from charmie_dynamics.prepare.tasks import TASKS
TASKS[sys.argv[1]].work()
sys.stdout.flush()
os._exit(0)
"""


class Progress(Protocol):
    """Receiver of the progress of the compilation."""

    def begin(self, task: str, kernel: str) -> None:
        """Record that the compilation of a kernel begins; the task's previous one is finished."""

    def end(self, task: str, kernels: int) -> None:
        """Record that a task has ended; `kernels` of its kernels were not reported as finished."""

    def show(self) -> None:
        """Show the progress; called several times a second."""


class _LackingError(Exception):
    """Raised when a kernel is not on disk."""


def load(task: str) -> bool:
    """Run a task with kernels from the disk.

    Returns
    -------
    bool
        False if a kernel is not on disk; the task then stops and compiles nothing.
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
    """Run each task in its own process, and return one message for each failure."""
    lines: Queue[tuple[str, str | None]] = Queue()
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
            if kernel is not None:
                running[task] = process, left - 1
                progress.begin(task, kernel)
            else:
                del running[task]
                if process.wait() != 0:
                    faults.append(f"{task}: its process ended with status {process.returncode}")
                # the kernel that began last was not reported as finished
                begun = left < len(TASKS[task].kernels)
                progress.end(task, left + 1 if begun else left)
            progress.show()
    finally:
        for process, _ in running.values():
            process.kill()
            process.wait()
    return faults


def _start(task: str, lines: Queue[tuple[str, str | None]]) -> subprocess.Popen[str]:
    """Start the process of a task; put the names of its kernels into the queue, then None."""
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, task],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def read() -> None:
        with process:  # closes its pipes
            for line in process.stdout or ():
                if name := line.strip():
                    lines.put((task, name))
        lines.put((task, None))

    Thread(target=read, daemon=True).start()
    return process
