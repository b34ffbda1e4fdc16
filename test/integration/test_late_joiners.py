# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Who comes later gets the latched topics; two robots in two namespaces do not mix."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from graph import EACH_CYCLE, LATCHED, Checker
from node_process import start_dynamics_node
from robot_inputs import ACTUATORS, Inputs, named, pose

ROBOTS = {"one": 1, "two": 2}


@pytest.fixture(scope="module")
def robots(folder: Path) -> Iterator[dict[str, Checker]]:
    """Two nodes, each with a namespace and a frame prefix of its name; cycles of both."""
    with (
        start_dynamics_node(folder, {"frame_prefix": "one/"}, namespace="one"),
        start_dynamics_node(folder, {"frame_prefix": "two/"}, namespace="two"),
        Checker((*EACH_CYCLE, *LATCHED), namespace="one") as one,
        Checker((*EACH_CYCLE, *LATCHED), namespace="two") as two,
    ):
        checkers = {"one": one, "two": two}
        for name, checker in checkers.items():
            inputs = Inputs(checker)
            for _ in range(3):
                checker.cycle = inputs.cycle(pose(ROBOTS[name]))
        for checker in checkers.values():
            checker.wait_for(
                lambda checker=checker: (
                    len(checker.received["/tf_static"]) >= 2
                    and checker.received["robot_description"]
                ),
                "the latched topics of both robots",
            )
        yield checkers


@pytest.mark.parametrize("name", ROBOTS)
def test_a_late_joiner_gets_the_robot_description(robots: dict[str, Checker], name: str) -> None:
    """The checkers were made when the nodes had been ready for long."""
    (message,) = robots[name].received["robot_description"]
    assert ElementTree.fromstring(message.data).tag == "robot"


def test_a_late_joiner_gets_the_static_transforms_of_all_robots(
    robots: dict[str, Checker],
) -> None:
    messages = robots["one"].received["/tf_static"]
    children = {t.child_frame_id for message in messages for t in message.transforms}
    expected = {f"{name}/{frame}" for name in ROBOTS for frame in ("base_link", "base_footprint")}
    assert expected <= children


@pytest.mark.parametrize("name", ROBOTS)
def test_each_robot_answers_to_its_own_inputs(
    robots: dict[str, Checker], model: Any, name: str
) -> None:
    values = pose(ROBOTS[name])
    state = model.compute([values[actuator] for actuator in ACTUATORS])
    expected = dict(zip(ACTUATORS, state.actuator_effort.tolist(), strict=True))
    for message in robots[name].received["actuator_efforts"]:
        assert named(message) == pytest.approx(expected, abs=1e-9)


def test_no_frame_belongs_to_both_robots(robots: dict[str, Checker]) -> None:
    for message in robots["one"].received["/tf"]:
        prefixes = {
            frame.split("/")[0]
            for t in message.transforms
            for frame in (t.header.frame_id, t.child_frame_id)
        }
        assert prefixes in ({"one"}, {"two"})


@pytest.mark.parametrize("name", ROBOTS)
def test_the_wrench_is_in_the_frame_of_its_robot(robots: dict[str, Checker], name: str) -> None:
    assert robots[name].cycle["base_wrench"].header.frame_id == f"{name}/base"


def test_only_tf_and_diagnostics_are_outside_of_the_namespace(robots: dict[str, Checker]) -> None:
    node = robots["one"].node
    topics = {
        name
        for name, _ in node.get_publisher_names_and_types_by_node("charmie_dynamics", "/one")
        if not name.startswith("/one/")
    }
    assert topics - {"/rosout", "/parameter_events"} == {"/tf", "/tf_static", "/diagnostics"}
