# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A node that has to compile its kernels says so, where whoever waits will look."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from graph import Checker
from node_process import START, start_node

from charmie_dynamics.numerics.jit import HAS_NUMBA

pytestmark = pytest.mark.skipif(not HAS_NUMBA, reason="numba is not there or switched off")


def test_a_first_start_is_told_in_diagnostics_and_in_the_log(tmp_path: Path) -> None:
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    with Checker(["/diagnostics"]) as checker:
        process = start_node("dynamics_node", tmp_path, namespace="first", environment=cache)
        with process:
            compiling = checker.wait_for_status(
                "/first/charmie_dynamics: start",
                lambda status, _: status.level == DiagnosticStatus.WARN,
                "a warning that kernels are compiled",
                timeout=START,
            )
            assert compiling.message.startswith("compiling kernel ")
            ready = checker.wait_for_status(
                "/first/charmie_dynamics: start",
                lambda status, _: status.level == DiagnosticStatus.OK,
                "the report of the node itself",
                timeout=START,
            )
            assert "kernels compiled" in ready.message
            assert "compiling kernel 1: run_cycle" in process.output()


def test_a_start_with_all_kernels_on_disk_compiles_none(tmp_path: Path) -> None:
    with (
        Checker(["/diagnostics"]) as checker,
        start_node("dynamics_node", tmp_path, namespace="later") as first,
    ):
        first.wait_for_output("' ready: ")
        checker.wait_for_publishers()
    with (
        Checker(["/diagnostics"]) as checker,
        start_node("dynamics_node", tmp_path, namespace="later") as second,
    ):
        found = checker.wait_for_status(
            "/later/charmie_dynamics: start",
            lambda status, _: status.level == DiagnosticStatus.OK,
            "the report of the start",
            timeout=START,
        )
        assert "compiled" not in found.message
        assert "compiling" not in second.output()


def test_a_node_whose_kernels_were_compiled_holds_nothing_of_the_compiler(tmp_path: Path) -> None:
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    resident = []
    for _ in range(2):
        with start_node("dynamics_node", tmp_path, environment=cache) as node:
            node.wait_for_output("' ready: ")
            status = Path(f"/proc/{node.pid}/status").read_text()
            resident.append(int(status.partition("VmRSS:")[2].split()[0]))
    first, second = resident
    assert first < 1.1 * second


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
