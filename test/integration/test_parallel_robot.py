# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A parallel robot from its two files in a real node: told by its motors alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph import Checker
from node_process import Process, start_dynamics_node
from robot_inputs import Inputs, named
from special_robots import write_five_bar

from charmie_dynamics import Model, load_model

TOPICS = ("actuator_efforts", "resolved_joint_states", "/tf", "base_wrench")
MOTORS = ("left_motor", "right_motor")
FAR = {"left_motor": -1.5, "right_motor": 1.5}


@pytest.fixture(scope="module")
def files(folder: Path) -> tuple[str, str]:
    return write_five_bar(folder)


@pytest.fixture(scope="module")
def model(files: tuple[str, str]) -> Model:
    return load_model(*files)


@pytest.fixture(scope="module")
def node(folder: Path, files: tuple[str, str]) -> Iterator[Process]:
    parameters = {
        **dict(zip(("model", "mechanisms"), files, strict=True)),
        **{"acceleration_source": "zero", "marker_rate": 0.0},
    }
    with start_dynamics_node(folder, parameters) as process:
        yield process


@pytest.fixture(scope="module")
def inputs(node: Process) -> Iterator[Inputs]:
    with Checker((*TOPICS, "/tf_static", "markers", "/diagnostics")) as checker:
        inputs = Inputs(checker)
        inputs.connect({name: 0.0 for name in MOTORS}, TOPICS)
        yield inputs


@pytest.mark.parametrize("place", [(0.2, -0.1), (-0.4, 0.3), (0.0, 0.7), (0.5, 0.5)])
def test_efforts_and_joints_are_those_of_the_closed_loop(
    inputs: Inputs, model: Model, place: tuple[float, float]
) -> None:
    positions = dict(zip(MOTORS, place, strict=True))
    rates = {"left_motor": 1.3, "right_motor": -0.6}
    found = inputs.cycle(positions, topics=TOPICS, velocity=rates)
    p, v = model.zero_position(), np.zeros(len(model.velocity_names))
    for name in MOTORS:
        p[model.position_names.index(name)] = positions[name]
        v[model.velocity_names.index(name)] = rates[name]
    state = model.compute(*model.assemble(p, v))
    efforts = named(found["actuator_efforts"])
    assert tuple(efforts) == model.actuator_names == MOTORS
    assert np.array(list(efforts.values())) == pytest.approx(state.actuator_effort, abs=1e-9)
    joints = named(found["resolved_joint_states"], "position")
    assert tuple(joints) == model.joint_names
    assert np.array(list(joints.values())) == pytest.approx(state.joint_position, abs=1e-9)
    speeds = named(found["resolved_joint_states"], "velocity")
    assert np.array(list(speeds.values())) == pytest.approx(state.joint_velocity, abs=1e-9)
    force = found["base_wrench"].wrench.force
    assert force.z == pytest.approx(state.base_wrench[0][2], abs=1e-9)
    require_frames(inputs, model, found["/tf"], state)


def require_frames(inputs: Inputs, model: Model, moving: Any, state: Any) -> None:
    """Check that all links are where the state has them."""
    latched = inputs.checker.received["/tf_static"][-1].transforms
    parents = {t.child_frame_id: t for t in (*moving.transforms, *latched)}
    for link in model.frame_names:
        p, R = np.zeros(3), np.eye(3)
        frame = link
        while frame in parents:
            transform = parents[frame].transform
            t, q = transform.translation, transform.rotation
            own = rotation(q.x, q.y, q.z, q.w)
            p, R = own @ p + (t.x, t.y, t.z), own @ R
            frame = parents[frame].header.frame_id
        p_expected, R_expected = state.frame(link)
        assert frame == "odom"
        assert p == pytest.approx(p_expected, abs=1e-9), link
        assert R == pytest.approx(R_expected, abs=1e-9), link


def rotation(x: float, y: float, z: float, w: float) -> Any:
    return np.array(
        [
            (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
            (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
            (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
        ]
    )


def test_loops_that_cannot_close_are_told_by_name_and_the_node_goes_on(
    inputs: Inputs, node: Process
) -> None:
    def told(status: Any, values: Any) -> bool:
        words = ("cycle failed", "'tip' cannot be closed: it stays open by", " m ")
        return status.level == b"\x02" and all(word in status.message for word in words)

    inputs.checker.wait_for_status(
        ": cycle", told, "an error of the cycle", doing=lambda: inputs.send(FAR)
    )
    assert node.is_running()
    inputs.cycle({"left_motor": 0.1, "right_motor": 0.1}, topics=TOPICS)


def test_what_is_told_of_passive_joints_is_left_out_in_silence(
    inputs: Inputs, node: Process
) -> None:
    alone = inputs.cycle({"left_motor": 0.3, "right_motor": 0.1}, topics=TOPICS)
    both = inputs.cycle({"left_motor": 0.3, "right_motor": 0.1, "left_knee": 2.0}, topics=TOPICS)
    assert named(alone["actuator_efforts"]) == pytest.approx(named(both["actuator_efforts"]))
    assert "left_knee" not in node.output()


def test_the_model_is_told_with_its_passive_joints(inputs: Inputs) -> None:
    inputs.checker.wait_for_status(
        ": model",
        lambda status, values: values.get("passive joints") == "left_knee, right_knee",
        "the passive joints",
    )
