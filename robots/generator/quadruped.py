# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A quadruped with three driven joints in each leg."""

from __future__ import annotations

from collections.abc import Iterable

from .solids import (
    ACTUATOR,
    ALONG_X,
    ALONG_Y,
    ALUMINIUM,
    CARBON,
    HOUSING,
    RUBBER,
    Solid,
    Vector,
)
from .writing import Joint, Limits, Link, urdf

COMMENT = """
  A quadruped with 12 driven joints, after figure 3 (a) of the forward kinematics paper, see
  docs/robots.md.

  Written by `python -m robots.generator`; change it there.

  Units: m, kg, rad, s, N, N m. base_link is the trunk: x forward, y left, z up, its origin between
  the hips. At zero a leg is stretched straight down. Hips turn about x, thighs and shanks about y.

  Where the values come from:
    paper       four legs that are alike, three driven joints in each
    estimated   all numbers, of the size of common inspection robots of 30 kg. Links are the solids
                that are drawn, of the densities that stand beside their inertials.
"""
MATERIALS = {
    "shell": "0.93 0.71 0.13 1",
    "dark": "0.17 0.18 0.20 1",
    "metal": "0.55 0.57 0.60 1",
    "rubber": "0.10 0.10 0.11 1",
}

# m
HIP_X, HIP_Y = 0.280, 0.065
THIGH_Y = 0.100  # from a hip joint to the plane of the leg
THIGH, SHANK = 0.320, 0.320  # between joints; shank: to the middle of the foot
FOOT = 0.030  # radius

HIP_LIMITS = Limits(-0.8, 0.8, 60.0, 12.0)
THIGH_LIMITS = Limits(-1.0, 2.2, 60.0, 12.0)
SHANK_LIMITS = Limits(-2.7, -0.3, 90.0, 12.0)
LEGS = {
    "front_left": (1.0, 1.0),
    "front_right": (1.0, -1.0),
    "rear_left": (-1.0, 1.0),
    "rear_right": (-1.0, -1.0),
}


def text() -> str:
    """Return the URDF."""
    return urdf("quadruped", COMMENT, MATERIALS, _parts())


def _parts() -> Iterable[Link | Joint]:
    yield Link("world")
    yield Joint("floating_base_joint", "floating", "world", "base_link")
    yield Link(
        "base_link",
        (
            Solid("box", (0.460, 0.200, 0.130), HOUSING, "shell", (0.0, 0.0, 0.010)),
            Solid("box", (0.090, 0.150, 0.090), HOUSING, "dark", (0.275, 0.0, 0.0)),
            Solid("box", (0.090, 0.150, 0.090), HOUSING, "dark", (-0.275, 0.0, 0.0)),
            Solid("box", (0.300, 0.140, 0.045), ACTUATOR, "dark", (0.0, 0.0, -0.0775)),
            Solid("box", (0.070, 0.170, 0.105), HOUSING, "shell", (0.355, 0.0, 0.005)),
            Solid("box", (0.012, 0.120, 0.040), HOUSING, "dark", (0.396, 0.0, 0.020)),
            Solid("box", (0.050, 0.170, 0.105), HOUSING, "shell", (-0.345, 0.0, 0.005)),
        ),
        [("box", (0.780, 0.200, 0.150), (0.0, 0.0, -0.010))],
    )
    for name, (forward, left) in LEGS.items():
        yield from _leg(name, forward, left)


def _leg(name: str, forward: float, left: float) -> Iterable[Link | Joint]:
    hip, thigh, shank, foot = (f"{name}_{part}" for part in ("hip", "thigh", "shank", "foot"))

    def hinge(parent: str, child: str, xyz: Vector, axis: Vector, limits: Limits) -> Joint:
        return Joint(f"{child}_joint", "revolute", parent, child, xyz, (0, 0, 0), axis, limits)

    place = (forward * HIP_X, left * HIP_Y, 0.0)
    yield hinge("base_link", hip, place, (1.0, 0.0, 0.0), HIP_LIMITS)
    yield Link(
        hip,
        (
            Solid("cylinder", (0.045, 0.090), ACTUATOR, "dark", (0.0, 0.0, 0.0), ALONG_X),
            Solid("box", (0.070, 0.050, 0.060), ALUMINIUM / 2.0, "metal", (0.0, left * 0.045, 0.0)),
        ),
    )
    yield hinge(hip, thigh, (0.0, left * THIGH_Y, 0.0), (0.0, 1.0, 0.0), THIGH_LIMITS)
    yield Link(
        thigh,
        (
            Solid("cylinder", (0.052, 0.055), ACTUATOR, "dark", (0.0, 0.0, 0.0), ALONG_Y),
            Solid("box", (0.062, 0.040, 0.270), ALUMINIUM / 3.0, "shell", (0.0, 0.0, -0.150)),
            Solid("cylinder", (0.034, 0.048), ALUMINIUM, "dark", (0.0, 0.0, -THIGH), ALONG_Y),
        ),
    )
    yield hinge(thigh, shank, (0.0, 0.0, -THIGH), (0.0, 1.0, 0.0), SHANK_LIMITS)
    yield Link(
        shank,
        (
            Solid("box", (0.036, 0.028, 0.090), ALUMINIUM / 2.0, "metal", (0.0, 0.0, -0.050)),
            Solid("cylinder", (0.014, 0.225), CARBON, "dark", (0.0, 0.0, -0.2025)),
        ),
    )
    yield Joint(f"{foot}_joint", "fixed", shank, foot, (0.0, 0.0, -SHANK))
    yield Link(
        foot,
        (Solid("sphere", (FOOT,), RUBBER, "rubber"),),
        [("sphere", (FOOT,), (0.0, 0.0, 0.0))],
    )
