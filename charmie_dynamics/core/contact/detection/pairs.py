# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Which function computes a pair of shapes."""

from __future__ import annotations

from charmie_dynamics.numerics.jit import compiled

from .planes import plane_and_shape
from .records import (
    CAPSULE,
    CYLINDER,
    ELLIPSOID,
    NO_SUCH_PAIR,
    PLANE,
    SPHERE,
    Detection,
)
from .smooth import smooth_and_smooth
from .solids import capsule_and_capsule, solid_and_solid
from .spheres import sphere_and_shape
from .writing import turn_round

# methods
NONE, WITH_PLANE, WITH_SPHERE, CAPSULES, SOLIDS, SMOOTH = range(6)
TYPES = ("plane", "sphere", "capsule", "box", "cylinder", "ellipsoid", "torus")


@compiled
def method_of(first: int, second: int) -> int:
    """Return how a pair of types is computed, the lower one first.

    ========= ====== ====== ======= === ======== ========= =====
    types     plane  sphere capsule box cylinder ellipsoid torus
    ========= ====== ====== ======= === ======== ========= =====
    plane     none   planes planes  ... planes   planes    planes
    sphere           sphere spheres ... spheres  smooth    spheres
    capsule                 closed  solids       none      none
    box                             solids       none      none
    cylinder                        solids       none      none
    ellipsoid                                    smooth    smooth
    torus                                                  smooth
    ========= ====== ====== ======= === ======== ========= =====
    """
    if first == PLANE:
        return NONE if second == PLANE else WITH_PLANE
    if first == SPHERE:
        return SMOOTH if second == ELLIPSOID else WITH_SPHERE
    if second <= CYLINDER:
        return CAPSULES if second == CAPSULE else SOLIDS
    return SMOOTH if first >= ELLIPSOID else NONE


@compiled
def detect(detection: Detection, k: int) -> None:
    """Find where the shapes of pair k meet, and write it, see `ContactPairs`."""
    contacts = detection.contacts
    i, j = contacts.pair_first[k], contacts.pair_second[k]
    types = detection.shapes.shape_type
    is_turned = types[i] > types[j]
    if is_turned:
        i, j = j, i
        contacts.pair_first[k] = i  # as it is computed
    method = method_of(types[i], types[j])
    if method == WITH_PLANE:
        plane_and_shape(detection, i, j, k)
    elif method == WITH_SPHERE:
        sphere_and_shape(detection, i, j, k)
    elif method == CAPSULES:
        capsule_and_capsule(detection, i, j, k)
    elif method == SOLIDS:
        solid_and_solid(detection, i, j, k)
    elif method == SMOOTH:
        smooth_and_smooth(detection, i, j, k)
    else:
        contacts.pair_status[k] = NO_SUCH_PAIR
        contacts.point_count[k] = 0
    if is_turned:
        contacts.pair_first[k] = j
        turn_round(contacts, k)
