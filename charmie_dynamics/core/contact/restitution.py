# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The restitution that results from the damping of a contact, and the inverse.

For any law F = K x^n (1 + a x'/v) of an impact at speed v the motion, in u = x'/v, obeys

    u du / (1 + a u) = -(K / (m v^2)) x^n dx

so that the integrals of u/(1 + a u) over compression, u from 1 to 0, and over restitution, u from 0
to -e, are equal and opposite, for any K, n, m and v:

    a (1 + e) = ln((1 + a) / (1 - a e)),  which is  L(a) = L(-a e)  with  L(x) = x - ln(1 + x)

Eq. 42 to 44 each approximate the a that a restitution c needs; the resulting restitution is not c.
The solution of the equation for a gives the law with exactly the requested restitution.

**Limits.** a falls from infinity at e = 0 to zero at e = 1, as 3/2 (1 - e). As e -> 0, a e -> 1:
with finite damping the bodies of a law of this kind always rebound, at about v/a. Laws that would
need infinite damping therefore reject restitutions below `LEAST_RESTITUTION`.
"""

from __future__ import annotations

import math

from charmie_dynamics.numerics.vectors import Floats

LEAST_RESTITUTION = 1e-6
SERIES_UP_TO = 0.25  # of a; terms fall as its powers
TERMS = 30


def hunt_crossley_factor(restitution: float) -> float:
    """Return a for a requested restitution, by Hunt and Crossley."""
    return 1.5 * (1.0 - restitution)  # eq. 42


def lankarani_nikravesh_factor(restitution: float) -> float:
    """Return a for a requested restitution, by Lankarani and Nikravesh."""
    return 0.75 * (1.0 - restitution * restitution)  # eq. 43


def flores_factor(restitution: float) -> float:
    """Return a for a requested restitution, by Flores and others."""
    return 1.6 * (1.0 - restitution) / restitution  # eq. 44


def calibrated_factor(restitution: float) -> float:
    """Return a that gives a restitution, to round-off.

    Parameters
    ----------
    restitution : float
        In (0, 1].

    Examples
    --------
    >>> from charmie_dynamics.core.contact.restitution import calibrated_factor, restitution_with
    >>> round(restitution_with(calibrated_factor(0.5)), 12)
    0.5
    """
    e = restitution
    if e == 1.0:
        return 0.0
    # a e is between 1 - e, where the difference below is largest, and 1
    below, above = (1.0 - e) / e, 1.0 / e
    while below < (middle := 0.5 * (below + above)) < above:
        if _excess(middle, e) > 0.0:
            below = middle
        else:
            above = middle
    return middle


def restitution_with(factor: float) -> float:
    """Return the restitution of F = K x^n (1 + a x'/v) with a factor a.

    Examples
    --------
    >>> from charmie_dynamics.core.contact.restitution import restitution_with
    >>> print(f"{restitution_with(0.75):.8f}")  # by Hunt and Crossley for a requested 0.5
    0.66296220
    """
    if factor == 0.0:
        return 1.0
    below, above = 0.0, min(1.0, 1.0 / factor)
    while below < (middle := 0.5 * (below + above)) < above:
        if _excess(factor, middle) > 0.0:
            below = middle
        else:
            above = middle
    return middle


def of_spring(parameters: Floats, speed: float, mass: float) -> float:
    """Return the restitution of an elastic law: 1."""
    return 1.0


def of_kelvin_voigt(parameters: Floats, speed: float, mass: float) -> float:
    """Return the restitution of a spring and a damper, released when their force is zero.

    With the damping ratio z it is exp(-2 z acos(z) / sqrt(1 - z^2)), exp(-2) at z = 1, and for
    z > 1 the same with acosh(z) / sqrt(z^2 - 1).

    Parameters
    ----------
    parameters : (2,) array
        Stiffness (N/m), damping (N s/m).
    speed, mass : float
        m/s; kg, of the pair: m1 m2 / (m1 + m2).
    """
    z = 0.5 * float(parameters[1]) / math.sqrt(float(parameters[0]) * mass)
    w = math.sqrt(abs((1.0 - z) * (1.0 + z)))
    if w == 0.0:
        return math.exp(-2.0)
    angle = math.atan2(w, z) if z < 1.0 else math.atanh(w / z)
    return math.exp(-2.0 * z * angle / w)


def of_hysteretic(parameters: Floats, speed: float, mass: float) -> float:
    """Return the restitution of `normal.hysteretic`, whose parameters these are.

    Below the least speed the factor is reduced in proportion to the speed.
    """
    factor, least = float(parameters[2]), float(parameters[3])
    return restitution_with(factor * min(1.0, speed / least))


def _excess(a: float, e: float) -> float:
    """Return L(a) - L(-a e), above zero where e is less than what a gives.

    Divided by a^2 where a is small, since both are nearly equal there.
    """
    if a > SERIES_UP_TO:
        rest = 1.0 - a * e
        if rest <= 0.0:
            return -math.inf
        return a * (1.0 + e) - math.log1p(a) + math.log(rest)
    # sum over k from 2 of (-1)^k (1 - (-e)^k) a^(k - 2) / k; the first bracket without loss
    total, power, factor = 0.5 * (1.0 - e) * (1.0 + e), 1.0, e * e
    for k in range(3, TERMS):
        power *= -a
        factor *= -e
        total += power * (1.0 - factor) / k
    return total
