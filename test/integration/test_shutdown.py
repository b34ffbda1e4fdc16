"""Every process of the package ends on SIGINT and SIGTERM with status 0 and without a traceback."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from graph import Checker
from node_process import END, START, Process, start_node
from rosbags.highlevel import AnyReader

SIGNALS = [signal.SIGINT, signal.SIGTERM]
READY = {"dynamics_node": "' ready: ", "motion_player": "playing ", "recorder": '"counts"'}
BUSY = {"dynamics_node": "actuator_efforts", "motion_player": "joint_states"}


@pytest.fixture(scope="module")
def load(folder: Path) -> Iterator[None]:
    """Input for the node at 300 Hz, for all tests that want it."""
    with start_node("motion_player", folder, {"rate": 300.0}, name="load") as player:
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


@pytest.mark.parametrize("number", SIGNALS * 2, ids=lambda number: number.name)
@pytest.mark.parametrize("module", BUSY)
def test_a_busy_process_ends_cleanly(
    folder: Path, load: None, module: str, number: signal.Signals
) -> None:
    options = {"rate": 300.0} if module == "motion_player" else {}
    place = {"namespace": "busy"} if module == "motion_player" else {}
    with Checker((BUSY[module],), **place) as checker:
        with start_node(module, folder, options, **place) as process:
            messages = checker.received[BUSY[module]]
            checker.wait_for(lambda: len(messages) > 30, "some messages", timeout=60.0)
            assert_ends_cleanly(process, number)


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_recorder_that_is_interrupted_leaves_a_bag_that_opens(
    folder: Path, load: None, tmp_path: Path, number: signal.Signals
) -> None:
    with start_node("recorder", folder, {"output": str(tmp_path / "bag")}) as process:
        process.wait_for_output(READY["recorder"])
        with Checker(("joint_states",)) as checker:
            messages = checker.received["joint_states"]
            checker.wait_for(lambda: len(messages) > 300, "some messages")
        assert_ends_cleanly(process, number)
    with AnyReader([tmp_path / "bag"]) as reader:
        counts = {c.topic: c.msgcount for c in reader.connections}
    assert counts["/joint_states"] > 0


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_an_interrupt_while_the_kernels_are_compiled_ends_the_node_cleanly(
    folder: Path, tmp_path: Path, number: signal.Signals
) -> None:
    """With an empty cache, so that the compilation takes seconds."""
    environment = {"NUMBA_CACHE_DIR": str(tmp_path)}
    # a name of its own: others before it, interrupted so early, may still be thought alive
    name = f"cold_{number.name.lower()}"
    with start_node("dynamics_node", folder, name=name, environment=environment) as node:
        with Checker(name="waiter") as checker:
            checker.wait_for(lambda: name in checker.node.get_node_names(), "the node")
            checker.spin(1.0)  # into the compilation
        # SIGTERM is answered when the compilation has ended
        assert_ends_cleanly(node, number, START)
