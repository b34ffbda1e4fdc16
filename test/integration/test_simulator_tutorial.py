# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The tutorial of the simulator: its programs and commands do what the page says."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped
from graph import Checker, stamp_of
from launch_descriptions import describe
from node_process import Process, start_node
from simulator_client import SAMPLES, SimulatorClient

from charmie_dynamics import Model
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.ros.simulator.reference import SERVICES

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "tutorials" / "simulate.md").read_text(
    encoding="utf-8"
)
TEXT = re.sub(r"^## Move CHARMIE\n.*?(?=^## )", "", PAGE, flags=re.DOTALL | re.MULTILINE)
SHOULDER = "left_arm_joint_2"
ACTION = "simulate_steps"


@pytest.fixture(scope="module")
def simulator(folder: Path) -> Iterator[Process]:
    with start_node("simulator_node", folder) as process:
        process.wait_for_output("ready")
        yield process


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
    def services() -> dict[str, str]:
        found = dict(client.node.get_service_names_and_types_by_node("charmie_simulator", "/"))
        return {name.strip("/"): kinds[0] for name, kinds in found.items() if name.count("/") == 1}

    expected = {name: kind for name, (kind, _) in SERVICES.items() if name != ACTION}
    client.wait_for(lambda: len(services()) >= len(expected), "the services")
    assert services() == expected


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


@pytest.fixture(scope="module")
def launched(folder: Path) -> Iterator[Checker]:
    """Start simulator and dynamics node as the tutorial does, the robot at rest."""
    command = [
        *(sys.executable, "-m", "charmie_dynamics.demo.launch_file"),
        *(str(share_file("launch", "simulation.launch.py")), "namespace:=tutorial"),
    ]
    with (
        Process(command, folder / "tutorial.log"),
        Checker(("joint_states", "external_efforts"), namespace="tutorial") as checker,
    ):
        checker.wait_for(
            lambda: len(checker.received["external_efforts"]) > 100, "efforts", timeout=300.0
        )
        yield checker


def test_the_samples_come_a_hundred_times_a_second_of_simulated_time(launched: Checker) -> None:
    messages = launched.received["joint_states"]
    launched.wait_for(lambda: len(messages) > 20, "samples")
    stamps = [stamp_of(message) for message in messages]
    assert {after - before for before, after in pairwise(stamps)} == {10_000_000}


def test_the_external_efforts_name_the_push(launched: Checker, model: Model) -> None:
    found = re.search(
        r"pub -r (\d+) -t (\d+) /external_wrench.*?frame_id: (\w+)\}, .*?x: ([\d.]+)",
        TEXT,
        re.DOTALL,
    )
    assert found
    rate, count, frame, force = float(found[1]), int(found[2]), found[3], float(found[4])
    wrench = WrenchStamped()
    wrench.header.frame_id, wrench.wrench.force.x = frame, force
    publisher = launched.node.create_publisher(WrenchStamped, "external_wrench", 10)
    launched.wait_for(publisher.get_subscription_count, "the simulator")
    assert publisher.get_subscription_count() == 1  # the dynamics node does not know the push
    efforts = launched.received["external_efforts"]
    del efforts[:]
    for _ in range(count):
        publisher.publish(wrench)
        launched.spin(1.0 / rate)
    position = model.zero_position()
    sample = launched.received["joint_states"][-1]
    for name, value in zip(sample.name, sample.position, strict=True):
        position[model.position_names.index(name)] = value
    F_world = model.compute(position).frame(frame)[1] @ (force, 0.0, 0.0)
    expected = model.jacobian(position, frame)[:3].T @ F_world
    # the arm gives way: the direction is that of the push, its size nearly so
    arm = [k for k, name in enumerate(model.actuator_names) if name.startswith("left_arm")]
    estimated = np.array(
        [efforts[-1].effort[list(efforts[-1].name).index(model.actuator_names[k])] for k in arm]
    )
    assert np.linalg.norm(estimated) > 1.0
    np.testing.assert_allclose(estimated, expected[arm], atol=0.1 * np.abs(expected[arm]).max())
