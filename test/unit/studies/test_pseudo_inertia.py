# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pseudo-inertias: bodies that can be, and derivatives by their log-Cholesky parameters."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("scipy", reason="SciPy is missing, with which robots are identified")

from charmie_dynamics import load_model
from charmie_dynamics.studies.identification.pseudo_inertia import (
    from_log_cholesky,
    inertial_parameters_of,
    log_cholesky,
    pseudo_inertia,
)


def test_the_parameters_of_a_body_come_back() -> None:
    for body in load_model().inertial_parameters.reshape(-1, 10):
        if body[0] > 0.0:
            found, _ = from_log_cholesky(log_cholesky(body))
            np.testing.assert_allclose(found, body, rtol=1e-9, atol=1e-12)


def test_a_pseudo_inertia_is_linear_in_the_parameters() -> None:
    body = np.random.default_rng(1).normal(size=10)
    np.testing.assert_allclose(inertial_parameters_of(pseudo_inertia(body)), body, atol=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_any_log_cholesky_parameters_are_a_body_that_can_be(seed: int) -> None:
    body, _ = from_log_cholesky(np.random.default_rng(seed).normal(size=10))
    assert np.linalg.eigvalsh(pseudo_inertia(body)).min() > 0.0


def test_derivatives_are_those_of_differences() -> None:
    eta, step = np.random.default_rng(2).normal(size=10), 1e-6
    _, slope = from_log_cholesky(eta)
    for k in range(10):
        moved = step * np.eye(10)[k]
        difference = (from_log_cholesky(eta + moved)[0] - from_log_cholesky(eta - moved)[0]) / (
            2.0 * step
        )
        np.testing.assert_allclose(slope[:, k], difference, atol=1e-7 * abs(difference).max())


def test_a_body_that_cannot_be_is_replaced_by_one_of_the_same_mass_and_centre() -> None:
    body = np.array([2.0, 0.2, 0.0, -0.1, 0.5, 0.0, 0.01, 0.0, 0.0, 0.01])
    found, _ = from_log_cholesky(log_cholesky(body))
    np.testing.assert_allclose(found[:4], body[:4])
    assert np.linalg.eigvalsh(pseudo_inertia(found)).min() > 0.0
