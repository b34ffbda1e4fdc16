# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Zero-phase derivatives of a whole record, by local polynomial regression.

A live estimate only uses past samples and lags. With the whole record, each estimate uses as many
samples after it as before it. At each time a polynomial is fitted by least squares to the nearby
samples, weighted by ``(1 - u^2)^3`` of their distance `u` in units of the half width of the window.
Stamps may be spaced unevenly, and the time may lie between samples: the same fit aligns and
differentiates. Polynomials up to its degree are reproduced exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from charmie_dynamics.numerics.vectors import Floats, Ints

VALUE_WIDTH = 0.77746  # as the widths of `Polynomials`, for the value of parabolas as a low pass
VALUE_DEGREE = 2
# fewest samples of a fit; the window is widened if it contains fewer
SPARE = 2
# numbers processed at once, which bounds the memory for long records
MOST_AT_ONCE = 4_000_000


class Polynomials(NamedTuple):
    """The polynomials through positions; those through velocities have a degree less.

    Attributes
    ----------
    degree : int
    position_width, velocity_width : float
        Half width of the window times the frequency at which the estimated acceleration is 3 dB
        down. From the transform of the weights.
    """

    degree: int
    position_width: float
    velocity_width: float

    @property
    def fewest(self) -> int:
        """Number of samples that a fit requires."""
        return self.degree + SPARE


CUBIC = Polynomials(3, 0.47262, 0.43363)
# at the same cutoff far less attenuation of slower motions, but more noise at the ends of a record
QUINTIC = Polynomials(5, 0.90608, 0.84415)


def fit_positions(
    time: Floats,
    position: Floats,
    at: Floats,
    cutoff: float,
    polynomials: Polynomials = CUBIC,
) -> tuple[Floats, Floats, Floats]:
    """Return position, velocity and acceleration from positions.

    Parameters
    ----------
    time : array, shape (n,)
        Of the samples (s), ascending, no two equal; n is at least `polynomials.fewest`.
    position : array, shape (n, k)
    at : array, shape (m,)
        Times of the estimates (s), ascending.
    cutoff : float
        Where the acceleration is 3 dB down (Hz).
    polynomials : Polynomials

    Returns
    -------
    position, velocity, acceleration : array, shape (m, k)
    """
    p, v, a, *_ = _fit(time, position, at, polynomials.position_width / cutoff, polynomials.degree)
    return p, v, 2.0 * a


def fit_velocities(
    time: Floats,
    velocity: Floats,
    at: Floats,
    cutoff: float,
    polynomials: Polynomials = CUBIC,
) -> tuple[Floats, Floats]:
    """Return velocity and acceleration from velocities; parameters as for `fit_positions`."""
    v, a, *_ = _fit(time, velocity, at, polynomials.velocity_width / cutoff, polynomials.degree - 1)
    return v, a


