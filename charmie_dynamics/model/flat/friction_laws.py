# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of a robot's actuators, as the mechanisms file gives it, in arrays."""

from __future__ import annotations

import math

import numpy as np

from charmie_dynamics.core.forward.records import FrictionLaws
from charmie_dynamics.model.description.robot import JointFriction

from .described_robot import DescribedRobot

# of the fastest motion of a joint: below this share, Coulomb friction grows with the speed
TRANSITION = 0.01
UNRATED = 1.0  # rad/s or m/s: taken for the fastest motion where no rated velocity is known
NONE = JointFriction(0.0, 0.0)


def friction_laws(robot: DescribedRobot) -> FrictionLaws:
    """Return the friction of all actuators, zero where the mechanisms file gives none."""
    given = [robot.mechanisms.friction.get(name, NONE) for name in robot.actuator_names]
    rated = [limit.velocity for limit in robot.actuator_limits()]
    fastest = [v if 0.0 < v < math.inf else UNRATED for v in rated]
    return FrictionLaws(
        np.array([each.viscous for each in given]),
        np.array([each.coulomb for each in given]),
        TRANSITION * np.array(fastest),
    )
