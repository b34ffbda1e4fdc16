# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Exciting motions: within limits, from rest to rest, and well conditioned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("scipy", reason="SciPy is missing, with which motions are optimised")

from charmie_dynamics import CharmieError, InputError, Model, load_model
from charmie_dynamics.errors import UnknownNameError, UnsupportedError
from charmie_dynamics.motions import make_motion
from charmie_dynamics.studies import (
    Excitation,
    ExcitationRegression,
    ExcitationSettings,
    Unknowns,
    propose,
)
from charmie_dynamics.studies.excitation.fourier import FourierMotions

SETTINGS = ExcitationSettings(duration=15.0, rounds=6)


def condition_of_wave(model: Model, regression: ExcitationRegression) -> float:
    wave = make_motion("wave", model)
    rows = zip(*(wave.at(time) for time in np.arange(0.0, wave.duration, 0.05)), strict=True)
    return regression.condition(
        regression.whole(tuple(np.array(r)[:, regression.moving] for r in rows))
    )


@pytest.fixture(scope="module")
def found(charmie: Model) -> Excitation:
    return propose(charmie, replace(SETTINGS, rounds=3))


def test_it_is_much_better_conditioned_than_a_wave(
    scara: Model, charmie: Model, found: Excitation
) -> None:
    best = propose(scara, SETTINGS)
    assert best.condition < 0.5 * condition_of_wave(
        scara, ExcitationRegression(scara, Unknowns(), ())
    )
    assert found.condition < 0.5 * condition_of_wave(
        charmie, ExcitationRegression(charmie, Unknowns(), ())
    )


def test_it_keeps_all_limits(charmie: Model, found: Excitation) -> None:
    motion = found.motion
    for k, (name, limit) in enumerate(
        zip(charmie.actuator_names, charmie.actuator_limits(), strict=True)
    ):
        own = motion.position[:, k]
        assert limit.lower <= own.min() and own.max() <= limit.upper, name
        assert abs(motion.velocity[:, k]).max() <= limit.velocity, name
    assert found.share <= 1.0 and found.margin >= SETTINGS.margin


def test_it_begins_and_ends_at_rest_and_leaves_the_base_alone(
    charmie: Model, found: Excitation
) -> None:
    motion = found.motion
    for part in (motion.velocity, motion.acceleration):
        assert abs(part[[0, -1]]).max() < 1e-9
    np.testing.assert_allclose(motion.position[0], motion.position[-1], atol=1e-9)
    base = [charmie.actuator_names.index(name) for name in charmie.mechanisms.base_joints]
    assert not motion.velocity[:, base].any()
    assert np.ptp(motion.position, axis=0)[3:].min() > 0.01


def test_velocities_and_accelerations_are_derivatives(scara: Model) -> None:
    family = FourierMotions.of(scara, [0, 2], 10.0, 4, 0.3)
    x = np.random.default_rng(1).uniform(-1.0, 1.0, (2, family.free))
    time, step = np.linspace(0.5, 9.5, 40), 1e-5
    before, at, behind = (family.at(x, time + k * step) for k in (-1, 0, 1))
    for order in (0, 1):
        slope = (behind[order] - before[order]) / (2.0 * step)
        np.testing.assert_allclose(slope, at[order + 1], atol=1e-6 * abs(at[order + 1]).max())


def test_a_longer_motion_repeats_the_frequencies_of_a_shorter_one(scara: Model) -> None:
    how = replace(SETTINGS, rounds=4)
    short, long = (propose(scara, replace(how, duration=time)) for time in (10.0, 40.0))
    assert long.condition <= 1.01 * short.condition
    rows = len(short.motion.time) - 1
    for k in range(4):
        part = long.motion.position[k * rows : (k + 1) * rows]
        np.testing.assert_allclose(part, short.motion.position[:-1], atol=1e-9)


def test_equal_seeds_give_equal_motions(scara: Model) -> None:
    how = replace(SETTINGS, rounds=1)
    one, same, other = (propose(scara, replace(how, seed=seed)) for seed in (3, 3, 4))
    assert (one.motion.position == same.motion.position).all()
    assert abs(one.motion.position - other.motion.position).max() > 1e-3


def test_the_search_says_how_far_it_is(scara: Model) -> None:
    told: list[tuple[str, int, int]] = []
    propose(scara, replace(SETTINGS, rounds=3), progress=lambda *now: told.append(now))
    assert [name for name, done, _ in told if done == 0] == [f"search {k} of 3" for k in (1, 2, 3)]
    assert {most for _, _, most in told} == {3} and max(done for _, done, _ in told) == 3


def test_what_cannot_be_is_said(scara: Model, charmie: Model) -> None:
    with pytest.raises(UnknownNameError, match="actuator 'joint_9' to stand still is unknown"):
        propose(scara, replace(SETTINGS, still=("joint_9",)))
    with pytest.raises(CharmieError, match="expected an actuator that moves, got none"):
        propose(scara, replace(SETTINGS, still=scara.actuator_names))
    with pytest.raises(InputError, match="harmonics: expected at least 3, got 2"):
        propose(scara, replace(SETTINGS, harmonics=2))
    with pytest.raises(InputError, match="cycle: expected a number above 0, got 0 s"):
        propose(scara, replace(SETTINGS, cycle=0.0))
    with pytest.raises(InputError, match="duration: expected a finite number above 0"):
        propose(scara, replace(SETTINGS, duration=0.0))
    with pytest.raises(CharmieError, match=r"keeps a tip-over margin of 5 m"):
        propose(charmie, replace(SETTINGS, margin=5.0, rounds=1))
    with pytest.raises(UnsupportedError, match="excitation: expected a robot whose joints all"):
        propose(load_model("quadruped"))
