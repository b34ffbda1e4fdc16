# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

from charmie_dynamics.live.estimation.differentiator import Differentiator

CUTOFF = 10.0
GAP = 0.5
INDEX = np.array([0])
DT = 0.01


class Track(NamedTuple):
    velocity: np.ndarray
    acceleration: np.ndarray


def follow(times: np.ndarray, position: np.ndarray, velocity: np.ndarray | None = None) -> Track:
    """Feed one coordinate and return the estimates after each sample."""
    tracker = Differentiator(1, CUTOFF, GAP)
    if velocity is None:
        velocity = np.full(len(times), np.nan)
    estimates = []
    for t, p, v in zip(times, position, velocity, strict=True):
        tracker.update(INDEX, round(t * 1e9), np.array([p]), np.array([v]))
        estimates.append((tracker.velocity[0], tracker.acceleration[0]))
    return Track(*np.array(estimates).T)


def uneven(seed: int, duration: float = 3.0) -> np.ndarray:
    """Times with steps from 5 to 20 ms."""
    steps = np.random.default_rng(seed).uniform(0.005, 0.02, size=400)
    times = np.round(np.cumsum(steps), 9)
    return times[times < duration]


EVEN = DT * np.arange(300)
TIMES = pytest.mark.parametrize("times", [EVEN, uneven(0)], ids=["even", "uneven"])


@TIMES
def test_constant_measured_velocity_is_no_acceleration(times: np.ndarray) -> None:
    track = follow(times, 0.3 * times, np.full(len(times), 0.3))
    assert not track.acceleration.any()
    assert (track.velocity == 0.3).all()


@TIMES
def test_constant_velocity_of_positions_is_no_acceleration(times: np.ndarray) -> None:
    track = follow(times, 2.0 + 0.3 * times)
    np.testing.assert_allclose(track.velocity[1:], 0.3, rtol=1e-10)
    # from the second sample on, but for round-off of positions over dt^2
    np.testing.assert_allclose(track.acceleration, 0.0, atol=1e-9)


@TIMES
def test_constant_acceleration_is_met_after_the_transient(times: np.ndarray) -> None:
    p, v = 0.1 + 0.2 * times - 0.7 * times**2, 0.2 - 1.4 * times
    late = times > 1.0
    for track in (follow(times, p), follow(times, p, v)):
        np.testing.assert_allclose(track.velocity[late], v[late], atol=1e-8)
        np.testing.assert_allclose(track.acceleration[late], -1.4, rtol=1e-6)


def test_measured_velocity_is_taken_as_it_is() -> None:
    velocity = np.random.default_rng(1).normal(size=300)
    track = follow(EVEN, np.zeros(300), velocity)
    assert track.velocity.tolist() == velocity.tolist()


def recursion(poles: int) -> np.ndarray:
    """Coefficients of (z - theta)^poles, highest power first."""
    theta = math.exp(-2.0 * math.pi * CUTOFF * DT)
    return np.poly([theta] * poles)


def test_step_of_the_velocity_decays_with_three_poles_at_the_cutoff() -> None:
    velocity = np.where(EVEN < 0.5, 0.0, 1.0)
    response = follow(EVEN, np.zeros(300), velocity).acceleration[50:80]
    assert response[0] > 1.0
    left = np.convolve(response, recursion(3), mode="valid")
    np.testing.assert_allclose(left, 0.0, atol=1e-12 * response[0])
    # what the acceleration adds up to is the step
    assert response.sum() * DT == pytest.approx(1.0, rel=1e-6)


def test_step_of_the_position_decays_with_four_poles_at_the_cutoff() -> None:
    position = np.where(EVEN < 0.5, 0.0, 1.0)
    track = follow(EVEN, position)
    response = track.acceleration[50:90]
    assert response[0] > 1.0
    left = np.convolve(response, recursion(4), mode="valid")
    np.testing.assert_allclose(left, 0.0, atol=1e-11 * response[0])
    assert track.velocity[-1] == pytest.approx(0.0, abs=1e-9)


def test_slow_swing_is_followed() -> None:
    w = 2.0 * math.pi * 0.2
    for velocity in (None, w * np.cos(w * EVEN)):
        track = follow(EVEN, np.sin(w * EVEN), velocity)
        expected = -w * w * np.sin(w * EVEN)
        assert np.abs(track.acceleration - expected)[100:].max() < 0.15 * w * w


