# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A motion that is played to the node: values on the wire against the model."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph import Checker, stamp_of
from node_process import start_dynamics_node, start_node
from robot_inputs import ACTUATORS, LENGTHS

INPUTS = ("joint_states", "actuator_lengths")
TOPICS = (*INPUTS, "actuator_efforts")
RATE = 25.0  # Hz, low enough for a busy machine
MOTION = "wave"


@contextlib.contextmanager
def playing(
    folder: Path, node: Mapping[str, Any], player: Mapping[str, Any], count: int = 100
) -> Iterator[Checker]:
    """Yield a checker that has received `count` cycles of a motion."""
    with Checker(TOPICS) as checker, start_dynamics_node(folder, node):
        with start_node("motion_player", folder, player):
            checker.wait_for(
                lambda: len(checker.received["actuator_efforts"]) >= count,
                f"{count} cycles",
                timeout=60.0,
            )
            yield checker


@pytest.fixture(scope="module")
def checker(folder: Path) -> Iterator[Checker]:
    with playing(
        folder, {"acceleration_source": "zero"}, {"motion": MOTION, "rate": RATE}
    ) as checker:
        yield checker


def sent(checker: Checker, field: str) -> dict[int, dict[str, float]]:
    """Return the inputs of each stamp that is on both topics, by name."""
    joints, lengths = (checker.by_stamp(topic) for topic in INPUTS)
    return {
        stamp: {
            name: value
            for message in (joints[stamp], lengths[stamp])
            for name, value in zip(message.name, getattr(message, field), strict=True)
        }
        for stamp in joints.keys() & lengths.keys()
    }


def test_efforts_on_the_wire_are_those_of_the_model(checker: Checker, model: Any) -> None:
    """With accelerations of zero, so that position and velocity say everything."""
    for message in checker.received["actuator_efforts"]:
        state = model.compute(message.position, message.velocity)
        np.testing.assert_allclose(message.effort, state.actuator_effort, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("field", ["position", "velocity"])
def test_the_cycle_of_a_stamp_has_the_inputs_of_that_stamp(checker: Checker, field: str) -> None:
    """Joints to the last bit; lengths may have come later and were then carried to the stamp."""
    inputs = sent(checker, field)
    efforts = checker.by_stamp("actuator_efforts")
    common = inputs.keys() & efforts.keys()
    assert len(common) > 0.9 * len(efforts)
    for stamp in common:
        got = dict(zip(efforts[stamp].name, getattr(efforts[stamp], field), strict=True))
        for name, value in inputs[stamp].items():
            tolerance = 2e-3 if name in LENGTHS else 0.0
            assert abs(got[name] - value) <= tolerance, f"{name} at {stamp}"


def test_the_player_reports_all_actuators_on_its_two_topics(checker: Checker) -> None:
    assert sorted(checker.received["actuator_lengths"][0].name) == sorted(LENGTHS)
    joints = set(ACTUATORS) - set(LENGTHS)
    assert sorted(checker.received["joint_states"][0].name) == sorted(joints)


@pytest.mark.parametrize("topic", INPUTS)
def test_stamps_of_the_player_are_on_the_grid_of_its_rate(checker: Checker, topic: str) -> None:
    stamps = [stamp_of(message) for message in checker.received[topic]]
    steps = np.diff(stamps)
    assert (steps > 0).all()
    assert (steps % round(1e9 / RATE) == 0).all()
