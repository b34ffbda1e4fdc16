# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import math

import numpy as np
import pytest

from charmie_dynamics import Model, load_model
from charmie_dynamics.live.estimation.differentiator import Differentiator
from validation.effort_errors import (
    ANGLE_STEP,
    COURSES,
    DEFAULT_CUTOFF,
    GROUPS,
    LENGTH_STEP,
    Case,
    measure,
    record,
    resolution,
)
from validation.estimator import SLOW_CUTOFF, worst_ratio
from validation.estimator_start import (
    OFF_LIMIT,
    WARM,
    Start,
    courses,
    from_first,
    from_wide,
    from_zero,
    offsets,
    settling,
)
from validation.trackers import Structure, structures

WAVE, FAST, PAPER = COURSES


@pytest.fixture(scope="module")
def charmie() -> Model:
    return load_model()


def test_every_actuator_is_in_one_group(charmie: Model) -> None:
    grouped = [name for names in GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(charmie.actuator_names)


def test_encoders_round_to_their_steps(charmie: Model) -> None:
    exact = record(charmie, Case(WAVE, 20.0, encoders=False, velocities=True))
    rounded = record(charmie, Case(WAVE, 20.0, encoders=True, velocities=True))
    steps = resolution(charmie)
    assert set(steps) == {ANGLE_STEP, LENGTH_STEP}
    error = np.abs(rounded.position - exact.position) / steps
    assert 0.49 < error.max() <= 0.5 + 1e-9
    assert rounded.velocity is not None
    assert exact.velocity is not None
    # two roundings over the window of 10 ms, and the speed is that of its middle
    assert np.abs(rounded.velocity - exact.velocity).max() < 1.1 * steps.max() / 0.01


def test_without_velocities_none_are_sent(charmie: Model) -> None:
    assert record(charmie, Case(PAPER, 20.0, encoders=True, velocities=False)).velocity is None


@pytest.mark.parametrize("velocities", [True, False])
def test_clean_signals_are_better_followed_with_a_higher_cutoff(
    charmie: Model, velocities: bool
) -> None:
    measured = measure(charmie, Case(FAST, 50.0, False, velocities), (2.5, 10.0, 25.0))
    slow, default, quick = (errors.rms for errors in measured.errors)
    assert (slow > default).all()
    assert (default > quick).all()


@pytest.mark.parametrize("velocities", [True, False])
@pytest.mark.parametrize("course", COURSES, ids=lambda course: course.label)
def test_estimates_from_clean_signals_beat_accelerations_of_zero(
    charmie: Model, course: object, velocities: bool
) -> None:
    measured = measure(charmie, Case(course, 50.0, False, velocities), (DEFAULT_CUTOFF,))
    assert worst_ratio(measured, DEFAULT_CUTOFF) < 0.5


def test_a_slow_motion_through_encoders_needs_a_lower_cutoff(charmie: Model) -> None:
    measured = measure(charmie, Case(PAPER, 50.0, True, False), (SLOW_CUTOFF, DEFAULT_CUTOFF))
    assert worst_ratio(measured, SLOW_CUTOFF) < 1.0
    assert worst_ratio(measured, DEFAULT_CUTOFF) > 1.0


@pytest.mark.parametrize("order", [1, 2])
def test_the_first_structure_is_the_one_in_use(order: int) -> None:
    """With the same values from noise, once the different start is forgotten."""
    values = np.cumsum(np.random.default_rng(7).normal(size=(400, 3)), axis=0)
    signals = Differentiator(3, 5.0, 0.5)
    index = np.arange(3)
    used = np.empty_like(values)
    for k, value in enumerate(values):
        velocity = value if order == 1 else np.full(3, math.nan)
        signals.update(index, k * 10_000_000, value, velocity)
        used[k] = signals.acceleration
    mine = structures(order)[0].acceleration(values, 0.01, 5.0, order)
    np.testing.assert_allclose(mine[200:], used[200:], rtol=0.0, atol=1e-9 * np.abs(used).max())


@pytest.mark.parametrize("butterworth", [False, True])
@pytest.mark.parametrize("states", [2, 3, 4])
def test_structures_follow_the_motion_of_their_order(states: int, butterworth: bool) -> None:
    times = np.arange(500)[:, np.newaxis] * 0.01
    values = times ** (states - 1)
    tracked = Structure("", states, butterworth).track(values, 0.01, 3.0)
    highest = math.factorial(states - 1)
    assert tracked[-1, -1, 0] == pytest.approx(highest, rel=1e-6)


def test_butterworth_poles_lie_on_a_half_circle() -> None:
    """The response to a step of the value rings at sqrt(1/2) of the cutoff frequency."""
    cutoff, period = 2.0, 1e-4
    values = np.ones((20_000, 1))
    values[0] = 0.0
    error = 1.0 - Structure("", 2, True).track(values, period, cutoff)[:, 0, 0]
    crossings = np.flatnonzero(np.diff(np.sign(error[1:]))) * period
    half_period = np.diff(crossings)[0]
    assert half_period == pytest.approx(0.5 / (cutoff * math.sqrt(0.5)), rel=1e-3)


RATE = 100.0
MOTION = np.cumsum(np.cumsum(np.random.default_rng(3).normal(size=(60, 4)), axis=0), axis=0) * 1e-4


@pytest.mark.parametrize("velocities", [True, False])
def test_the_start_in_use_is_the_one_of_the_node(velocities: bool) -> None:
    speed = np.gradient(MOTION, axis=0) * RATE if velocities else None
    signals, index = Differentiator(4, DEFAULT_CUTOFF, 0.5), np.arange(4)
    used = []
    for k, position in enumerate(MOTION):
        given = np.full(4, math.nan) if speed is None else speed[k]
        signals.update(index, k * 10_000_000, position, given)
        used.append((signals.velocity.copy(), signals.acceleration.copy()))
    found = from_zero(MOTION, speed, 1.0 / RATE)
    np.testing.assert_allclose(np.stack(found, axis=1), np.array(used), rtol=0.0, atol=1e-10)


@pytest.mark.parametrize("velocities", [True, False])
@pytest.mark.parametrize("start", [from_first, from_wide], ids=["first", "wide"])
def test_the_other_starts_follow_a_constant_acceleration_at_once(
    start: Start, velocities: bool
) -> None:
    """Where signals know no steps they are what they promise, so that the comparison is fair."""
    times = np.arange(30)[:, np.newaxis] / RATE
    position, speed = 0.3 * times + 1.5 * times**2, 0.3 + 3.0 * times
    late = start(position, speed if velocities else None, 1.0 / RATE)[1][6:]
    slow = from_zero(position, speed if velocities else None, 1.0 / RATE)[1][6:]
    assert np.abs(late - 3.0).max() < 0.3 * np.abs(slow - 3.0).max()


@pytest.mark.parametrize("velocities", [True, False])
def test_efforts_of_a_start_are_right_when_the_estimates_have_settled(
    charmie: Model, velocities: bool
) -> None:
    part = courses(0.4, charmie, WARM)["wave"][2]
    found = offsets(charmie, part, RATE, velocities)
    settled = math.ceil(settling(velocities) * RATE)
    assert found[0] > 5.0
    assert OFF_LIMIT * found[0] > found[settled:].max() > 1e-6
