# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The demo while its processes are held up, and with a node that ends: who is to blame is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from node_process import child_environment

RATE = 50.0
DURATION = 6.0
STARTED = 120.0  # s, with compilation
PLAYER, NODE, RECORDER = "motion_player", "dynamics_node", "nodes.recorder"


def children(pid: int) -> list[int]:
    """Return the processes that descend from one."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            text = (folder / "stat").read_text()
        except OSError:
            continue
        parents[int(folder.name)] = int(text.rpartition(")")[2].split()[1])
    found = [pid]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found[1:]


def process_of(demo: subprocess.Popen[str], name: str) -> int:
    """Return the newest process of the demo that runs a module."""
    for pid in reversed(children(demo.pid)):
        try:
            command = Path(f"/proc/{pid}/cmdline").read_text()
        except OSError:
            continue
        if name in command:
            return pid
    raise AssertionError(f"no process of {name}")


def held_up(name: str, seconds: float) -> Callable[[subprocess.Popen[str]], None]:
    def disturb(demo: subprocess.Popen[str]) -> None:
        pid = process_of(demo, name)
        os.kill(pid, signal.SIGSTOP)
        time.sleep(seconds)
        os.kill(pid, signal.SIGCONT)

    return disturb


def killed(name: str) -> Callable[[subprocess.Popen[str]], None]:
    return lambda demo: os.kill(process_of(demo, name), signal.SIGKILL)


def nothing(demo: subprocess.Popen[str]) -> None:
    """Let all be well."""


def run(output: Path, disturb: Callable[[subprocess.Popen[str]], None]) -> tuple[int, str, str]:
    """Run the demo and do something to it two seconds after its first efforts."""
    command = [sys.executable, "-m", "charmie_dynamics.demo.run", "--output", str(output)]
    command += ["--duration", str(DURATION), "--rate", str(RATE)]
    errors = output.with_suffix(".errors")
    with (
        errors.open("w") as stderr,
        subprocess.Popen(
            command, env=child_environment({"ROS_DOMAIN_ID": ""}), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=stderr, text=True,
        ) as demo,
    ):  # fmt: skip
        try:
            end = time.monotonic() + STARTED
            while "recording" not in errors.read_text():
                assert time.monotonic() < end and demo.poll() is None, errors.read_text()
                time.sleep(0.05)
            time.sleep(2.0)
            disturb(demo)
            printed, _ = demo.communicate(timeout=120.0)
        finally:
            for pid in [demo.pid, *children(demo.pid)] if demo.poll() is None else ():
                os.kill(pid, signal.SIGKILL)
    return demo.returncode, printed, errors.read_text()


@pytest.mark.parametrize(
    ("name", "seconds", "remark"), [(PLAYER, 0.5, "longest pause was 0."), (RECORDER, 3.0, "")]
)
def test_a_process_that_is_held_up_is_no_fault(
    tmp_path: Path, name: str, seconds: float, remark: str
) -> None:
    status, printed, errors = run(tmp_path / "demo", held_up(name, seconds))
    assert status == 0, errors + printed
    assert "fault" not in errors
    assert remark in printed


def test_a_node_that_was_killed_is_a_fault_after_the_tables(tmp_path: Path) -> None:
    status, printed, errors = run(tmp_path / "demo", killed(NODE))
    assert status == 1
    assert "fault: the node stopped: no output during the last" in errors
    assert errors.rstrip().endswith("nodes.log.")
    assert "left_arm_joint_1" in printed and "actuator_efforts" in printed
