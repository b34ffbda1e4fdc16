# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Values are matched by name, whichever topic they arrive on."""

from __future__ import annotations

import numpy as np
import pytest
from cranes import crane

from charmie_dynamics import Model
from charmie_dynamics.live.pipeline import Cycle, Pipeline
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES, make_sample

PERIOD = 10_000_000  # ns
ANGLE = 0.25 * np.sin(0.06 * np.arange(60))
SLEW = 0.4 * np.cos(0.04 * np.arange(60))


@pytest.fixture(scope="module")
def lifting(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return crane(tmp_path_factory.mktemp("lifting"))


@pytest.fixture(scope="module")
def slewing(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return crane(tmp_path_factory.mktemp("slewing"), slewing=True)


def lengths_of(model: Model) -> np.ndarray:
    return np.array([model.actuator_from_joint("boom_joint", q)[0] for q in ANGLE])


def play(model: Model, topics: dict[str, dict[str, np.ndarray]]) -> tuple[Pipeline, list[Cycle]]:
    """Send one message on each topic at each stamp; return pipeline and cycles."""
    pipeline, cycles = Pipeline(model), []
    for k in range(len(ANGLE)):
        for topic, values in topics.items():
            position = [series[k] for series in values.values()]
            sample = make_sample(list(values), position, [], [], 10**18 + k * PERIOD)
            cycle = pipeline.take(topic, sample, 1e-9 * k * PERIOD)
            cycles += [cycle] if cycle is not None else []
    return pipeline, cycles


def efforts(cycles: list[Cycle]) -> np.ndarray:
    return np.array([cycle.state.actuator_effort for cycle in cycles])


def test_lengths_in_joint_states_count_as_on_their_own_topic(lifting: Model) -> None:
    ram = {"ram": lengths_of(lifting)}
    _, expected = play(lifting, {ACTUATOR_LENGTHS: ram})
    pipeline, cycles = play(lifting, {JOINT_STATES: ram})
    assert len(cycles) == len(ANGLE)
    assert (efforts(cycles) == efforts(expected)).all()
    assert pipeline.estimator.unknown_names == []


def test_the_angle_of_a_driven_joint_alone_sets_off_cycles(lifting: Model) -> None:
    _, expected = play(lifting, {ACTUATOR_LENGTHS: {"ram": lengths_of(lifting)}})
    _, cycles = play(lifting, {JOINT_STATES: {"boom_joint": ANGLE}})
    assert len(cycles) == len(ANGLE)
    assert abs(efforts(cycles) - efforts(expected)).max() < 1e-6


def test_lengths_and_joints_of_one_message_are_told_apart_by_name(slewing: Model) -> None:
    ram = lengths_of(slewing)
    expected = play(slewing, {ACTUATOR_LENGTHS: {"ram": ram}, JOINT_STATES: {"slew_joint": SLEW}})[
        1
    ]
    for topic in (JOINT_STATES, ACTUATOR_LENGTHS):
        cycles = play(slewing, {topic: {"slew_joint": SLEW, "ram": ram}})[1]
        assert len(cycles) == len(ANGLE)
        assert (efforts(cycles) == efforts(expected)).all()


def test_a_length_outranks_the_joint_of_the_same_message_in_any_order(lifting: Model) -> None:
    ram = lengths_of(lifting)
    expected = efforts(play(lifting, {JOINT_STATES: {"ram": ram}})[1])
    for values in (
        {"ram": ram, "boom_joint": ANGLE + 0.1},
        {"boom_joint": ANGLE + 0.1, "ram": ram},
    ):
        pipeline, cycles = play(lifting, {JOINT_STATES: values})
        assert (efforts(cycles) == expected).all()
        assert "joint 'boom_joint' at" in pipeline.take_contradictions()["ram"]


def test_a_missing_length_is_replaced_by_the_joint_of_the_same_message(lifting: Model) -> None:
    values = {"ram": np.full(len(ANGLE), np.nan), "boom_joint": ANGLE}
    _, cycles = play(lifting, {JOINT_STATES: values})
    assert len(cycles) == len(ANGLE)


def test_a_joint_that_agrees_with_the_length_is_no_contradiction(lifting: Model) -> None:
    noise = 1e-3 * np.random.default_rng(4).normal(size=len(ANGLE))
    values = {"boom_joint": ANGLE + noise, "ram": lengths_of(lifting)}
    pipeline, _ = play(lifting, {JOINT_STATES: values})
    assert pipeline.take_contradictions() == {}


def test_the_effort_of_a_cylinder_in_joint_states_is_measured(lifting: Model) -> None:
    pipeline = Pipeline(lifting)
    sample = make_sample(["ram"], [lengths_of(lifting)[0]], [0.0], [123.0], 10**18)
    cycle = pipeline.take(JOINT_STATES, sample, 0.0)
    assert cycle is not None and cycle.effort is not None
    assert cycle.effort.tolist() == [123.0]


def test_samples_on_the_lengths_topic_set_off_cycles_for_direct_joints_alone(
    slewing: Model,
) -> None:
    pipeline = Pipeline(slewing)
    length = make_sample(["ram"], [0.5], [], [], 10**18)
    both = make_sample(["ram", "slew_joint"], [0.5, 0.0], [], [], 10**18)
    assert not pipeline.triggers(ACTUATOR_LENGTHS, length)
    assert pipeline.triggers(ACTUATOR_LENGTHS, both)
