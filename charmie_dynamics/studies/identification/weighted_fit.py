# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Weighted least squares of the unknowns, with their uncertainty.

The rows of each actuator have a noise of their own, which its residuals tell; weights and solution
are found in turn. Degrees of freedom count by actuator, as its share of the fitted values. What
the data do not determine keeps its described value and has an infinite standard deviation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.numerics.vectors import Floats

from .factors import RANK, RegressionFactors

MOST_ROUNDS = 30
SETTLED = 1e-3  # relative change of the noise from round to round
NULL = 1e-6  # share of a direction that the data do not tell
SMALLEST_NOISE = 1e-9  # of the RMS of the right side: data without noise have weights as well


@dataclass(frozen=True, eq=False)
class WeightedFit:
    """The solution of a weighted regression.

    Attributes
    ----------
    values : (u,) array
        Of the unknowns.
    deviation : (u,) array
        Standard deviations; inf where the data do not determine the unknown.
    covariance : (u, u) array
        Of what the data determine.
    noise : (m,) array
        Standard deviation of the rows of each measured actuator (N m, N).
    factor : (u + 1, u + 1) array
        Weighted rows that stand for all, the right side last.
    """

    values: Floats
    deviation: Floats
    covariance: Floats
    noise: Floats
    factor: Floats


def fit(
    factors: RegressionFactors, parts: Sequence[int], inflation: Floats | None = None
) -> WeightedFit:
    """Return the solution from some parts of the data.

    Parameters
    ----------
    factors : RegressionFactors
    parts : sequence of int
    inflation : (m,) array, optional
        Of the variance of each actuator's rows, where these are correlated: n correlated rows are
        worth as much as n / inflation others.

    Raises
    ------
    CharmieError
        If there are not more rows than unknowns.
    """
    columns = factors.columns
    counts = factors.counts[list(parts)].sum(axis=0)
    if counts.sum() <= len(columns.names):
        raise CharmieError(
            f"identification: {len(columns.names)} unknowns cannot be found from {counts.sum()} "
            "means of measured efforts; expected a longer motion, a shorter period, or fewer "
            "unknowns"
        )
    own = [factors.of(parts, m) for m in range(len(counts))]
    more = np.ones(len(counts)) if inflation is None else np.sqrt(inflation)
    size = np.array([np.linalg.norm(rows[:, -1]) for rows in own]) / np.sqrt(np.maximum(counts, 1))
    smallest = SMALLEST_NOISE * max(float(size.max()), 1e-12)
    noise = np.maximum(size, smallest)
    for _ in range(MOST_ROUNDS):
        found = _solved(factors, parts, noise * more)
        x = found.values - columns.subtracted
        before = noise
        noise = np.empty_like(before)
        for m, rows in enumerate(own):
            places = columns.places[m]
            left = rows[:, :-1] @ x[places] - rows[:, -1]
            some = found.covariance[np.ix_(places, places)]
            used = float(((rows[:, :-1] @ some) * rows[:, :-1]).sum()) / found.noise[m] ** 2
            freedom = max(float(counts[m]) - used, 1.0)
            noise[m] = max(float(np.linalg.norm(left)) / np.sqrt(freedom), smallest)
        if np.abs(noise / before - 1.0).max() < SETTLED:
            break
    return _solved(factors, parts, noise * more)


def _solved(factors: RegressionFactors, parts: Sequence[int], noise: Floats) -> WeightedFit:
    columns = factors.columns
    factor = factors.equations(parts, 1.0 / noise)
    R, right = factor[:-1, :-1], factor[:-1, -1]
    start = columns.prior - columns.subtracted
    length = np.linalg.norm(R, axis=0)
    length[length == 0.0] = 1.0
    U, singular, Vt = np.linalg.svd(R / length)
    told = singular > RANK * singular[0]
    inverse = np.where(told, 1.0 / np.where(told, singular, 1.0), 0.0)
    V = Vt.T * inverse
    x = start + (V @ (U.T @ (right - R @ start))) / length
    half = V / length[:, None]
    covariance = half @ half.T
    if factors.errors is not None:
        half = covariance @ factors.joined(parts, 1.0 / noise)[:, :-1].T
        covariance = half @ half.T
    untold = np.linalg.norm(Vt[~told], axis=0) > NULL
    deviation = np.where(untold, np.inf, np.sqrt(np.diag(covariance)))
    return WeightedFit(x + columns.subtracted, deviation, covariance, noise, factor)
