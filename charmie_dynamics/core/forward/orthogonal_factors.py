# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Independent rows of a matrix A, and solutions with them: Householder with pivoting.

Reflections turn the rows one after the other onto the axes of an orthonormal basis, first the row
with the largest residual (Golub and Van Loan, Matrix Computations, 2013, section 5.4.2, on A^T).
The residual of a row that depends on the rows before it is below the tolerance. So

    rows in the order of the pivots = | L | Q1^T,   Q = [Q1 Q2]
                                      | F |

with L lower triangular, of as many rows as the rank, and F = T L. Q2 is a basis of the null space
of A. The dependent rows are the combinations T of the others. (The factors are those of a QR of A^T
with column pivoting; with T the decomposition is complete.)

Rows that are zero from the start, such as those across the plane of a planar loop, are moved to the
end and take no part in the factorisation.

The factors overwrite A: L below and on the diagonal, the remainder of each row by the vector of its
reflection, whose first element is 1, and F by T.
"""

from __future__ import annotations

import math
from typing import Any

from charmie_dynamics.numerics.jit import compiled, compiled_apart
from charmie_dynamics.numerics.vectors import Floats

from .articulated_bodies import SMALLEST_PIVOT


@compiled_apart
def factor_rows(
    A: Floats, count: int, length: int, factors: Floats, order: Floats, tolerance: float
) -> tuple[int, int]:
    """Factor a matrix; return its rank, and the number of nonzero rows.

    Parameters
    ----------
    A : array
        Of at least the shape (count, length); overwritten.
    count, length : int
    factors : array
        Output: of the reflections.
    order : array
        Output: index in A of each row.
    tolerance : float
        Length below which the residual of a row counts as zero.
    """
    for j in range(count):
        order[j] = j
    least = tolerance * tolerance
    for j in range(count - 1, -1, -1):
        if product_of(A[j], A[j], 0, length) <= least:
            count -= 1
            swap_rows(A, j, count, length)
            order[j], order[count] = order[count], order[j]
    rank = 0
    while rank < min(count, length):
        best, largest = -1, least
        for j in range(rank, count):
            square = product_of(A[j], A[j], rank, length)
            if square > largest:
                best, largest = j, square
        if best < 0:
            break
        swap_rows(A, rank, best, length)
        order[rank], order[best] = order[best], order[rank]
        factors[rank] = make_reflection(A[rank], rank, length, math.sqrt(largest))
        for j in range(rank + 1, count):
            reflect(A[rank], factors[rank], rank, length, A[j])
        rank += 1
    combine_rows(A, count, rank)
    return rank, count


@compiled_apart
def product_of(a: Any, b: Any, first: int, length: int) -> float:
    """Return the sum of the products of elements from number `first` on.

    In four sums, since an addition has to wait for the one before it in the same sum.
    """
    end = first + (length - first) // 4 * 4
    p, q, r, s = 0.0, 0.0, 0.0, 0.0
    for i in range(first, end, 4):
        p += a[i] * b[i]
        q += a[i + 1] * b[i + 1]
        r += a[i + 2] * b[i + 2]
        s += a[i + 3] * b[i + 3]
    for i in range(end, length):
        p += a[i] * b[i]
    return (p + q) + (r + s)


@compiled
def swap_rows(A: Floats, first: int, second: int, length: int) -> None:
    """Exchange two rows."""
    if first != second:
        for i in range(length):
            A[first, i], A[second, i] = A[second, i], A[first, i]


@compiled
def make_reflection(row: Any, k: int, length: int, size: float) -> float:
    """Write the reflection that zeroes a row after element `k`; return its factor.

    Element `k` becomes the reflected element, those after it the vector of the reflection.
    """
    left = -size if row[k] > 0.0 else size
    factor = (left - row[k]) / left
    divisor = row[k] - left
    row[k] = left
    for i in range(k + 1, length):
        row[i] = row[i] / divisor
    return factor  # type: ignore[no-any-return]


@compiled
def reflect(vector: Any, factor: float, k: int, length: int, x: Any) -> None:
    """Apply the reflection number `k` to x."""
    along = factor * (x[k] + product_of(vector, x, k + 1, length))
    x[k] -= along
    for i in range(k + 1, length):
        x[i] -= along * vector[i]


@compiled
def combine_rows(A: Floats, count: int, rank: int) -> None:
    """Turn F into T = F L^-1."""
    for j in range(rank, count):
        for k in range(rank - 1, -1, -1):
            value = A[j, k]
            for i in range(k + 1, rank):
                value -= A[j, i] * A[i, k]
            A[j, k] = value / A[k, k]


@compiled_apart
def to_basis(A: Floats, factors: Floats, rank: int, length: int, x: Any) -> None:
    """Turn x into Q^T x."""
    for k in range(rank):
        reflect(A[k], factors[k], k, length, x)


@compiled_apart
def from_basis(A: Floats, factors: Floats, rank: int, length: int, x: Any) -> None:
    """Turn x into Q x."""
    for k in range(rank - 1, -1, -1):
        reflect(A[k], factors[k], k, length, x)


@compiled
def write_unseen(A: Floats, factors: Floats, rank: int, length: int, k: int, x: Any) -> None:
    """Write vector number `k` of Q2."""
    for i in range(length):
        x[i] = 0.0
    x[rank + k] = 1.0
    from_basis(A, factors, rank, length, x)


@compiled_apart
def solve_rows(
    A: Floats, length: int, factors: Floats, order: Floats, rank: int, b: Any, x: Any
) -> None:
    """Write the shortest x whose products with the independent rows are b.

    Parameters
    ----------
    A, factors, order, rank
        From `factor_rows`, for rows of this length.
    b : array
        In the order of the rows of A.
    x : array
        Output.
    """
    for k in range(rank):
        x[k] = (b[int(order[k])] - product_of(A[k], x, 0, k)) / A[k, k]
    for k in range(rank, length):
        x[k] = 0.0
    from_basis(A, factors, rank, length, x)


@compiled_apart
def share_among_rows(
    A: Floats,
    order: Floats,
    rank: int,
    count: int,
    all_rows: int,
    size: Floats,
    normal: Floats,
    shares: Floats,
    c: Any,
    x: Any,
) -> None:
    """Write the factors x of the rows whose combination is the projection of a vector.

    Of all such factors x is the one with the least sum of squares of x / size.

    Parameters
    ----------
    A, order
        From `factor_rows`.
    rank, count, all_rows : int
        Rank, number of nonzero rows, and number of all rows.
    size : array
        Of each row, positive.
    normal, shares : array
        Workspace, a square one and a vector, for the dependent rows.
    c : array
        The vector by `to_basis`; overwritten.
    x : array
        Output, in the order of the rows of A.
    """
    for j in range(count, all_rows):
        x[int(order[j])] = 0.0
    # the independent rows only
    for k in range(rank - 1, -1, -1):
        for j in range(k + 1, rank):
            c[k] -= A[j, k] * c[j]
        c[k] /= A[k, k]
    others = count - rank
    # x1 = c - T^T x2; the sum of squares is least where (T S T^T + S2) x2 = T S c
    for m in range(others):
        for n in range(m + 1):
            value = 1.0 / size[int(order[rank + m])] ** 2 if m == n else 0.0
            for k in range(rank):
                weight = 1.0 / size[int(order[k])] ** 2
                value += A[rank + m, k] * A[rank + n, k] * weight
            normal[m, n] = value
        value = 0.0
        for k in range(rank):
            value += A[rank + m, k] * c[k] / size[int(order[k])] ** 2
        shares[m] = value
    solve_positive(normal, others, shares)
    for m in range(others):
        share = shares[m]
        x[int(order[rank + m])] = share
        for k in range(rank):
            c[k] -= A[rank + m, k] * share
    for k in range(rank):
        x[int(order[k])] = c[k]


@compiled_apart
def solve_positive(M: Floats, count: int, x: Any) -> int:
    """Solve M y = x in place with the lower half of a positive definite M, which is overwritten.

    Returns
    -------
    int
        The first row whose pivot is too small, or -1.
    """
    for i in range(count):
        own = M[i, i]
        for j in range(i):
            M[i, j] = (M[i, j] - product_of(M[i], M[j], 0, j)) / M[j, j]
        value = own - product_of(M[i], M[i], 0, i)
        if not value > SMALLEST_PIVOT * own:
            return i
        M[i, i] = math.sqrt(value)
    for i in range(count):
        x[i] = (x[i] - product_of(M[i], x, 0, i)) / M[i, i]
    for i in range(count - 1, -1, -1):
        for k in range(i + 1, count):
            x[i] -= M[k, i] * x[k]
        x[i] /= M[i, i]
    return -1
