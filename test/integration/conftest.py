# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What integration tests share: the middleware, the model, a place for logs, a running node."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

DEFAULT_RMW = "rmw_fastrtps_cpp"
QUICK_RMW = "rmw_cyclonedds_cpp"


def has_middleware(name: str) -> bool:
    """Tell whether a middleware's library can be loaded."""
    try:
        ctypes.CDLL(f"lib{name}.so")
    except OSError:
        return False
    return True


# Endpoints find each other much sooner on Cyclone DDS. What the user has set comes first; the
# static cases run on both. Before rclpy is imported, so that the children take it over.
if "RMW_IMPLEMENTATION" not in os.environ and has_middleware(QUICK_RMW):
    os.environ["RMW_IMPLEMENTATION"] = QUICK_RMW

# Each worker of pytest-xdist has a domain of its own.
if worker := os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw"):
    domain = int(os.environ.get("ROS_DOMAIN_ID", "0")) + int(worker)
    os.environ["ROS_DOMAIN_ID"] = str(domain % 102)

FIRST_START = 300.0  # s, of a node that has to compile

import rclpy  # noqa: E402
from forked import stop_server  # noqa: E402
from graph import Checker  # noqa: E402
from node_process import Process, start_dynamics_node, start_node  # noqa: E402
from robot_inputs import Inputs, pose  # noqa: E402
from simulator_client import PAUSED, STOPPED, SimulatorClient  # noqa: E402

from charmie_dynamics import Model, load_model  # noqa: E402


def pytest_sessionfinish() -> None:
    """End the context that the first `Checker` has made, and the process that nodes fork from."""
    rclpy.try_shutdown()
    stop_server()


@pytest.fixture(scope="session")
def model() -> Model:
    return load_model()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the logs of a module's processes."""
    return tmp_path_factory.mktemp("logs")


def require_no_exception(process: Process) -> None:
    assert process.is_running() or process.wait() == 0  # a test may end it
    assert "Traceback" not in process.output()


@pytest.fixture(scope="module")
def node(request: pytest.FixtureRequest, folder: Path) -> Iterator[Process]:
    """The dynamics node with the `NODE_PARAMETERS` of the module, or its defaults.

    Nothing may have been raised in it at the end, unless the module says so by `NODE_MAY_RAISE`.
    """
    with start_dynamics_node(folder, getattr(request.module, "NODE_PARAMETERS", {})) as process:
        yield process
        if not getattr(request.module, "NODE_MAY_RAISE", False):
            require_no_exception(process)


@pytest.fixture(scope="module")
def checker(request: pytest.FixtureRequest, node: Process) -> Iterator[Checker]:
    """What receives the topics `HEARD` of the module, or the node's efforts and diagnostics."""
    with Checker(getattr(request.module, "HEARD", ("/diagnostics", "actuator_efforts"))) as checker:
        yield checker


@pytest.fixture(scope="module")
def simulator(request: pytest.FixtureRequest, folder: Path) -> Iterator[Process]:
    """The simulator with the `SIMULATOR_PARAMETERS` of the module; nothing may be raised in it."""
    with start_node("simulator_node", folder, request.module.SIMULATOR_PARAMETERS) as process:
        process.wait_for_output("ready", FIRST_START)
        yield process
        require_no_exception(process)


@pytest.fixture(scope="module")
def client(request: pytest.FixtureRequest, simulator: Process) -> Iterator[SimulatorClient]:
    """What drives the simulator, and receives the topics `HEARD` of the module."""
    with SimulatorClient(*filter(None, [getattr(request.module, "HEARD", None)])) as client:
        client.connect()
        yield client


@pytest.fixture
def paused(client: SimulatorClient) -> None:
    """Begin a test paused at the start of simulated time."""
    client.set_state(STOPPED)
    client.set_state(PAUSED)
    client.drain()
    client.forget()


@pytest.fixture(scope="module")
def inputs(checker: Checker) -> Inputs:
    """What sends poses to the node, which has answered the first."""
    inputs = Inputs(checker)
    inputs.connect(pose(), ("actuator_efforts",))
    return inputs
