# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A box that flies and tumbles: momentum, angular momentum and energy stay as they are.

10 kg, 0.1 x 0.4 x 0.9 m, thrown with (-2, 2, 8) m/s and (0.1, 5, 0.1) rad/s in its own axes: a
turn about the middle axis, which does not stay one (SimBenchmark, leggedrobotics).
"""

from __future__ import annotations

import numpy as np

from charmie_dynamics.numerics.vectors import Floats

from .problem import Problem
from .robot_text import BASE, ORIGIN, Z, joint, link, mechanisms, robot

MASS, SIZE = 10.0, np.array([0.1, 0.4, 0.9])
VELOCITY, SPIN = (-2.0, 2.0, 8.0), (0.1, 5.0, 0.1)
GRAVITY = 9.81
INERTIA: Floats = MASS / 12.0 * (np.sum(SIZE**2) - SIZE**2)
JOINT = "flight"


def problem(duration: float = 2.0) -> Problem:
    """Return the box."""
    parts = (joint(JOINT, "floating", BASE, "box", axis=Z), link("box", MASS, ORIGIN, INERTIA))
    return Problem(
        "free_box",
        "free box",
        robot("free_box", *parts),
        mechanisms("free_box", (0.0, 0.0, -GRAVITY)),
        {},
        {},
        duration,
        "SimBenchmark; laws of momentum",
        first_position=(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
        first_velocity=(*VELOCITY, *SPIN),
    )
