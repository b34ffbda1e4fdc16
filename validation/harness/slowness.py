# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Processor time that can be held against a figure on a machine of another speed."""

from __future__ import annotations

import time
from collections.abc import Callable

# processor time (s) to count so far in Python on a machine like the robot's
COUNTED, TIME_TO_COUNT = 1_000_000, 0.03


def processor_time(run: Callable[[], object]) -> float:
    """Return the processor time (s) that the thread needs for a call."""
    start = time.thread_time()
    run()
    return time.thread_time() - start


def time_on_a_usual_machine(run: Callable[[], object]) -> float:
    """Return the processor time (s) of a call, less on a slower machine by so much.

    Processor time does not tell of others that use the processor, but the time of one and the same
    work doubles where a neighbour shares the core.
    """
    slowness = max(1.0, processor_time(_count) / TIME_TO_COUNT)
    return processor_time(run) / slowness


def _count() -> None:
    k = 0
    while k < COUNTED:
        k += 1
