# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the tests of the estimator share: its inputs."""

from __future__ import annotations

import pytest
from inputs import Inputs

from charmie_dynamics import Model


@pytest.fixture
def inputs(charmie: Model) -> Inputs:
    """The inputs of a pipeline for CHARMIE, which has taken in nothing yet."""
    return Inputs(charmie)
