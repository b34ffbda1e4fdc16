# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rotation matrices: from two directions, products, quaternions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .branches import where
from .elementary import sqrt
from .fused import multiply_add
from .jit import compiled, plain
from .vectors import Floats


@compiled
def compose(R_a_b: Any, R_b_c: Any, R_a_c: Floats) -> None:
    """Write R_a_c = R_a_b R_b_c (multibody paper, eq. 16)."""
    # all of R_a_b is read before anything is written: the compiler cannot know that the three
    # matrices are apart, and would read it again for each element
    x = R_a_b[0, 0], R_a_b[1, 0], R_a_b[2, 0]
    y = R_a_b[0, 1], R_a_b[1, 1], R_a_b[2, 1]
    z = R_a_b[0, 2], R_a_b[1, 2], R_a_b[2, 2]
    for k in range(3):
        u = R_b_c[0, k]
        v = R_b_c[1, k]
        w = R_b_c[2, k]
        R_a_c[0, k] = multiply_add(z[0], w, multiply_add(y[0], v, x[0] * u))
        R_a_c[1, k] = multiply_add(z[1], w, multiply_add(y[1], v, x[1] * u))
        R_a_c[2, k] = multiply_add(z[2], w, multiply_add(y[2], v, x[2] * u))


@compiled
def copy_matrix(R: Any, out: Floats) -> None:
    """Write `R` into `out`, in a loop: NumPy's assignment takes seconds to compile."""
    for i in range(3):
        for j in range(3):
            out[i, j] = R[i, j]


@compiled
def from_z_to_direction(u: Any, R: Floats) -> None:
    """Write the smallest rotation that turns the z axis into the unit vector `u`.

    A member that is pinned about x or y and swings in the plane across its pin keeps its pin
    axis under this rotation. The angle between the axes is the arccos of u_z (multibody paper,
    eq. 21, where the printed law of cosines lacks the arccos); for u = -z, where the smallest
    rotation is not unique, it is the half turn about x.
    """
    c = u[2]
    x = -u[1]  # z cross u
    y = u[0]
    sine2 = x * x + y * y
    opposite = (c < 0.0) & (sine2 < 1e-30)
    # k = 1 / (1 + c), written so that nothing cancels on either side of the horizon
    denominator = where(opposite, 1.0, where(c > 0.0, 1.0 + c, sine2))
    k = where(c > 0.0, 1.0, 1.0 - c) / denominator
    R[0, 0] = 1.0 - k * y * y
    R[0, 1] = k * x * y
    R[0, 2] = y
    R[1, 0] = k * x * y
    R[1, 1] = where(opposite, -1.0, 1.0 - k * x * x)
    R[1, 2] = -x
    R[2, 0] = -y
    R[2, 1] = x
    R[2, 2] = c


def quaternions_from_matrices(R: Floats, quaternion: Floats) -> None:
    """Write the unit quaternions (x, y, z, w), with w >= 0, of the rotation matrices `R`.

    Parameters
    ----------
    R : (n, 3, 3) array
        Rotation matrices.
    quaternion : (n, 4) array
        Output. Each is built from its largest component, so that none loses precision.
    """
    convert = plain(quaternion_from_rows)  # called at the start alone
    for n in range(R.shape[0]):
        quaternion[n] = convert(R[n, 0], R[n, 1], R[n, 2])


@compiled
def quaternion_from_rows(first: Any, second: Any, third: Any) -> tuple[float, float, float, float]:
    """Return the unit quaternion (x, y, z, w) of a rotation matrix from its rows, as above."""
    xx = first[0]
    yy = second[1]
    zz = third[2]
    trace = xx + yy + zz
    # the comparisons that duals have
    if not (trace < xx or trace < yy or trace < zz):
        w = 1.0 + trace
        x = third[1] - second[2]
        y = first[2] - third[0]
        z = second[0] - first[1]
    elif not (xx < yy or xx < zz):
        x = 1.0 + xx - yy - zz
        w = third[1] - second[2]
        y = first[1] + second[0]
        z = first[2] + third[0]
    elif not yy < zz:
        y = 1.0 + yy - xx - zz
        w = first[2] - third[0]
        x = first[1] + second[0]
        z = second[2] + third[1]
    else:
        z = 1.0 + zz - xx - yy
        w = second[0] - first[1]
        x = first[2] + third[0]
        y = second[2] + third[1]
    s = 1.0 / sqrt(x * x + y * y + z * z + w * w)
    if w < 0.0:
        s = -s
    return s * x, s * y, s * z, s * w


@compiled
def write_matrix_of_quaternion(x: float, y: float, z: float, w: float, R: Floats) -> None:
    """Write the rotation matrix of the quaternion (x, y, z, w), whatever its length."""
    s = 2.0 / (x * x + y * y + z * z + w * w)
    R[0, 0] = 1.0 - s * (y * y + z * z)
    R[0, 1] = s * (x * y - w * z)
    R[0, 2] = s * (x * z + w * y)
    R[1, 0] = s * (x * y + w * z)
    R[1, 1] = 1.0 - s * (x * x + z * z)
    R[1, 2] = s * (y * z - w * x)
    R[2, 0] = s * (x * z - w * y)
    R[2, 1] = s * (y * z + w * x)
    R[2, 2] = 1.0 - s * (x * x + y * y)


def plane_across(axis: Floats) -> Floats:
    """Return two unit vectors (rows) which with `axis` form a right-handed triad."""
    start = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = _cross(start, axis)
    first /= np.linalg.norm(first)
    return np.array([first, _cross(axis, first)])


def _cross(u: Floats, v: Floats) -> Floats:
    """Return the product of two vectors, in a fraction of the time of NumPy's for any axes."""
    (a, b, c), (x, y, z) = u.tolist(), v.tolist()
    return np.array([b * z - c * y, c * x - a * z, a * y - b * x])
