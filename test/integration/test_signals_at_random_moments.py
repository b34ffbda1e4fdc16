# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""SIGINT, SIGTERM and two SIGINT at any moment end every process in order, and soon."""

from __future__ import annotations

import os
import random
import signal
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from counts import full_or
from graph import Checker
from node_process import FROM_SCRATCH, START, Process, child_environment, ros_arguments, start_node
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from view_process import free_port, start_view

LIMIT = 2.0  # s from the first signal to the end of the process
WAYS = ("SIGINT", "SIGTERM", "SIGINT twice")
SECOND = 0.3  # s, the longest time between two signals
SEED = 14
NAME = "signalled"
ENTRY = "import sys; from charmie_dynamics.ros.process.entry import {0}; sys.exit({0}())"
# as launch files and scripts of the package run them, and as installed ones are
PROGRAMS = {
    "dynamics_node": (sys.executable, "-m", "charmie_dynamics.ros.nodes.dynamics_node"),
    "dynamics_node installed": (sys.executable, "-c", ENTRY.format("dynamics_node")),
    "motion_player": (sys.executable, "-m", "charmie_dynamics.ros.nodes.motion_player"),
    "recorder installed": (sys.executable, "-c", ENTRY.format("recorder")),
    "charmie_view": (sys.executable, "-m", "charmie_dynamics.view.node"),
}
SIGTERM_BIT = 1 << (signal.SIGTERM - 1)


@pytest.fixture(scope="module")
def load(folder: Path) -> Iterator[None]:
    """Input for the node at 300 Hz."""
    with start_node("motion_player", folder, {"rate": 300.0}, name="load") as player:
        player.wait_for_output("playing ")
        yield


def wait_until_signals_are_caught(process: Process) -> None:
    """Wait for the first code of the package: no program is asked before that.

    The interpreter catches SIGINT by itself, SIGTERM it does not.
    """
    status = Path(f"/proc/{process.pid}/status")
    for _ in range(100_000):
        fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        if int(fields.get("SigCgt", "0"), 16) & SIGTERM_BIT:
            return
        time.sleep(0.001)
    raise AssertionError(f"SIGTERM is never caught:\n{process.output()}")


def seconds_to_end(process: Process, way: str, pause: float) -> float:
    """Send one signal or two; return the time to the end, which must be an orderly one."""
    start = time.monotonic()
    process.send_signal(signal.SIGTERM if way == "SIGTERM" else signal.SIGINT)
    if way == "SIGINT twice":
        time.sleep(pause)
        process.send_signal(signal.SIGINT)
    status = process.wait()
    seconds = time.monotonic() - start
    output = process.output()
    assert status == 0, output
    for sign in ("Traceback", "Error", "rror:", "ignored"):
        assert sign not in output, output
    return seconds


def assert_soon(what: str, times: list[float]) -> None:
    """Assert that all ended within the limit, and print the figures."""
    print(
        f"{what}: {len(times)} ends, median {statistics.median(times):.2f} s, "
        f"longest {max(times):.2f} s"
    )
    assert max(times) < LIMIT


def change_parameters(checker: Checker, count: int) -> None:
    """Ask the node for many changes that take it some time each; wait for no answer."""
    client = checker.node.create_client(SetParameters, f"/{NAME}/set_parameters")
    checker.wait_for(client.service_is_ready, "the node's parameters")
    for number in range(count):
        style = ("skeleton", "solid")[number % 2]
        parameter = Parameter("marker_style", value=style).to_parameter_msg()
        client.call_async(SetParameters.Request(parameters=[parameter]))
    checker.node.destroy_client(client)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_process_that_is_importing(tmp_path: Path, program: str, way: str) -> None:
    """The import of NumPy, which comes first, takes a minute here as on a very slow disk."""
    slow = "import pathlib, time; pathlib.Path(__file__).with_name('begun').touch()\n"
    # short steps: Python runs no handler of a signal that comes just before a long call begins
    slow += "for _ in range(6000): time.sleep(0.01)\n"
    (tmp_path / "numpy.py").write_text(slow)
    paths = [str(tmp_path), child_environment()["PYTHONPATH"]]
    environment = {"PYTHONPATH": os.pathsep.join(paths)}
    with Process(PROGRAMS[program], tmp_path / "log", environment) as process:
        deadline = time.monotonic() + START
        while not (tmp_path / "begun").exists():
            assert process.is_running() and time.monotonic() < deadline, process.output()
            time.sleep(0.005)
        assert seconds_to_end(process, way, 0.0) < LIMIT


