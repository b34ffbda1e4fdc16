# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The least contact forces within friction cones that balance given loads.

A robot in contact needs a load b, with a row for each coordinate without actuator. The contact
forces f_i contribute A f to these rows. Of all forces within their circular cones K_i, the solution
of the following problem is computed::

    minimise  1/2 sum_i |f_i|^2 / s_i   such that   A f = b,   f_i in K_i                    (1)

with shares s_i of the points. That is a second-order cone program, whose dual has as few unknowns
y as there are rows::

    maximise  b.y - 1/2 sum_i s_i |P_i(A_i^T y)|^2,      f_i = s_i P_i(A_i^T y)              (2)

where P_i is the projection onto K_i, which has a closed form, see `project`. The gradient of (2),
b - A f, is the missing load. Each step of the method of multipliers maximises (2) less
1/2 r |y - y_j|^2 by Newton's method. Its matrix A D A^T + r 1 contains the derivatives D of the
projections. These are semismooth, so it converges quadratically. If (1) has a solution, the steps
converge to it. If the cones do not allow the load, they converge to the forces whose load is
nearest to b, and r (y_j+1 - y_j) converges to the missing load. One step from y = 0 without cones
is least squares with regularisation, which is linear in b, see `spread`.

The least squares solution of least norm without cones solves (1) if it lies within the cones, as
for most robots at rest or on wheels. It is tried first, since it costs a fraction of the steps.

Cones stay circular. Pyramids, as needed by solvers of quadratic programs or of non-negative least
squares, allow 2 % less friction with 16 faces, and 8 % less with 8, in the worst direction. All
samples of a batch are computed together with arrays of NumPy, without compilation.

References
----------
.. [1] Qi, Sun: A quadratically convergent Newton method for computing the nearest correlation
   matrix. SIAM J. Matrix Anal. Appl. 28 (2006): the dual of a least norm with a cone.
.. [2] Chiche, Gilbert: How the augmented Lagrangian algorithm can deal with an infeasible convex
   quadratic optimization problem. J. Convex Anal. 23 (2016).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.numerics.vectors import Floats, Ints

SMALL = 1e-5  # r of the method of multipliers, relative to the mean eigenvalue of A s A^T
BALANCED = 1e-9  # relative to the load: the change of the missing load that ends the steps
SINGULAR = 1e-6  # relative to the largest: loads of smaller singular values are not balanced
ENOUGH = 1e-13  # relative to the load: the gradient that ends Newton's method
REACHED = 1e-9  # relative to the load: with a larger gradient, r was too small
ROUND_OFF = 1e-15
SMALLEST_REACH = 1e-9  # m; points as close as this are one
MOST_STEPS, MOST_ITERATIONS, MOST_HALVINGS = 25, 60, 12
Flags = npt.NDArray[np.bool_]


class Cones(NamedTuple):
    """Friction cones of points: forces with a normal part of at least 0 that do not slide.

    Attributes
    ----------
    normal : (n, k, 3) array
        Unit vectors, towards the robot.
    friction : (n, k) array
        Coefficients, at least 0.
    """

    normal: Floats
    friction: Floats


class Distribution(NamedTuple):
    """Forces at points.

    Attributes
    ----------
    force : (n, k, 3) array
    missing : (n, m) array
        Part of the load that they do not balance.
    """

    force: Floats
    missing: Floats


def project(z: Floats, cones: Cones) -> tuple[Floats, Floats]:
    """Return the nearest forces within the cones to z (n, k, 3), and the derivatives (n, k, 3, 3).

    With z = z_n n + t u, u a unit vector across n, and mu the coefficient: z itself where z_n >= 0
    and t <= mu z_n; 0 where mu t <= -z_n; else s (n + mu u) with s = (z_n + mu t) / (1 + mu^2).
    """
    n, mu = cones.normal, cones.friction
    along = np.einsum("nki,nki->nk", z, n)
    across = z - along[..., None] * n
    t = np.sqrt(np.einsum("nki,nki->nk", across, across))
    u = across / np.where(t > 0.0, t, 1.0)[..., None]
    inside = (along >= 0.0) & (t <= mu * along)
    outside = ~inside & (mu * t <= -along)
    edge = ~inside & ~outside
    one = 1.0 + mu * mu
    s = np.where(edge, (along + mu * t) / one, 0.0)
    direction = n + mu[..., None] * u
    force = np.where(inside[..., None], z, s[..., None] * direction)
    turn = np.where(edge, s * mu / np.where(t > 0.0, t, 1.0), 0.0)
    identity = np.eye(3)
    derivative = inside[..., None, None] * identity
    derivative = derivative + (edge / one)[..., None, None] * _outer(direction, direction)
    derivative += turn[..., None, None] * (identity - _outer(n, n) - _outer(u, u))
    return force, derivative


