# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Points whose motion the node publishes: those of the mechanisms file, or others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import AccelStamped, TwistStamped
from graph import ANY_ROBOT, POINTS, Checker, stamp_of
from node_process import start_dynamics_node, start_node
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from robot_inputs import Inputs, pose

from charmie_dynamics import Model

TIP = (0.0, 0.02, 0.1)
GIVEN = ["tip:left_tool:0,0.02,0.1", "spring:torso_spring_tip"]
OWN = {f"tracked_points/{name}/{kind}": message_type
       for name in ("tip", "spring")
       for kind, message_type in (("twist", TwistStamped), ("accel", AccelStamped))}  # fmt: skip


@pytest.fixture(scope="module")
def checker(folder: Path) -> Iterator[Checker]:
    parameters = {"tracked_points": GIVEN, "world_frame": "map", "frame_prefix": "a/"}
    with start_dynamics_node(folder, parameters, namespace="tracked"):
        with Checker((*ANY_ROBOT, *POINTS), namespace="tracked") as checker:
            yield checker


@pytest.fixture(scope="module")
def received(checker: Checker) -> dict[str, list[Any]]:
    heard: dict[str, list[Any]] = {name: [] for name in OWN}
    for name, kind in OWN.items():
        checker.node.create_subscription(kind, name, heard[name].append, 100)
    return heard


def set_points(checker: Checker, value: Any) -> Any:
    parameters = [Parameter("tracked_points", value=value).to_parameter_msg()]
    request = SetParameters.Request(parameters=parameters)
    name = "/tracked/charmie_dynamics/set_parameters"
    return checker.call(SetParameters, name, request).results[0]


def vectors(part: Any) -> list[float]:
    return [getattr(v, axis) for v in (part.linear, part.angular) for axis in "xyz"]


def moving(checker: Checker, received: dict[str, list[Any]]) -> dict[str, Any]:
    """Return the messages of one cycle in which the robot moves, its efforts among them."""
    checker.forget()
    for messages in received.values():
        messages.clear()
    inputs = Inputs(checker)
    inputs.connect(pose(2), ANY_ROBOT)
    velocities = {name: 0.02 for name in pose(2)}
    sent: set[int] = set()

    def common() -> set[int]:
        heard = ({stamp_of(m) for m in messages} for messages in received.values())
        return sent.intersection(checker.by_stamp("actuator_efforts"), *heard)

    checker.wait_for(
        common, "all points", doing=lambda: sent.add(inputs.send(pose(2), velocity=velocities))
    )
    stamp = max(common())
    cycle = {name: next(m for m in messages if stamp_of(m) == stamp)
             for name, messages in received.items()}  # fmt: skip
    return {**cycle, "actuator_efforts": checker.by_stamp("actuator_efforts")[stamp]}


def test_the_node_tells_how_links_and_auxiliary_bodies_move(
    checker: Checker, received: dict[str, list[Any]], model: Model
) -> None:
    cycle = moving(checker, received)
    efforts = cycle["actuator_efforts"]
    assert tuple(efforts.name) == model.actuator_names
    state = model.compute(np.array(efforts.position), np.array(efforts.velocity))
    for name, frame, point in (
        ("tip", "left_tool", TIP),
        ("spring", "torso_spring_tip", (0.0, 0.0, 0.0)),
    ):
        motion = state.motion(frame, point)
        twist = cycle[f"tracked_points/{name}/twist"]
        accel = cycle[f"tracked_points/{name}/accel"]
        assert twist.header.frame_id == accel.header.frame_id == "a/map"
        expected = [*motion.velocity, *motion.angular_velocity]
        assert np.abs(expected).max() > 1e-3
        assert vectors(twist.twist) == pytest.approx(expected, rel=1e-12, abs=1e-14)
        assert np.isfinite(vectors(accel.accel)).all()


def test_points_of_the_mechanisms_file_are_not_published_beside_others(
    checker: Checker, received: dict[str, list[Any]]
) -> None:
    moving(checker, received)
    assert not [topic for topic in POINTS if checker.received[topic]]
    assert checker.node.count_publishers(POINTS[0]) == 0


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (["tip"], "tracked_points: expected NAME:FRAME or NAME:FRAME:X,Y,Z, got 'tip'"),
        (["1st:left_tool"], "a letter, got '1st'"),
        (["a-b:left_tool"], "a letter, got 'a-b'"),
        ([f"{'x' * 101}:left_tool"], "a name of up to 100 letters"),
        (["tip:left_tol"], "frame 'left_tol' of 'tip' is unknown; did you mean 'left_tool'?"),
        (["tip:left_tool:0,0"], "three finite numbers X,Y,Z (m) for 'tip', got '0,0'"),
        (["tip:left_tool:0,nan,0"], "three finite numbers X,Y,Z (m) for 'tip', got '0,nan,0'"),
        (["tip:left_tool", "tip:right_tool"], "duplicate name 'tip'"),
        ([f"p{k}:left_tool" for k in range(33)], "33 points; expected at most 32"),
    ],
)
def test_points_that_cannot_be_are_refused_at_run_time(
    checker: Checker, received: dict[str, list[Any]], value: list[str], reason: str
) -> None:
    result = set_points(checker, value)
    assert not result.successful and reason in result.reason
    moving(checker, received)  # as before


def test_other_points_at_run_time_have_other_topics(
    checker: Checker, received: dict[str, list[Any]]
) -> None:
    try:
        assert set_points(checker, [""]).successful
        inputs = Inputs(checker)
        checker.wait_for(
            lambda: all(checker.received[topic] for topic in POINTS),
            "the points of the mechanisms file",
            doing=lambda: inputs.send(pose(3)),
        )
        checker.wait_for(
            lambda: checker.node.count_publishers("tracked_points/tip/twist") == 0,
            "no publisher of the points before",
        )
        assert set_points(checker, ["none"]).successful
        checker.wait_for(
            lambda: checker.node.count_publishers(POINTS[0]) == 0, "no publisher any more"
        )
    finally:
        assert set_points(checker, GIVEN).successful
        for topic in POINTS:
            checker.received[topic].clear()


def test_a_point_of_no_frame_ends_the_start_with_a_message(folder: Path) -> None:
    with start_node("dynamics_node", folder, {"tracked_points": ["tip:left_tol"]}) as node:
        assert node.wait(60.0) == 1
        assert "frame 'left_tol' of 'tip' is unknown; did you mean 'left_tool'?" in node.output()
