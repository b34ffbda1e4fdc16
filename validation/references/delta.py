# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The Delta robot of the package by virtual work on closed-form geometry.

The platform does not turn, so that both rods of an arm move alike: from the elbow to where one rod
in their middle would end. A slender rod moves as a sixth of its mass at each end and the rest in
its middle.
"""

from __future__ import annotations

import sympy as sp

from .lagrange import Body, System, planar_rotation, vector

BASE, ARM, ROD, PLATFORM = 0.20, 0.35, 0.80, 0.06  # m: radius, lengths, radius
ARM_BODY = (0.8, ARM / 2, 0.8 * (ARM**2 + 0.05**2) / 12)  # kg, m, kg m^2
ROD_MASS, PLATFORM_MASS = 0.12, 0.6  # kg
GRAVITY = 9.81
HEIGHT = (ROD**2 - (BASE + ARM - PLATFORM) ** 2) ** 0.5  # m, of the base above the platform at zero


def delta() -> System:
    """Return the robot in the angles of its arms (downwards) and the place of its platform.

    The place counts from where the platform is with the arms horizontal.
    """
    angles = sp.symbols("arm_1 arm_2 arm_3")
    place = sp.symbols("x y z")
    platform = vector(place[0], place[1], place[2] - sp.Float(HEIGHT, 17))
    bodies, closures = [Body(PLATFORM_MASS, platform)], []
    for k, angle in enumerate(angles):
        heading = planar_rotation(2 * sp.pi * k / 3)
        along = heading * vector(sp.cos(angle), 0, -sp.sin(angle))
        shoulder = heading * vector(BASE, 0)
        elbow, end = shoulder + ARM * along, platform + heading * vector(PLATFORM, 0)
        mass, centre, inertia = ARM_BODY
        # about the hinge alone; the body turns about y of the heading
        turn = heading * sp.Matrix(
            [[sp.cos(angle), 0, sp.sin(angle)], [0, 1, 0], [-sp.sin(angle), 0, sp.cos(angle)]]
        )
        bodies.append(Body(mass, shoulder + centre * along, turn, sp.diag(0, inertia, 0)))
        for point, share in ((elbow, 1), (end, 1), ((elbow + end) / 2, 4)):
            bodies.append(Body(2 * ROD_MASS * share / 6, point))
        closures.append((end - elbow).dot(end - elbow) - ROD**2)
    return System((*angles, *place), bodies, (0, 0, -GRAVITY), closures)