def base_balance(
    points: Floats, share: Floats, base: tuple[Floats, Floats], needed: Floats
) -> tuple[Floats, Floats]:
    """Return the matrix of forces at points, and the load of a base, about the points' middle.

    Moments are divided by the reach of the points, so that they have the weight of forces. One
    point does not balance them: their rows are zero.

    Parameters
    ----------
    points : (n, k, 3) array
        World axes.
    share : (n, k) array
        Weight of each point.
    base : (n, 3) or (3,), (n, 3, 3) or (3, 3) array
        Position and rotation of the base.
    needed : (n, 6) array
        Force and torque about its origin, in its axes.

    Returns
    -------
    matrix : (n, 6, k, 3) array
    needed : (n, 6) array
    """
    p_world_base, R_world_base = base
    n, k, _ = points.shape
    total = np.maximum(share.sum(axis=1), 1e-300)
    middle = np.einsum("nk,nki->ni", share, points) / total[:, None]
    force = (R_world_base @ needed[:, :3, None])[..., 0]
    moment = (R_world_base @ needed[:, 3:, None])[..., 0]
    moment = moment + np.cross(p_world_base - middle, force)
    arms = points - middle[:, None]
    far = np.where(share > 0.0, np.linalg.norm(arms, axis=2), 0.0)
    reach = far.max(axis=1, initial=0.0)
    reach = np.where(reach > SMALLEST_REACH, reach, np.inf)  # one point balances no moment
    x, y, z = np.moveaxis(arms / reach[:, None, None], 2, 0)
    matrix = np.zeros((n, 6, k, 3))
    matrix[:, :3] = np.eye(3)[:, None, :]
    matrix[:, 3, :, 1], matrix[:, 3, :, 2] = -z, y
    matrix[:, 4, :, 0], matrix[:, 4, :, 2] = z, -x
    matrix[:, 5, :, 0], matrix[:, 5, :, 1] = -y, x
    return matrix, np.concatenate((force, moment / reach[:, None]), axis=1)


def spread(matrix: Floats, needed: Floats, share: Floats, softness: float) -> Floats:
    """Return the forces without cones that nearly balance loads, by regularised least squares.

    They minimise |A f - b|^2 + r sum_i |f_i|^2 / s_i: f_i = s_i A_i^T y, (A s A^T + r 1) y = b.

    Parameters
    ----------
    matrix : (m, k, 3) array
        A: contribution of forces at k points to m rows of similar size.
    needed : (m, c) array
        b, for each of c loads.
    share : (k,) array
        s: points with larger shares bear larger forces.
    softness : float
        r, above 0: reduces the components of the load that the points balance poorly.

    Returns
    -------
    (k, 3, c) array
    """
    m, k, _ = matrix.shape
    A = matrix.reshape(m, 3 * k)
    weighted = A * np.repeat(share, 3)
    y = np.linalg.solve(weighted @ A.T + softness * np.eye(m), needed)
    result: Floats = (weighted.T @ y).reshape(k, 3, -1)
    return result


def distribute(matrix: Floats, needed: Floats, share: Floats, cones: Cones) -> Distribution:
    """Return the least forces within cones that balance loads, sample by sample.

    Parameters
    ----------
    matrix : (n, m, k, 3) array
        A: contribution of forces at k points to m rows of similar size.
    needed : (n, m) array
        b.
    share : (n, k) array
        s: points with larger shares bear larger forces; 0: no force.
    cones : Cones

    Returns
    -------
    Distribution
        If the interior of the cones allows the load, the forces balance it to a relative accuracy
        of 1e-8. If all forces must lie on the edges of their cones, the steps converge slowly and
        the missing load is larger. If the cones do not allow the load, the missing load is the
        least one to 1e-6 of the load.
    """
    n, m, k, _ = matrix.shape
    root = np.sqrt(share)
    A = (matrix * root[:, None, :, None]).reshape(n, m, 3 * k)
    size = np.sqrt(np.einsum("nij,nij->n", A, A) / m)
    load = np.linalg.norm(needed, axis=1)
    force = np.zeros((n, k, 3))
    missing = needed.copy()
    rows = np.flatnonzero((size > 0.0) & (load > 0.0))
    if len(rows):
        of_rows = Cones(cones.normal[rows], cones.friction[rows])
        scaled, unit = A[rows] / size[rows, None, None], needed[rows] / load[rows, None]
        found = _least_norm(scaled, unit)
        left = np.flatnonzero(~_are_within(found, of_rows))
        if len(left):
            of_left = Cones(of_rows.normal[left], of_rows.friction[left])
            found[left] = _multipliers(scaled[left], unit[left], of_left)
        found *= (load[rows] / size[rows])[:, None, None]
        force[rows] = found * root[rows, :, None]
        missing[rows] -= np.einsum("nmki,nki->nm", matrix[rows], force[rows])
    return Distribution(force, missing)


def _least_norm(A: Floats, b: Floats) -> Floats:
    """Return the forces (n, k, 3) without cones whose loads are nearest to b (n, m)."""
    found = np.linalg.pinv(A, rcond=SINGULAR) @ b[..., None]
    result: Floats = found.reshape(len(b), -1, 3)
    return result


