# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Times of calls that take turns, so that whatever else the machine does meets them alike."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import cycle, islice
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

import numpy as np

Key = TypeVar("Key", bound=Hashable)
BLOCK = 4e-3  # s; what is timed in one turn
# Makes so many calls, each with other inputs than the one before, and returns their time (s).
Calls = Callable[[int], float]


class Timing(NamedTuple):
    """Time of a call (s): median, 5th and 95th percentile of the turns."""

    median: float
    low: float
    high: float


def calls_of(function: Callable[..., Any], inputs: Iterable[Iterable[Any]]) -> Calls:
    """Return calls of a function with the inputs in turn."""
    endless = cycle([tuple(each) for each in inputs])

    def run(calls: int) -> float:
        chosen = list(islice(endless, calls))
        start = perf_counter()
        for arguments in chosen:
            function(*arguments)
        return perf_counter() - start

    return run


def turns(
    runs: Mapping[Key, Callable[[], float]], rounds: int, seed: int = 1
) -> dict[Key, list[float]]:
    """Return what each run returns in each round; their order is drawn anew each time."""
    found: dict[Key, list[float]] = {key: [] for key in runs}
    keys, rng = list(runs), np.random.default_rng(seed)
    for n in range(rounds):
        for k in rng.permutation(len(keys)).tolist():
            found[keys[k]].append(runs[keys[k]]())
        if (n + 1) % 50 == 0:
            print(f"round {n + 1} of {rounds}", file=sys.stderr, flush=True)
    return found


def time_calls(
    rows: Mapping[Key, Calls], rounds: int, samples: Mapping[Key, int] | None = None
) -> dict[Key, Timing]:
    """Return the time of a call of each row, in blocks of some milliseconds.

    Of rows whose calls compute several samples, it is the time of a sample.
    """
    counts = samples or {}

    def block(run: Calls) -> Callable[[], float]:
        run(2)  # compiles, fills caches
        calls = 1
        while (elapsed := run(calls)) < BLOCK / 4.0:
            calls *= 2
        count = max(1, math.ceil(calls * BLOCK / elapsed))
        return lambda: run(count) / count

    seconds = turns({key: block(run) for key, run in rows.items()}, rounds)
    found = {
        key: np.percentile(times, (50.0, 5.0, 95.0)) / counts.get(key, 1)
        for key, times in seconds.items()
    }
    return {key: Timing(*values.tolist()) for key, values in found.items()}
