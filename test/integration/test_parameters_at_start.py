# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Every parameter of the node has its effect from the start, or is refused with a message."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from graph import ANY_ROBOT, EACH_CYCLE, OUTPUTS, Checker, refusing_node
from node_process import start_dynamics_node, start_node
from rclpy.parameter import Parameter
from robot_inputs import ACTUATORS, BASE_JOINTS, JOINTS, LENGTHS, Inputs, named, pose
from small_robots import GRAVITY, HOLLOW_LINK, MASS, tension, write_hollow_slide, write_slide

from charmie_dynamics.ros.process.parameters import ParameterError, declare_parameters

WARN, ERROR = b"\x01", b"\x02"


@pytest.fixture(scope="module")
def other_frames(folder: Path) -> Iterator[tuple[Checker, dict[str, Any]]]:
    """A node with another world frame and a prefix, markers with each cycle."""
    parameters = {"world_frame": "map", "frame_prefix": "charmie/", "marker_rate": 0.0}
    with start_dynamics_node(folder, parameters, namespace="framed"):
        with Checker((*OUTPUTS, "/tf_static"), namespace="framed") as checker:
            cycle = Inputs(checker).cycle(pose(), topics=OUTPUTS)
            checker.wait_for(lambda: checker.received["/tf_static"], "static transforms")
            yield checker, cycle


def frames_of(message: Any) -> set[str]:
    if hasattr(message, "header"):
        return {message.header.frame_id}
    if hasattr(message, "markers"):
        return {marker.header.frame_id for marker in message.markers if marker.action == 0}
    return {
        frame
        for transform in message.transforms
        for frame in (transform.header.frame_id, transform.child_frame_id)
    }


@pytest.mark.parametrize(
    "topic", ["/tf", "base_wrench", "stability", "markers", "actuator_efforts"]
)
def test_frame_prefix_stands_before_every_frame(
    other_frames: tuple[Checker, dict[str, Any]], topic: str
) -> None:
    _, cycle = other_frames
    assert [f for f in frames_of(cycle[topic]) if not f.startswith("charmie/")] == []


def test_frame_prefix_stands_before_static_frames(
    other_frames: tuple[Checker, dict[str, Any]],
) -> None:
    checker, _ = other_frames
    frames = frames_of(checker.received["/tf_static"][0])
    assert [frame for frame in frames if not frame.startswith("charmie/")] == []


def test_world_frame_is_the_root_of_the_tree(
    other_frames: tuple[Checker, dict[str, Any]],
) -> None:
    checker, cycle = other_frames
    transforms = [
        t for m in (cycle["/tf"], checker.received["/tf_static"][0]) for t in m.transforms
    ]
    parents = {t.header.frame_id for t in transforms}
    assert parents - {t.child_frame_id for t in transforms} == {"charmie/map"}


def test_a_long_input_timeout_keeps_old_lengths_in_use(folder: Path) -> None:
    """With the default they are stale as soon as the diagnostics have come twice."""
    with start_dynamics_node(folder, {"input_timeout": 100.0}):
        with Checker((*EACH_CYCLE, "/diagnostics")) as checker:
            inputs = Inputs(checker)
            inputs.cycle(pose())
            checker.forget()
            checker.wait_for(lambda: len(checker.received["/diagnostics"]) >= 3, "diagnostics")
            joints = {name: pose()[name] for name in JOINTS}
            cycle = inputs.cycle(joints)
    assert named(cycle["actuator_efforts"], "position") == pytest.approx(pose(), abs=1e-12)


def test_required_base_joints_are_missed_until_they_are_reported(folder: Path) -> None:
    with start_dynamics_node(folder, {"require_base_joints": True}):
        with Checker((*EACH_CYCLE, "/diagnostics")) as checker:
            inputs = Inputs(checker)
            partial = {n: v for n, v in pose().items() if n not in BASE_JOINTS}
            checker.wait_for_status(
                ": inputs",
                lambda status, _: (
                    status.level == ERROR
                    and all(name in status.message for name in BASE_JOINTS)
                    and "arm_joint" not in status.message
                ),
                "an error that names the base joints",
                doing=lambda: inputs.send(partial),
            )
            assert checker.received["actuator_efforts"] == []
            inputs.cycle(pose())


def accelerate(checker: Checker, acceleration: float, count: int = 30) -> float:
    """Push the base along x at a constant acceleration, velocities known; return the last effort.

    Nothing else moves, so that the effort is the mass times the estimated acceleration.
    """
    inputs = Inputs(checker)
    values, velocity = pose(0), dict.fromkeys(pose(0), 0.0)
    for k in range(count):
        t = 0.01 * k
        values["base_x_joint"] = 0.5 * acceleration * t * t
        velocity["base_x_joint"] = acceleration * t
        cycle = inputs.cycle(values, velocity=velocity, topics=("actuator_efforts",))
    return named(cycle["actuator_efforts"])["base_x_joint"]


@pytest.mark.parametrize(
    "parameters, low, high",
    [
        ({}, 1.0 - 1e-5, 1.0 + 1e-5),
        ({"acceleration_source": "zero"}, -1e-9, 1e-9),
        # the estimate is on its way after 0.3 s at this cutoff
        ({"acceleration_cutoff": 0.5}, 0.05, 0.9),
    ],
    ids=["estimated", "zero", "low cutoff"],
)
def test_acceleration_enters_the_effort_as_the_parameters_say(
    folder: Path, model: Any, parameters: dict[str, Any], low: float, high: float
) -> None:
    with start_dynamics_node(folder, parameters), Checker(("actuator_efforts",)) as checker:
        share = accelerate(checker, 0.5) / (0.5 * model.total_mass)
    assert low <= share <= high


