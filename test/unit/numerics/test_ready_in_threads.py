# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Threads that need the same kernel at the same time all get it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np

from charmie_dynamics.numerics.jit import compiled_for, ready
from charmie_dynamics.numerics.vectors import Floats

THREADS = 4


@compiled_for("floats")
def total_of(values: Floats) -> float:
    """Return a sum."""
    total = 0.0
    for k in range(values.shape[0]):
        total += values[k]
    return total


def test_a_kernel_is_made_once_for_threads_that_ask_together() -> None:
    together = Barrier(THREADS)

    def ask(_: int) -> float:
        together.wait()
        found: float = ready(total_of)(np.ones(3))
        return found

    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(ask, range(THREADS))) == [3.0] * THREADS
