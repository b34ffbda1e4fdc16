# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of joints: viscous and Coulomb, with the law of `core.forward.friction`."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.core.forward.friction import friction_effort
from charmie_dynamics.numerics.jit import plain
from charmie_dynamics.numerics.vectors import Floats

from .flat.described_robot import DescribedRobot
from .flat.friction_laws import TRANSITION, UNRATED, friction_laws

__all__ = ["TRANSITION", "UNRATED", "Friction", "direction"]


def direction(velocity: Floats, transition: Floats | float) -> Floats:
    """Return the sign of a velocity, between -1 and 1 below the transition speed."""
    result: Floats = plain(friction_effort)(0.0, 1.0, transition, velocity)
    return result


class Friction:
    """Friction of all actuators of a model, zero where its mechanisms file gives none.

    Attributes
    ----------
    is_zero : bool
        Whether it is that of none.
    """

    def __init__(self, model: DescribedRobot) -> None:
        self._laws = friction_laws(model)
        self.is_zero = not (self._laws.viscous.any() or self._laws.coulomb.any())

    def effort(self, velocity: Floats) -> Floats:
        """Return the effort (q,) that overcomes the friction at a velocity (q,)."""
        result: Floats = plain(friction_effort)(*self._laws, velocity)
        return result

    def slope(self, velocity: Floats) -> Floats:
        """Return the derivative (q,) of `effort` by each velocity (q,)."""
        is_slow = np.abs(velocity) < self._laws.transition
        steep: Floats = self._laws.coulomb / self._laws.transition
        return self._laws.viscous + np.where(is_slow, steep, 0.0)
