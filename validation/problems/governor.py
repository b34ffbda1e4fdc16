# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A05: a flyball governor whose rods hang on the slider by stiff springs and dampers.

Shaft and rods are 1 m long, of square section 0.01 m, the slider is a cube of 0.1 m, all of 3000
kg/m^3; 5 kg at the ends of the rods. The springs are at their free length at the start.
"""

from __future__ import annotations

import numpy as np

from .problem import Problem
from .robot_text import BASE, Y, Z, joint, link, mechanisms, robot, rod

DENSITY, WIDTH, LENGTH, CUBE = 3000.0, 0.01, 1.0, 0.1  # kg/m^3, m
BALL = 5.0  # kg
ARM, SLIDER = 0.05, 0.5  # m: of the hinges from the axis, height of the slider at the start
DROP = np.deg2rad(30.0)  # of the rods below the horizontal at the start
STIFFNESS, DAMPING, FREE_LENGTH = 8e5, 4e4, 0.5  # N/m, N s/m, m
SPIN = 2.0 * np.pi  # rad/s
GRAVITY = 9.81
ROD_MASS = DENSITY * LENGTH * WIDTH**2
CUBE_MASS = DENSITY * CUBE**3


def problem(duration: float = 10.0) -> Problem:
    """Return the governor; nothing drives it."""
    parts = [
        joint("spin", "continuous", BASE, "shaft"),
        rod("shaft", ROD_MASS, (0.0, 0.0, LENGTH), WIDTH),
        joint("slide", "prismatic", "shaft", "slider", (0.0, 0.0, SLIDER), Z),
        link("slider", CUBE_MASS, (0.0, 0.0, 0.0), 3 * (CUBE_MASS * CUBE**2 / 6.0,)),
    ]
    springs = {}
    for side, sign, yaw in (("left", 1.0, 0.0), ("right", -1.0, np.pi)):
        parts += [
            joint(
                f"{side}_hinge",
                "continuous",
                "shaft",
                f"{side}_rod",
                (sign * ARM, 0.0, LENGTH),
                Y,
                (0.0, DROP, yaw),
            ),
            _rod_with_ball(f"{side}_rod"),
        ]
        springs[f"{side}_spring"] = {
            "base_body": "slider",
            "base_point": [sign * 0.5 * CUBE, 0.0, 0.0],
            "tip_body": f"{side}_rod",
            "tip_point": [0.5 * LENGTH, 0.0, 0.0],
            "stiffness": STIFFNESS,
            "free_length": FREE_LENGTH,
            "damping": DAMPING,
            "acts": "both",
        }
    return Problem(
        "A05",
        "A05 flyball governor",
        robot("governor", *parts),
        mechanisms("governor", (0.0, 0.0, -GRAVITY), springs=springs),
        {},
        {"spin": SPIN},
        duration,
        "IFToMM A05, set up as stiffFlyballGovernorKT.py of Exudyn",
    )


def _rod_with_ball(name: str) -> str:
    mass = ROD_MASS + BALL
    centre = (0.5 * ROD_MASS + BALL) * LENGTH / mass
    lateral = ROD_MASS * (LENGTH**2 + WIDTH**2) / 12.0
    lateral += ROD_MASS * (centre - 0.5 * LENGTH) ** 2 + BALL * (LENGTH - centre) ** 2
    return link(name, mass, (centre, 0.0, 0.0), (ROD_MASS * WIDTH**2 / 6.0, lateral, lateral))
