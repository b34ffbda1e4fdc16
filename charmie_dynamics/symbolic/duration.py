# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Expected duration of a derivation, from those of the first joints of the same robot."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from time import perf_counter

LONG = 12  # joints, above which a derivation may take very long
ENOUGH = 0.25  # s, least duration of the longest trial
MOST_OF_IT = 0.5  # largest fraction of the joints in a trial


def expected_duration(joints: int, derive_first: Callable[[int], None]) -> str:
    """Return a sentence about the expected duration of the derivation for a robot.

    Parameters
    ----------
    joints : int
        Number of joints of the robot.
    derive_first : callable
        Derives the equations of a number of its first joints.
    """
    trials: list[tuple[int, float]] = []
    count = 2
    while count <= max(4.0, MOST_OF_IT * joints):
        begin = perf_counter()
        derive_first(count)
        trials.append((count, perf_counter() - begin))
        if trials[-1][1] > ENOUGH and len(trials) > 1:
            break
        count += 2
    (first, short), (last, long) = trials[0], trials[-1]
    growth = max(long / short, 1.0)
    by_joint = long * growth ** ((joints - last) / (last - first))
    by_power = long * (joints / last) ** max(1.0, log(growth) / log(last / first))
    low, high = sorted((by_power, by_joint))
    return (
        f"the equations of its first {first} and {last} joints took {_shown(short)} and "
        f"{_shown(long)} here; going on like that, all {joints} take between {_shown(low)} (a "
        f"power of their number) and {_shown(high)} (a factor for each)"
    )


def _shown(seconds: float) -> str:
    """Return a duration with two digits."""
    for unit, length in (("days", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2.0 * length:
            return f"{seconds / length:.2g} {unit}"
    return f"{seconds:.2g} s"
