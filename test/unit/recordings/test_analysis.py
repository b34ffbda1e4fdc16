# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from input_recordings import PERIOD, wave, write_inputs
from recordings import MCAP, SQLITE, START

from charmie_dynamics import Model
from charmie_dynamics.live.pipeline import Pipeline
from charmie_dynamics.recordings import Analysis, AnalysisSettings, RecordedInputs, analyse
from charmie_dynamics.recordings.compute.analysis import NothingComputedError
from charmie_dynamics.recordings.read.received import ReceivedSample


def analysis_of(path: Path, model: Model, **options: Any) -> Analysis:
    with RecordedInputs(path) as bag:
        return analyse(model, bag, AnalysisSettings(**options))


@pytest.mark.parametrize("storage", [MCAP, SQLITE], ids=["mcap", "sqlite3"])
@pytest.mark.parametrize("with_velocity", [True, False])
def test_causal_cycles_are_those_of_the_pipeline_bit_for_bit(
    tmp_path: Path, charmie: Model, storage: Any, with_velocity: bool
) -> None:
    path = write_inputs(tmp_path / "b", charmie, storage=storage, with_velocity=with_velocity)
    pipeline = Pipeline(charmie)
    expected = []
    with RecordedInputs(path) as bag:
        for entry in bag.received():
            cycle = pipeline.take(entry.topic, entry.sample, entry.arrival * 1e-9)
            expected += [cycle] if cycle is not None else []
    found = analysis_of(path, charmie, smoothing="causal").cycles
    assert len(expected) == 250
    np.testing.assert_array_equal(found.stamps, [cycle.stamp for cycle in expected])
    for name in ("position", "velocity", "acceleration", "actuator_effort", "generalized_force"):
        np.testing.assert_array_equal(
            found.arrays[name], [getattr(cycle.state, name) for cycle in expected]
        )
    forces = [cycle.state.base_wrench[0] for cycle in expected]
    np.testing.assert_array_equal(found.arrays["link_force"], forces)


def true_efforts(model: Model, samples: int) -> np.ndarray:
    return model.compute(*wave(model, samples)).actuator_effort


@pytest.mark.parametrize("with_velocity", [True, False])
def test_zero_phase_efforts_are_nearer_to_the_true_ones_than_causal_ones(
    tmp_path: Path, charmie: Model, with_velocity: bool
) -> None:
    path = write_inputs(tmp_path / "b", charmie, with_velocity=with_velocity)
    true = true_efforts(charmie, 250)
    inner = slice(50, 200)
    errors = {}
    for smoothing in ("causal", "zero-phase"):
        found = analysis_of(path, charmie, smoothing=smoothing).cycles.arrays["actuator_effort"]
        errors[smoothing] = np.sqrt(np.mean((found - true)[inner] ** 2, axis=0))
    scale = np.sqrt(np.mean(true[inner] ** 2, axis=0))
    assert (errors["zero-phase"] < 2e-3 * scale).all()
    assert (errors["zero-phase"] < 0.2 * errors["causal"]).all()