def low_pass(time: Floats, at: Floats, cutoff: float) -> Floats:
    """Return the weights (m, n) of a zero-phase low pass from n samples to m times.

    Parameters
    ----------
    time : array, shape (n,)
        Of the samples (s), ascending; n is at least `fewest(VALUE_DEGREE)`.
    at : array, shape (m,)
        Times of the values (s), ascending.
    cutoff : float
        Where it is 3 dB down (Hz).
    """
    half_width, result = VALUE_WIDTH / cutoff, np.zeros((len(at), len(time)))
    first, last = _windows(time, at, half_width, fewest(VALUE_DEGREE))
    width = int((last - first).max(initial=1))
    rows = max(1, MOST_AT_ONCE // (width * (VALUE_DEGREE + 2)))
    for begin in range(0, len(at), rows):
        part = slice(begin, begin + rows)
        found = _weighted_powers(time, at[part], first[part], last[part], half_width, VALUE_DEGREE)
        # the value is the lowest coefficient; the matrix of the moments is symmetric
        first_only = np.zeros((len(found.moments), VALUE_DEGREE + 1, 1))
        first_only[:, 0] = 1.0
        lowest = np.linalg.solve(found.moments, first_only)
        own = (lowest * found.weighted).sum(axis=1)
        row, column = np.nonzero(own)  # samples beyond a window have no weight
        result[begin + row, found.samples[row, column]] = own[row, column]
    return result


def fewest(degree: int) -> int:
    """Return the number of samples that a fit of that degree requires."""
    return degree + SPARE


def _fit(time: Floats, values: Floats, at: Floats, half_width: float, degree: int) -> Floats:
    """Return the coefficients (degree + 1, m, k) of polynomials in the time since each of `at`."""
    first, last = _windows(time, at, half_width, fewest(degree))
    result = np.empty((degree + 1, len(at), values.shape[1]))
    # wide windows are rare (gaps): all rows of a part are as wide as the widest of them
    widest = int((last - first).max(initial=1))
    rows = max(1, MOST_AT_ONCE // (widest * (values.shape[1] + degree + 1)))
    for begin in range(0, len(at), rows):
        part = slice(begin, begin + rows)
        result[:, part] = _fit_part(time, values, at[part], first[part], last[part],
                                    half_width, degree)  # fmt: skip
    return result


def _windows(time: Floats, at: Floats, half_width: float, count: int) -> tuple[Ints, Ints]:
    """Return the first sample of each window and the one after its last: `count` at least."""
    n = len(time)
    first = np.searchsorted(time, at - half_width, side="left")
    last = np.searchsorted(time, at + half_width, side="right")
    few = np.flatnonzero(last - first < count)
    for _ in range(count):
        # add the nearer neighbour to each window with too few samples
        few = few[last[few] - first[few] < count]
        if not len(few):
            break
        before = np.where(first[few] > 0, at[few] - time[first[few] - 1], np.inf)
        behind = np.where(last[few] < n, time[np.minimum(last[few], n - 1)] - at[few], np.inf)
        earlier = before <= behind
        first[few] -= earlier
        last[few] += ~earlier
    return first, last


class _WeightedPowers(NamedTuple):
    """The samples of each window, and the terms of the polynomial fit.

    Attributes
    ----------
    samples : (m, w) array of int
        Indices; narrow windows are filled up with samples whose weights are zero.
    weighted : (m, degree + 1, w) array
        Powers of the distance in units of the reach, times the weights.
    moments : (m, degree + 1, degree + 1) array
        Of the powers.
    reach : (m, 1) array
        s.
    """

    samples: Ints
    weighted: Floats
    moments: Floats
    reach: Floats


def _weighted_powers(
    time: Floats, at: Floats, first: Ints, last: Ints, half_width: float, degree: int
) -> _WeightedPowers:
    width = int((last - first).max())
    index = first[:, None] + np.arange(width)
    inside = index < last[:, None]
    index = np.minimum(index, len(time) - 1)
    offset = np.where(inside, time[index] - at[:, None], 0.0)
    # a window that was widened reaches a little beyond its last sample
    furthest = np.abs(offset).max(axis=1)[:, None]
    reach = np.where(furthest <= half_width, half_width, 1.25 * furthest)
    u = offset / reach
    weight = np.where(inside, (1.0 - u * u) ** 3, 0.0)
    powers = np.ones((len(at), degree + 1, width))
    for k in range(degree):
        np.multiply(powers[:, k], u, out=powers[:, k + 1])
    weighted = powers * weight[:, None, :]
    return _WeightedPowers(index, weighted, weighted @ powers.swapaxes(1, 2), reach)


def _fit_part(
    time: Floats,
    values: Floats,
    at: Floats,
    first: Ints,
    last: Ints,
    half_width: float,
    degree: int,
) -> Floats:
    found = _weighted_powers(time, at, first, last, half_width, degree)
    right = found.weighted @ values[found.samples]
    solved = np.linalg.solve(found.moments, right)  # (m, degree + 1, k)
    scale = found.reach ** -np.arange(degree + 1)
    result: Floats = np.moveaxis(solved * scale[:, :, None], 1, 0)
    return result