def test_another_model_without_mechanisms(folder: Path, tmp_path: Path) -> None:
    urdf, _ = write_slide(tmp_path)
    with start_dynamics_node(folder, {"model": urdf}):
        with Checker((*ANY_ROBOT, "robot_description")) as checker:
            cycle = Inputs(checker).cycle({"slide_joint": 0.3}, topics=ANY_ROBOT)
            checker.wait_for(lambda: checker.received["robot_description"], "the URDF")
            description = checker.received["robot_description"][0].data
    assert named(cycle["actuator_efforts"]) == pytest.approx({"slide_joint": MASS * GRAVITY})
    assert 'robot name="slide"' in description
    assert named(cycle["resolved_joint_states"], "position") == pytest.approx(
        {"slide_joint": 0.3, "tip_joint": 0.85}
    )


def test_another_model_with_mechanisms(folder: Path, tmp_path: Path) -> None:
    """A spring pulls the slide down: the effort holds weight and tension."""
    urdf, mechanisms = write_slide(tmp_path)
    with start_dynamics_node(folder, {"model": urdf, "mechanisms": mechanisms}):
        with Checker(ANY_ROBOT) as checker:
            cycle = Inputs(checker).cycle({"slide_joint": 0.3}, topics=ANY_ROBOT)
    expected = MASS * GRAVITY + tension(0.3)
    assert named(cycle["actuator_efforts"]) == pytest.approx({"slide_joint": expected})
    assert named(cycle["spring_forces"]) == pytest.approx({"return_spring": tension(0.3)})


def test_a_link_that_no_body_can_be_is_told_and_computed(folder: Path, tmp_path: Path) -> None:
    urdf = write_hollow_slide(tmp_path)
    with start_dynamics_node(folder, {"model": urdf}) as node:
        with Checker((*ANY_ROBOT, "/diagnostics")) as checker:
            cycle = Inputs(checker).cycle({"slide_joint": 0.3}, topics=ANY_ROBOT)
            checker.wait_for_status(
                ": model",
                lambda status, values: (
                    status.level == WARN
                    and f"cannot be right: link '{HOLLOW_LINK}'" in status.message
                    and "triangle inequality" in values[f"link '{HOLLOW_LINK}'"]
                ),
                "a warning that names the link",
            )
        lines = [line for line in node.output().splitlines() if "triangle inequality" in line]
    assert named(cycle["actuator_efforts"]) == pytest.approx({"slide_joint": MASS * GRAVITY})
    (line,) = lines
    assert "WARN" in line
    assert f"{urdf}, line 4: link '{HOLLOW_LINK}'" in line


def test_a_link_that_no_body_can_be_ends_a_node_that_is_strict(
    folder: Path, tmp_path: Path
) -> None:
    parameters = {"model": write_hollow_slide(tmp_path), "strict_inertials": True}
    with start_node("dynamics_node", folder, parameters) as node:
        assert node.wait(60.0) == 1
        assert f"link '{HOLLOW_LINK}': no body has these" in node.output()


@pytest.mark.parametrize(
    "parameters, words",
    [
        ({"marker_rat": 10.0}, ("marker_rat", "marker_rate")),
        ({"world_frame": "w" * 100_000}, ("world_frame", "100000 characters", "at most 255")),
        ({"frame_prefix": "/left/"}, ("frame_prefix", "'/left/odom'", "begins with '/'")),
        ({"model": "/no/such/robot.urdf"}, ("/no/such/robot.urdf",)),
        ({"mechanisms": "/no/such/mechanisms.yaml"}, ("/no/such/mechanisms.yaml",)),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_cannot_be_used_ends_the_node_with_a_message(
    folder: Path, parameters: dict[str, Any], words: tuple[str, ...]
) -> None:
    with start_node("dynamics_node", folder, parameters) as node:
        assert node.wait(60.0) == 1
        assert [word for word in words if word not in node.output()] == []
        assert "Traceback" not in node.output()


@pytest.mark.parametrize(
    "name, value, words",
    [
        ("marker_rate", -1.0, ""),
        ("marker_rate", 0, "DOUBLE"),
        ("input_timeout", 0.0, ""),
        ("acceleration_cutoff", 0.0, ""),
        ("acceleration_source", "guess", "estimated, zero"),
        ("marker_style", "wire", "skeleton"),
        ("world_frame", "", ""),
        ("publish_tf", "perhaps", ""),
    ],
)
def test_a_value_that_cannot_be_used_is_refused(name: str, value: Any, words: str) -> None:
    with refusing_node(Parameter(name, value=value)) as node:
        with pytest.raises(ParameterError, match=f"(?s){name}.*{words}"):
            declare_parameters(node)


@pytest.mark.parametrize("characters", [240, 300])
def test_a_namespace_that_ros_2_does_not_take_ends_the_node_with_a_message(
    folder: Path, characters: int
) -> None:
    with start_node("dynamics_node", folder, namespace="n" * characters) as node:
        assert node.wait(60.0) == 1
        (line,) = [line for line in node.output().splitlines() if "FATAL" in line]
        assert "namespace" in line
        assert len(line) < 500
        assert "Traceback" not in node.output()


def test_names_of_the_inputs_cover_all_actuators() -> None:
    assert sorted((*JOINTS, *LENGTHS)) == sorted(ACTUATORS)
