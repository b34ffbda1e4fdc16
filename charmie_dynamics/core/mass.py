# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The centre of mass of the bodies."""

from __future__ import annotations

import math

from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats, Vector, add, rotate, scale


@compiled
def centre_of_mass(
    mass: Floats, p_body_com: Floats, R_world_body: Floats, p_world_body: Floats
) -> Vector:
    """Return the centre of mass of n bodies in the world (m); NaN if no body has a mass.

    Parameters
    ----------
    mass : (n,) array
        kg
    p_body_com : (n, 3) array
        Centres of mass in the bodies (m).
    R_world_body, p_world_body : (n or more, 3, 3), (n or more, 3) array
        Poses, from step 4.
    """
    total = 0.0
    moment = (0.0, 0.0, 0.0)
    for i in range(mass.shape[0]):
        p = add(p_world_body[i], rotate(R_world_body[i], p_body_com[i]))
        moment = add(moment, scale(mass[i], p))
        total += mass[i]
    return scale(1.0 / total if total > 0.0 else math.nan, moment)