@pytest.mark.parametrize("measured", [False, True])
def test_noise_is_weaker_than_in_raw_differences(measured: bool) -> None:
    rng = np.random.default_rng(2)
    noise = 1e-4 * rng.normal(size=300)
    if measured:
        raw = np.diff(noise) / DT
        track = follow(EVEN, np.zeros(300), noise)
        factor = 3.0
    else:
        raw = np.diff(noise, n=2) / DT**2
        track = follow(EVEN, noise)
        factor = 10.0
    assert track.acceleration[100:].std() < raw[100:].std() / factor


@pytest.mark.parametrize("measured", [False, True])
def test_pause_longer_than_the_gap_starts_anew(measured: bool) -> None:
    times = np.concatenate([EVEN[:50], EVEN[:50] + 2.0])
    velocity = np.where(times < 1.0, 1.0, -3.0)
    position = np.where(times < 1.0, times, 7.0 - 3.0 * (times - 2.0))
    track = follow(times, position, velocity if measured else None)
    assert np.abs(track.acceleration).max() < 1e-9
    np.testing.assert_allclose(track.velocity[51:], -3.0, rtol=1e-9)
    if not measured:  # nothing is known of a motion after one sample
        assert track.velocity[50] == 0.0


def test_pause_shorter_than_the_gap_is_bridged() -> None:
    times = np.concatenate([EVEN[:50], EVEN[:50] + 0.9])
    track = follow(times, 0.4 * times)
    np.testing.assert_allclose(track.velocity[1:], 0.4, rtol=1e-9)


def test_repeated_stamp_changes_the_position_only() -> None:
    tracker = Differentiator(1, CUTOFF, GAP)
    unknown = np.array([np.nan])
    for k in range(20):
        tracker.update(INDEX, k * 10**7, np.array([0.02 * k]), unknown)
    before = [tracker.velocity[0], tracker.acceleration[0], tracker.stamp[0], tracker.period[0]]
    tracker.update(INDEX, 19 * 10**7, np.array([0.5]), unknown)
    after = [tracker.velocity[0], tracker.acceleration[0], tracker.stamp[0], tracker.period[0]]
    assert after == before
    assert tracker.position[0] == 0.5


def test_stamp_from_the_past_starts_anew() -> None:
    tracker = Differentiator(1, CUTOFF, GAP)
    for k in range(20):
        tracker.update(INDEX, 10**9 + k * 10**7, np.array([0.02 * k]), np.array([np.nan]))
    tracker.update(INDEX, 0, np.array([5.0]), np.array([np.nan]))
    state = (tracker.position[0], tracker.velocity[0], tracker.acceleration[0], tracker.period[0])
    assert state == (5.0, 0.0, 0.0, 0.0)


def test_velocity_that_is_no_longer_measured_is_estimated() -> None:
    velocity = np.where(EVEN < 1.0, 0.8, np.nan)
    track = follow(EVEN, 0.8 * EVEN, velocity)
    np.testing.assert_allclose(track.velocity[102:], 0.8, rtol=1e-9)
    np.testing.assert_allclose(track.acceleration, 0.0, atol=1e-9)


def test_coordinates_are_followed_apart() -> None:
    tracker = Differentiator(3, CUTOFF, GAP)
    index = np.array([2, 0])
    for k in range(30):
        tracker.update(index, k * 10**7, np.array([0.03 * k, -0.01 * k]), np.full(2, np.nan))
    np.testing.assert_allclose(tracker.velocity, [-1.0, 0.0, 3.0], atol=1e-9)
    assert (tracker.source != 0).tolist() == [True, False, True]
    assert tracker.period.tolist() == pytest.approx([0.01, 0.0, 0.01])


def test_reset_forgets() -> None:
    tracker = Differentiator(1, CUTOFF, GAP)
    for k in range(30):
        tracker.update(INDEX, k * 10**7, np.array([0.03 * k]), np.array([np.nan]))
    tracker.reset()
    tracker.update(INDEX, 30 * 10**7, np.array([9.0]), np.array([np.nan]))
    assert (tracker.velocity[0], tracker.acceleration[0]) == (0.0, 0.0)
