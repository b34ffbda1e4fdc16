# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import math

import numpy as np
import pytest

from charmie_dynamics import Model, load_model
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
from validation.estimator import (
    OFF_LIMIT,
    SLOW_CUTOFF,
    WARM,
    courses,
    offsets,
    settling,
    worst_ratio,
)

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


RATE = 100.0


@pytest.mark.parametrize("velocities", [True, False])
def test_efforts_of_a_start_are_right_when_the_estimates_have_settled(
    charmie: Model, velocities: bool
) -> None:
    part = courses(0.4, charmie, WARM)["wave"][2]
    found = offsets(charmie, part, RATE, velocities)
    settled = math.ceil(settling(velocities) * RATE)
    assert found[0] > 5.0
    assert OFF_LIMIT * found[0] > found[settled:].max() > 1e-6
