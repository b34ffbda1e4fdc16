# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A pole on a cart that weighs next to nothing, from the horizontal.

A mass of 1 kg at the end of a massless pole of 1 m, on a cart of 1e-6 kg: it falls as if it were
free, and at the bottom the pole turns through within a millisecond. A solver that steps over this
loses or gains energy, and may not notice.
"""

from __future__ import annotations

from .problem import Problem
from .robot_text import BASE, ORIGIN, X, joint, link, mechanisms, robot

CART, MASS, LENGTH = 1e-6, 1.0, 1.0  # kg, kg, m
GRAVITY = 9.81


def problem(duration: float = 10.0) -> Problem:
    """Return the cart-pole; the pole lies along x at zero."""
    parts = (
        joint("cart_joint", "prismatic", BASE, "cart", axis=X),
        link("cart", CART, ORIGIN, 3 * (0.0,)),
        joint("pole_joint", "continuous", "cart", "pole"),
        link("pole", MASS, (LENGTH, 0.0, 0.0), 3 * (0.0,)),
    )
    return Problem(
        "cart_pole",
        "light cart-pole",
        robot("cart_pole", *parts),
        mechanisms("cart_pole", (0.0, -GRAVITY, 0.0)),
        {},
        {},
        duration,
        "one coordinate, the other from the momentum along x",
    )
