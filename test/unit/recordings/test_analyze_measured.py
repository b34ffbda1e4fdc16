# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What `charmie_analyze` says of measured efforts."""

from __future__ import annotations

import csv
import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from input_recordings import PERIOD, before, inertia, wave, write_inputs
from recordings import START

from charmie_dynamics import CharmieError, Model
from charmie_dynamics.live.estimation.observer import Observer
from charmie_dynamics.model.loads import Payload
from charmie_dynamics.recordings import Analysis, AnalysisSettings, RecordedInputs, analyse
from charmie_dynamics.recordings.commands.options import main
from charmie_dynamics.recordings.compute import causal
from charmie_dynamics.recordings.read.bag import Bag
from charmie_dynamics.recordings.write.output_bag import OutputBag

NECK, SHOULDER = "neck_pan_joint", "left_arm_joint_2"
TOPICS = ("effort_residual", "external_efforts", "contacts")
SAMPLES = 100
PUSHED = slice(40, 60)
SHARE = 0.15  # of the rated effort: threshold of CHARMIE's mechanisms file


def true_efforts(model: Model, samples: int = SAMPLES) -> np.ndarray:
    efforts: np.ndarray = model.compute(*wave(model, samples)).actuator_effort.copy()
    return efforts


def pushed_efforts(model: Model) -> np.ndarray:
    """What is measured where the shoulder alone says it, and is helped for a while."""
    efforts = np.full((SAMPLES, len(model.actuator_names)), np.nan)
    i = model.actuator_names.index(SHOULDER)
    efforts[:, i] = true_efforts(model)[:, i]
    efforts[PUSHED, i] -= 3.0 * SHARE * model.actuator_limits()[i].effort
    return efforts


def analysis_of(path: Path, model: Model, **options: Any) -> Analysis:
    with RecordedInputs(path) as bag:
        return analyse(model, bag, AnalysisSettings(**options))


