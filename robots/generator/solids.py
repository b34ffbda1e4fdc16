# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Solids of a given density, which determine both appearance and inertia of a link."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from charmie_dynamics.model.description.urdf import rotation_from_rpy

Vector = tuple[float, float, float]
ORIGIN: Vector = (0.0, 0.0, 0.0)
QUARTER = 0.5 * math.pi
ALONG_X: Vector = (0.0, QUARTER, 0.0)  # rotations of a cylinder along z
ALONG_Y: Vector = (QUARTER, 0.0, 0.0)

# kg/m^3, all estimated; hollow and composite parts have a uniform mean density
HOUSING = 800.0  # boards, batteries and air in a shell
SERVO = 1300.0  # motor and gears in a plastic case
ACTUATOR = 2500.0  # motor and gears in an aluminium case
ALUMINIUM = 2700.0
CARBON = 1600.0
RUBBER = 1200.0
CASTING = 2500.0  # hollow cast iron with motors and cables in it
STEEL = 7850.0


class Solid(NamedTuple):
    """A solid in the axes of its link.

    ``size``: edges of a box; radius and length of a cylinder; radius of a sphere; of a hexagonal
    prism along z its radius to the middle of a face, which lies on the x axis, and its length.
    """

    kind: str
    size: tuple[float, ...]
    density: float
    material: str
    xyz: Vector = ORIGIN
    rpy: Vector = ORIGIN

    @property
    def mass(self) -> float:
        """Mass in kg."""
        if self.kind == "box":
            x, y, z = self.size
            return self.density * x * y * z
        if self.kind == "cylinder":
            radius, length = self.size
            return self.density * math.pi * radius**2 * length
        if self.kind == "hexagon":
            radius, length = self.size
            return self.density * 2.0 * math.sqrt(3.0) * radius**2 * length
        (radius,) = self.size
        return self.density * 4.0 / 3.0 * math.pi * radius**3

    @property
    def inertia(self) -> np.ndarray:
        """Inertia about its own centre along the axes of the link (3, 3), kg m^2."""
        if self.kind == "box":
            x, y, z = (edge**2 / 12.0 for edge in self.size)
            moments = (y + z, x + z, x + y)
        elif self.kind == "cylinder":
            radius, length = self.size
            across = radius**2 / 4.0 + length**2 / 12.0
            moments = (across, across, radius**2 / 2.0)
        elif self.kind == "hexagon":
            radius, length = self.size
            turn = 5.0 / 9.0 * radius**2  # 5/12 of the squared edge, 2 radius / sqrt(3)
            moments = (turn / 2.0 + length**2 / 12.0,) * 2 + (turn,)
        else:
            moments = (0.4 * self.size[0] ** 2,) * 3
        R = rotation_from_rpy(self.rpy)
        return self.mass * R @ np.diag(moments) @ R.T


class Whole(NamedTuple):
    """Mass (kg), centre of mass (m) and inertia about it (kg m^2) of several solids."""

    mass: float
    centre: np.ndarray
    inertia: np.ndarray


def together(solids: Sequence[Solid]) -> Whole:
    """Return the combined mass, centre and inertia of solids, by Steiner's theorem."""
    mass = sum(solid.mass for solid in solids)
    centre = sum(solid.mass * np.array(solid.xyz) for solid in solids) / mass
    inertia = np.zeros((3, 3))
    for solid in solids:
        r = np.array(solid.xyz) - centre
        inertia += solid.inertia + solid.mass * (r @ r * np.eye(3) - np.outer(r, r))
    return Whole(mass, centre, inertia)
