# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Errors of states that a run has reached."""

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics import InputError, Model
from charmie_dynamics.core.arrays import NOT_FINITE
from charmie_dynamics.core.inverse.cycle import STATUSES
from charmie_dynamics.model.flat.checks import refusal


@pytest.mark.parametrize("part", [0, 1])
def test_a_state_that_is_not_finite_is_named_as_such(charmie: Model, part: int) -> None:
    inputs = (np.full(len(charmie.position_names), np.nan), *np.zeros((2, 21)))
    error = refusal(charmie.robot, NOT_FINITE + part * STATUSES, inputs)
    assert isinstance(error, InputError) and "expected finite numbers" in str(error)
