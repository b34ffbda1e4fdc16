# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Linear equations by factors with partial pivoting, in plain loops."""

from __future__ import annotations

from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats, Ints


@compiled
def factorise_matrix(matrix: Floats, rows: Ints, count: int) -> bool:
    """Replace a matrix by its factors L and U.

    Parameters
    ----------
    matrix : (count * count,) array
        Row by row.
    rows : (count,) array
        Output: the order of the rows.
    count : int

    Returns
    -------
    bool
        Whether the matrix is regular.
    """
    for k in range(count):
        rows[k] = k
    for k in range(count):
        best = k
        for i in range(k + 1, count):
            if abs(matrix[rows[i] * count + k]) > abs(matrix[rows[best] * count + k]):
                best = i
        row = rows[best]
        rows[best], rows[k] = rows[k], row
        pivot = matrix[row * count + k]
        if not abs(pivot) > 0.0:
            return False
        for i in range(k + 1, count):
            below = rows[i] * count
            share = matrix[below + k] / pivot
            matrix[below + k] = share
            for j in range(k + 1, count):
                matrix[below + j] -= share * matrix[row * count + j]
    return True


@compiled
def solve_with_factors(matrix: Floats, rows: Ints, right: Floats, out: Floats) -> None:
    """Write the solution `out` (count,) for a right side (count,)."""
    count = out.shape[0]
    for k in range(count):
        value = right[rows[k]]
        for j in range(k):
            value -= matrix[rows[k] * count + j] * out[j]
        out[k] = value
    for k in range(count - 1, -1, -1):
        value = out[k]
        for j in range(k + 1, count):
            value -= matrix[rows[k] * count + j] * out[j]
        out[k] = value / matrix[rows[k] * count + k]
