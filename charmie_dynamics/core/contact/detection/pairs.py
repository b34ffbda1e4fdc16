# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Which method computes a pair of shapes."""

from __future__ import annotations

from charmie_dynamics.numerics.jit import compiled

from .records import (
    CYLINDER,
    ELLIPSOID,
    PLANE,
    SPHERE,
)

# methods
NONE, WITH_PLANE, WITH_SPHERE, SOLIDS, SMOOTH = range(5)
TYPES = ("plane", "sphere", "capsule", "box", "cylinder", "ellipsoid", "torus")


@compiled
def method_of(first: int, second: int) -> int:
    """Return how a pair of types is computed, the lower one first.

    ========= ====== ====== ======= === ======== ========= =====
    types     plane  sphere capsule box cylinder ellipsoid torus
    ========= ====== ====== ======= === ======== ========= =====
    plane     none   planes planes  ... planes   planes    planes
    sphere           sphere spheres ... spheres  smooth    spheres
    capsule                 solids  ... solids   none      none
    box                             ... solids   none      none
    cylinder                            solids   none      none
    ellipsoid                                    smooth    smooth
    torus                                                  smooth
    ========= ====== ====== ======= === ======== ========= =====
    """
    if first == PLANE:
        return NONE if second == PLANE else WITH_PLANE
    if first == SPHERE:
        return SMOOTH if second == ELLIPSOID else WITH_SPHERE
    if second <= CYLINDER:
        return SOLIDS
    return SMOOTH if first >= ELLIPSOID else NONE
