# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The demo while its processes are held up, and with a node that ends: who is to blame is told."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import rclpy
from node_process import child_environment
from rclpy.context import Context
from sensor_msgs.msg import JointState

from charmie_dynamics.demo.simulated import FILES

RATE = 20.0
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


def both_held_up(demo: subprocess.Popen[str]) -> None:
    """Stop the player for half a second, then the recorder for three seconds."""
    held_up(PLAYER, 0.5)(demo)
    held_up(RECORDER, 3.0)(demo)


def joined_by_a_robot(demo: subprocess.Popen[str]) -> None:
    """Publish joint states in the domain of the demo until it has ended."""
    environment = Path(f"/proc/{process_of(demo, RECORDER)}/environ").read_bytes()
    (domain,) = re.findall(rb"ROS_DOMAIN_ID=(\d+)", environment)
    context = Context()
    rclpy.init(context=context, domain_id=int(domain))
    try:
        node = rclpy.create_node("driver", context=context)
        node.create_publisher(JointState, "joint_states", 1)
        demo.wait(120.0)
        node.destroy_node()
    finally:
        rclpy.shutdown(context=context)


def killed(name: str) -> Callable[[subprocess.Popen[str]], None]:
    return lambda demo: os.kill(process_of(demo, name), signal.SIGKILL)


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


def test_processes_that_are_held_up_are_no_fault(tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    for name in FILES:
        (tmp_path / "demo" / name).touch()
    status, printed, errors = run(tmp_path / "demo", both_held_up)
    assert not any((tmp_path / "demo" / name).exists() for name in FILES)
    assert status == 0, errors + printed
    assert "fault" not in errors
    assert "longest pause was 0." in printed


def test_the_demo_leaves_a_domain_that_a_robot_joins_later(tmp_path: Path) -> None:
    status, printed, errors = run(tmp_path / "demo", joined_by_a_robot)
    assert status == 1
    line = errors.splitlines()[-1]
    assert line.startswith("charmie_demo: ROS_DOMAIN_ID=")
    assert "got /driver (/joint_states); the demo has ended its nodes" in line
    assert printed == ""


def test_a_node_that_was_killed_is_a_fault_after_the_tables(tmp_path: Path) -> None:
    status, printed, errors = run(tmp_path / "demo", killed(NODE))
    assert status == 1
    assert "fault: the node stopped: no output during the last" in errors
    assert errors.rstrip().endswith("nodes.log.")
    assert "left_arm_joint_1" in printed and "actuator_efforts" in printed
