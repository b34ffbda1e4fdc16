# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics.recordings.compute.friction import identify

TIME = np.arange(0.0, 20.0, 0.01)
VELOCITY = 0.8 * np.sin(TIME) + 0.3 * np.sin(2.7 * TIME)


def excess(viscous: float, coulomb: float, offset: float) -> np.ndarray:
    return viscous * VELOCITY + coulomb * np.sign(VELOCITY) + offset


@pytest.mark.parametrize("true", [(20.0, 12.0, 0.5), (0.0, 3.0, -1.0), (-2.0, 0.5, 0.0)])
def test_friction_comes_back_from_noisy_efforts(true: tuple[float, float, float]) -> None:
    noise = np.random.default_rng(1).normal(0.0, 0.3, len(TIME))
    found = identify(VELOCITY, excess(*true) + noise)
    assert found is not None
    assert (found.viscous, found.coulomb, found.offset) == pytest.approx(true, abs=0.25)
    left = excess(*true) + noise - found.effort(VELOCITY)
    # around zero speed the ramp differs from the sign
    assert np.sqrt(np.mean(left**2)) < 0.3 + 0.04 * abs(true[1])


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
    [np.zeros(500), np.full(500, 0.4), np.linspace(0.1, 0.2, 10), np.empty(0)],
    ids=["at rest", "one speed", "few samples", "nothing"],
)
def test_motions_that_do_not_tell_friction_give_none(velocity: np.ndarray) -> None:
    assert identify(velocity, np.ones_like(velocity)) is None
