# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Selection of the method for a pair of shapes."""

from __future__ import annotations

from charmie_dynamics.numerics.jit import compiled

from .records import (
    BOX,
    CYLINDER,
    ELLIPSOID,
    MESH,
    PLANE,
    SPHERE,
)

# methods
NONE, WITH_PLANE, WITH_SPHERE, SOLIDS, SMOOTH, PLANE_AND_MESH, WITH_MESH = range(7)
TYPES = ("plane", "sphere", "capsule", "box", "cylinder", "ellipsoid", "torus", "mesh")


@compiled
def method_of(first: int, second: int) -> int:
    """Return the method for a pair of types, the lower one first.

    ========= ====== ====== ======= === ======== ========= ===== =========
    types     plane  sphere capsule box cylinder ellipsoid torus mesh
    ========= ====== ====== ======= === ======== ========= ===== =========
    plane     none   planes planes  ... planes   planes    ...   polyhedra
    sphere           sphere spheres ... spheres  smooth    ...   polyhedra
    capsule                 solids  ... solids   none      none  polyhedra
    box                             ... solids   none      none  polyhedra
    cylinder                            solids   none      none  none
    ellipsoid                                    smooth    ...   none
    torus                                                  ...   none
    mesh                                                         polyhedra
    ========= ====== ====== ======= === ======== ========= ===== =========
    """
    if second == MESH:
        if first == PLANE:
            return PLANE_AND_MESH
        return WITH_MESH if first <= BOX or first == MESH else NONE
    if first == PLANE:
        return NONE if second == PLANE else WITH_PLANE
    if first == SPHERE:
        return SMOOTH if second == ELLIPSOID else WITH_SPHERE
    if second <= CYLINDER:
        return SOLIDS
    return SMOOTH if first >= ELLIPSOID else NONE
