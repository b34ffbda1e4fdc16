# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Work on many samples, divided among threads that let each other run."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from charmie_dynamics.errors import InputError

SMALLEST_PART = 1024  # samples for each of two threads: below, they cost more than they save
LAST_PART = 64  # samples: a thread that is held up keeps the others waiting for no more


def run_in_parts(
    count: int,
    workers: int | None,
    make_work: Callable[[], Callable[[slice], int]],
    smallest: int = SMALLEST_PART,
    last: int = LAST_PART,
) -> list[int]:
    """Return what some work on parts of many samples returns, part by part.

    Parameters
    ----------
    count : int
        Number of samples.
    workers : int or None
        Number of threads; None: one for each core.
    make_work : callable
        Called once in each thread; what it returns is called with each of the thread's parts.
    smallest : int
        Samples for each of two threads.
    last : int
        Samples of the smallest part.

    Raises
    ------
    InputError
        If the number of threads is below 1.
    """
    if workers is not None and workers < 1:
        raise InputError(f"workers: expected at least 1, got {workers}")
    workers = workers or len(os.sched_getaffinity(0))
    parts = _parts(count, workers, smallest, last)
    results = [0] * len(parts)
    waiting = iter(enumerate(parts))  # each thread takes the next one; no two take the same

    def work() -> None:
        run = make_work()
        for k, here in waiting:
            results[k] = run(here)

    helpers = min(workers, len(parts)) - 1
    if helpers < 1:
        work()
        return results
    # The calling thread works too: were it to wait, the system would put two of the others
    # on one core for the first 2 ms.
    with ThreadPoolExecutor(helpers) as pool:
        helping = [pool.submit(work) for _ in range(helpers)]
        work()
        for helper in helping:
            helper.result()
    return results


def _parts(count: int, workers: int, smallest: int, last: int) -> list[slice]:
    """Divide samples among threads in decreasing parts, so that all threads finish together."""
    if workers == 1 or count < 2 * smallest:
        return [slice(0, count)]
    parts = []
    first = 0
    while first < count:
        size = max((count - first) // (2 * workers), last)
        parts.append(slice(first, min(first + size, count)))
        first += size
    return parts
