# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A node that has to compile its kernels says so, where whoever waits will look."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import NamedTuple

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from graph import Checker
from node_process import FROM_SCRATCH, START, Process, start_node

from charmie_dynamics.numerics.jit import HAS_NUMBA

pytestmark = pytest.mark.skipif(not HAS_NUMBA, reason="numba is not there or switched off")


class FirstStart(NamedTuple):
    """What a node with an empty cache published and printed, and its memory once ready (kB)."""

    cache: dict[str, str]
    compiling: DiagnosticStatus
    ready: DiagnosticStatus
    output: str
    resident: int


def resident(process: Process) -> int:
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


@pytest.fixture(scope="module")
def first(folder: Path) -> FirstStart:
    cache = {"NUMBA_CACHE_DIR": str(folder / "cache")}
    with (
        Checker(["/diagnostics"]) as checker,
        start_node("dynamics_node", folder, namespace="first", environment=cache) as process,
    ):
        statuses = [
            checker.wait_for_status(
                "/first/charmie_dynamics: start",
                lambda status, _, level=level: status.level == level,
                what,
                timeout=START,
            )
            for level, what in (
                (DiagnosticStatus.WARN, "a warning that kernels are compiled"),
                (DiagnosticStatus.OK, "the report of the node itself"),
            )
        ]
        return FirstStart(cache, *statuses, process.output(), resident(process))


def test_a_first_start_is_reported_in_diagnostics_and_in_the_log(first: FirstStart) -> None:
    assert first.compiling.message.startswith("compiling kernel ")
    assert "kernels compiled" in first.ready.message
    assert "compiling kernel 1: run_cycle" in first.output


def test_a_start_with_all_kernels_on_disk_compiles_none(tmp_path: Path) -> None:
    with (
        Checker(["/diagnostics"]) as checker,
        start_node("dynamics_node", tmp_path, namespace="later", environment=FROM_SCRATCH) as first,
    ):
        first.wait_for_output("' ready: ")
        checker.wait_for_publishers()
    with (
        Checker(["/diagnostics"]) as checker,
        start_node(
            "dynamics_node", tmp_path, namespace="later", environment=FROM_SCRATCH
        ) as second,
    ):
        found = checker.wait_for_status(
            "/later/charmie_dynamics: start",
            lambda status, _: status.level == DiagnosticStatus.OK,
            "the report of the start",
            timeout=START,
        )
        assert "compiled" not in found.message
        assert "compiling" not in second.output()


def test_a_node_whose_kernels_were_compiled_keeps_no_memory_of_the_compiler(
    first: FirstStart, folder: Path
) -> None:
    with start_node("dynamics_node", folder, environment=first.cache) as second:
        second.wait_for_output("' ready: ")
        assert first.resident < 1.1 * resident(second)


def test_a_node_that_is_killed_leaves_no_process_that_compiles(tmp_path: Path) -> None:
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    with start_node("dynamics_node", tmp_path, environment=cache) as node:
        node.wait_for_output("compiling kernel 1")
        children = Path(f"/proc/{node.pid}/task/{node.pid}/children").read_text().split()
        assert children
        node.send_signal(signal.SIGKILL)
        node.wait()
        deadline = time.monotonic() + START
        while any(Path("/proc", child).exists() for child in children):
            assert time.monotonic() < deadline, children
            time.sleep(0.05)
