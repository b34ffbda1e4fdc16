# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a reader of model files says when it refuses one, and how soon it does."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import pytest

from charmie_dynamics import ModelFileError
from validation.harness.slowness import time_on_a_usual_machine

SECOND = 1.0
TRIES = 15  # the machine may be busy with other things
PAUSE = 1.0  # s between them: others are busy for a while


def quickest(run: Callable[[], object], below: float = SECOND) -> float:
    """Return the processor time (s) of the first try that is below a limit, else the best."""
    best = math.inf
    for _ in range(TRIES):
        best = min(best, time_on_a_usual_machine(run))
        if best < below:
            break
        time.sleep(PAUSE)
    return best


def refusal(read: Callable[[], object]) -> str:
    with pytest.raises(ModelFileError) as caught:
        read()
    return str(caught.value)
