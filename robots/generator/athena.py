# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A hexapod after ATHENA: six legs at 60 degrees, each of coxa, femur, tibia and foot."""

from __future__ import annotations

import math
from collections.abc import Iterable

from .solids import (
    ALONG_X,
    ALONG_Y,
    ALUMINIUM,
    CARBON,
    HOUSING,
    RUBBER,
    SERVO,
    Solid,
    Vector,
)
from .writing import SIXTH, Joint, Limits, Link, urdf

COMMENT = """
  A hexapod after ATHENA, the first example of the paper on contact, see docs/robots.md.

  Written by `python -m robots.generator`; change it there.

  Units: m, kg, rad, s, N, N m. base_link is the torso: x forward, y left, z up, its origin at the
  height of the coxa joints. Leg k stands at -90 + 60 (k - 1) degrees from x: leg 1 at the right,
  leg 3 in front and leg 5 behind at the left. At zero a leg is stretched out level; the turns of
  femur and tibia are positive downwards.

  Where the values come from:
    paper       25 bodies and 24 joints, of which 18 are driven and 6 fix the feet to the tibiae;
                legs 60 degrees apart; legs 1, 3 and 5 step together
    estimated   all numbers: the paper prints none. Links are the solids that are drawn, of the
                densities that stand beside their inertials.
"""
MATERIALS = {
    "shell": "0.89 0.90 0.91 1",
    "dark": "0.20 0.22 0.25 1",
    "accent": "0.00 0.55 0.60 1",
    "metal": "0.62 0.64 0.67 1",
    "rubber": "0.10 0.10 0.11 1",
}

# m
TORSO_RADIUS, TORSO_HEIGHT = 0.125, 0.055  # to the middle of a face
LEG_RADIUS = 0.150  # from the axis of the torso to that of a coxa joint
COXA, FEMUR, TIBIA = 0.055, 0.110, 0.185  # between joints; tibia: to the middle of the foot
FOOT = 0.018  # radius

SERVO_SIZE = (0.046, 0.036, 0.040)
COXA_LIMITS = Limits(-0.75, 0.75, 8.0, 6.0)
FEMUR_LIMITS = Limits(-1.6, 1.2, 8.0, 6.0)
TIBIA_LIMITS = Limits(0.0, 2.7, 8.0, 6.0)


def text() -> str:
    """Return the URDF."""
    return urdf("athena", COMMENT, MATERIALS, _parts())


def _parts() -> Iterable[Link | Joint]:
    yield Link("world")
    yield Joint("floating_base_joint", "floating", "world", "base_link")
    yield Link(
        "base_link",
        (
            Solid("hexagon", (TORSO_RADIUS, TORSO_HEIGHT), HOUSING, "shell", rpy=(0, 0, SIXTH / 2)),
            Solid("hexagon", (0.085, 0.020), HOUSING, "dark", (0, 0, 0.0375), (0, 0, SIXTH / 2)),
            Solid("cylinder", (0.045, 0.014), HOUSING, "accent", (0, 0, 0.0545)),
            Solid("box", (0.024, 0.070, 0.024), HOUSING, "dark", (0.118, 0, 0.0395)),
        ),
        [("cylinder", (0.14, TORSO_HEIGHT), (0.0, 0.0, 0.0))],
    )
    for k in range(6):
        yield from _leg(f"leg_{k + 1}", -math.pi / 2.0 + k * SIXTH)


def _leg(name: str, angle: float) -> Iterable[Link | Joint]:
    place = (LEG_RADIUS * math.cos(angle), LEG_RADIUS * math.sin(angle), 0.0)
    coxa, femur, tibia, foot = (f"{name}_{part}" for part in ("coxa", "femur", "tibia", "foot"))

    def hinge(
        parent: str, child: str, xyz: Vector, rpy: Vector, limits: Limits, axis: Vector
    ) -> Joint:
        return Joint(f"{child}_joint", "revolute", parent, child, xyz, rpy, axis, limits)

    yield hinge("base_link", coxa, place, (0.0, 0.0, angle), COXA_LIMITS, (0.0, 0.0, 1.0))
    yield Link(
        coxa,
        (
            Solid("box", SERVO_SIZE, SERVO, "dark"),
            Solid("box", (0.013, 0.030, 0.030), SERVO, "metal", (0.0295, 0.0, 0.0)),
            Solid("cylinder", (0.019, 0.044), SERVO, "dark", (COXA, 0.0, 0.0), ALONG_Y),
        ),
    )
    yield hinge(coxa, femur, (COXA, 0.0, 0.0), (0, 0, 0), FEMUR_LIMITS, (0.0, 1.0, 0.0))
    plate = (FEMUR + 0.034, 0.005, 0.034)
    yield Link(
        femur,
        (
            Solid("box", plate, ALUMINIUM, "accent", (FEMUR / 2.0, 0.0245, 0.0)),
            Solid("box", plate, ALUMINIUM, "accent", (FEMUR / 2.0, -0.0245, 0.0)),
            Solid("box", (0.040, 0.044, 0.026), SERVO, "metal", (FEMUR / 2.0, 0.0, 0.0)),
            Solid("cylinder", (0.019, 0.044), SERVO, "dark", (FEMUR, 0.0, 0.0), ALONG_Y),
        ),
    )
    yield hinge(femur, tibia, (FEMUR, 0.0, 0.0), (0, 0, 0), TIBIA_LIMITS, (0.0, 1.0, 0.0))
    start, end = 0.060, TIBIA - 0.008
    yield Link(
        tibia,
        (
            Solid("box", (0.060, 0.034, 0.030), SERVO, "shell", (0.040, 0.0, 0.0)),
            Solid(
                "cylinder",
                (0.010, end - start),
                CARBON,
                "dark",
                ((start + end) / 2.0, 0.0, 0.0),
                ALONG_X,
            ),
        ),
    )
    yield Joint(f"{foot}_joint", "fixed", tibia, foot, (TIBIA, 0.0, 0.0))
    yield Link(
        foot,
        (Solid("sphere", (FOOT,), RUBBER, "rubber"),),
        [("sphere", (FOOT,), (0.0, 0.0, 0.0))],
    )
