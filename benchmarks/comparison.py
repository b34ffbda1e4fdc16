# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""CHARMIE's cycle by this package, by a textbook recursion and by other programs."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from .candidates import WHOLE, Candidate, batch, compute, compute_tree, kernel, textbook
from .case import make_case
from .others import make_others
from .timing import TOLERANCE, Timing, largest_difference, time_in_rounds

REFERENCE = "Pinocchio"


@dataclass(frozen=True)
class Row:
    """What the table shows: `timing` is None for a row that is not timed, for `reason`."""

    name: str
    version: str
    computes: str
    difference: float
    timing: Timing | None
    reason: str = ""


@dataclass(frozen=True)
class Comparison:
    """Rows of the table, and the median (s) of the row that the others are divided by."""

    rows: tuple[Row, ...]
    reference: float | None

    @property
    def complete(self) -> bool:
        """Whether each row that could be made was timed."""
        return all(row.timing is not None for row in self.rows if row.version)


def measure(version: str, rounds: int) -> Comparison:
    """Check that the rows agree, then time those that do, all in the same rounds.

    Each row is held against the textbook recursion, and each whole cycle also against
    `Model.compute`, whose efforts of actuators the textbook does not know.
    """
    case = make_case("CHARMIE")
    others, missing = make_others(case)
    reference, whole = textbook(case), compute(case, version)
    cores = len(os.sched_getaffinity(0))
    candidates = [
        reference,
        *others,
        whole,
        compute_tree(case, version),
        kernel(case, version),
        batch(case, version, 1),
    ]
    if cores > 1:
        candidates.append(batch(case, version, cores))
    differences = [_difference(candidate, reference, whole) for candidate in candidates]
    timed = [c for c, d in zip(candidates, differences, strict=True) if d <= TOLERANCE]
    timings = dict(zip(map(id, timed), time_in_rounds(timed, rounds), strict=True))
    rows = [
        _row(candidate, difference, timings.get(id(candidate)))
        for candidate, difference in zip(candidates, differences, strict=True)
    ]
    rows += [Row(name, "", "", 0.0, None, reason) for name, reason in missing.items()]
    medians = [r.timing.median for r in rows if r.name.startswith(REFERENCE) and r.timing]
    return Comparison(tuple(rows), medians[0] if medians else None)


def _difference(candidate: Candidate, textbook: Candidate, whole: Candidate) -> float:
    difference = largest_difference(candidate, textbook)
    if candidate.computes == WHOLE:
        difference = float(np.maximum(difference, largest_difference(candidate, whole)))
    return difference


def _row(candidate: Candidate, difference: float, timing: Timing | None) -> Row:
    reason = ""
    if timing is None:
        reason = f"results differ by {difference:.1e}, expected at most {TOLERANCE:g}"
    return Row(candidate.name, candidate.version, candidate.computes, difference, timing, reason)
