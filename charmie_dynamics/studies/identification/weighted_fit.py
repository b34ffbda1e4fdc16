# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Weighted least squares of the unknowns, with their uncertainty.

Each actuator has its own noise of the rows, which follows from its residuals; weights and solution
are computed in turn. Degrees of freedom are counted per actuator, as its part of the fitted values.
Parameters that the data do not determine keep the described value and have an infinite standard
deviation.

The covariance is that of a jackknife that omits one block of successive rows at a time (Künsch,
Annals of Statistics 17 (1989) 1217; MacKinnon, Nielsen and Webb, J. Applied Econometrics 38 (2023)
671). It needs no model of the errors: they may depend on the motion, on time within a block, and
on those of other actuators.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.numerics.vectors import Floats

from .factors import RANK, RegressionFactors
from .unknowns import EffortColumns

MOST_ROUNDS = 30
SETTLED = 1e-3  # relative change of the noise from round to round
NULL = 1e-6  # fraction of a direction that the data do not determine
SMALLEST_NOISE = 1e-9  # of the RMS of the right side: weights of data without noise


@dataclass(frozen=True, eq=False)
class WeightedFit:
    """The solution of a weighted regression.

    Attributes
    ----------
    values : (u,) array
        Of the unknowns.
    deviation : (u,) array
        Standard deviations; inf where the data do not determine the unknown.
    freedom : float
        Degrees of freedom of the standard deviations.
    noise : (m,) array
        Standard deviation of the rows of each measured actuator (N m, N).
    factor : (u + 1, u + 1) array
        Weighted rows that represent all rows, the right side last.
    """

    values: Floats
    deviation: Floats
    freedom: float
    noise: Floats
    factor: Floats


def fit(factors: RegressionFactors) -> WeightedFit:
    """Return the solution from all parts of the data, each of which is a block of the jackknife.

    Raises
    ------
    CharmieError
        If there are too few rows for the unknowns.
    """
    columns = factors.columns
    whole = factors.merged()
    counts = whole.counts[0]
    if counts.sum() <= len(columns.names):
        raise CharmieError(
            f"identification: {len(columns.names)} unknowns cannot be found from {counts.sum()} "
            "means of measured efforts; expected a longer motion, a shorter period, or fewer "
            "unknowns"
        )
    own = whole.factors[0]
    size = np.array([np.linalg.norm(rows[:, -1]) for rows in own]) / np.sqrt(np.maximum(counts, 1))
    smallest = SMALLEST_NOISE * max(float(size.max()), 1e-12)
    noise = np.maximum(size, smallest)
    for _ in range(MOST_ROUNDS):
        x, half, _ = _solved(columns, whole.equations(1.0 / noise))
        before = noise
        noise = np.empty_like(before)
        for m, rows in enumerate(own):
            places = columns.places[m]
            left = rows[:, :-1] @ x[places] - rows[:, -1]
            used = float(np.sum((rows[:, :-1] @ half[places]) ** 2)) / before[m] ** 2
            freedom = max(float(counts[m]) - used, 1.0)
            noise[m] = max(float(np.linalg.norm(left)) / np.sqrt(freedom), smallest)
        if np.abs(noise / before - 1.0).max() < SETTLED:
            break
    factor = whole.equations(1.0 / noise)
    x, half, is_determined = _solved(columns, factor)
    changes = [
        _change_without(factors, part, noise, x, half)
        for part in np.flatnonzero(factors.counts.any(axis=1)).tolist()
    ]  # fmt: skip
    freedom = len(changes) - 1
    variance = freedom / len(changes) * np.sum(np.square(changes), axis=0)
    deviation = np.where(is_determined, np.sqrt(variance), np.inf)
    return WeightedFit(x + columns.subtracted, deviation, float(freedom), noise, factor)


def _solved(columns: EffortColumns, factor: Floats) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
    """Return the deviations (u,), H (u, r), and whether unknowns are determined (u,).

    H H' is the inverse of the squares in the directions that the data determine.
    """
    R, right = factor[:-1, :-1], factor[:-1, -1]
    start = columns.prior - columns.subtracted
    length = np.linalg.norm(R, axis=0)
    length[length == 0.0] = 1.0
    U, singular, Vt = np.linalg.svd(R / length)
    is_known = singular > RANK * singular[0]
    half = Vt[is_known].T / singular[is_known] / length[:, None]
    x = start + half @ (U[:, is_known].T @ (right - R @ start))
    is_determined = np.linalg.norm(Vt[~is_known], axis=0) <= NULL
    return x, half, is_determined


def _change_without(
    factors: RegressionFactors, part: int, noise: Floats, x: Floats, half: Floats
) -> Floats:
    """Return the change of the solution (u,) without one part of the data."""
    squares, score = np.zeros((half.shape[1],) * 2), np.zeros(half.shape[1])
    for sign, own in ((1.0, factors), (-1.0, factors.errors)):
        if own is None:
            continue
        for m, places in enumerate(factors.columns.places):
            rows = own.factors[part, m] / noise[m]
            seen = rows[:, :-1] @ half[places]
            squares += sign * (seen.T @ seen)
            score += sign * (seen.T @ (rows[:, -1] - rows[:, :-1] @ x[places]))
    remaining = np.eye(len(score)) - squares
    result: Floats = half @ np.linalg.solve(remaining, score)
    return result