def _are_within(force: Floats, cones: Cones) -> Flags:
    """Return whether all forces (n, k, 3) of a sample lie within their cones, (n,)."""
    along = np.einsum("nki,nki->nk", force, cones.normal)
    across = np.linalg.norm(force - along[..., None] * cones.normal, axis=2)
    # a force of zero is round-off
    within = across <= cones.friction * along + ROUND_OFF
    result: Flags = (within & (along >= -ROUND_OFF)).all(axis=1)
    return result


def _multipliers(A: Floats, b: Floats, cones: Cones) -> Floats:
    """Return the forces (n, k, 3) of the method of multipliers."""
    n, m, columns = A.shape
    y, force, missing = np.zeros((n, m)), np.zeros((n, columns // 3, 3)), np.zeros((n, m))
    r, least = np.ones(n), np.full(n, SMALL)
    going = np.arange(n)
    for _ in range(MOST_STEPS):
        problem = _Problem(A, b, r, cones, y).of(going)
        # already the solution, if the missing load does not change
        new, found, is_largest = _maximum(problem, y[going] + missing[going] / r[going, None])
        good, bad = going[is_largest], going[~is_largest]
        least[bad] = r[bad] = np.minimum(100.0 * r[bad], 1.0)
        y[good], force[good] = new[is_largest], found[is_largest]
        left = b[good] - _load(A[good], force[good])
        changed = np.linalg.norm(left - missing[good], axis=1)
        missing[good] = left
        r[good] = np.maximum(0.1 * r[good], least[good])
        going = np.sort(np.concatenate((good[changed > BALANCED], bad)))
        if not len(going):
            break
    return force


class _Problem(NamedTuple):
    """(2) less 1/2 r |y - centre|^2, for n samples."""

    A: Floats
    b: Floats
    r: Floats
    cones: Cones
    centre: Floats

    def of(self, rows: Ints) -> _Problem:
        """Return the problem of some samples."""
        cones = Cones(self.cones.normal[rows], self.cones.friction[rows])
        return _Problem(self.A[rows], self.b[rows], self.r[rows], cones, self.centre[rows])

    def at(self, y: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return value, gradient, forces and derivatives of the projections at y (n, m)."""
        z = np.einsum("nmj,nm->nj", self.A, y).reshape(len(y), -1, 3)
        force, derivative = project(z, self.cones)
        far = y - self.centre
        value = np.einsum("nm,nm->n", self.b, y) - 0.5 * np.einsum("nki,nki->n", force, force)
        value -= 0.5 * self.r * np.einsum("nm,nm->n", far, far)
        gradient = self.b - _load(self.A, force) - self.r[:, None] * far
        return value, gradient, force, derivative

    def curvature(self, derivative: Floats) -> Floats:
        """Return A D A^T + r 1 (n, m, m)."""
        n, m, _ = self.A.shape
        parts = self.A.reshape(n, m, -1, 3)
        turned = np.einsum("nmki,nkij->nmkj", parts, derivative).reshape(n, m, -1)
        result: Floats = turned @ self.A.transpose(0, 2, 1)
        return result + self.r[:, None, None] * np.eye(m)


def _maximum(problem: _Problem, start: Floats) -> tuple[Floats, Floats, Flags]:
    """Return y (n, m) of the maximum, the forces there, and whether (n,) it was found."""
    y = start.copy()
    found = problem.at(y)
    going = np.arange(len(y))
    for _ in range(MOST_ITERATIONS):
        size = np.linalg.norm(found[1][going], axis=1)
        # a load that the cones do not allow makes y and its round-off large
        going = going[size > ENOUGH + ROUND_OFF * np.linalg.norm(y[going], axis=1)]
        if not len(going):
            break
        value, gradient, _, derivative = (array[going] for array in found)
        own = problem.of(going)
        step = np.linalg.solve(own.curvature(derivative), gradient[..., None])[..., 0]
        slope = np.einsum("nm,nm->n", gradient, step)
        half = 0.5 * np.linalg.norm(gradient, axis=1)
        length = np.ones(len(going))
        for _ in range(MOST_HALVINGS):
            new = y[going] + length[:, None] * step
            tried = own.at(new)
            better = tried[0] >= value + 1e-4 * length * slope
            better |= np.linalg.norm(tried[1], axis=1) <= half
            if better.all():
                break
            length = np.where(better, length, 0.5 * length)
        going = going[better]  # the others have reached round-off
        y[going] = new[better]
        for old, array in zip(found, tried, strict=True):
            old[going] = array[better]
    left = np.linalg.norm(found[1], axis=1)
    return y, found[2], left <= REACHED * (1.0 + problem.r * np.linalg.norm(y, axis=1))


def _load(A: Floats, force: Floats) -> Floats:
    result: Floats = np.einsum("nmj,nj->nm", A, force.reshape(len(force), A.shape[2]))
    return result


def _outer(a: Floats, b: Floats) -> Floats:
    result: Floats = a[..., :, None] * b[..., None, :]
    return result
