# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Compiled kernels made ready before the node exists: at the first start that takes long."""

from __future__ import annotations

import gc
import time

from charmie_dynamics.numerics.announcing import announce_compilation
from charmie_dynamics.numerics.jit import count_compilations
from charmie_dynamics.prepare.tasks import TASKS
from charmie_dynamics.ros.process.allocator import give_unused_back
from charmie_dynamics.ros.watch.compilation_report import CompilationReport

_seconds: float | None = None


def prepare(name: str, args: list[str] | None) -> None:
    """Compile all kernels, or load them; does nothing the second time.

    They are the same for every model. It is done before there is a node in the ROS graph: an
    interrupt can then end the process in the middle, and no peer waits for a node that does not
    answer. Where kernels are compiled, a line on standard error and /diagnostics say so.

    Parameters
    ----------
    name : str
        Of the node.
    args : list of str or None
        The command line; None: that of the process.
    """
    global _seconds
    if _seconds is not None:
        return
    start = time.monotonic()
    announce_compilation()
    report = CompilationReport(name, args)
    try:
        TASKS["node"].work()
    finally:
        report.close()
    if count_compilations()[0]:
        # the compiler leaves much unused memory behind; given back later, it would hold up samples
        gc.collect()
        give_unused_back()
    _seconds = time.monotonic() - start


def describe() -> str:
    """Return how many kernels this process has compiled or loaded, and how long it took."""
    compiled, loaded = count_compilations()
    if compiled:
        return f"{compiled} kernels compiled, {loaded} loaded in {_seconds or 0.0:.2f} s"
    if loaded:
        return f"{loaded} kernels loaded in {_seconds or 0.0:.2f} s"
    return "kernels run in plain Python, slowly: numba is not installed"
