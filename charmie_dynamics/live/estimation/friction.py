# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of joints: viscous and Coulomb.

At rest, the friction of a joint may have any value up to its Coulomb friction; the best guess is
zero. So its sign is a ramp through zero below a transition speed.
"""

from __future__ import annotations

import math

import numpy as np

from charmie_dynamics.model.description.robot import JointFriction
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats

# of the fastest motion of a joint: below this share, Coulomb friction grows with the speed
TRANSITION = 0.01
UNRATED = 1.0  # rad/s or m/s: taken for the fastest motion where no rated velocity is known
NONE = JointFriction(0.0, 0.0)


def direction(velocity: Floats, transition: Floats | float) -> Floats:
    """Return the sign of a velocity, between -1 and 1 below the transition speed."""
    result: Floats = np.clip(velocity / transition, -1.0, 1.0)
    return result


class Friction:
    """Friction of all actuators of a model, zero where its mechanisms file gives none."""

    def __init__(self, model: Model) -> None:
        given = [model.mechanisms.friction.get(name, NONE) for name in model.actuator_names]
        rated = [limit.velocity for limit in model.actuator_limits()]
        self._viscous = np.array([each.viscous for each in given])
        self._coulomb = np.array([each.coulomb for each in given])
        fastest = [v if 0.0 < v < math.inf else UNRATED for v in rated]
        self._transition = TRANSITION * np.array(fastest)

    def effort(self, velocity: Floats) -> Floats:
        """Return the effort (q,) that overcomes the friction at a velocity (q,)."""
        sign = direction(velocity, self._transition)
        result: Floats = self._viscous * velocity + self._coulomb * sign
        return result
