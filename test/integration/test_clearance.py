# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Distances to the surroundings on the wire, and collisions of trajectories before they run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from graph import Checker, refusing_node
from node_process import start_dynamics_node
from rclpy.parameter import Parameter
from robot_inputs import ACTUATORS, ARM, BASE_JOINTS, Inputs, pose
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from charmie_dynamics import Model, ModelFileError
from charmie_dynamics.collision.monitor import CollisionMonitor
from charmie_dynamics.model.description.world import read_world
from charmie_dynamics.model.reading import read_model
from charmie_dynamics.motions import joined_points
from charmie_dynamics.ros.outputs.clearance import ClearanceOutput
from charmie_dynamics.ros.process.parameters import declare_parameters

TOPICS = ("clearance", "actuator_efforts", "/diagnostics")
MARGIN = 0.1  # m
OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR
SHOULDER = "left_arm_joint_2"
# below the stretched left arm, which hits the table where it is lowered
WORLD = """
entities:
  floor: {shape: plane}
  me: {urdf: charmie, mechanisms: charmie, self: [[head, left_claw_1], [base, right_claw_1]]}
  table: {shape: box, size: [0.6, 4, 0.1], pose: [-0.8, 0, 0.75, 0, 0, 0], moves: fixed}
  can: {shape: cylinder, size: [0.03, 0.1], mass: 0.4}
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("worlds") / "table.yaml"
    path.write_text(WORLD)
    return path


@pytest.fixture(scope="module")
def watched(model: Model, world: Path) -> CollisionMonitor:
    return CollisionMonitor(model, read_world(world))


@pytest.fixture(scope="module")
def checker(folder: Path, world: Path) -> Iterator[Checker]:
    node = {
        "world": str(world),
        "clearance_rate": 0.0,
        "clearance_margin": MARGIN,
        "frame_prefix": "c/",
    }
    with start_dynamics_node(folder, node), Checker(TOPICS) as checker:
        yield checker


@pytest.fixture(scope="module")
def inputs(checker: Checker) -> Inputs:
    inputs = Inputs(checker)
    inputs.connect(pose(), ("actuator_efforts", "clearance"))
    return inputs


def standing() -> dict[str, float]:
    """Return a pose at the origin with the left arm stretched, above the table."""
    return {**pose(), **dict.fromkeys((*BASE_JOINTS, *(f"left_{name}" for name in ARM)), 0.0)}


def values(status: DiagnosticStatus) -> dict[str, str]:
    return {each.key: each.value for each in status.values}


def at(model: Model, watched: CollisionMonitor, position: Mapping[str, float]) -> Any:
    return watched.at(model.compute([position[name] for name in ACTUATORS]))


@pytest.mark.parametrize("number", [1, 3, 5])
def test_both_groups_have_the_distances_of_the_model(
    inputs: Inputs, model: Model, watched: CollisionMonitor, number: int
) -> None:
    message = inputs.cycle(pose(number), topics=TOPICS[:2])["clearance"]
    assert message.header.frame_id == f"c/{model.frame_names[0]}"
    assert [status.name for status in message.status] == ["self", "surroundings"]
    for status, clearance in zip(message.status, at(model, watched, pose(number)), strict=True):
        given = values(status)
        assert float(given["distance (m)"]) == pytest.approx(clearance.distance, abs=1e-6)
        assert (given["first"], given["second"]) == (clearance.first, clearance.second)
        for side, point in (("first", clearance.p_first), ("second", clearance.p_second)):
            got = [float(text) for text in given[f"point of {side} (m)"].split()]
            np.testing.assert_allclose(got, point, atol=1e-6)
        assert status.hardware_id == model.name
        assert status.level == (WARN if clearance.distance < MARGIN else OK)


def test_overlap_with_the_surroundings_is_an_error_that_diagnostics_repeat(
    checker: Checker, inputs: Inputs, model: Model, watched: CollisionMonitor
) -> None:
    lowered = {**standing(), SHOULDER: 1.0}
    clearance = at(model, watched, lowered)[1]
    assert clearance.distance < 0.0 and clearance.second == "table"
    _, status = inputs.cycle(lowered, topics=TOPICS[:2])["clearance"].status
    assert status.level == ERROR
    assert f"shapes overlap: '{clearance.first}' and 'table'" in status.message
    checker.wait_for_status(
        ": clearance",
        lambda status, _: status.level == ERROR and "'table'" in status.message,
        "the overlap",
        doing=lambda: inputs.send(lowered),
        rate=5.0,
    )


@pytest.mark.parametrize(("angle", "level"), [(1.0, WARN), (0.1, OK)])
def test_verdict_names_the_first_collision_and_its_time(
    checker: Checker, inputs: Inputs, model: Model, watched: CollisionMonitor,
    angle: float, level: bytes,
) -> None:  # fmt: skip
    start = standing()
    message = JointTrajectory(joint_names=[SHOULDER])
    for seconds, position in ((0, start[SHOULDER]), (8, start[SHOULDER] + angle)):
        point = JointTrajectoryPoint(positions=[position])
        point.time_from_start.sec = seconds
        message.points.append(point)
    inputs.cycle(start, topics=TOPICS[:1])
    verdicts: list[DiagnosticArray] = []
    checker.node.create_subscription(DiagnosticArray, "trajectory_verdict", verdicts.append, 10)
    publisher = checker.node.create_publisher(JointTrajectory, "trajectory", 10)

    def ask() -> None:
        inputs.send(start)
        publisher.publish(message)

    checker.wait_for(lambda: verdicts, "the verdict", doing=ask, rate=2.0)
    (status,) = verdicts[-1].status
    assert status.level == level
    found = re.search(r"collision of '(.*)' and 'table' at (.*) s", status.message)
    assert (found is not None) == (level == WARN)
    if found is not None:
        time = np.array([0.0, 8.0])
        ends = np.array([[start[SHOULDER]], [start[SHOULDER] + angle]])
        reached = joined_points(time, ends).at(float(found[2])).position[0]
        clearance = at(model, watched, {**start, SHOULDER: reached})[1]
        assert abs(clearance.distance) < 0.01 and clearance.first == found[1]


def test_world_that_cannot_be_used_is_refused_with_its_reason() -> None:
    with refusing_node(Parameter("world", value="no_such_world")) as node:
        settings = declare_parameters(node)
        output = ClearanceOutput(lambda _: None, lambda _: None)
        with pytest.raises(ModelFileError, match="no_such_world"):
            output.prepare(read_model(), settings)
