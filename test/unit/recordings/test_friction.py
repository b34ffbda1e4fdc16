# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from charmie_dynamics.recordings.compute.friction import IdentifiedFriction
from charmie_dynamics.recordings.compute.friction import identify as identify_friction
from charmie_dynamics.recordings.compute.measured import EffortComparison, comparison_table

TRANSITION = 0.02
TIME = np.arange(0.0, 20.0, 0.01)
VELOCITY = 0.8 * np.sin(TIME) + 0.3 * np.sin(2.7 * TIME)


def identify(velocity: np.ndarray, excess: np.ndarray) -> IdentifiedFriction | None:
    return identify_friction(TIME[: len(velocity)], velocity, excess, TRANSITION)


def excess(viscous: float, coulomb: float, offset: float) -> np.ndarray:
    return viscous * VELOCITY + coulomb * np.sign(VELOCITY) + offset


@pytest.mark.parametrize("true", [(20.0, 12.0, 0.5), (0.0, 3.0, -1.0), (-2.0, 0.5, 0.0)])
def test_friction_comes_back_from_noisy_efforts(true: tuple[float, float, float]) -> None:
    noise = np.random.default_rng(2).normal(0.0, 0.3, len(TIME))
    found = identify(VELOCITY, excess(*true) + noise)
    assert found is not None
    assert (found.viscous, found.coulomb, found.offset) == pytest.approx(true, abs=0.25)
    assert abs(found.viscous - true[0]) < found.viscous_half_width < 0.25
    assert abs(found.coulomb - true[1]) < found.coulomb_half_width < 0.25
    left = excess(*true) + noise - found.effort(VELOCITY)
    # around zero speed the ramp differs from the sign
    assert np.sqrt(np.mean(left**2)) < 0.3 + 0.05 * abs(true[1])


def test_sticking_and_a_wide_ramp_do_not_bias_friction() -> None:
    rng = np.random.default_rng(19)
    viscous, coulomb = rng.uniform(0.1, 3.0, 2)
    velocity = np.where(TIME < 10.0, VELOCITY, 0.15 * VELOCITY)
    efforts = viscous * velocity + coulomb * np.clip(velocity / 0.05, -1.0, 1.0)
    sticks = np.abs(velocity) < 0.01
    efforts[sticks] = coulomb * rng.uniform(-1.0, 1.0, np.count_nonzero(sticks))
    found = identify_friction(TIME, velocity, efforts, 0.05)
    assert found is not None and found.is_determined(coulomb)
    assert (found.viscous, found.coulomb) == pytest.approx((viscous, coulomb), rel=1e-9)


def test_a_rest_does_not_change_friction() -> None:
    efforts = excess(2.0, 3.0, 0.0)
    rest = TIME > 12.0
    rested = identify(np.where(rest, 0.0, VELOCITY), np.where(rest, 1.7, efforts))
    moved = identify(VELOCITY[~rest], efforts[~rest])
    assert rested is not None and moved is not None
    expected = pytest.approx((moved.viscous, moved.coulomb), rel=1e-9)
    assert (rested.viscous, rested.coulomb) == expected


def test_a_motion_that_hardly_determines_friction_has_wide_intervals() -> None:
    noise = np.random.default_rng(3).normal(0.0, 1.0, len(TIME))
    velocity = 0.05 * np.sign(VELOCITY) + 1e-3 * VELOCITY
    found = identify(velocity, 20.0 * velocity + np.sign(velocity) + noise)
    assert found is not None and found.viscous_half_width > 20.0
    assert not found.is_determined(1.0)
    wide = EffortComparison("hinge", len(TIME), 1.0, 0.5, found, 0.1, np.nan)
    narrow = replace(wide, friction=replace(found, viscous_half_width=0.0, coulomb_half_width=0.0))
    table = comparison_table([wide, replace(narrow, name="slide")], {"hinge": "N m", "slide": "N"})
    rows = [line for line in table.splitlines() if line.startswith(("hinge", "slide"))]
    assert [row.endswith("  ?") for row in rows[:2]] == [True, False]


def test_at_rest_friction_is_the_offset_alone() -> None:
    found = identify(VELOCITY, excess(20.0, 12.0, 0.5))
    assert found is not None
    assert found.effort(np.zeros(1))[0] == pytest.approx(found.offset)


def test_samples_that_are_not_finite_are_left_out() -> None:
    values = excess(5.0, 1.0, 0.0)
    with_gaps = values.copy()
    with_gaps[::7] = np.nan
    complete, gappy = identify(VELOCITY, values), identify(VELOCITY, with_gaps)
    assert complete is not None and gappy is not None
    assert gappy.viscous == pytest.approx(complete.viscous, rel=0.05)


@pytest.mark.parametrize(
    "velocity",
    [
        np.zeros(500),
        np.full(500, 0.4),
        np.linspace(0.1, 0.2, 10),
        np.empty(0),
        0.9 * TRANSITION * np.sin(TIME),
    ],
    ids=["at rest", "one speed", "few samples", "nothing", "slow"],
)
def test_motions_that_do_not_tell_friction_give_none(velocity: np.ndarray) -> None:
    assert identify(velocity, np.ones_like(velocity)) is None
