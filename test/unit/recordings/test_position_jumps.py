# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Jumps of recorded positions are reported; motion, noise and missing samples are not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from loop_robots import four_bar, hung_platform

from charmie_dynamics.live.wire.samples import JOINT_STATES, DistinctNames, JointSample
from charmie_dynamics.recordings import AnalysisSettings, analyse
from charmie_dynamics.recordings.compute.analysis import NothingComputedError
from charmie_dynamics.recordings.compute.cycles import CycleCounts
from charmie_dynamics.recordings.compute.position_jumps import PART, PositionJumps, jumps
from charmie_dynamics.recordings.read.received import ReadDiagnostics, ReceivedSample

PERIOD = 10_000_000  # ns
STAMPS = 10**18 + PERIOD * np.arange(300)
TIME = (STAMPS - STAMPS[0]) * 1e-9
FAST = 0.5 * np.sin(12.0 * TIME)  # rad: 6 rad/s and 72 rad/s^2
SMALLEST = 0.05


class Samples:
    """A recording of one joint."""

    description: str | None = None

    def __init__(self, stamps: np.ndarray, position: np.ndarray, name: str) -> None:
        self.count = len(stamps)
        self.diagnostics = ReadDiagnostics()
        self._rows = stamps.tolist(), position.tolist()
        self._names = DistinctNames([name])

    def received(self) -> Iterator[ReceivedSample]:
        for stamp, position in zip(*self._rows, strict=True):
            sample = JointSample(self._names, np.array([position]), None, stamp)
            yield ReceivedSample(JOINT_STATES, sample, stamp)


def sizes_of(stamps: np.ndarray, position: np.ndarray) -> np.ndarray:
    return jumps(stamps, position, SMALLEST)[1]


@pytest.mark.parametrize("at", [1, 2, 150, 298])
@pytest.mark.parametrize("size", [0.2, -0.2, 3.0])
def test_a_jump_is_found_with_its_size(at: int, size: float) -> None:
    places, sizes = jumps(STAMPS, np.where(np.arange(300) >= at, FAST + size, FAST), SMALLEST)
    assert places.tolist() == [at]
    assert sizes == pytest.approx([size], abs=0.03)


@pytest.mark.parametrize("at", [1, 150, 298])
def test_a_single_wrong_position_jumps_and_returns(at: int) -> None:
    places, sizes = jumps(STAMPS, FAST + 0.3 * (np.arange(300) == at), SMALLEST)
    assert places.tolist() == [at, at + 1]
    assert sizes == pytest.approx([0.3, -0.3], abs=0.03)


def test_motion_noise_and_missing_samples_are_no_jumps() -> None:
    rng = np.random.default_rng(1)
    noisy = FAST + 0.01 * rng.normal(size=300)
    coarse = np.round(FAST / 0.02) * 0.02
    for position in (FAST, noisy, coarse, np.where(rng.random(300) < 0.2, np.nan, FAST)):
        assert not len(sizes_of(STAMPS, position))
    kept = np.r_[:100, 130:300]
    assert not len(sizes_of(STAMPS[kept], FAST[kept]))
    velocity_step = np.where(TIME > 1.5, 4.0 * (TIME - 1.5), 0.0)  # as at an impact
    assert not len(sizes_of(STAMPS, velocity_step))


def test_late_and_repeated_stamps_are_no_jumps() -> None:
    stamps = STAMPS.copy()
    stamps[100] -= 8 * PERIOD
    stamps[200] = stamps[199]
    assert not len(sizes_of(stamps, FAST))
    assert not len(sizes_of(STAMPS[:2], FAST[:2]))


@pytest.mark.parametrize("smoothing", ["causal", "zero-phase"])
@pytest.mark.parametrize(
    ("size", "text"), [(0.4, "jumps at 1 samples, such as by 0.4"), (2.0 * np.pi, "a full turn")]
)
def test_an_analysis_reports_jumps(tmp_path: Path, smoothing: str, size: float, text: str) -> None:
    model = four_bar(tmp_path)
    position = 0.3 * np.sin(TIME) + size * (np.arange(300) >= 150)
    recording = Samples(STAMPS, position, "crank_joint")
    found = analyse(model, recording, AnalysisSettings(smoothing=smoothing))
    (line,) = (line for line in found.warnings if "jumps" in line)
    assert line.startswith("position of 'crank_joint'") and text in line


def test_jumps_between_parts_of_long_recordings_are_counted_once(tmp_path: Path) -> None:
    model, counts = four_bar(tmp_path), CycleCounts()
    stamps = 10**18 + PERIOD * np.arange(PART + 100)
    for at in range(PART - 10, PART + 10):
        position = np.where(np.arange(len(stamps)) >= at, 0.5, 0.0)
        counts.jumps.clear()
        recording = Samples(stamps, position, "crank_joint")
        for _ in PositionJumps(model, counts).passing(recording.received()):
            pass
        assert counts.jumps["crank_joint"] == (1, "0.5"), at


def test_an_analysis_in_which_no_loop_closes_reports_why(tmp_path: Path) -> None:
    model = hung_platform(tmp_path)
    recording = Samples(STAMPS, np.full(300, 3.0), "leg0")
    settings = AnalysisSettings(hold={f"leg{k}": 0.0 for k in range(1, 6)})
    with pytest.raises(NothingComputedError, match="300 samples could not be computed"):
        analyse(model, recording, settings)
