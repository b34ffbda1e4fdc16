# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The ring of efforts keeps the last seconds."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.view.history import DURATION, RATE, EffortHistory


def filled(duration: float, rate: float) -> EffortHistory:
    """Return a history of two actuators whose efforts are the time and its negative twice."""
    history = EffortHistory()
    for k in range(round(duration * rate)):
        t = 100.0 + k / rate
        history.add(t, ("a", "b"), np.array([t, -2.0 * t]))
    return history


def test_efforts_come_back_with_their_times() -> None:
    history = filled(1.0, 10.0)
    time, effort = history.of("a")
    np.testing.assert_allclose(effort - 100.9, time)


def test_the_newest_sample_has_the_time_zero() -> None:
    assert filled(1.0, 10.0).of("b")[0][-1] == 0.0


def test_no_more_than_the_last_seconds_are_kept() -> None:
    time, _ = filled(3.0 * DURATION, RATE).of("a")
    assert -DURATION <= time[0] < -DURATION + 2.0 / RATE


def test_times_rise_after_the_ring_has_gone_round() -> None:
    time, _ = filled(2.5 * DURATION, RATE).of("a")
    assert (np.diff(time) > 0.0).all()


def test_a_higher_rate_is_thinned_out() -> None:
    time, _ = filled(2.0, 1000.0).of("a")
    assert np.diff(time).min() > 0.99 / RATE


def test_a_lower_rate_is_kept_as_it_is() -> None:
    assert len(filled(2.0, 20.0).of("a")[0]) == 40


def test_other_names_start_it_anew() -> None:
    history = filled(1.0, 10.0)
    history.add(102.0, ("c",), np.array([1.0]))
    assert history.names == ("c",) and len(history.of("a")[0]) == 0


def test_a_time_that_goes_back_starts_it_anew() -> None:
    history = filled(1.0, 10.0)
    history.add(5.0, ("a", "b"), np.array([7.0, 8.0]))
    assert history.of("a")[1].tolist() == [7.0]


def test_the_strongest_has_the_largest_effort_of_either_sign() -> None:
    assert filled(1.0, 10.0).strongest() == "b"


def test_an_unknown_name_has_no_efforts() -> None:
    assert len(filled(1.0, 10.0).of("z")[0]) == 0


def test_the_strongest_has_an_effort() -> None:
    history = EffortHistory()
    history.add(0.0, ("a", "b", "c"), np.array([np.nan, -3.0, 2.0]))
    assert history.strongest() == "b"
    history.add(1.0, ("a", "b", "c"), np.full(3, np.nan))
    assert history.strongest() == "a"
