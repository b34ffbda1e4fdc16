# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics import load_model
from charmie_dynamics.recordings import AnalysisSettings
from charmie_dynamics.recordings.compute.smoothing import (
    CUBIC,
    QUINTIC,
    Polynomials,
    fit_positions,
    fit_velocities,
    low_pass,
)
from charmie_dynamics.recordings.compute.tracks import Track
from charmie_dynamics.recordings.compute.zero_phase import motion_of_tracks


def uneven_times(count: int = 300) -> np.ndarray:
    random = np.random.default_rng(5)
    return np.cumsum(random.uniform(0.004, 0.016, count))


def test_cubic_motions_come_back_with_uneven_stamps_also_at_the_ends_and_between_samples() -> None:
    time = uneven_times()
    c = np.array([[0.3, -0.2, 0.7, 0.4], [-1.0, 2.0, 0.1, -0.3]]).T

    def motion(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        powers = t[:, None] ** np.arange(4)
        slopes = np.column_stack((0 * t, 1 + 0 * t, 2 * t, 3 * t * t))
        bends = np.column_stack((0 * t, 0 * t, 2 + 0 * t, 6 * t))
        return powers @ c, slopes @ c, bends @ c

    at = np.sort(np.concatenate((time, 0.5 * (time[1:] + time[:-1]))))
    found = fit_positions(time, motion(time)[0], at, 10.0)
    for values, expected, allowed in zip(found, motion(at), (1e-12, 1e-10, 2e-8), strict=True):
        np.testing.assert_allclose(values, expected, atol=allowed * 10.0)


def test_parabolic_velocities_come_back() -> None:
    time = uneven_times()
    velocity = (0.3 - 0.5 * time + 0.2 * time**2)[:, None]
    v, a = fit_velocities(time, velocity, time, 10.0)
    np.testing.assert_allclose(v, velocity, atol=1e-11)
    np.testing.assert_allclose(a[:, 0], -0.5 + 0.4 * time, atol=1e-8)


@pytest.mark.parametrize("cutoff", [3.0, 10.0])
@pytest.mark.parametrize("source", ["positions", "velocities"])
@pytest.mark.parametrize("polynomials", [CUBIC, QUINTIC])
def test_acceleration_is_3_db_down_at_the_cutoff_and_has_no_lag(
    cutoff: float, source: str, polynomials: Polynomials
) -> None:
    time = np.arange(4000) * 1e-3
    omega = 2.0 * np.pi * cutoff
    at = time[1500:2500]
    if source == "positions":
        sine = np.sin(omega * time)[:, None]
        a = fit_positions(time, sine, at, cutoff, polynomials)[2][:, 0]
    else:
        cosine = omega * np.cos(omega * time)[:, None]
        a = fit_velocities(time, cosine, at, cutoff, polynomials)[1][:, 0]
    true = -(omega**2) * np.sin(omega * at)
    quarter = -(omega**2) * np.cos(omega * at)
    assert a @ true / (true @ true) == pytest.approx(2.0**-0.5, abs=0.003)
    assert abs(a @ quarter / (quarter @ quarter)) < 1e-3  # what lags has a part a quarter behind


@pytest.mark.parametrize("source", ["positions", "velocities"])
def test_quintics_attenuate_a_tenth_of_the_cutoff_less_than_cubics(source: str) -> None:
    time = np.arange(4000) * 1e-3
    omega = 2.0 * np.pi
    at, errors = time[1000:3000], []
    true = -(omega**2) * np.sin(omega * at)
    for polynomials in (CUBIC, QUINTIC):
        if source == "positions":
            a = fit_positions(time, np.sin(omega * time)[:, None], at, 10.0, polynomials)[2][:, 0]
        else:
            cosine = omega * np.cos(omega * time)[:, None]
            a = fit_velocities(time, cosine, at, 10.0, polynomials)[1][:, 0]
        errors.append(abs(a @ true / (true @ true) - 1.0))
    assert errors[0] > 1e-3
    assert errors[1] < 1e-4


def test_few_samples_in_a_window_widen_it() -> None:
    time = np.arange(12) * 0.5
    found = fit_positions(time, (time**2)[:, None], time, 10.0)
    np.testing.assert_allclose(found[2], 2.0, atol=1e-9)


def test_the_number_of_rows_fitted_at_once_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    time = uneven_times()
    position = np.sin(time)[:, None]
    whole = fit_positions(time, position, time, 10.0)
    monkeypatch.setattr("charmie_dynamics.recordings.compute.smoothing.MOST_AT_ONCE", 700)
    for one, other in zip(whole, fit_positions(time, position, time, 10.0), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("cutoff", [1.0, 4.0])
def test_a_low_pass_is_3_db_down_at_its_cutoff_and_keeps_what_is_slow(cutoff: float) -> None:
    time, at = np.arange(0.0, 6.0, 0.005), np.arange(2.0, 4.0, 0.005)
    weights = low_pass(time, at, cutoff)
    fast, slow = 2.0 * np.pi * cutoff, 0.2 * np.pi * cutoff
    found = weights @ np.sin(fast * time)
    np.testing.assert_allclose(found, np.sqrt(0.5) * np.sin(fast * at), atol=5e-3)
    np.testing.assert_allclose(weights @ np.sin(slow * time), np.sin(slow * at), atol=2e-3)


def test_a_jump_of_an_encoder_leaves_the_samples_on_both_sides() -> None:
    stamps = np.arange(100, dtype=np.int64) * 10_000_000
    position = np.where(np.arange(100) < 50, 0.0, 3.0)
    tracks = {0: Track(stamps, position, np.full(100, np.nan))}
    found, _, _ = motion_of_tracks(load_model("scara"), tracks, stamps, AnalysisSettings())
    np.testing.assert_allclose(found[:, 0], position, atol=1e-9)
