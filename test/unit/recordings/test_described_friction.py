# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Recordings of robots whose files define friction: nothing is counted twice."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from input_recordings import wave, write_inputs

from charmie_dynamics import Model
from charmie_dynamics.model.description.robot import JointFriction
from charmie_dynamics.recordings import Analysis, AnalysisSettings, RecordedInputs, analyse
from charmie_dynamics.studies import (
    IdentificationSettings,
    Unknowns,
    identify,
    samples_of_recording,
)

SAMPLES = 300
NECK, LIFT = "neck_pan_joint", "lift_actuator"
FRICTION = {NECK: JointFriction(0.4, 0.0), LIFT: JointFriction(50.0, 20.0)}
ZERO_PHASE = AnalysisSettings()


@pytest.fixture(scope="module")
def rough(charmie: Model) -> Model:
    return Model(charmie.tree, dataclasses.replace(charmie.mechanisms, friction=FRICTION))


@pytest.fixture(scope="module")
def bag(rough: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    effort = rough.compute(*wave(rough, SAMPLES)).actuator_effort
    return write_inputs(tmp_path_factory.mktemp("rough") / "bag", rough, SAMPLES, effort=effort)


def analysis(model: Model, bag: Path) -> Analysis:
    with RecordedInputs(bag) as recording:
        return analyse(model, recording, ZERO_PHASE)


@pytest.fixture(scope="module")
def found(rough: Model, bag: Path) -> Analysis:
    return analysis(rough, bag)


def test_efforts_of_cycles_include_friction(charmie: Model, found: Analysis, bag: Path) -> None:
    arrays, smooth = found.cycles.arrays, analysis(charmie, bag).cycles.arrays
    lost = found.model.friction_effort(arrays["velocity"])
    assert np.count_nonzero(np.abs(lost).max(axis=0)) == 2
    more = arrays["actuator_effort"] - smooth["actuator_effort"]
    np.testing.assert_allclose(more, lost, rtol=1e-9, atol=1e-9)


def test_the_residual_is_free_of_friction_and_identified_friction_replaces_it(
    found: Analysis,
) -> None:
    comparisons = {each.name: each for each in found.comparisons}
    for name in FRICTION:
        assert comparisons[name].residual < 1e-3 * comparisons[name].measured
    friction = comparisons[NECK].friction
    assert friction is not None
    velocity, i = found.cycles.arrays["velocity"], found.model.actuator_names.index(NECK)
    lost = found.model.friction_effort(velocity)[:, i]
    np.testing.assert_allclose(friction.effort(velocity[:, i]), lost, atol=1e-3)


def test_summaries_include_friction(charmie: Model, found: Analysis, bag: Path) -> None:
    smooth = {each.name: each for each in analysis(charmie, bag).summaries}
    for summary in found.summaries:
        if summary.name in FRICTION:
            other = smooth[summary.name]
            more = summary.work_done - summary.work_taken - (other.work_done - other.work_taken)
            assert more > 0.0


def test_identification_describes_the_robot_without_friction(
    charmie: Model, rough: Model, bag: Path
) -> None:
    described = []
    for model in (charmie, rough):
        with RecordedInputs(bag) as recording:
            (samples,) = samples_of_recording(model, recording, ZERO_PHASE)
        described.append(samples.described)
    np.testing.assert_array_equal(*described)


def test_analysis_and_identification_find_the_same_friction(charmie: Model, tmp_path: Path) -> None:
    rng = np.random.default_rng(23)
    usual = np.abs(charmie.compute(*wave(charmie, SAMPLES)).actuator_effort).max(axis=0)
    true = {
        name: JointFriction(*(effort * rng.uniform(0.02, 0.3, 2)).tolist())
        for name, effort in zip(charmie.actuator_names, usual.tolist(), strict=True)
    }
    robot = Model(charmie.tree, dataclasses.replace(charmie.mechanisms, friction=true))
    effort = robot.compute(*wave(robot, 4 * SAMPLES)).actuator_effort
    effort = effort + 1e-3 * usual * rng.normal(size=effort.shape)
    bag = write_inputs(tmp_path / "bag", robot, 4 * SAMPLES, effort=effort)
    with RecordedInputs(bag) as recording:
        samples = samples_of_recording(charmie, recording, ZERO_PHASE)
    settings = IdentificationSettings(Unknowns(inertials=False, springs=False))
    result, count = identify(charmie, samples, settings), 0
    for comparison in analysis(charmie, bag).comparisons:
        if not comparison.is_determined:
            continue
        found = comparison.friction
        assert found is not None
        for what, width in (("viscous", found.viscous_half_width),
                            ("coulomb", found.coulomb_half_width)):  # fmt: skip
            number = result.number(f"{comparison.name} {what}")
            value, expected = getattr(found, what), getattr(true[comparison.name], what)
            assert abs(value - number.estimate) < 1.5 * (width + number.half_width)
            assert value == pytest.approx(expected, abs=2.0 * width + 0.02 * expected)
        count += 1
    assert count >= 15