def analyze(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = main([*map(str, arguments), "--quiet"])
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
def test_a_contact_is_told_with_its_begin_and_end(
    tmp_path: Path, charmie: Model, smoothing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_inputs(tmp_path / "in", charmie, SAMPLES, effort=pushed_efforts(charmie))
    status, out, err = analyze(
        capsys, path, "--smoothing", smoothing, "--measured", "--json", tmp_path / "s.json"
    )
    assert (status, err) == (0, "")
    (contact,) = json.loads((tmp_path / "s.json").read_text())["contacts"]
    assert contact["actuator"] == SHOULDER
    assert 0.4 <= contact["start"] <= 0.44 and 0.6 <= contact["end"] <= 0.64
    rated = charmie.actuator_limits()[charmie.actuator_names.index(SHOULDER)].effort
    assert contact["peak"] == pytest.approx(3.0 * SHARE * rated, rel=0.05)
    assert f"contact at {SHOULDER}: {contact['start']:.3f} to {contact['end']:.3f} s" in out


def test_the_table_has_residuals_and_contacts_of_measured_actuators(
    tmp_path: Path, charmie: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    measured = pushed_efforts(charmie)
    path = write_inputs(tmp_path / "in", charmie, SAMPLES, effort=measured)
    options = ("--export", tmp_path / "t.csv")
    assert analyze(capsys, path, *options)[0] == 0
    with (tmp_path / "t.csv").open() as file:
        rows = list(csv.DictReader(file))
    fields = ("effort_residual", "external_effort", "contact_effort")
    assert [name for name in rows[0] if name.endswith(fields)] == [
        f"{SHOULDER}.{f}" for f in fields
    ]
    effort, residual = (
        np.array([float(row[f"{SHOULDER}.{field}"]) for row in rows])
        for field in ("effort", "effort_residual")
    )
    i = charmie.actuator_names.index(SHOULDER)
    np.testing.assert_array_equal(residual, measured[:, i] - effort)
    felt = [k for k, row in enumerate(rows) if row[f"{SHOULDER}.contact_effort"]]
    assert set(range(45, 60)) <= set(felt) <= set(range(40, 65))


def test_no_contact_is_told_apart_from_not_knowing(
    tmp_path: Path, charmie: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    quiet = write_inputs(tmp_path / "quiet", charmie, SAMPLES, effort=true_efforts(charmie))
    unknown = write_inputs(tmp_path / "unknown", charmie, SAMPLES)
    told = []
    for path in (quiet, unknown):
        analyze(capsys, path, "--json", tmp_path / "s.json")
        told.append(json.loads((tmp_path / "s.json").read_text())["contacts"])
    assert told == [[], None]


def test_without_thresholds_nothing_tells_of_contacts(tmp_path: Path, charmie: Model) -> None:
    mechanisms = dataclasses.replace(
        charmie.mechanisms, contact_share=np.inf, contact_thresholds={}
    )
    model = Model(charmie.tree, mechanisms)
    path = write_inputs(tmp_path / "in", model, SAMPLES, effort=pushed_efforts(model))
    with RecordedInputs(path) as bag, OutputBag(tmp_path / "out", model) as out:
        found = analyse(model, bag, AnalysisSettings(), out)
    assert found.comparisons and found.contacts is None
    with Bag(tmp_path / "out") as bag:
        assert [f"/{topic}" in bag.topics for topic in TOPICS] == [True, True, False]


@pytest.mark.parametrize(("effort", "expected"), [(5.0, set(TOPICS)), (None, set()), (0.0, set())])
def test_the_written_bag_has_the_topics_if_efforts_were_measured(
    tmp_path: Path, charmie: Model, effort: float | None, expected: set[str],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    path = write_inputs(tmp_path / "in", charmie, 20, effort=effort, namespace="left")
    assert analyze(capsys, path, "--out", tmp_path / "out")[0] == 0
    with Bag(tmp_path / "out") as bag:
        assert {topic for topic in TOPICS if f"/left/{topic}" in bag.topics} == expected


def test_zero_phase_residual_is_measured_less_zero_phase_effort(
    tmp_path: Path, charmie: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_inputs(tmp_path / "in", charmie, SAMPLES, effort=7.0)
    options = ("--out", tmp_path / "out")
    assert analyze(capsys, path, *options)[0] == 0
    with Bag(tmp_path / "out") as bag:
        residual = np.array([m.effort for m in bag.messages("effort_residual")])
        estimated = np.array([m.effort for m in bag.messages("actuator_efforts")])
    np.testing.assert_array_equal(residual, 7.0 - estimated)


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
def test_a_payload_that_is_known_is_no_effort_from_outside(
    tmp_path: Path, charmie: Model, smoothing: str
) -> None:
    half = SAMPLES // 2
    loaded = charmie.with_loads({"left_tool": Payload(2.0)})
    efforts = np.vstack((true_efforts(charmie)[:half], true_efforts(loaded)[half:]))
    told = [inertia("/payload/left", before(half), 2.0)]
    path = write_inputs(tmp_path / "in", charmie, SAMPLES, effort=efforts, told=told)
    found = analysis_of(path, charmie, smoothing=smoothing)
    assert found.contacts == []


def test_efforts_that_come_late_leave_the_parts_before_unknown(
    tmp_path: Path, charmie: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(causal, "PART", 8)
    efforts = np.full((SAMPLES, len(charmie.actuator_names)), np.nan)
    efforts[30:] = 5.0
    path = write_inputs(tmp_path / "in", charmie, SAMPLES, effort=efforts)
    arrays = analysis_of(path, charmie).cycles.arrays
    for name in ("effort_residual", "external_effort"):
        known = ~np.isnan(arrays[name])
        assert not known[:30].any() and known[30:].all(), name


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
def test_cycles_whose_estimates_settle_are_not_held_against_the_model(
    tmp_path: Path, charmie: Model, smoothing: str
) -> None:
    """The node's estimates settle for 0.134 s on velocities, at 100 Hz in the first 14 cycles."""
    path = write_inputs(tmp_path / "in", charmie, SAMPLES, effort=5.0)
    found = analysis_of(path, charmie, smoothing=smoothing)
    count = 14 if smoothing == "causal" else 0
    assert np.flatnonzero(~found.cycles.settled).tolist() == list(range(count))
    assert {c.samples for c in found.comparisons} == {SAMPLES - count}
    assert np.isfinite(found.cycles.arrays["effort_residual"]).all()
    contacts = found.cycles.arrays["contact_effort"]
    assert np.isnan(contacts[:count]).all()


def test_a_comparison_that_cannot_be_made_is_told_and_the_cycle_is_there(
    tmp_path: Path, charmie: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    update = Observer.update

    def sometimes(self: Observer, sample: Any) -> Any:
        if sample.stamp == START + 20 * PERIOD:
            raise CharmieError("out of reach in the middle")
        return update(self, sample)

    monkeypatch.setattr(Observer, "update", sometimes)
    path = write_inputs(tmp_path / "in", charmie, 30, effort=5.0)
    found = analysis_of(path, charmie)
    assert len(found.cycles.stamps) == 30
    unknown = np.isnan(found.cycles.arrays["effort_residual"]).all(axis=1)
    assert np.flatnonzero(unknown).tolist() == [20]
    (line,) = found.counts.lines()
    assert "1 cycles" in line and "out of reach in the middle" in line
