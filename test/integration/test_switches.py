# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The parameters that switch outputs off."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from graph import TOPICS, Checker
from node_process import start_dynamics_node
from robot_inputs import Inputs, pose

EVERYTHING = tuple(topic for topic in TOPICS if topic not in ("joint_states", "actuator_lengths"))


@pytest.fixture(scope="module")
def switched_off(folder: Path) -> Iterator[Checker]:
    """A node that publishes as little as it can; twenty cycles and two diagnostics were seen."""
    parameters = {
        "publish_tf": False,
        "publish_markers": False,
        "publish_robot_description": False,
        "compute_dynamics": False,
    }
    with start_dynamics_node(folder, parameters), Checker(EVERYTHING) as checker:
        inputs = Inputs(checker)
        for number in range(20):
            inputs.cycle(pose(number % 9), topics=("resolved_joint_states", "spring_forces"))
        checker.wait_for(lambda: len(checker.received["/diagnostics"]) >= 2, "diagnostics")
        yield checker


@pytest.mark.parametrize(
    "topic",
    [
        "/tf",
        "/tf_static",
        "markers",
        "robot_description",
        "actuator_efforts",
        "base_wrench",
        "stability",
    ],
)
def test_what_is_switched_off_is_not_published(switched_off: Checker, topic: str) -> None:
    assert switched_off.received[topic] == []


@pytest.mark.parametrize("topic", ["resolved_joint_states", "spring_forces"])
def test_kinematics_alone_publish_positions_without_efforts(
    switched_off: Checker, topic: str
) -> None:
    message = switched_off.received[topic][-1]
    assert len(message.position) == len(message.name) > 0
    assert len(message.effort) == 0
