# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions through points: cubic or quintic, depending on the known derivatives."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import InputError
from charmie_dynamics.numerics.vectors import Floats

from .motion import MotionPoint, SampledMotion, sampled

SAMPLES = 17  # of each part, in the search of an extreme
NEGLIGIBLE = 1e-15  # of the largest coefficient
LARGEST = 1e100  # coefficients beyond this are no motion, and their products overflow


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
    >>> round(float(position[0]), 3), round(float(velocity[0]), 3)
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
        >>> round(float(position[0]), 3), float(velocity[0])
        (0.4, 0.0)
        """
        within = min(max(time, self.time[0]), self.time[-1])
        part = min(int(np.searchsorted(self.time, within, side="right")), len(self.time) - 1) - 1
        h = self.time[part + 1] - self.time[part]
        s = (within - self.time[part]) / h
        basis = np.array(_basis(float(s), float(h)))
        position, velocity, acceleration = basis @ self.coefficients[:, part]
        if within != time:
            velocity, acceleration = np.zeros_like(position), np.zeros_like(position)
        return MotionPoint(position, velocity, acceleration)

    def sampled(self, time: Floats) -> SampledMotion:
        """Return the motion at given times (k,), s."""
        return sampled(self.at, time)

    def extreme_times(self) -> Floats:
        """Return the times (2 m,) at which each number is smallest and largest (s).

        Examples
        --------
        >>> import numpy as np
        >>> from charmie_dynamics.motions import joined_points
        >>> joined = joined_points(np.array([0.0, 2.0]), np.zeros((2, 1)), [[1.0], [0.0]])
        >>> joined.extreme_times().round(3)  # 0 at the start, at a third the largest
        array([0.   , 0.667])
        """
        powers = np.linspace(0.0, 1.0, SAMPLES)[:, None] ** np.arange(len(self.coefficients))
        values = np.einsum("sp,pkm->mks", powers, self.coefficients)
        found = []
        for column, own in enumerate(values):
            for sign in (-1.0, 1.0):
                # the extreme lies in the part of the extreme sample
                part = int(np.argmax((sign * own).max(axis=1)))
                polynomial = np.polynomial.Polynomial(self.coefficients[:, part, column])
                slope = polynomial.deriv()
                # without terms of the size of round-off, which would divide all others
                slope = slope.trim(NEGLIGIBLE * float(abs(slope.coef).max()))
                complex_roots = np.asarray(slope.roots(), dtype=np.complex128)
                roots = complex_roots.real[np.abs(complex_roots.imag) < 1e-9]
                places = np.array([0.0, 1.0, *roots[(roots > 0.0) & (roots < 1.0)]])
                place = places[np.argmax(sign * polynomial(places))]
                begin, end = self.time[part], self.time[part + 1]
                found.append(begin + place * (end - begin))
        return np.array(found)


def joined_points(
    time: npt.ArrayLike,
    position: npt.ArrayLike,
    velocity: npt.ArrayLike | None = None,
    acceleration: npt.ArrayLike | None = None,
    begin: npt.ArrayLike | None = None,
) -> PiecewisePolynomial:
    """Return the motion through points.

    Quintic polynomials with velocities and accelerations, cubic ones with velocities. With
    positions only: the cubic spline with continuous acceleration that ends at rest.

    Parameters
    ----------
    time : (k,) array_like
        Increasing, k >= 2 (s).
    position : (k, m) array_like
    velocity, acceleration : (k, m) array_like, optional
        The latter only together with the former.
    begin : (m,) array_like, optional
        Velocity at the start, only without velocities of the points; default: at rest.

    Raises
    ------
    InputError
        If times do not increase, values are not finite or shapes disagree; for accelerations
        without velocities, for `begin` together with velocities, and for values that are too large.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.motions import joined_points
    >>> joined_points(np.array([0.0, 1.0, 2.0]), np.zeros((3, 2))).coefficients.shape
    (6, 2, 2)
    """
    if acceleration is not None and velocity is None:
        raise InputError("points: acceleration: expected velocities with it, got none")
    if begin is not None and velocity is not None:
        raise InputError("points: expected one of begin and velocity, got both")
    t, p, v, a = converted_points("points", time, position, velocity, acceleration)
    with np.errstate(all="ignore"):  # is refused below
        if v is None:
            first = None if begin is None else _finite("points", "begin", begin, p.shape[1:])
            v = _spline_velocities(t, p, first)
        h = np.diff(t)[:, None]
        p0, p1, v0, v1 = p[:-1], p[1:], v[:-1] * h, v[1:] * h
        d = p1 - p0
        zero = np.zeros_like(d)
        if a is None:
            terms = [p0, v0, 3.0 * d - 2.0 * v0 - v1, v0 + v1 - 2.0 * d, zero, zero]
        else:
            a0, a1 = a[:-1] * h * h, a[1:] * h * h
            terms = [
                p0,
                v0,
                0.5 * a0,
                10.0 * d - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1,
                -15.0 * d + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1,
                6.0 * d - 3.0 * (v0 + v1) + 0.5 * (a1 - a0),
            ]
        coefficients = np.array(terms)
    if not (abs(coefficients) < LARGEST).all():
        raise InputError(f"points: expected positions and derivatives below {LARGEST:g}")
    return PiecewisePolynomial(t, coefficients)


def converted_points(
    subject: str,
    time: npt.ArrayLike,
    position: npt.ArrayLike,
    velocity: npt.ArrayLike | None,
    acceleration: npt.ArrayLike | None,
    columns: int | None = None,
    most: float = math.inf,
) -> tuple[Floats, Floats, Floats | None, Floats | None]:
    """Return times (k,) and values (k, m) as arrays of floats.

    Parameters
    ----------
    subject : str
        For messages.
    time, position, velocity, acceleration : array_like
        Times and values; the last two or None.
    columns : int, optional
        Expected m (default: that of the positions).
    most : float
        Largest k.

    Raises
    ------
    InputError
        If times do not increase, values are not finite or shapes disagree.
    """
    t = _floats(subject, "time", time)
    if t.ndim != 1:
        raise InputError(f"{subject}: time: expected shape (k,), got {t.shape}")
    if not 2 <= len(t) <= most:
        count = "at least 2" if math.isinf(most) else f"2 to {most}"
        raise InputError(f"{subject}: expected {count} points, got {len(t)}")
    if not (np.isfinite(t).all() and (np.diff(t) > 0.0).all()):
        raise InputError(f"{subject}: expected times that are finite and increase")
    p = _floats(subject, "position", position)
    if columns is None and p.ndim != 2:
        raise InputError(f"{subject}: position: expected shape ({len(t)}, m), got {p.shape}")
    shape = (len(t), p.shape[1] if columns is None else columns)
    return (
        t,
        _finite(subject, "position", p, shape),
        None if velocity is None else _finite(subject, "velocity", velocity, shape),
        None if acceleration is None else _finite(subject, "acceleration", acceleration, shape),
    )


def _finite(subject: str, name: str, values: npt.ArrayLike, shape: tuple[int, ...]) -> Floats:
    """Return finite numbers of a shape as an array."""
    array = _floats(subject, name, values)
    if array.shape != shape:
        raise InputError(f"{subject}: {name}: expected shape {shape}, got {array.shape}")
    if not np.isfinite(array).all():
        raise InputError(f"{subject}: {name}: expected finite values")
    return array


def _floats(subject: str, name: str, values: npt.ArrayLike) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{subject}: {name}: expected numbers: {error}") from None


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
    s, h = np.broadcast_arrays((np.arange(steps) + 1.0) / steps, np.diff(time)[:, None])
    parts = np.einsum("dnks,nkm->dksm", np.array(_basis(s, h)), terms)
    first_h = np.diff(time)[0]
    start = (position[0], terms[1, 0] / first_h, 2.0 * terms[2, 0] / first_h**2)
    joined = [
        np.vstack((first[None], part.reshape(-1, position.shape[1])))
        for first, part in zip(start, parts, strict=True)
    ]
    inner = time[:-1, None] + h * s
    inner[:, -1] = time[1:]
    return SampledMotion(np.concatenate((time[:1], inner.ravel())), *joined)


def _basis(s: Any, h: Any) -> list[list[Any]]:
    """Return the factors of coefficients in a polynomial in s, and in its derivatives by s h."""
    s2, s3, s4 = s * s, s * s * s, s * s * s * s
    one, zero = s**0, 0.0 * s
    return [
        [one, s, s2, s3, s4, s4 * s],
        [zero, one / h, 2.0 * s / h, 3.0 * s2 / h, 4.0 * s3 / h, 5.0 * s4 / h],
        [zero, zero, 2.0 * one / h**2, 6.0 * s / h**2, 12.0 * s2 / h**2, 20.0 * s3 / h**2],
    ]


def _spline_velocities(time: Floats, position: Floats, begin: Floats | None) -> Floats:
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
