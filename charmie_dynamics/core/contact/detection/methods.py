# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The methods of detection as kernels, each compiled separately and called by its address.

So a world compiles only the methods that its shapes need. The methods for pairs of boxes and
cylinders are most of the code. The kernels are written out one by one, since numba caches a kernel
under its name and line.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable

import numpy as np

from charmie_dynamics.numerics.addresses import Address, address_of, call_at
from charmie_dynamics.numerics.blocks import first_numbers, lay_out
from charmie_dynamics.numerics.jit import compiled, compiled_for, plain
from charmie_dynamics.numerics.vectors import Ints

from .meshes import shape_and_mesh
from .pairs import (
    NONE,
    PLANE_AND_MESH,
    SMOOTH,
    SOLIDS,
    WITH_MESH,
    WITH_PLANE,
    WITH_SPHERE,
    method_of,
)
from .planes import plane_and_mesh, plane_and_shape
from .records import NO_SUCH_PAIR, Detection, DetectionAddresses, DetectionSizes
from .smooth import smooth_and_smooth
from .solids import solid_and_solid
from .spheres import sphere_and_shape
from .writing import turn_round

# the blocks of a `Detection`, the two shapes, and the pair to write
ARGUMENTS = ("int", "int", "int", "int", "int")


@compiled_for(*ARGUMENTS)
def run_with_plane(ints: Address, floats: Address, i: int, j: int, k: int) -> int:
    """Compute the contact of plane i and shape j."""
    detection = lay_out(Detection, ints, floats, first_numbers(DetectionSizes, ints))
    plane_and_shape(detection, i, j, k)
    return 0


@compiled_for(*ARGUMENTS)
def run_with_sphere(ints: Address, floats: Address, i: int, j: int, k: int) -> int:
    """Compute the contact of sphere i and shape j."""
    detection = lay_out(Detection, ints, floats, first_numbers(DetectionSizes, ints))
    sphere_and_shape(detection, i, j, k)
    return 0


@compiled_for(*ARGUMENTS)
def run_solids(ints: Address, floats: Address, i: int, j: int, k: int) -> int:
    """Compute the contact of two boxes, cylinders or capsules."""
    detection = lay_out(Detection, ints, floats, first_numbers(DetectionSizes, ints))
    solid_and_solid(detection, i, j, k)
    return 0


@compiled_for(*ARGUMENTS)
def run_smooth(ints: Address, floats: Address, i: int, j: int, k: int) -> int:
    """Compute the contact of two smooth surfaces."""
    detection = lay_out(Detection, ints, floats, first_numbers(DetectionSizes, ints))
    smooth_and_smooth(detection, i, j, k)
    return 0


@compiled_for(*ARGUMENTS)
def run_plane_and_mesh(ints: Address, floats: Address, i: int, j: int, k: int) -> int:
    """Compute the contact of plane i and mesh j."""
    detection = lay_out(Detection, ints, floats, first_numbers(DetectionSizes, ints))
    plane_and_mesh(detection, i, j, k)
    return 0


@compiled_for(*ARGUMENTS)
def run_with_mesh(ints: Address, floats: Address, i: int, j: int, k: int) -> int:
    """Compute the contact of sphere, capsule, box or mesh i and mesh j."""
    detection = lay_out(Detection, ints, floats, first_numbers(DetectionSizes, ints))
    shape_and_mesh(detection, i, j, k)
    return 0


METHODS: dict[int, Callable[..., int]] = {
    WITH_PLANE: run_with_plane,
    WITH_SPHERE: run_with_sphere,
    SOLIDS: run_solids,
    SMOOTH: run_smooth,
    PLANE_AND_MESH: run_plane_and_mesh,
    WITH_MESH: run_with_mesh,
}
METHOD_COUNT = 1 + max(METHODS)


@compiled
def detect(detection: Detection, at: DetectionAddresses, methods: Ints, k: int) -> None:
    """Compute and write the contact of the shapes of pair k, see `ContactPairs`.

    Parameters
    ----------
    detection : Detection
    at : DetectionAddresses
        Of the same.
    methods : (METHOD_COUNT,) array of int
        Addresses of `METHODS`.
    k : int
    """
    contacts = detection.contacts
    i, j = contacts.pair_first[k], contacts.pair_second[k]
    types = detection.shapes.shape_type
    is_turned = types[i] > types[j]
    if is_turned:
        i, j = j, i
        contacts.pair_first[k], contacts.pair_second[k] = i, j  # in the order of the computation
    method = method_of(types[i], types[j])
    if method == NONE:
        contacts.pair_status[k] = NO_SUCH_PAIR
        contacts.point_count[k] = 0
    else:
        call_at(methods[method], at.ints, at.floats, i, j, k)
    if is_turned:
        contacts.pair_first[k], contacts.pair_second[k] = j, i
        turn_round(contacts, k)


def method_addresses(types: Iterable[int]) -> Ints:
    """Return the addresses (METHOD_COUNT,) of the methods that shapes of these types need.

    Addresses of unused methods are zero; these methods are not compiled.
    """
    addresses = np.zeros(METHOD_COUNT, dtype=np.int64)
    pairs = itertools.combinations_with_replacement(sorted(set(types)), 2)
    for method in {plain(method_of)(*pair) for pair in pairs} - {NONE}:
        addresses[method] = address_of(METHODS[method])
    return addresses
