# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of joints: viscous and Coulomb.

At rest, the friction of a joint may have any value up to its Coulomb friction; the best guess is
zero. So its sign is a ramp through zero below a transition speed.
"""

from __future__ import annotations

import math

import numpy as np

from charmie_dynamics.numerics.vectors import Floats

from .description.robot import JointFriction
from .model import Model

# of the fastest motion of a joint: below this share, Coulomb friction grows with the speed
TRANSITION = 0.01
UNRATED = 1.0  # rad/s or m/s: taken for the fastest motion where no rated velocity is known
NONE = JointFriction(0.0, 0.0)


def direction(velocity: Floats, transition: Floats | float) -> Floats:
    """Return the sign of a velocity, between -1 and 1 below the transition speed."""
    result: Floats = np.maximum(np.minimum(velocity / transition, 1.0), -1.0)
    return result


class Friction:
    """Friction of all actuators of a model, zero where its mechanisms file gives none.

    Attributes
    ----------
    is_zero : bool
        Whether it is that of none.
    """

    def __init__(self, model: Model) -> None:
        given = [model.mechanisms.friction.get(name, NONE) for name in model.actuator_names]
        rated = [limit.velocity for limit in model.actuator_limits()]
        self._viscous = np.array([each.viscous for each in given])
        self._coulomb = np.array([each.coulomb for each in given])
        fastest = [v if 0.0 < v < math.inf else UNRATED for v in rated]
        self._transition = TRANSITION * np.array(fastest)
        self.is_zero = not (self._viscous.any() or self._coulomb.any())

    def effort(self, velocity: Floats) -> Floats:
        """Return the effort (q,) that overcomes the friction at a velocity (q,)."""
        sign = direction(velocity, self._transition)
        result: Floats = self._viscous * velocity + self._coulomb * sign
        return result
