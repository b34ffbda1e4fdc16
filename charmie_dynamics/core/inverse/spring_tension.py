# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Step 7: tension of the extension springs (multibody paper, eq. 35), and their energy."""

from __future__ import annotations

from charmie_dynamics.core.arrays import Dynamics, Kinematics, Springs
from charmie_dynamics.numerics.branches import where
from charmie_dynamics.numerics.jit import compiled


@compiled
def spring_tension(
    length: float, stiffness: float, free_length: float, pretension: float, pushes: float = 0.0
) -> float:
    """Return the tension (N) of an extension spring, never negative unless it `pushes` (1.0).

    Eq. 35 with the elongation as length - free length (printed the other way round). The coils
    of such a spring touch at the free length, and it takes the pretension to part them; shorter
    than that, the spring hangs loose.
    """
    tension = stiffness * (length - free_length) + pretension
    return where(length > free_length, tension, pushes * tension)  # type: ignore[no-any-return]


@compiled
def spring_energy(
    length: float, stiffness: float, free_length: float, pretension: float, pushes: float = 0.0
) -> float:
    """Return the energy (J) in an extension spring, zero while it is slack.

    Its derivative by the length is `spring_tension`.
    """
    elongation = length - free_length
    energy = (0.5 * stiffness * elongation + pretension) * elongation
    return where(length > free_length, energy, pushes * energy)  # type: ignore[no-any-return]


@compiled
def write_tensions(springs: Springs, kinematics: Kinematics, out: Dynamics) -> None:
    """Write the tension of every extension spring, of all types of mechanisms."""
    for s in range(springs.stiffness.shape[0]):
        out.spring_tension[s] = spring_tension(
            kinematics.spring_length[s],
            springs.stiffness[s],
            springs.free_length[s],
            springs.pretension[s],
            springs.pushes[s],
        )
