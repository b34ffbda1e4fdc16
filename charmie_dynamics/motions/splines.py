# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions through points: cubic or quintic, depending on the known derivatives."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.numerics.vectors import Floats

from .motion import MotionPoint, SampledMotion, sampled


class PiecewisePolynomial(NamedTuple):
    """Polynomials of the fifth degree between k times, in a variable from 0 to 1 in each part.

    Attributes
    ----------
    time : (k,) array
        Increasing (s).
    coefficients : (6, k - 1, m) array
        Of the powers of the variable, the lowest first.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.motions import joined_points
    >>> joined = joined_points(np.array([0.0, 2.0]), np.array([[0.0], [0.4]]))
    >>> position, velocity, acceleration = joined.at(1.0)
    >>> float(position[0]), round(float(velocity[0]), 3)
    (0.2, 0.3)
    """

    time: Floats
    coefficients: Floats

    def at(self, time: float) -> MotionPoint:
        """Return positions and their derivatives (m,) at a time (s); at rest beyond the ends.

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics.motions import joined_points
        >>> joined = joined_points(np.array([0.0, 2.0]), np.array([[0.0], [0.4]]))
        >>> position, velocity, acceleration = joined.at(3.0)
        >>> float(position[0]), float(velocity[0])
        (0.4, 0.0)
        """
        within = min(max(time, self.time[0]), self.time[-1])
        part = min(int(np.searchsorted(self.time, within, side="right")), len(self.time) - 1) - 1
        h = self.time[part + 1] - self.time[part]
        s = (within - self.time[part]) / h
        position, velocity, acceleration = _evaluated(self.coefficients[:, part], s, h)
        if within != time:
            velocity, acceleration = np.zeros_like(position), np.zeros_like(position)
        return MotionPoint(position, velocity, acceleration)

    def sampled(self, time: Floats) -> SampledMotion:
        """Return the motion at given times (k,), s."""
        return sampled(self.at, time)


def joined_points(
    time: Floats,
    position: Floats,
    velocity: Floats | None = None,
    acceleration: Floats | None = None,
    begin: Floats | None = None,
) -> PiecewisePolynomial:
    """Return the motion through points.

    Quintic polynomials with velocities and accelerations, cubic ones with velocities. With
    positions only: the cubic spline with continuous acceleration that ends at rest.

    Parameters
    ----------
    time : (k,) array
        Increasing, k >= 2 (s).
    position : (k, m) array
    velocity, acceleration : (k, m) array, optional
        The latter only together with the former.
    begin : (m,) array, optional
        Velocity at the start if no velocities are passed; default: at rest.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.motions import joined_points
    >>> joined_points(np.array([0.0, 1.0, 2.0]), np.zeros((3, 2))).coefficients.shape
    (6, 2, 2)
    """
    if velocity is None:
        velocity = _to_rest(time, position, begin)
        acceleration = None
    h = np.diff(time)[:, None]
    p0, p1, v0, v1 = position[:-1], position[1:], velocity[:-1] * h, velocity[1:] * h
    d = p1 - p0
    zero = np.zeros_like(d)
    if acceleration is None:
        terms = [p0, v0, 3.0 * d - 2.0 * v0 - v1, v0 + v1 - 2.0 * d, zero, zero]
    else:
        a0, a1 = acceleration[:-1] * h * h, acceleration[1:] * h * h
        terms = [
            p0,
            v0,
            0.5 * a0,
            10.0 * d - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1,
            -15.0 * d + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1,
            6.0 * d - 3.0 * (v0 + v1) + 0.5 * (a1 - a0),
        ]
    return PiecewisePolynomial(time, np.array(terms))


def through_points(
    time: Floats,
    position: Floats,
    velocity: Floats | None,
    acceleration: Floats | None,
    steps: int,
) -> SampledMotion:
    """Return the motion through points, with `steps` parts of equal length between neighbours.

    The motion is that of `joined_points`, which starts at rest with positions only.

    Parameters
    ----------
    time : (k,) array
        Increasing, k >= 2 (s).
    position : (k, m) array
    velocity, acceleration : (k, m) array or None
        The latter only together with the former.
    steps : int

    Returns
    -------
    SampledMotion
        At ``(k - 1) * steps + 1`` times, which include the points. If the acceleration of a cubic
        motion is discontinuous at a point, it is that of the preceding part.
    """
    terms = joined_points(time, position, velocity, acceleration).coefficients
    c = terms[:, :, None, :]
    s = (np.arange(steps) + 1.0)[None, :, None] / steps
    h = np.diff(time)[:, None, None]
    parts = _evaluated(c, s, h)
    first_h = np.diff(time)[0]
    start = (position[0], terms[1, 0] / first_h, 2.0 * terms[2, 0] / first_h**2)
    joined = [
        np.vstack((first[None], part.reshape(-1, position.shape[1])))
        for first, part in zip(start, parts, strict=True)
    ]
    inner = time[:-1, None] + np.diff(time)[:, None] * s[0, :, 0]
    inner[:, -1] = time[1:]
    return SampledMotion(np.concatenate((time[:1], inner.ravel())), *joined)


def _evaluated(c: Floats, s: Any, h: Any) -> tuple[Floats, Floats, Floats]:
    """Return polynomials with these coefficients in s, and their derivatives by s h."""
    return (
        c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5])))),
        (c[1] + s * (2.0 * c[2] + s * (3.0 * c[3] + s * (4.0 * c[4] + s * 5.0 * c[5])))) / h,
        (2.0 * c[2] + s * (6.0 * c[3] + s * (12.0 * c[4] + s * 20.0 * c[5]))) / (h * h),
    )


def _to_rest(time: Floats, position: Floats, begin: Floats | None) -> Floats:
    """Return the velocities (k, m) for continuous acceleration; zero at the end.

    Each inner point gives one equation in its own velocity and those of its neighbours.
    """
    h = np.diff(time)
    slope = np.diff(position, axis=0) / h[:, None]
    velocity = np.zeros_like(position)
    if begin is not None:
        velocity[0] = begin
    inner = len(time) - 2
    if inner < 1:
        return velocity
    diagonal = 2.0 * (1.0 / h[:-1] + 1.0 / h[1:])
    beside = 1.0 / h[1:-1]
    right = 3.0 * (slope[:-1] / h[:-1, None] + slope[1:] / h[1:, None])
    right[0] -= velocity[0] / h[0]
    for k in range(1, inner):  # elimination, then substitution
        factor = beside[k - 1] / diagonal[k - 1]
        diagonal[k] -= factor * beside[k - 1]
        right[k] -= factor * right[k - 1]
    velocity[inner] = right[inner - 1] / diagonal[inner - 1]
    for k in range(inner - 1, 0, -1):
        velocity[k] = (right[k - 1] - beside[k - 1] * velocity[k + 1]) / diagonal[k - 1]
    return velocity