def test_lengths_at_other_times_are_aligned_without_lag(tmp_path: Path, charmie: Model) -> None:
    path = write_inputs(tmp_path / "b", charmie)
    shift = PERIOD // 2

    class Later:
        """Lengths measured half a period after the joints, as their values tell."""

        description, count = None, 0

        def __init__(self, bag: RecordedInputs) -> None:
            self.diagnostics, self._bag = bag.diagnostics, bag

        def received(self) -> Iterator[ReceivedSample]:
            for entry in self._bag.received():
                if entry.topic == "actuator_lengths":
                    sample = entry.sample.values()
                    v = sample.velocity
                    moved = sample.position + v * shift * 1e-9  # parabola's part: 1e-8 m
                    sample = sample._replace(position=moved, stamp=sample.stamp + shift)
                    entry = entry._replace(sample=sample)
                yield entry

    with RecordedInputs(path) as bag:
        found = analyse(charmie, Later(bag), AnalysisSettings()).cycles
    lift = charmie.actuator_names.index("lift_actuator")
    true = wave(charmie, 250)[0]
    np.testing.assert_allclose(
        found.arrays["position"][20:230, lift], true[20:230, lift], atol=2e-6
    )


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
def test_a_pause_leaves_a_gap_and_both_sides_are_computed(
    tmp_path: Path, charmie: Model, smoothing: str
) -> None:
    stamps = [START + k * PERIOD + (k >= 100) * 3_000_000_000 for k in range(250)]
    path = write_inputs(tmp_path / "b", charmie, stamps=stamps)
    found = analysis_of(path, charmie, smoothing=smoothing).cycles
    np.testing.assert_array_equal(found.stamps, stamps)


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
def test_a_bag_that_was_recorded_over_a_jump_back_is_computed_on_both_sides(
    tmp_path: Path, charmie: Model, smoothing: str
) -> None:
    stamps = [START + (k % 125) * PERIOD for k in range(250)]
    path = write_inputs(tmp_path / "b", charmie, stamps=stamps)
    found = analysis_of(path, charmie, smoothing=smoothing)
    assert len(found.cycles.stamps) >= 249
    assert found.counts.jumps_back >= 1
    assert any("jumped back" in line for line in found.counts.lines())


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
@pytest.mark.parametrize("back", [1.5, 9.0])  # periods; the timeout is longer
def test_late_samples_are_dropped_and_reported(
    tmp_path: Path, charmie: Model, smoothing: str, back: float
) -> None:
    stamps = [START + k * PERIOD for k in range(100)]
    whole, found = (
        analysis_of(
            write_inputs(tmp_path / name, charmie, stamps=given, samples=100), charmie,
            smoothing=smoothing,
        )
        for name, given in (
            ("whole", stamps),
            ("late", [*stamps[:60], stamps[60] - int(back * PERIOD), *stamps[61:]]),
        )
    )  # fmt: skip
    assert "2 samples came after newer ones" in " ".join(found.counts.lines())  # of both topics
    np.testing.assert_array_equal(found.cycles.stamps, [*stamps[:60], *stamps[61:]])
    expected = np.delete(whole.cycles.arrays["actuator_effort"], 60, axis=0)
    error = np.abs(found.cycles.arrays["actuator_effort"] - expected)
    assert (error.max(axis=0) < 0.02 * np.abs(expected).max(axis=0)).all()


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
def test_without_lengths_nothing_is_computed_and_the_way_out_is_named(
    tmp_path: Path, charmie: Model, smoothing: str
) -> None:
    path = write_inputs(tmp_path / "b", charmie, without=("actuator_lengths",))
    with pytest.raises(NothingComputedError, match=r"'lift_actuator' has no .*--hold lift_act"):
        analysis_of(path, charmie, smoothing=smoothing)


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
def test_held_lengths_stand_still(tmp_path: Path, charmie: Model, smoothing: str) -> None:
    path = write_inputs(tmp_path / "b", charmie, without=("actuator_lengths",))
    hold = {"lift_actuator": 0.4, "torso_actuator": 0.35}
    found = analysis_of(path, charmie, smoothing=smoothing, hold=hold).cycles
    assert len(found.stamps) == 250
    for name, value in hold.items():
        i = charmie.actuator_names.index(name)
        assert (found.arrays["position"][:, i] == value).all()
        assert (found.arrays["velocity"][:, i] == 0.0).all()


def test_held_actuators_that_are_recorded_move(tmp_path: Path, charmie: Model) -> None:
    path = write_inputs(tmp_path / "b", charmie)
    plain, held = (
        analysis_of(path, charmie, hold=hold).cycles.arrays["actuator_effort"]
        for hold in ({}, {"neck_pan_joint": 0.3, "lift_actuator": 0.4})
    )
    np.testing.assert_array_equal(plain, held)


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
def test_cycles_out_of_reach_are_left_out_and_told(
    tmp_path: Path, charmie: Model, smoothing: str
) -> None:
    class TooLong:
        description, count = None, 0

        def __init__(self, bag: RecordedInputs) -> None:
            self.diagnostics, self._bag = bag.diagnostics, bag

        def received(self) -> Iterator[ReceivedSample]:
            for k, entry in enumerate(self._bag.received()):
                if entry.topic == "actuator_lengths" and k >= 300:
                    sample = entry.sample.values()
                    far = np.full_like(sample.position, 5.0)
                    entry = entry._replace(sample=sample._replace(position=far, velocity=None))
                yield entry

    with RecordedInputs(write_inputs(tmp_path / "b", charmie)) as bag:
        found = analyse(charmie, TooLong(bag), AnalysisSettings(smoothing=smoothing))
    assert 100 < len(found.cycles.stamps) <= 151
    assert any("out of reach" in line for line in found.counts.lines())
    assert np.isfinite(found.cycles.arrays["actuator_effort"]).all()


def test_kinematics_alone_have_no_loads(tmp_path: Path, charmie: Model) -> None:
    found = analysis_of(write_inputs(tmp_path / "b", charmie), charmie, dynamics=False)
    assert "actuator_effort" not in found.cycles.arrays
    assert found.summaries == []
