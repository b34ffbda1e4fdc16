# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Statistics of many identifications, and all springs of CHARMIE: minutes of CPU time."""

from __future__ import annotations

import numpy as np
import pytest
from identified_robots import other_robot, recorded, samples_of, true_base, with_noise
from random_states import random_motion

from charmie_dynamics import Model
from charmie_dynamics.studies import IdentificationSettings, Unknowns, identify

DURATION = 30.0
RUNS = 20


def test_numbers_lie_within_their_intervals_as_often_as_stated(scara: Model) -> None:
    inside, count = 0, 0
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        true = other_robot(scara, rng, viscous=2.0, coulomb=0.5)
        data = recorded(true, random_motion(scara, rng), DURATION)
        result = identify(scara, [samples_of(scara, data, with_noise(data.effort, 0.05, rng))])
        expected = true_base(result, true)
        some = result.numbers[: len(expected)]
        inside += sum(
            abs(n.estimate - e) <= n.half_width for n, e in zip(some, expected, strict=True)
        )
        count += len(some)
    # 300 numbers, which depend on each other within a run: 95 % to about three deviations
    assert 0.90 <= inside / count <= 0.99


def test_springs_come_back(charmie: Model) -> None:
    rng = np.random.default_rng(3)
    true = other_robot(charmie, rng, springs=0.2)
    data = recorded(true, random_motion(charmie, rng), 20.0)
    unknowns = Unknowns(friction=False)
    result = identify(
        charmie, [samples_of(charmie, data)], IdentificationSettings(unknowns=unknowns)
    )
    np.testing.assert_allclose(result.fit.values, true_base(result, true), rtol=1e-5, atol=1e-6)
    (torso,) = (part for part in true.mechanisms.springs if part.name == "torso_spring")
    assert result.number("torso_spring stiffness").estimate == pytest.approx(torso.stiffness)
    # both springs beside the lift do the same to all efforts: only their sum shows
    assert "lift_balance_left stiffness + lift_balance_right stiffness" in result.columns.names
