# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Materials and surfaces, and how stiff the contact of two of them is."""

from __future__ import annotations

import math
from dataclasses import dataclass

from charmie_dynamics.core.contact.stiffness import (
    effective_modulus,
    effective_radius,
    hertz_stiffness,
)
from charmie_dynamics.errors import ModelFileError, shown


@dataclass(frozen=True)
class Material:
    """An elastic material of the section ``materials``.

    Attributes
    ----------
    name : str
    young, poisson : float
        Young's modulus (Pa), Poisson's ratio.

    Examples
    --------
    >>> from charmie_dynamics.model.description.world import Material
    >>> Material("steel", young=2.1e11, poisson=0.3).young
    210000000000.0
    """

    name: str
    young: float
    poisson: float


@dataclass(frozen=True)
class Surface:
    """What touches: an entity, its material, and how round it is where it touches.

    Attributes
    ----------
    entity : str
        Name, for messages.
    material : Material, optional
    radius : float, optional
        In m: inf of a plane, negative of a hollow; None where a contact has no one radius, as at
        an edge or along a line.
    link : str
        Name in the world, ``entity/link`` of a robot; empty: as of the entity.

    Examples
    --------
    >>> from charmie_dynamics.model.description.world import Material, Surface
    >>> Surface("ball", Material("steel", 2.1e11, 0.3), 0.05).radius
    0.05
    """

    entity: str
    material: Material | None = None
    radius: float | None = None
    link: str = ""


def stiffness_between(first: Surface, second: Surface, place: str) -> float:
    """Return the stiffness of the contact of two surfaces by Hertz (N/m^1.5).

    Parameters
    ----------
    first, second : Surface
    place : str
        File and line of what asks for it, for messages.

    Raises
    ------
    ModelFileError
        Where a material or radius is missing, or both surfaces are flat there.

    Examples
    --------
    >>> import math
    >>> from charmie_dynamics.model.description.world import Material, Surface
    >>> from charmie_dynamics.model.description.world.materials import stiffness_between
    >>> steel = Material("steel", 2.1e11, 0.3)
    >>> ball, floor = Surface("ball", steel, 0.05), Surface("floor", steel, math.inf)
    >>> f"{stiffness_between(ball, floor, 'world.yaml'):.6e}"  # N/m^1.5
    '3.440105e+10'
    """
    names = f"'{shown(first.entity)}' and '{shown(second.entity)}'"
    subject = f"{place}: contact of {names}: expected stiffness, or materials and radii of both"
    materials = []
    for surface in (first, second):
        if surface.material is None:
            raise ModelFileError(f"{subject}; '{shown(surface.entity)}' has no material")
        materials.append((surface.material.young, surface.material.poisson))
    radii = []
    for surface in (first, second):
        if surface.radius is None:
            raise ModelFileError(f"{subject}; '{shown(surface.entity)}' has no radius there")
        radii.append(surface.radius)
    radius = effective_radius(*radii)
    if not 0.0 < radius < math.inf:
        raise ModelFileError(
            f"{subject}, one of them round; got the radii {radii[0]:g} m and {radii[1]:g} m"
        )
    return hertz_stiffness(radius, effective_modulus(*materials))
