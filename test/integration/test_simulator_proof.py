# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The efforts that the dynamics node estimates are those that the simulator has applied."""

from __future__ import annotations

from pathlib import Path

import pytest

from charmie_dynamics import Model
from validation.simulator import ESTIMATOR_LIMIT, EXACT_LIMIT, FEWEST, SENSORS, Proof, prove

DURATION = 8.0  # s; ten minutes are run by name


@pytest.fixture(scope="module", params=SENSORS)
def proof(request: pytest.FixtureRequest, model: Model, folder: Path) -> Proof:
    logs = folder / request.param
    logs.mkdir()
    return prove(model, DURATION, request.param, logs)


def test_there_are_efforts_for_each_sample(proof: Proof) -> None:
    assert proof.samples == round(DURATION * 100.0)
    assert proof.cycles >= FEWEST * proof.samples
    assert proof.settled > 0.9 * proof.samples


def test_with_true_accelerations_they_are_the_same(proof: Proof) -> None:
    assert proof.exact <= EXACT_LIMIT


def test_with_estimated_ones_they_differ_by_what_the_estimator_does(proof: Proof) -> None:
    assert proof.ratio <= ESTIMATOR_LIMIT
