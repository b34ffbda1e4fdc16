# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Three-vectors and rotations for the kernels: no allocation, no NumPy calls.

A vector argument is anything with three elements (a row of an array or a tuple); a result is a
tuple of three floats, which the compiler keeps in registers. `store` writes one into an array.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .elementary import sqrt
from .fused import multiply_add
from .jit import compiled

Vector = tuple[float, float, float]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@compiled
def store(out: Floats, v: Any) -> None:
    """Write the three elements of `v` into `out`."""
    out[0] = v[0]
    out[1] = v[1]
    out[2] = v[2]


@compiled
def add(a: Any, b: Any) -> Vector:
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@compiled
def subtract(a: Any, b: Any) -> Vector:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@compiled
def scale(s: float, a: Any) -> Vector:
    """Return s a."""
    return s * a[0], s * a[1], s * a[2]


@compiled
def dot(a: Any, b: Any) -> float:
    """Return the scalar product of a and b."""
    return multiply_add(  # type: ignore[no-any-return]
        a[2], b[2], multiply_add(a[1], b[1], a[0] * b[0])
    )


@compiled
def cross(a: Any, b: Any) -> Vector:
    """Return the vector product a x b."""
    return (
        multiply_add(a[1], b[2], -(a[2] * b[1])),
        multiply_add(a[2], b[0], -(a[0] * b[2])),
        multiply_add(a[0], b[1], -(a[1] * b[0])),
    )


@compiled
def cross_add(a: Any, b: Any, c: Any) -> Vector:
    """Return a x b + c."""
    return (
        multiply_add(a[1], b[2], multiply_add(-a[2], b[1], c[0])),
        multiply_add(a[2], b[0], multiply_add(-a[0], b[2], c[1])),
        multiply_add(a[0], b[1], multiply_add(-a[1], b[0], c[2])),
    )


@compiled
def norm(a: Any) -> float:
    """Return the Euclidean length of a."""
    return sqrt(dot(a, a))


@compiled
def rotate(R: Any, v: Any) -> Vector:
    """Return R v: `R_a_b` takes coordinates in b to coordinates in a."""
    return (
        multiply_add(R[0, 2], v[2], multiply_add(R[0, 1], v[1], R[0, 0] * v[0])),
        multiply_add(R[1, 2], v[2], multiply_add(R[1, 1], v[1], R[1, 0] * v[0])),
        multiply_add(R[2, 2], v[2], multiply_add(R[2, 1], v[1], R[2, 0] * v[0])),
    )


@compiled
def rotate_back(R: Any, v: Any) -> Vector:
    """Return R^T v: `R_a_b` takes coordinates in a back to coordinates in b."""
    return (
        multiply_add(R[2, 0], v[2], multiply_add(R[1, 0], v[1], R[0, 0] * v[0])),
        multiply_add(R[2, 1], v[2], multiply_add(R[1, 1], v[1], R[0, 1] * v[0])),
        multiply_add(R[2, 2], v[2], multiply_add(R[1, 2], v[1], R[0, 2] * v[0])),
    )