def test_the_node_that_is_starting(folder: Path, load: None) -> None:
    """From its first line to a second after it is ready."""
    chance = random.Random(SEED)
    times = []
    for number in range(full_or(6, 60)):
        program = PROGRAMS[("dynamics_node", "dynamics_node installed")[number // 3 % 2]]
        command = (*program, *ros_arguments(name=NAME))
        with Process(command, folder / f"starting_{number}.log") as node:
            wait_until_signals_are_caught(node)
            time.sleep(chance.uniform(0.0, 2.0))
            way = WAYS[number % len(WAYS)]
            times.append(seconds_to_end(node, way, chance.uniform(0.0, SECOND)))
    assert_soon("starting", times)


def test_the_node_that_compiles_its_kernels(folder: Path, tmp_path: Path) -> None:
    """With an empty cache, so that it takes many seconds."""
    chance = random.Random(SEED)
    times = []
    for number in range(full_or(1, 10)):
        cache = tmp_path / str(number)
        environment = {"NUMBA_CACHE_DIR": str(cache)}
        with start_node("dynamics_node", folder, name=NAME, environment=environment) as node:
            deadline = time.monotonic() + START
            while not any(cache.rglob("*.nbi")):  # the first kernel
                assert node.is_running() and time.monotonic() < deadline, node.output()
                time.sleep(0.01)
            time.sleep(chance.uniform(0.0, full_or(1.0, 10.0)))
            way = WAYS[number % len(WAYS)]
            times.append(seconds_to_end(node, way, chance.uniform(0.0, SECOND)))
            assert "kernels compiled" not in node.output()  # it was not ready yet
    assert_soon("compiling", times)


def test_the_node_whose_parameters_are_changed(folder: Path, load: None) -> None:
    """In the middle of cycles, with the node busy making other markers most of the time."""
    chance = random.Random(SEED)
    times = []
    for number in range(full_or(3, 30)):
        with start_node("dynamics_node", folder, name=NAME) as node:
            node.wait_for_output("' ready: ")
            with Checker() as checker:
                change_parameters(checker, 50)
                checker.spin(chance.uniform(0.0, 0.5))
                way = WAYS[number % len(WAYS)]
                times.append(seconds_to_end(node, way, chance.uniform(0.0, SECOND)))
    assert_soon("changing parameters", times)


def start_recorder(folder: Path, number: int) -> Process:
    parameters = {"output": str(folder / f"bag_{number}")}
    return start_node("recorder", folder, parameters, environment=FROM_SCRATCH)


def start_player(folder: Path, number: int) -> Process:
    parameters = {"rate": 300.0}
    return start_node(
        "motion_player", folder, parameters, namespace="other", environment=FROM_SCRATCH
    )


def start_free_view(folder: Path, number: int) -> Process:
    return start_view(folder, "--port", str(free_port()), wait=False)


@pytest.mark.parametrize("start", [start_player, start_recorder, start_free_view])
def test_another_process(folder: Path, load: None, start: Callable[[Path, int], Process]) -> None:
    chance = random.Random(f"{SEED} {start.__name__}")
    times = []
    for number in range(full_or(2, 30)):
        with start(folder, number) as process:
            wait_until_signals_are_caught(process)
            time.sleep(chance.uniform(0.0, 2.0))
            way = WAYS[number % len(WAYS)]
            times.append(seconds_to_end(process, way, chance.uniform(0.0, SECOND)))
    assert_soon(start.__name__, times)
