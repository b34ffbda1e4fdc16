# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A robot with a planar and a floating joint in a real node."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from graph import Checker
from node_process import Process, start_dynamics_node
from robot_inputs import Inputs, named
from special_robots import write_rover

from charmie_dynamics import load_model

TOPICS = ("actuator_efforts", "resolved_joint_states", "/tf")
POSE = {"drive/x": 1.0, "drive/y": -0.5, "drive/angle": 0.7, "shoulder": 0.4}
RATES = {"drive/x": 0.3, "drive/y": 0.1, "drive/angle": -0.8, "shoulder": 1.2}


@pytest.fixture(scope="module")
def node(folder: Path) -> Iterator[Process]:
    parameters = {"model": write_rover(folder), "acceleration_source": "zero", "marker_rate": 0.0}
    with start_dynamics_node(folder, parameters) as process:
        yield process


@pytest.fixture(scope="module")
def inputs(node: Process) -> Iterator[Inputs]:
    with Checker((*TOPICS, "markers", "/diagnostics")) as checker:
        inputs = Inputs(checker)
        inputs.connect(POSE, (*TOPICS, "markers"))
        yield inputs


def test_numbers_of_the_planar_joint_are_entries_of_joint_states(
    inputs: Inputs, folder: Path
) -> None:
    model = load_model(folder / "rover.urdf")
    found = inputs.cycle(POSE, topics=TOPICS, velocity=RATES)
    p, v = model.zero_position(), np.zeros(len(model.velocity_names))
    for name in POSE:
        p[model.position_names.index(name)] = POSE[name]
        v[model.velocity_names.index(name)] = RATES[name]
    state = model.compute(p, v)
    assert named(found["actuator_efforts"]) == pytest.approx(
        {"shoulder": state.actuator_effort[0]}, abs=1e-9
    )
    assert named(found["resolved_joint_states"], "position") == pytest.approx(POSE)
    places = {t.child_frame_id: t.transform.translation for t in found["/tf"].transforms}
    assert set(places) == {"rover", "arm", "drone"}
    assert (places["rover"].x, places["rover"].y) == pytest.approx((1.0, -0.5))
    assert places["drone"].z == pytest.approx(2.0)
    markers = inputs.checker.received["markers"]
    assert all(message.markers for message in markers)


def test_a_floating_joint_that_is_held_is_said(inputs: Inputs, node: Process) -> None:
    words = "floating joints held without rotation, at the origin of their parent: flight"
    assert node.output().count(words) == 1
    inputs.checker.wait_for_status(
        ": model",
        lambda status, _: status.level == b"\x01" and words in status.message,
        "a warning of the model",
    )
