# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A parallel robot through simulator, dynamics node, recorder, analysis and picture."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from graph import Checker, stamp_of
from node_process import Process, start_dynamics_node, start_node
from simulation_interfaces.srv import GetEntityState, SetEntityState
from simulator_client import OK, PAUSED, STOPPED, SimulatorClient
from special_robots import write_hexapod
from std_msgs.msg import Float64MultiArray

from charmie_dynamics import Model, load_model
from charmie_dynamics.recordings.commands import options, render_options

LEGS = tuple(f"leg_{k}" for k in range(1, 7))
# N more than what holds it, by which the platform rises slowly and turns
PUSH = 0.05 * np.array([1.2, 0.8, 1.0, 0.9, 1.1, 0.7])


class Graph(NamedTuple):
    """All nodes, and who looks at them."""

    client: SimulatorClient
    checker: Checker
    processes: tuple[Process, ...]
    bag: Path


@pytest.fixture(scope="module")
def files(folder: Path) -> dict[str, str]:
    return dict(zip(("model", "mechanisms"), write_hexapod(folder), strict=True))


@pytest.fixture(scope="module")
def hexapod(files: dict[str, str]) -> Model:
    return load_model(files["model"], files["mechanisms"])


@pytest.fixture(scope="module")
def graph(folder: Path, files: dict[str, str]) -> Iterator[Graph]:
    bag = folder / "hexapod_bag"
    simulated = {"use_sim_time": True}
    with (
        start_node("simulator_node", folder, {**files, "paused": True}) as simulator,
        start_dynamics_node(folder, {**files, **simulated}) as node,
        start_node("recorder", folder, {**files, "output": str(bag)}) as recorder,
        SimulatorClient() as client,
        Checker(("actuator_efforts", "estimator_settling"), name="other") as checker,
    ):
        simulator.wait_for_output("ready")
        client.connect()
        checker.wait_for_publishers()
        yield Graph(client, checker, (simulator, node, recorder), bag)


def holding(model: Model) -> np.ndarray:
    """Return the efforts that hold it where it begins."""
    return model.compute(*model.assemble(model.zero_position())).actuator_effort


def pushed(graph: Graph, efforts: np.ndarray, samples: int) -> None:
    """Apply efforts for some samples, so slowly that nothing of them is lost."""
    client, checker = graph.client, graph.checker
    done = len(client.received["ground_truth/actuators"])
    for k in range(samples):
        if k % 10 == 0:
            client.efforts.publish(Float64MultiArray(data=efforts.tolist()))
            client.spin(0.1)
        assert client.step(10).result == OK
        client.wait_for_samples("ground_truth/actuators", done + k + 1)
        checker.spin(0.01)


def test_it_stands_where_it_is_held_and_rises_where_it_is_pushed(
    graph: Graph, hexapod: Model
) -> None:
    client = graph.client
    client.set_state(STOPPED)
    client.set_state(PAUSED)
    pushed(graph, holding(hexapod), 20)
    held = client.received["ground_truth/actuators"][-1]
    assert tuple(held.joint_names) == LEGS
    assert np.abs(held.points[0].positions).max() < 1e-6
    pushed(graph, holding(hexapod) + PUSH, 60)
    risen = client.received["ground_truth/actuators"][-1].points[0]
    assert np.array(risen.positions).min() > 0.0005
    np.testing.assert_allclose(risen.effort, holding(hexapod) + PUSH)


def test_the_node_estimates_the_efforts_that_move_it(graph: Graph, hexapod: Model) -> None:
    efforts = graph.checker.by_stamp("actuator_efforts")
    true = graph.client.by_stamp("ground_truth/actuators")
    # the push is a jump of the acceleration: past it by as long as estimates settle
    late = [s for s in efforts if s > 450_000_000 and graph.checker.is_settled(s)]
    assert len(late) > 20
    driven = hexapod.actuator_index
    for stamp in late:
        assert efforts[stamp].name == list(LEGS)
        point = true[stamp].points[0]
        motion = np.zeros((3, len(hexapod.velocity_names)))
        motion[:, driven] = point.positions, point.velocities, point.accelerations
        exact = hexapod.compute(*hexapod.assemble(*motion)).actuator_effort
        np.testing.assert_allclose(exact, point.effort, atol=1e-6)
        # it tips over, ever quicker, and estimated accelerations are late by some 0.04 s
        np.testing.assert_allclose(efforts[stamp].effort, point.effort, atol=0.06)


def test_entities_of_a_robot_without_a_base_that_moves(graph: Graph) -> None:
    get = GetEntityState.Request(entity="hexapod")
    answer = graph.client.call(GetEntityState, "get_entity_state", get)
    assert answer.result.result == OK
    put = SetEntityState.Request(entity="hexapod", state=answer.state)
    assert graph.client.call(SetEntityState, "set_entity_state", put).result.result == OK
    put.state.pose.position.x += 0.5
    refused = graph.client.call(SetEntityState, "set_entity_state", put).result
    assert refused.result == 101 and "none" in refused.error_message


def test_the_recording_can_be_analysed_and_drawn(
    graph: Graph, files: dict[str, str], folder: Path
) -> None:
    recorder = graph.processes[2]
    recorder.send_signal(signal.SIGINT)
    assert recorder.wait() == 0
    summary = folder / "summary.json"
    robot = ("--urdf", files["model"], "--mechanisms", files["mechanisms"])
    assert options.main([str(graph.bag), *robot, "--json", str(summary)]) == 0
    assert json.loads(summary.read_text())
    picture = folder / "hexapod.png"
    mechanisms = ("--mechanisms", files["mechanisms"], "--style", "skeleton")
    assert (
        render_options.main([str(graph.bag), *mechanisms, "--at", "0.3", "--output", str(picture)])
        == 0
    )
    assert picture.stat().st_size > 5000


def test_the_stamps_of_both_nodes_are_simulated_time(graph: Graph) -> None:
    last = graph.checker.received["actuator_efforts"][-1]
    assert 0 < stamp_of(last) < 60_000_000_000


def test_it_falls_into_the_stops_of_its_legs_without_efforts(graph: Graph) -> None:
    client = graph.client
    client.set_state(STOPPED)
    client.set_state(PAUSED)
    client.spin(0.2)
    client.forget()
    assert client.step(3000).result == OK
    fallen = client.wait_for_samples("ground_truth/actuators", 300)[-1].points[0]
    assert np.abs(np.array(fallen.positions) + 0.15).max() < 0.02
    assert client.state() == PAUSED


def test_nothing_was_raised(graph: Graph) -> None:
    for process in graph.processes:
        assert "Traceback" not in process.output()
