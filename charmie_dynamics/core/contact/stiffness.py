# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Stiffness of the contact of two elastic bodies with round surfaces, by Hertz."""

from __future__ import annotations

import math


def compliance(young: float, poisson: float) -> float:
    """Return the contribution of a material to the compliance of a contact, (1 - nu^2) / E (1/Pa).

    Examples
    --------
    >>> from charmie_dynamics.core.contact.stiffness import compliance
    >>> round(1e12 * compliance(2.1e11, 0.3), 6)
    4.333333
    """
    return (1.0 - poisson * poisson) / young  # eq. 40


def effective_modulus(first: tuple[float, float], second: tuple[float, float]) -> float:
    """Return 1 / (sum of the compliances) of two materials, each (E, nu) (Pa)."""
    return 1.0 / (compliance(*first) + compliance(*second))


def effective_radius(first: float, second: float) -> float:
    """Return Ri Rj / (Ri + Rj) of two surfaces that touch at a point (m).

    Parameters
    ----------
    first, second : float
        Radii (m): inf of a plane, negative of a hollow.

    Returns
    -------
    float
        inf of two planes; negative or inf where a body does not fit into a hollow and touches it
        elsewhere.

    Examples
    --------
    >>> from charmie_dynamics.core.contact.stiffness import effective_radius
    >>> import math
    >>> effective_radius(0.1, math.inf), round(effective_radius(0.1, -0.2), 12)
    (0.1, 0.2)
    """
    curvature = 1.0 / first + 1.0 / second
    return 1.0 / curvature if curvature else math.inf


def hertz_stiffness(radius: float, modulus: float) -> float:
    """Return K of the law K x^1.5 of two spheres, or of a sphere and a plane (N/m^1.5).

    Parameters
    ----------
    radius, modulus : float
        Effective ones of the pair (m, Pa).

    Examples
    --------
    >>> from charmie_dynamics.core.contact.stiffness import (
    ...     effective_modulus,
    ...     effective_radius,
    ...     hertz_stiffness,
    ... )
    >>> import math
    >>> steel = 2.1e11, 0.3
    >>> radius = effective_radius(0.05, math.inf)  # a ball on a plane
    >>> round(hertz_stiffness(radius, effective_modulus(steel, steel)) / 1e10, 6)
    3.440105
    """
    return 4.0 / 3.0 * modulus * math.sqrt(radius)  # eq. 39
