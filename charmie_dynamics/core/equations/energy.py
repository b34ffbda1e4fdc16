# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Energies of the bodies and springs (J)."""

from __future__ import annotations

from charmie_dynamics.core.arrays import Kinematics, Springs, Tree
from charmie_dynamics.core.inverse.spring_tension import spring_energy
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats, add, dot, scale

from .records import Spatial


@compiled
def kinetic_energy(mass_matrix: Floats, velocity: Floats) -> float:
    """Return half of v . M v."""
    total = 0.0
    for i in range(velocity.shape[0]):
        for j in range(velocity.shape[0]):
            total += velocity[i] * mass_matrix[i, j] * velocity[j]
    return 0.5 * total


@compiled
def gravitational_energy(tree: Tree, spatial: Spatial) -> float:
    """Return the energy against gravity, zero with all mass at the origin of the world.

    The inertias are accumulated.
    """
    moment = add(spatial.first_moment[0], scale(spatial.mass[0], spatial.reference))
    return -dot(tree.gravity, moment)


@compiled
def elastic_energy(springs: Springs, kinematics: Kinematics) -> float:
    """Return the energy in the springs, those of balance mechanisms included."""
    total = 0.0
    for s in range(springs.stiffness.shape[0]):
        total += spring_energy(
            kinematics.spring_length[s],
            springs.stiffness[s],
            springs.free_length[s],
            springs.pretension[s],
            springs.pushes[s],
        )
    return total
