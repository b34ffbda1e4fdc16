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
    """Return the method for a pair of types, the lower one first; `...`: as to the left.

    ========= ===== =========== =========== ====== =========== ========== =========== ==============
    types     plane sphere      capsule     box    cylinder    ellipsoid  torus       mesh
    ========= ===== =========== =========== ====== =========== ========== =========== ==============
    plane     NONE  WITH_PLANE  WITH_PLANE  ...    WITH_PLANE  WITH_PLANE WITH_PLANE  PLANE_AND_MESH
    sphere          WITH_SPHERE WITH_SPHERE ...    WITH_SPHERE SMOOTH     WITH_SPHERE WITH_MESH
    capsule                     SOLIDS      ...    SOLIDS      NONE       NONE        WITH_MESH
    box                                     SOLIDS SOLIDS      NONE       NONE        WITH_MESH
    cylinder                                       SOLIDS      NONE       NONE        NONE
    ellipsoid                                                  SMOOTH     SMOOTH      NONE
    torus                                                                 SMOOTH      NONE
    mesh                                                                              WITH_MESH
    ========= ===== =========== =========== ====== =========== ========== =========== ==============
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
