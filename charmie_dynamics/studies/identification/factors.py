# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The rows of a regression, reduced to triangular factors.

Of the rows (columns, right side) of each actuator in each part of the data only the factor R of
A = Q R is stored: |A x| = |R x| for every x. Its size does not depend on the length of the
recording, and weights and held-out parts may change without reading the data again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from charmie_dynamics.numerics.vectors import Floats, Ints

from .rows import RegressionRows, means_of, usual_count
from .unknowns import EffortColumns

RANK = 1e-9  # of the largest singular value, the columns scaled to length 1
MOST_NOISE = 0.5  # noise in a column, as a fraction of the squares
LEAST_SIGNAL = 0.1  # signal in a direction, as a fraction of the squares


class RegressionFactors:
    """Triangular factors of a regression, by part of the data and measured actuator.

    Parameters
    ----------
    columns : EffortColumns
    parts : int

    Attributes
    ----------
    columns : EffortColumns
    factors : (parts, m, c + 1, c + 1) array
        Rows with the same squares as those of an actuator in a part.
    counts : (parts, m) array of int
        Number of rows in each factor.
    errors : RegressionFactors or None
        Of one realisation of the errors of all rows; None: exact rows.
    """

    def __init__(self, columns: EffortColumns, parts: int) -> None:
        self.columns = columns
        width = columns.places.shape[1] + 1
        count = len(columns.actuators)
        self.factors: Floats = np.zeros((parts, count, width, width))
        self.counts: Ints = np.zeros((parts, count), dtype=np.int64)
        self.errors: RegressionFactors | None = None

    def add(self, part: int, actuator: int, rows: Floats) -> None:
        """Add rows (k, c + 1) with the right side last."""
        stacked = np.vstack((self.factors[part, actuator], rows))
        self.factors[part, actuator] = np.linalg.qr(stacked, mode="r")
        self.counts[part, actuator] += len(rows)

    def without(self, columns: EffortColumns) -> RegressionFactors:
        """Return the factors of fewer columns, whose base parameters are among these."""
        base = len(self.columns.base.columns)
        kept = np.flatnonzero(np.isin(self.columns.base.columns, columns.base.columns))
        kept = np.concatenate((kept, np.arange(base, self.factors.shape[-1])))
        result = RegressionFactors(columns, len(self.factors))
        for part, actuator in np.ndindex(*self.counts.shape):
            result.add(part, actuator, self.factors[part, actuator][:, kept])
        result.counts = self.counts
        if self.errors is not None:
            result.errors = self.errors.without(columns)
        return result

    def merged(self, parts: Sequence[int] | None = None) -> RegressionFactors:
        """Return the factors of some parts as those of one part (default: all)."""
        result = RegressionFactors(self.columns, 1)
        chosen = self.factors if parts is None else self.factors[list(parts)]
        for m in range(chosen.shape[1]):
            rows = chosen[:, m].reshape(-1, chosen.shape[-1])
            result.factors[0, m] = np.linalg.qr(rows, mode="r")
        result.counts[0] = self.counts[slice(None) if parts is None else list(parts)].sum(axis=0)
        if self.errors is not None:
            result.errors = self.errors.merged(parts)
        return result

    def equations(self, weights: Floats) -> Floats:
        """Return the factor (u + 1, u + 1) of one part, corrected for the bias of errors."""
        factor = self.joined(weights)
        if self.errors is None:
            return factor
        return _corrected(factor, self.errors.joined(weights))

    def joined(self, weights: Floats) -> Floats:
        """Return the factor (u + 1, u + 1) of all actuators, with weights (m,) of their rows."""
        places, size = self.columns.places, len(self.columns.names)
        rows = []
        for m, weight in enumerate(weights.tolist()):
            own = self.factors[0, m]
            wide = np.zeros((len(own), size + 1))
            wide[:, places[m]] = own[:, :-1]
            wide[:, -1] = own[:, -1]
            rows.append(weight * wide)
        factor = np.linalg.qr(np.vstack(rows), mode="r")
        result = np.zeros((size + 1, size + 1))
        result[: len(factor)] = factor[: size + 1]
        return result


def _corrected(factor: Floats, errors: Floats) -> Floats:
    """Return the factor (u + 1, u + 1) of the squares of rows minus those of their errors.

    Noise in the columns of a regression makes its solution too small; the squares that it adds are
    subtracted from the normal equations (W. A. Fuller, Measurement Error Models (1987), section
    2.2). Columns of mostly noise, such as those of the friction of a joint at rest, are omitted
    first: a direction that contains them contains other columns too. Then directions with mostly
    noise are omitted.

    Parameters
    ----------
    factor, errors : (u + 1, u + 1) array
        Of the rows, and of one realisation of their errors; the right side last.
    """
    squares, of_noise = (np.square(part[:, :-1]).sum(axis=0) for part in (factor, errors))
    is_heard = of_noise < MOST_NOISE * squares
    R, E = factor[:, :-1] * is_heard, errors[:, :-1] * is_heard
    right = R.T @ factor[:, -1] - E.T @ errors[:, -1]
    length = np.linalg.norm(R, axis=0)
    length[~is_heard] = 1.0
    _, singular, Vt = np.linalg.svd(R / length, full_matrices=False)
    rank = int((singular > RANK * singular[0]).sum())
    whole = Vt[:rank] * singular[:rank, None]
    inverse = Vt[:rank].T / singular[:rank]
    noise = (E / length) @ inverse
    shares, Q = np.linalg.eigh(np.eye(rank) - noise.T @ noise)
    kept = shares > LEAST_SIGNAL
    root = np.sqrt(shares[kept])[:, None]
    result = np.zeros_like(factor)
    count = int(kept.sum())
    # not the round-off of omitted columns, which a later scaling of the columns would amplify
    result[:count, :-1] = (root * (Q.T[kept] @ whole)) * np.where(is_heard, length, 0.0)
    result[:count, -1] = (Q.T[kept] @ (inverse.T @ (right / length))) / root[:, 0]
    return result


def factorise(rows: RegressionRows, columns: EffortColumns) -> RegressionFactors:
    """Return the factors of the means of all rows."""
    result = RegressionFactors(columns, rows.blocks)
    usual = usual_count(rows)
    for piece in rows.pieces(columns):
        means = means_of(piece, usual)
        if means.errors is not None and result.errors is None:
            result.errors = RegressionFactors(columns, rows.blocks)
        for m in range(len(columns.actuators)):
            known = means.known[:, m]
            if known.any():
                right = means.excess[known, m, None]
                result.add(piece.part, m, np.hstack((means.columns[known, m], right)))
                if means.errors is not None and result.errors is not None:
                    result.errors.add(piece.part, m, means.errors[known, m])
    return result
