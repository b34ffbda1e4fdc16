# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

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


EVEN = DT * np.arange(300)


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
