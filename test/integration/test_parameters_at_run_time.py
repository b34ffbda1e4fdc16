# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parameters of a running node: what is accepted takes effect, what is refused changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from graph import ANY_ROBOT, TOPICS, Checker
from node_process import start_dynamics_node
from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rcl_interfaces.srv import (
    DescribeParameters,
    GetParameters,
    ListParameters,
    SetParameters,
    SetParametersAtomically,
)
from rclpy.parameter import Parameter, parameter_value_to_python
from robot_inputs import BASE_JOINTS, JOINTS, LENGTHS, Inputs, named, pose
from small_robots import GRAVITY, MASS, tension, write_hollow_slide, write_slide

NODE = "/charmie_dynamics"
# INTERFACE: names and defaults
DEFAULTS: dict[str, Any] = {
    "model": "",
    "mechanisms": "",
    "strict_inertials": False,
    "world_frame": "odom",
    "frame_prefix": "",
    "publish_tf": True,
    "publish_markers": True,
    "publish_robot_description": True,
    "compute_dynamics": True,
    "marker_rate": 30.0,
    "marker_style": "solid",
    "marker_reactions": False,
    "marker_labels": False,
    "marker_legend": False,
    "input_timeout": 0.5,
    "acceleration_source": "estimated",
    "acceleration_cutoff": 10.0,
    "require_base_joints": False,
    "observer_cutoff": 15.0,
    "tracked_points": [""],
    "payload_left": [0.0],
    "payload_right": [0.0],
}
EVERYTHING = tuple(topic for topic in TOPICS if topic not in ("joint_states", "actuator_lengths"))


@pytest.fixture(scope="module")
def checker(folder: Path) -> Iterator[Checker]:
    with start_dynamics_node(folder), Checker(EVERYTHING) as checker:
        yield checker


@pytest.fixture(autouse=True)
def defaults(checker: Checker) -> Iterator[None]:
    """Put all parameters back after each test."""
    yield
    for result in set_parameters(checker, DEFAULTS, atomically=True):
        assert result.successful, result.reason


def set_parameters(
    checker: Checker, values: dict[str, Any], *, atomically: bool = False
) -> list[SetParametersResult]:
    parameters = [Parameter(name, value=value).to_parameter_msg() for name, value in values.items()]
    if atomically:
        request = SetParametersAtomically.Request(parameters=parameters)
        service = f"{NODE}/set_parameters_atomically"
        return [checker.call(SetParametersAtomically, service, request).result]
    request = SetParameters.Request(parameters=parameters)
    return list(checker.call(SetParameters, f"{NODE}/set_parameters", request).results)


def change(checker: Checker, **values: Any) -> None:
    """Set parameters, which must be accepted."""
    for result in set_parameters(checker, values):
        assert result.successful, result.reason


def values_of(checker: Checker, *names: str) -> dict[str, Any]:
    request = GetParameters.Request(names=list(names))
    response = checker.call(GetParameters, f"{NODE}/get_parameters", request)
    return dict(zip(names, map(parameter_value_to_python, response.values), strict=True))


def descriptors(checker: Checker) -> dict[str, ParameterDescriptor]:
    request = DescribeParameters.Request(names=list(DEFAULTS))
    response = checker.call(DescribeParameters, f"{NODE}/describe_parameters", request)
    return {descriptor.name: descriptor for descriptor in response.descriptors}


def test_all_parameters_are_declared_with_their_defaults(checker: Checker) -> None:
    listed = checker.call(ListParameters, f"{NODE}/list_parameters", ListParameters.Request())
    assert set(DEFAULTS) <= set(listed.result.names)
    assert values_of(checker, *DEFAULTS) == DEFAULTS


def test_all_parameters_have_a_description(checker: Checker) -> None:
    found = descriptors(checker)
    assert [name for name in DEFAULTS if not found[name].description] == []


@pytest.mark.parametrize(
    "name", ["marker_rate", "input_timeout", "acceleration_cutoff", "observer_cutoff"]
)
def test_numbers_have_a_range(checker: Checker, name: str) -> None:
    (bounds,) = descriptors(checker)[name].floating_point_range
    assert bounds.from_value < DEFAULTS[name] < bounds.to_value


def test_the_robot_description_is_published_when_it_is_switched_on(checker: Checker) -> None:
    change(checker, publish_robot_description=False)
    checker.spin(0.2)
    checker.forget()
    change(checker, publish_robot_description=True)
    checker.wait_for(lambda: checker.received["robot_description"], "the URDF")


def test_marker_rate_thins_out_the_markers(checker: Checker, inputs: Inputs) -> None:
    """At 2 Hz and stamps 0.1 s apart one cycle in five has markers, and one or two at the start."""
    change(checker, marker_rate=2.0)
    checker.forget()
    for _ in range(26):
        inputs.cycle(pose(), inputs.next_stamp(100_000_000))
    checker.spin(0.2)
    assert len(checker.received["markers"]) in (5, 6, 7)


