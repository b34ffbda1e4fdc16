# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Measured passive joints are compared with the closed loops, and stand in for driven joints."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml
from loop_robots import four_bar

from charmie_dynamics import Model, load_model
from charmie_dynamics.live.pipeline import Cycle, Pipeline
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES, make_sample

PERIOD = 10_000_000  # ns
STEPS = 80
CRANK = 0.5 * np.sin(0.05 * np.arange(STEPS))
RATE = 2.5 * np.cos(0.05 * np.arange(STEPS))
JOINTS = ("crank_joint", "coupler_joint", "rocker_joint")
RAM = {"joint": "crank_joint", "base_body": "ground", "base_point": [-0.3, 0.0, 0.0],
       "tip_body": "crank", "tip_point": [0.0, 0.0, 0.15]}  # fmt: skip


def with_ram(folder: Path) -> Model:
    """Return the four-bar with a linear actuator on the crank."""
    four_bar(folder)
    file = folder / "four_bar.yaml"
    entries = yaml.safe_load(file.read_text())
    file.write_text(yaml.safe_dump({**entries, "linear_actuators": {"ram": RAM}}))
    return load_model(folder / "four_bar.urdf", file)


@pytest.fixture(scope="module", params=[four_bar, with_ram], ids=["motor", "ram"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Model:
    return request.param(tmp_path_factory.mktemp("robot"))


def motion(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and velocities (n, 3) of the joints as sensors on them measure."""
    rows, start = [], model.zero_position()
    crank = model.joint_names.index("crank_joint")
    for q, v in zip(CRANK, RATE, strict=True):
        rates = np.zeros(3)
        start[crank], rates[crank] = q, v
        if model.mechanisms.linear_actuators:
            start[crank], rates[crank], _ = model.actuator_from_joint("crank_joint", q, v)
        closed = model.assemble(start, rates, np.zeros(3))
        start = closed.position.copy()
        joints = model.kinematics(*closed).kinematics
        rows.append((joints.joint_position.copy(), joints.joint_velocity.copy()))
    position, velocity = np.array(rows).swapaxes(0, 1)
    return position, velocity


def play(
    model: Model, names: tuple[str, ...], offset: float = 0.0, *, rates: bool = True
) -> tuple[Pipeline, list[Cycle]]:
    """Send samples of some joints, the last of them with an offset."""
    position, velocity = motion(model)
    columns = [model.joint_names.index(name) for name in names]
    pipeline, cycles = Pipeline(model), []
    for k in range(STEPS):
        values = position[k, columns]
        values[-1] += offset
        speeds = velocity[k, columns] if rates else []
        sample = make_sample(names, values, speeds, [], 10**18 + k * PERIOD)
        cycle = pipeline.take(JOINT_STATES, sample, 1e-9 * k * PERIOD)
        cycles += [cycle] if cycle is not None else []
    return pipeline, cycles


def joints(cycles: list[Cycle]) -> np.ndarray:
    return np.array([cycle.state.kinematics.joint_position for cycle in cycles])


@pytest.mark.parametrize("measured", [JOINTS[1:2], JOINTS[2:], JOINTS[1:]])
def test_driven_joints_follow_from_measured_passive_ones(
    model: Model, measured: tuple[str, ...]
) -> None:
    pipeline, cycles = play(model, measured)
    assert len(cycles) == STEPS
    assert abs(joints(cycles) - motion(model)[0]).max() < 1e-12
    assert pipeline.take_contradictions() == {}


def test_efforts_from_a_passive_joint_are_those_from_the_driven_one(model: Model) -> None:
    expected = np.array([c.state.actuator_effort for c in play(model, JOINTS[:1])[1]])
    found = np.array([c.state.actuator_effort for c in play(model, JOINTS[2:])[1]])
    assert abs(found - expected).max() < 1e-9 * abs(expected).max()


def test_a_driven_joint_with_an_effort_alone_follows_from_a_passive_one(tmp_path: Path) -> None:
    model = four_bar(tmp_path)
    position, velocity = motion(model)
    pipeline, cycles = Pipeline(model), []
    for k in range(STEPS):
        values, speeds = ([np.nan, array[k, 2]] for array in (position, velocity))
        sample = make_sample(JOINTS[::2], values, speeds, [3.0, np.nan], 10**18 + k * PERIOD)
        cycle = pipeline.take(JOINT_STATES, sample, 1e-9 * k * PERIOD)
        cycles += [cycle] if cycle is not None else []
    assert len(cycles) == STEPS
    assert abs(joints(cycles) - position).max() < 1e-12
    assert pipeline.take_contradictions() == {}


def test_a_measured_passive_joint_that_agrees_changes_nothing(model: Model) -> None:
    expected = joints(play(model, JOINTS[:1])[1])
    pipeline, cycles = play(model, JOINTS, 0.01)
    assert (joints(cycles) == expected).all()
    assert pipeline.take_contradictions() == {}


def test_a_measured_passive_joint_that_disagrees_is_reported(model: Model) -> None:
    expected = joints(play(model, JOINTS[:1])[1])
    pipeline, cycles = play(model, JOINTS[::2], 0.2)
    assert (joints(cycles) == expected).all()
    assert "the loops close at" in pipeline.take_contradictions()["rocker_joint"]


def test_the_measured_passive_joint_selects_the_assembly(tmp_path: Path) -> None:
    model = four_bar(tmp_path)
    start = model.zero_position()
    start[[model.position_names.index(name) for name in JOINTS[1:]]] = 1.4, -2.0
    folded = model.assemble(start).position
    assert abs(folded - model.assemble(model.zero_position()).position).max() > 0.5
    pipeline = Pipeline(model)
    rocker = folded[model.position_names.index("rocker_joint")]
    sample = make_sample(("crank_joint", "rocker_joint"), [0.0, rocker + 0.01], [], [], 10**18)
    cycle = pipeline.take(JOINT_STATES, sample, 0.0)
    assert cycle is not None
    assert abs(np.sin(cycle.state.position - folded)).max() < 1e-12
    assert pipeline.take_contradictions() == {}


def test_a_turn_of_a_passive_encoder_is_no_contradiction(tmp_path: Path) -> None:
    pipeline, cycles = play(four_bar(tmp_path), JOINTS[::2], 2.0 * np.pi)
    assert len(cycles) == STEPS
    assert pipeline.take_contradictions() == {}


def test_a_passive_joint_that_does_not_determine_the_driven_one_leaves_it_missing(
    tmp_path: Path,
) -> None:
    model = four_bar(tmp_path)
    pipeline = Pipeline(model)
    sample = make_sample(("rocker_joint",), [3.0], [], [], 10**18)
    assert pipeline.take(JOINT_STATES, sample, 0.0) is None
    assert pipeline.missing(0.0) == ["crank_joint"]
    assert "rocker_joint" in pipeline.take_contradictions()


@pytest.mark.parametrize("first", [ACTUATOR_LENGTHS, JOINT_STATES])
def test_lengths_on_their_topic_determine_the_driven_joint_in_either_order(
    tmp_path: Path, first: str
) -> None:
    model = with_ram(tmp_path)
    pipeline = Pipeline(model)
    start = model.assemble(model.zero_position()).position
    length = start[model.position_names.index("ram")]
    samples = {
        ACTUATOR_LENGTHS: make_sample(("ram",), [length], [], [], 10**18),
        JOINT_STATES: make_sample(("rocker_joint",), [2.5], [], [], 10**18),
    }
    for topic in sorted(samples, key=lambda each: each != first):
        pipeline.take(topic, samples[topic], 0.0)
    found = pipeline.take_contradictions().get("rocker_joint", "")
    assert "not measured" not in found
