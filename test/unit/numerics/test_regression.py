# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Least squares of a network."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from charmie_dynamics.numerics.regression import Regression


def test_gradients_are_those_of_the_error() -> None:
    """Adam's first step goes against the sign of each derivative."""
    rng = np.random.default_rng(2)
    x, y = (rng.normal(size=(20, n)).astype(np.float32) for n in (4, 2))
    learner = Regression([4, 6, 2], rng)
    before = [each.astype(np.float64) for each in (*learner.weights, *learner.biases)]

    def error(parameters: list[np.ndarray]) -> float:
        h = np.tanh(x @ parameters[0].T + parameters[2])
        return float(np.mean((h @ parameters[1].T + parameters[3] - y) ** 2))

    assert learner.step(x, y) == pytest.approx(error(before), rel=1e-5)
    for k, after in enumerate((*learner.weights, *learner.biases)):
        for place in itertools.islice(np.ndindex(after.shape), 8):
            changed = [each.copy() for each in before]
            changed[k][place] += 1e-5
            slope = (error(changed) - error(before)) / 1e-5
            if abs(slope) > 1e-3:
                assert after[place] - before[k][place] == pytest.approx(
                    -1e-3 * np.sign(slope), rel=1e-2
                )


def test_a_regression_learns_a_function() -> None:
    rng = np.random.default_rng(3)
    x = rng.uniform(-1.0, 1.0, (512, 2)).astype(np.float32)
    y = np.sin(3.0 * x[:, :1]) * x[:, 1:]
    learner = Regression([2, 32, 32, 1], rng)
    errors = [learner.step(x, y) for _ in range(300)]
    assert errors[-1] < 0.1 * errors[0]


def test_a_state_does_not_change_later() -> None:
    rng = np.random.default_rng(0)
    learner = Regression([2, 4, 1], rng)
    state = learner.state
    kept = {name: np.array(values) for name, values in state.items()}
    learner.step(np.ones((8, 2), np.float32), np.zeros((8, 1), np.float32))
    for name, values in kept.items():
        np.testing.assert_array_equal(state[name], values)
