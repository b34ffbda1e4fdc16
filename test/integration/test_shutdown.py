# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Every process of the package ends on SIGINT and SIGTERM with status 0 and without a traceback."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from graph import Checker
from node_process import END, Process, child_environment, start_node
from rosbags.highlevel import AnyReader

SIGNALS = [signal.SIGINT, signal.SIGTERM]
READY = {"dynamics_node": "' ready: ", "motion_player": "playing ", "recorder": '"counts"'}
RECORDER = "--ros-args -p output:={0}"


@pytest.fixture(scope="module")
def load(folder: Path) -> Iterator[None]:
    """Input at 100 Hz, for all tests that want it."""
    with start_node("motion_player", folder, {"rate": 100.0}, name="load") as player:
        player.wait_for_output(READY["motion_player"])
        yield


def parameters(module: str, tmp_path: Path) -> dict[str, Any]:
    return {"output": str(tmp_path / "bag")} if module == "recorder" else {}


def assert_ends_cleanly(process: Process, number: signal.Signals, patience: float = END) -> None:
    process.send_signal(number)
    assert process.wait(patience) == 0, process.output()
    assert "Traceback" not in process.output()
    assert "Error" not in process.output()


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize("module", READY)
def test_an_idle_process_ends_cleanly(
    folder: Path, tmp_path: Path, module: str, number: signal.Signals
) -> None:
    with start_node(module, folder, parameters(module, tmp_path), namespace="idle") as process:
        process.wait_for_output(READY[module])
        assert_ends_cleanly(process, number)


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_recorder_that_is_interrupted_leaves_a_bag_that_opens(
    folder: Path, load: None, tmp_path: Path, number: signal.Signals
) -> None:
    with start_node("recorder", folder, {"output": str(tmp_path / "bag")}) as process:
        process.wait_for_output(READY["recorder"])
        with Checker(("joint_states",)) as checker:
            messages = checker.received["joint_states"]
            checker.wait_for(lambda: len(messages) > 100, "some messages")
        assert_ends_cleanly(process, number)
    with AnyReader([tmp_path / "bag"]) as reader:
        counts = {c.topic: c.msgcount for c in reader.connections}
    assert counts["/joint_states"] > 0


def test_a_recorder_that_cannot_write_says_so_and_fails(folder: Path) -> None:
    with start_node("recorder", folder, {"output": "/dev/null/bag"}) as recorder:
        assert recorder.wait() == 1
        assert "recorder: cannot continue writing" in recorder.output()
        assert "Traceback" not in recorder.output()


def test_a_recorder_to_which_nobody_listens_any_more_ends(tmp_path: Path) -> None:
    """What has started it is gone, and nothing would ever stop it."""
    command = f"{sys.executable} -m charmie_dynamics.ros.nodes.recorder {RECORDER}"
    log = tmp_path / "log"
    with (
        log.open("wb") as out,
        subprocess.Popen(
            command.format(tmp_path / "bag").split(),
            stdout=subprocess.PIPE,
            stderr=out,
            env=child_environment(),
        ) as recorder,
    ):
        try:
            recorder.stdout.readline()
            recorder.stdout.close()
            assert recorder.wait(END) == 1
        finally:
            recorder.kill()
    assert "Broken pipe" in log.read_text()
    with AnyReader([tmp_path / "bag"]) as reader:
        assert reader.message_count >= 0