def test_input_timeout_makes_old_lengths_stale(checker: Checker, inputs: Inputs) -> None:
    """With an hour they stay in use, with the default they do not."""
    change(checker, input_timeout=3600.0)
    inputs.cycle(pose())
    joints = {name: pose()[name] for name in JOINTS}
    checker.forget()
    checker.wait_for(lambda: len(checker.received["/diagnostics"]) >= 2, "diagnostics")
    inputs.cycle(joints)
    change(checker, input_timeout=0.5)
    checker.wait_for_status(
        ": inputs",
        lambda status, _: all(name in status.message for name in LENGTHS),
        "an error that names the lengths",
        doing=lambda: inputs.send(joints),
    )


def test_required_base_joints_stop_the_outputs_until_they_are_reported(
    checker: Checker, inputs: Inputs
) -> None:
    change(checker, require_base_joints=True)
    partial = {name: value for name, value in pose().items() if name not in BASE_JOINTS}
    sent = []
    checker.wait_for_status(
        ": inputs",
        lambda status, _: (
            all(name in status.message for name in BASE_JOINTS)
            and "arm_joint" not in status.message
        ),
        "an error that names the base joints",
        doing=lambda: sent.append(inputs.send(partial)),
    )
    inputs.cycle(pose())
    assert set(sent) & set(checker.by_stamp("actuator_efforts")) == set()


def push(checker: Checker, inputs: Inputs, count: int = 30) -> float:
    """Accelerate the base along x by 0.5 m/s^2, velocities known; return the last effort (N)."""
    values, velocity = pose(0), dict.fromkeys(pose(0), 0.0)
    inputs.next_stamp(10**10)  # a pause, after which the estimator starts anew
    for k in range(count):
        t = 0.01 * k
        values["base_x_joint"], velocity["base_x_joint"] = 0.25 * t * t, 0.5 * t
        cycle = inputs.cycle(values, velocity=velocity, topics=("actuator_efforts",))
    return named(cycle["actuator_efforts"])["base_x_joint"]


def test_acceleration_source_zero_leaves_inertia_out(
    checker: Checker, inputs: Inputs, model: Any
) -> None:
    assert push(checker, inputs) == pytest.approx(0.5 * model.total_mass, rel=1e-5)
    change(checker, acceleration_source="zero")
    assert push(checker, inputs) == pytest.approx(0.0, abs=1e-9)


def test_a_low_acceleration_cutoff_slows_the_estimate(
    checker: Checker, inputs: Inputs, model: Any
) -> None:
    change(checker, acceleration_cutoff=0.5)
    assert 0.05 < push(checker, inputs) / (0.5 * model.total_mass) < 0.9


def test_model_and_mechanisms_are_exchanged_together(
    checker: Checker, inputs: Inputs, tmp_path: Path
) -> None:
    urdf, mechanisms = write_slide(tmp_path)
    files = {"model": urdf, "mechanisms": mechanisms}
    for result in set_parameters(checker, files, atomically=True):
        assert result.successful, result.reason
    cycle = inputs.cycle({"slide_joint": 0.3}, topics=ANY_ROBOT)
    expected = MASS * GRAVITY + tension(0.3)
    assert named(cycle["actuator_efforts"]) == pytest.approx({"slide_joint": expected})


@pytest.mark.parametrize(
    "name, value",
    [
        ("marker_rate", -1.0),
        ("input_timeout", 0.0),
        ("acceleration_cutoff", -5.0),
        ("observer_cutoff", 0.0),
        ("acceleration_source", "guess"),
        ("marker_style", "wire"),
        ("marker_labels", "all"),
        ("world_frame", ""),
        ("world_frame", "w" * 256),
        ("frame_prefix", "p" * 100_000),
        ("frame_prefix", "/left/"),
        ("publish_tf", "yes"),
        ("marker_rate", "fast"),
        ("marker_rate", float("nan")),
        ("model", "/no/such/robot.urdf"),
        ("mechanisms", "/no/such/mechanisms.yaml"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_and_changes_nothing(
    checker: Checker, inputs: Inputs, name: str, value: Any
) -> None:
    (result,) = set_parameters(checker, {name: value})
    assert not result.successful
    assert result.reason
    assert values_of(checker, *DEFAULTS) == DEFAULTS
    inputs.cycle(pose())


def test_a_node_becomes_strict_only_with_links_that_bodies_can_be(
    checker: Checker, inputs: Inputs, tmp_path: Path
) -> None:
    urdf = write_hollow_slide(tmp_path)
    change(checker, strict_inertials=True)
    (result,) = set_parameters(checker, {"model": urdf})
    assert not result.successful
    assert "no body has these" in result.reason
    change(checker, strict_inertials=False)
    change(checker, model=urdf)
    (result,) = set_parameters(checker, {"strict_inertials": True})
    assert not result.successful
    assert values_of(checker, "model", "strict_inertials") == {
        "model": urdf,
        "strict_inertials": False,
    }
    cycle = inputs.cycle({"slide_joint": 0.3}, topics=ANY_ROBOT)
    assert named(cycle["actuator_efforts"]) == pytest.approx({"slide_joint": MASS * GRAVITY})


def test_an_unknown_parameter_is_refused(checker: Checker, inputs: Inputs) -> None:
    (result,) = set_parameters(checker, {"marker_rat": 10.0})
    assert not result.successful
    assert values_of(checker, *DEFAULTS) == DEFAULTS
    inputs.cycle(pose())
