# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Time rows in rounds, after a check that they compute the same."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .candidates import Candidate, Run

BLOCK = 4e-3  # s; a row's turn in a round
SEED = 3
CHECKED = 16  # states
# of the largest force, and of the largest distance from the origin
TOLERANCE = 1e-9


class Timed(Protocol):
    """What has a turn in each round: calls of `run`, each of which computes `cycles` samples."""

    @property
    def run(self) -> Run:
        """Make calls."""
        ...

    @property
    def cycles(self) -> int:
        """Samples that one call computes."""
        ...


@dataclass(frozen=True)
class Timing:
    """Time of one cycle (s): median, 5th and 95th percentile of the blocks."""

    median: float
    low: float
    high: float


def largest_difference(candidate: Candidate, reference: Candidate, states: int = CHECKED) -> float:
    """Return the largest relative difference between what the results of two rows both have.

    NaN, which is within no tolerance, if one of them has one.
    """
    largest = 0.0
    for k in range(states):
        ours, theirs = candidate.solve(k), reference.solve(k)
        pairs = [
            (ours.position, theirs.position),
            (ours.generalized_force, theirs.generalized_force),
            (ours.actuator_effort, theirs.actuator_effort),
        ]
        for mine, other in pairs:
            if mine is not None and other is not None:
                scale = max(1e-3, float(np.abs(other).max()))
                largest = float(np.maximum(largest, np.abs(mine - other).max() / scale))
    return largest


def time_in_rounds(candidates: Sequence[Timed], rounds: int) -> list[Timing]:
    """Return the time of a cycle of each row.

    In each round every row has a turn of some milliseconds, in an order that is drawn anew, so
    that whatever else the machine does meets them alike.
    """
    calls = [_calls_in_a_block(candidate) for candidate in candidates]
    rng = np.random.default_rng(SEED)
    seconds = np.zeros((len(candidates), rounds))
    for n in range(rounds):
        for i in rng.permutation(len(candidates)):
            seconds[i, n] = candidates[i].run(calls[i]) / (calls[i] * candidates[i].cycles)
        if (n + 1) % 50 == 0:
            print(f"benchmarks: round {n + 1} of {rounds}", file=sys.stderr, flush=True)
    low, median, high = np.percentile(seconds, (5.0, 50.0, 95.0), axis=1)
    return [Timing(*values) for values in zip(median, low, high, strict=True)]


def _calls_in_a_block(candidate: Timed) -> int:
    candidate.run(2)  # compiles, fills caches
    calls = 1
    while (elapsed := candidate.run(calls)) < BLOCK / 4.0:
        calls *= 2
    return max(1, math.ceil(calls * BLOCK / elapsed))
