# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The reference data: numbers from an independent library, see test/reference/README.md.

Efforts, rates and accelerations of the loops are numeric derivatives there, so that they and the
loads that follow from them agree to 1e-6; all else agrees to 1e-9. Both are relative to the
larger of 1 and the value.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from charmie_dynamics import Model, State
from validation.paper_motions import earlier_robot

ANALYTIC = 1e-9
NUMERIC = 1e-6


class Samples(NamedTuple):
    state: State
    expected: list[dict[str, Any]]


def compute(model: Model, inputs: list[dict]) -> State:
    def pack(joints: str, actuators: str) -> np.ndarray:
        both = [{**one[joints], **one[actuators]} for one in inputs]
        return np.array([[values[name] for name in model.actuator_names] for values in both])

    return model.compute(
        pack("joint_position", "actuator_length"),
        pack("joint_velocity", "actuator_rate"),
        pack("joint_acceleration", "actuator_acceleration"),
    )


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module", params=["static", "dynamic", "motion_5s"])
def samples(request: pytest.FixtureRequest, charmie: Model, reference: Path) -> Samples:
    if request.param == "motion_5s":
        cases = read(reference / "motion_5s.json")["samples"]
    else:
        cases = read(reference / "cases.json")[request.param]
    assert len(cases) == {"static": 9, "dynamic": 20, "motion_5s": 51}[request.param]
    state = compute(charmie, [case["input"] for case in cases])
    return Samples(state, [case["expected"] for case in cases])


def assert_close(actual: np.ndarray, expected: Any, tolerance: float) -> None:
    expected = np.array(expected, dtype=float)
    assert actual.shape == expected.shape
    error = np.abs(actual - expected) / np.maximum(1.0, np.abs(expected))
    assert error.max() < tolerance


def by_name(samples: Samples, key: str, names: tuple[str, ...]) -> list[list[float]]:
    return [[one[key][name] for name in names] for one in samples.expected]


def test_every_frame_is_where_it_should_be(samples: Samples) -> None:
    for name in samples.expected[0]["frames"]:
        frames = [one["frames"][name] for one in samples.expected]
        p, R = samples.state.frame(name)
        assert_close(p, [frame["position"] for frame in frames], ANALYTIC)
        assert_close(R, [frame["rotation"] for frame in frames], ANALYTIC)


def test_every_body_of_the_tree_is_among_the_frames(charmie: Model, samples: Samples) -> None:
    with_inertia = {name for name, link in charmie.tree.links.items() if link.inertial is not None}
    assert with_inertia <= set(samples.expected[0]["frames"])


@pytest.mark.parametrize("joint", ["lift_joint", "torso_joint"])
def test_linear_actuators_move_their_joints(samples: Samples, joint: str) -> None:
    k = samples.state.joint_names.index(joint)
    position, velocity, acceleration = np.array([one[joint] for one in samples.expected]).T
    assert_close(samples.state.joint_position[:, k], position, ANALYTIC)
    assert_close(samples.state.joint_velocity[:, k], velocity, NUMERIC)
    assert_close(samples.state.joint_acceleration[:, k], acceleration, NUMERIC)


def test_actuator_efforts(charmie: Model, samples: Samples) -> None:
    expected = by_name(samples, "actuator_effort", charmie.actuator_names)
    assert_close(samples.state.actuator_effort, expected, NUMERIC)


def test_generalized_forces_of_the_open_tree(charmie: Model, samples: Samples) -> None:
    # those of states in motion hold the numeric accelerations of lift and torso
    expected = by_name(samples, "generalized_force", charmie.joint_names)
    assert_close(samples.state.generalized_force, expected, NUMERIC)


def test_spring_lengths_and_tensions(charmie: Model, samples: Samples) -> None:
    assert set(samples.expected[0]["springs"]) == set(charmie.spring_names)
    for name in charmie.spring_names:
        springs = [one["springs"][name] for one in samples.expected]
        length, tension = samples.state.spring_length[name], samples.state.spring_tension[name]
        assert_close(length, [spring["length"] for spring in springs], ANALYTIC)
        assert_close(tension, [spring["tension"] for spring in springs], ANALYTIC)


def test_base_wrench(samples: Samples) -> None:
    force, torque = samples.state.base_wrench
    wrenches = [one["base_wrench"] for one in samples.expected]
    assert_close(force, [wrench["force"] for wrench in wrenches], NUMERIC)
    assert_close(torque, [wrench["torque"] for wrench in wrenches], NUMERIC)


@pytest.fixture(scope="module")
def motion_20s(charmie: Model, reference: Path) -> Samples:
    """The motion of section 4.4: constant velocities for 20 s."""
    robot = earlier_robot(charmie)
    expected = read(reference / "motion_20s.json")["samples"]
    start = {"lift_actuator": 0.4, "torso_actuator": 0.35}
    velocity = {"base_x_joint": 0.005, "base_y_joint": 0.005}
    velocity.update(lift_actuator=0.005, torso_actuator=0.0025)
    velocity.update(neck_pan_joint=np.pi / 72, neck_tilt_joint=np.pi / 72)
    names = robot.actuator_names
    v = np.array([velocity.get(name, np.pi / 36) for name in names])
    times = np.array([one["time"] for one in expected])
    assert times.tolist() == np.linspace(0.0, 20.0, 81).tolist()
    position = np.array([start.get(name, 0.0) for name in names]) + np.outer(times, v)
    return Samples(robot.compute(position, np.tile(v, (81, 1))), expected)


@pytest.mark.parametrize("frame", ["left_tool", "right_tool", "head_top"])
def test_points_of_the_earlier_paper_move_as_they_should(motion_20s: Samples, frame: str) -> None:
    p, _ = motion_20s.state.frame(frame)
    assert_close(p, [one[frame] for one in motion_20s.expected], ANALYTIC)
