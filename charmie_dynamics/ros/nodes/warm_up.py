# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Kernels made ready before the node exists: at the first start they are compiled.

Another process compiles, so that the compiler does not remain in the node: its memory would
be larger by half, and it would take a third more of a core.
"""

from __future__ import annotations

import time
from functools import partial

from charmie_dynamics.numerics.announcing import announce
from charmie_dynamics.numerics.jit import count_compilations, on_compilation
from charmie_dynamics.prepare.processes import compile_in_processes, load
from charmie_dynamics.prepare.tasks import TASKS
from charmie_dynamics.ros.watch.compilation_report import CompilationReport

TASK = "node"
LOOPS = "loops"  # for robots with coordinates that no sample contains
DISTANCES = "distances"  # of shapes
FLOOR = "equations", "points"  # forces of the floor on a robot
_seconds: dict[str, float] = {}
_compiled: list[str] = []


def prepare(name: str, args: list[str] | None, task: str = TASK) -> None:
    """Load the kernels of a task, compiled first if necessary; later calls have no effect.

    Those of the node are the same for every model. It is done before there is a node in the ROS
    graph: an
    interrupt can then end the process in the middle, and no peer waits for a node that does not
    answer. Compilation is reported on standard error and in /diagnostics.

    Parameters
    ----------
    name : str
        Of the node.
    args : list of str or None
        The command line; None: that of the process.
    task : str
        Of `prepare.tasks`.
    """
    if task in _seconds:
        return
    start = time.monotonic()
    if not load(task):
        notices = _CompilationNotices(CompilationReport(name, args))
        end = on_compilation(partial(notices.begin, task))
        try:
            compile_in_processes([task], 1, notices)
            TASKS[task].work()  # compiles the kernels that the other process could not
        finally:
            end()
            notices.report.close()
    _seconds[task] = time.monotonic() - start


class _CompilationNotices:
    """Reports the kernel that is being compiled, in the log and in /diagnostics."""

    def __init__(self, report: CompilationReport) -> None:
        self.report = report

    def begin(self, task: str, kernel: str) -> None:
        _compiled.append(kernel)
        announce(kernel)
        self.report.publish(kernel)

    def end(self, task: str, kernels: int) -> None:
        pass

    def show(self) -> None:
        pass


def describe() -> str:
    """Return how many kernels were compiled or loaded, and how long it took."""
    compiled, loaded = count_compilations()
    seconds = sum(_seconds.values())
    if _compiled or compiled:
        return f"{len(_compiled) or compiled} kernels compiled in {seconds:.2f} s"
    if loaded:
        return f"{loaded} kernels loaded in {seconds:.2f} s"
    return "kernels run in plain Python, slowly: numba is not installed"
