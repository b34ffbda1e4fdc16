# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The tutorial of the simulator: its program runs, and its commands name what there is."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from launch_descriptions import describe
from node_process import Process, start_node
from simulator_client import SAMPLES, SimulatorClient

from charmie_dynamics.ros.simulator.reference import SERVICES

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "tutorials" / "simulate.md").read_text(
    encoding="utf-8"
)
SHOULDER = "left_arm_joint_2"
ACTION = "simulate_steps"


@pytest.fixture(scope="module")
def simulator(folder: Path) -> Iterator[Process]:
    with start_node("simulator_node", folder) as process:
        process.wait_for_output("ready")
        yield process


@pytest.fixture(scope="module")
def client(simulator: Process) -> Iterator[SimulatorClient]:
    with SimulatorClient() as client:
        client.connect()
        yield client


def test_the_program_moves_the_arm_and_it_stays_there(
    client: SimulatorClient, folder: Path
) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    with Process([sys.executable, "-c", program], folder / "program.log") as process:
        assert process.wait(60.0) == 0, process.output()
    client.forget()

    def reached() -> bool:
        messages = client.received["joint_states"]
        if not messages:
            return False
        last = messages[-1]
        k = list(last.name).index(SHOULDER)
        return abs(last.position[k] - 1.35) < 1e-3 and abs(last.velocity[k]) < 1e-3

    client.wait_for(reached, "the last point")


def test_the_services_are_those_of_the_reference(client: SimulatorClient) -> None:
    found = dict(client.node.get_service_names_and_types_by_node("charmie_simulator", "/"))
    plain = {name.strip("/"): kinds[0] for name, kinds in found.items() if name.count("/") == 1}
    expected = {name: kind for name, (kind, _) in SERVICES.items() if name != ACTION}
    assert plain == expected


def test_what_the_commands_name_is_there(client: SimulatorClient) -> None:
    arguments = {
        argument.name for argument in describe("simulation.launch.py").get_launch_arguments()
    }
    for command in re.findall(
        r"^ros2 launch charmie_dynamics (.*?)$", TEXT.replace("\\\n", ""), re.M
    ):
        words = command.split("#")[0].split()
        assert words[0] == "simulation.launch.py"
        assert {word.split(":=")[0] for word in words[1:]} <= arguments
    services = re.findall(r"ros2 service call /(\w+) (\S+)", TEXT)
    assert services and all(SERVICES[name][0] == kind for name, kind in services)
    topics = set(re.findall(r"ros2 topic (?:hz|echo --once|pub .*?) /([\w/]+)", TEXT))
    assert {"joint_states", "actuator_efforts", "external_wrench"} <= topics
    assert set(SAMPLES) <= {*topics, *re.findall(r"`(ground_truth/\w+)`", TEXT), "actuator_lengths"}
