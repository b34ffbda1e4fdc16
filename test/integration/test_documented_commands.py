# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Commands on the pages use files, options, parameters, topics and services that exist."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from graph import Checker
from node_process import start_dynamics_node, start_node
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter

from charmie_dynamics.demo import run
from charmie_dynamics.live.topics import TRAJECTORY
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.recordings.commands import options, plot_options, render_options
from charmie_dynamics.ros.controller import parameters as controller
from charmie_dynamics.ros.nodes import bridge_node, motion_player, policy_node, recorder
from charmie_dynamics.ros.nodes.launching import NODE_ARGUMENTS
from charmie_dynamics.ros.simulator.parameters import SPECS
from charmie_dynamics.studies.commands import identify_options, study_options
from validation.interface.launch_arguments import declared

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"^ *```bash\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
SETUP = (ROOT / "setup.py").read_text(encoding="utf-8")
ENTRY = re.compile(r'"(?:\{PREFIX\})?(\w+) = ([\w.]+):(\w+)"')
EXECUTABLES = {name for name, _, _ in ENTRY.findall(SETUP)}
PARAMETERS = {
    "dynamics_node": {spec.name for spec in NODE_ARGUMENTS},
    "simulator_node": {spec.name for spec in SPECS},
    "controller_node": {spec.name for spec in controller.SPECS},
    "motion_player": {name for name, *_ in motion_player.PARAMETERS},
    "policy_node": {name for name, *_ in policy_node.PARAMETERS},
    "recorder": {name for name, *_ in recorder.PARAMETERS},
    "charmie_bridge": {name for name, *_ in bridge_node.PARAMETERS},
}
# topics of a robot that the simulator publishes by a bridge file
BRIDGED = yaml.safe_load(share_file("config", "charmie_bridge.yaml").read_text(encoding="utf-8"))


def documented() -> Iterator[tuple[str, list[str]]]:
    """Yield the page and the words of each command in a block of bash."""
    for page in PAGES:
        for block in BLOCK.findall(page.read_text(encoding="utf-8")):
            text = block.replace("\\\n", " ").replace(",\n", ", ")
            for line in text.splitlines():
                words = shlex.split(line, comments=True)
                if words:
                    yield page.name, words


def commands(*beginning: str) -> list[list[str]]:
    found = [words for _, words in documented() if tuple(words[: len(beginning)]) == beginning]
    assert found, f"no page has a command '{' '.join(beginning)}'"
    return [words[len(beginning) :] for words in found]


def test_launch_files_declare_the_arguments() -> None:
    for file, *arguments in commands("ros2", "launch", "charmie_dynamics"):
        names = {argument.split(":=")[0] for argument in arguments}
        assert names <= {*declared(file), "..."}, file


def test_executables_have_the_parameters() -> None:
    for executable, *words in commands("ros2", "run", "charmie_dynamics"):
        assert executable in EXECUTABLES
        values = [words[k + 1] for k, word in enumerate(words) if word == "-p"]
        assert {value.split(":=")[0] for value in values} <= PARAMETERS.get(executable, set())


@pytest.mark.parametrize(
    ("command", "parser"),
    [
        ("charmie_analyze", options),
        ("charmie_plot", plot_options),
        ("charmie_render", render_options),
        ("charmie_identify", identify_options),
        ("charmie_study", study_options),
        ("scripts/demo", run),
    ],
)
def test_commands_accept_the_options(command: str, parser: Any) -> None:
    for arguments in commands(command):
        parser.make_parser().parse_args(arguments)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checker]:
    folder = tmp_path_factory.mktemp("documented")
    with (
        start_node("simulator_node", folder) as simulator,
        start_dynamics_node(folder),
        Checker(("actuator_efforts",)) as checker,
    ):
        simulator.wait_for_output("ready")
        efforts = checker.received["actuator_efforts"]
        checker.wait_for(lambda: efforts, "efforts", timeout=120.0)
        yield checker


def test_nodes_accept_the_values_of_parameters(graph: Checker) -> None:
    for node, name, text in commands("ros2", "param", "set"):
        value = yaml.safe_load(text)
        request = SetParameters.Request(
            parameters=[Parameter(name, value=value).to_parameter_msg()]
        )
        (result,) = graph.call(SetParameters, f"{node}/set_parameters", request).results
        assert result.successful, f"{name}: {result.reason}"


def test_the_topics_are_in_the_graph(graph: Checker) -> None:
    known = {name for name, _ in graph.node.get_topic_names_and_types()}
    known |= {f"/{TRAJECTORY.name}", *topics_in(BRIDGED)}
    used = [arguments for verb in ("echo", "hz", "pub") for arguments in of_topic(verb)]
    assert used
    for arguments in used:
        (topic,) = (word for word in arguments if word.startswith("/"))
        assert topic in known


def of_topic(verb: str) -> list[list[str]]:
    return [words[3:] for _, words in documented() if words[:3] == ["ros2", "topic", verb]]


def topics_in(value: Any) -> set[str]:
    """Return all texts of a bridge file that are absolute names."""
    if isinstance(value, dict):
        return set().union(*map(topics_in, [*value, *value.values()]))
    if isinstance(value, list):
        return set().union(*map(topics_in, value))
    return {value} if isinstance(value, str) and value.startswith("/") else set()


def test_the_services_have_the_types(graph: Checker) -> None:
    known = dict(graph.node.get_service_names_and_types())
    for name, kind, *request in commands("ros2", "service", "call"):
        assert known[name] == [kind]
        assert all(isinstance(yaml.safe_load(text), dict) for text in request)
