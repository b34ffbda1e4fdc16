# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Intervals of random arms under a PD loop, whose joints stick where they reverse."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("scipy", reason="SciPy is missing, with which robots are identified")

from charmie_dynamics.studies import identify, samples_of_positions
from validation.closed_loop_arms import (
    coverage,
    described_arm,
    equations,
    random_arms,
    recorded_arms,
    true_arm,
)


def test_the_equations_of_the_arms_are_those_of_the_package() -> None:
    rng = np.random.default_rng(1)
    model, arms = described_arm(), random_arms(3, rng)
    q, v, a = rng.uniform(-1.0, 1.0, (3, 3, 2))
    M, h = equations(arms, q, v)
    for k in range(3):
        expected = true_arm(model, arms, k).compute(q[k], v[k], a[k]).actuator_effort
        np.testing.assert_allclose(M[k] @ a[k] + h[k], expected, rtol=1e-9)


# 240 base parameters, which depend on each other within an arm, and 160 of friction: 95 %
# to about three deviations
@pytest.mark.parametrize(
    "how",
    [{}, {"noise": 3e-4}, {"ramp": 0.05}],
    ids=["sticking", "noisy", "gradual"],
)
def test_intervals_hold_under_a_loop_with_friction_of_another_law(how: dict[str, float]) -> None:
    base, friction = coverage(20, 40, **how)
    assert base >= 0.91 and friction >= 0.90


def test_joints_that_stick_are_not_taken_for_a_low_pass_of_the_efforts() -> None:
    rng = np.random.default_rng(4)
    model, arms = described_arm(), random_arms(2, rng)
    data = recorded_arms(arms, rng)
    for position, effort in zip(data.position, data.effort, strict=True):
        samples = samples_of_positions(model, data.time, position, effort)
        assert identify(model, [samples]).effort_cutoff == np.inf
