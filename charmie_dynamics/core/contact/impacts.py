# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""An impact of two bodies by a law: restitution, indentation and duration."""

from __future__ import annotations

import math
from collections.abc import Mapping

from charmie_dynamics.errors import InputError, UnknownNameError, UnsupportedError, choices

from .registry import NORMAL_LAWS

STIFFNESSES = 1.0, 1e6  # instead of one that is omitted


def restitution_of(
    law: str, values: Mapping[str, float], *, speed: float = 1.0, mass: float = 1.0
) -> float:
    """Return the ratio of the speeds after and before an impact; not the law's parameter.

    Parameters
    ----------
    law : str
        Name of a normal law.
    values : mapping of str to float
        Its parameters; the stiffness may be omitted if the ratio does not depend on it.
    speed, mass : float
        At touch (m/s); of the pair, m1 m2 / (m1 + m2), or that of a body on a fixed one (kg).

    Raises
    ------
    UnknownNameError
        For an unknown law.
    InputError
        For a speed or mass that is not above zero, or a parameter that is missing.
    UnsupportedError
        For a law whose restitution is not known.

    Examples
    --------
    >>> from charmie_dynamics.core.contact.impacts import restitution_of
    >>> for law in ("hunt_crossley", "lankarani_nikravesh", "flores", "calibrated"):
    ...     print(f"{law} {restitution_of(law, {'restitution': 0.5}):.8f}")
    hunt_crossley 0.66296220
    lankarani_nikravesh 0.72524111
    flores 0.47044478
    calibrated 0.50000000
    """
    if law not in NORMAL_LAWS:
        raise UnknownNameError(f"normal law '{law}' is unknown{choices(law, NORMAL_LAWS)}")
    for subject, value in (("speed", speed), ("mass", mass)):
        if not 0.0 < value < math.inf:
            raise InputError(f"{subject}: expected a number above 0, got {value:g}")
    found = NORMAL_LAWS[law]
    if found.restitution is None:
        raise UnsupportedError(f"restitution: it is not known of the normal law '{law}'")
    ratios = [
        found.restitution(found.numbers({"stiffness": stiffness, **values}), speed, mass)
        for stiffness in STIFFNESSES
    ]
    if "stiffness" not in values and not math.isclose(*ratios, rel_tol=1e-9):
        raise InputError(f"restitution of '{law}': expected a stiffness, on which it depends")
    return ratios[0]


def deepest_indentation(stiffness: float, exponent: float, *, speed: float, mass: float) -> float:
    """Return the largest indentation of an impact by K x^n without losses (m).

    Parameters
    ----------
    stiffness, exponent, speed, mass : float
        N/m^n; m/s; kg, as in `restitution_of`.

    Examples
    --------
    >>> from charmie_dynamics.core.contact.impacts import deepest_indentation
    >>> round(deepest_indentation(1e6, 1.5, speed=1.0, mass=1.0), 9)  # m
    0.004352753
    """
    energy = 0.5 * mass * speed * speed
    return float(((exponent + 1.0) * energy / stiffness) ** (1.0 / (exponent + 1.0)))


def contact_time(deepest: float, exponent: float, *, speed: float) -> float:
    """Return the duration of an impact by K x^n without losses (s).

    For Hertz, n = 1.5, it is 2.9432751843 deepest / speed; for a linear spring pi deepest / speed.

    Parameters
    ----------
    deepest, exponent, speed : float
        Largest indentation (m), n, speed at touch (m/s).

    Examples
    --------
    >>> from charmie_dynamics.core.contact.impacts import contact_time
    >>> print(f"{contact_time(0.001, 1.5, speed=1.0):.13f}")  # s
    0.0029432751843
    """
    # twice the integral of dx / sqrt(1 - (x / deepest)^(n + 1)) / speed
    share = 1.0 / (exponent + 1.0)
    ratio = math.gamma(1.0 + share) / math.gamma(0.5 + share)
    return 2.0 * math.sqrt(math.pi) * ratio * deepest / speed
