# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Output of the results of a pair."""

from __future__ import annotations

from typing import Any

from charmie_dynamics.numerics.elementary import sqrt
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Vector, add, scale, store

from .records import FOUND, MOST_POINTS, ContactPairs


@compiled
def write_nearest(contacts: ContactPairs, k: int, distance: float, normal: Any, first: Any) -> None:
    """Write distance, normal and nearest points of a pair, from that on the first shape."""
    contacts.pair_status[k] = FOUND
    contacts.pair_distance[k] = distance
    store(contacts.pair_normal[k], normal)
    store(contacts.point_normal[k], normal)
    store(contacts.nearest_first[k], first)
    store(contacts.nearest_second[k], add(first, scale(distance, normal)))
    contacts.point_count[k] = 0


@compiled
def add_point(
    contacts: ContactPairs, k: int, feature: int, first: Any, distance: float, share: float
) -> None:
    """Add a point to a pair whose normal is known, given on the surface of the first shape.

    It is omitted if its share is zero, or if the pair has `MOST_POINTS` already.
    """
    n = contacts.point_count[k]
    if n < MOST_POINTS and share > 0.0:
        contacts.point_feature[k, n] = feature
        normal = contacts.point_normal[k]
        store(contacts.point_position[k, n], add(first, scale(0.5 * distance, normal)))
        contacts.point_distance[k, n] = distance
        contacts.point_share[k, n] = share
        contacts.point_count[k] = n + 1


@compiled
def keep_if_touching(contacts: ContactPairs, k: int) -> bool:
    """Remove the points of an overlapping pair without an overlapping point.

    Returns
    -------
    bool
        Whether the pair has points.
    """
    touches: bool = contacts.pair_distance[k] >= 0.0 and contacts.point_count[k] > 0
    for n in range(contacts.point_count[k]):
        touches = touches or contacts.point_distance[k, n] < 0.0
    if not touches:
        contacts.point_count[k] = 0
        for i in range(3):
            contacts.point_normal[k, i] = contacts.pair_normal[k, i]
    return touches


@compiled
def add_nearest(contacts: ContactPairs, k: int, feature: int, share: float) -> None:
    """Add the nearest point of a pair as one of its points."""
    first = contacts.nearest_first[k]
    add_point(
        contacts, k, feature,
        (first[0], first[1], first[2]), contacts.pair_distance[k], share,
    )  # fmt: skip


@compiled
def turn_round(contacts: ContactPairs, k: int) -> None:
    """Exchange the shapes of a pair."""
    normal, first, second = (
        contacts.pair_normal[k],
        contacts.nearest_first[k],
        contacts.nearest_second[k],
    )
    for i in range(3):
        normal[i] = -normal[i]
        contacts.point_normal[k, i] = -contacts.point_normal[k, i]
        kept = first[i]
        first[i] = second[i]
        second[i] = kept


@compiled
def unit(a: Any) -> Vector:
    """Return the unit vector along a nonzero vector."""
    # divide by the largest element first, so that squares of small numbers do not vanish
    most = max(abs(a[0]), max(abs(a[1]), abs(a[2])))
    x, y, z = a[0] / most, a[1] / most, a[2] / most
    size = sqrt(x * x + y * y + z * z)
    return x / size, y / size, z / size


@compiled
def across(a: Any) -> Vector:
    """Return a unit vector at right angles to a unit vector."""
    if abs(a[0]) < 0.6:
        return unit((0.0, a[2], -a[1]))
    return unit((-a[2], 0.0, a[0]))
