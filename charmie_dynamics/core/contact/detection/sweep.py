# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pairs of shapes that may touch: sweep and prune along one axis of the world.

Bounding boxes are sorted by their lower ends along the axis on which their middles vary most. Then
each is compared only with those that begin before it ends. The merge sort starts from the last
order: it takes n steps if the order has not changed, and n log n in the worst case. The result is
exactly the pairs whose boxes are within a margin of each other, for any axis. Planes have no
bounding box: they are paired with all shapes whose boxes are near them.

Baraff, *Dynamic Simulation of Non-Penetrating Rigid Bodies*, 1992; Ericson, section 7.5.
"""

from __future__ import annotations

from charmie_dynamics.numerics.jit import compiled

from .placement import column_of
from .records import PLANE, Detection


@compiled
def longest_axis(detection: Detection) -> int:
    """Return the axis along which the middles of the boxes vary most."""
    placed = detection.placed
    best, found = -1.0, 0
    for axis in range(3):
        count, mean, spread = 0, 0.0, 0.0
        for i in range(detection.shapes.shape_type.shape[0]):
            if detection.shapes.shape_type[i] != PLANE:
                count += 1
                away = placed.p_world_shape[i, axis] - mean
                mean += away / count
                spread += away * (placed.p_world_shape[i, axis] - mean)
        if spread > best:
            best, found = spread, axis
    return found


@compiled
def merge_runs(detection: Detection, first: int, middle: int, last: int) -> None:
    """Merge two sorted parts of the order, from `first` and from `middle` on, into one."""
    placed = detection.placed
    low = placed.sweep_low
    for e in range(first, last):
        placed.sweep_kept[e] = placed.sweep_order[e]
    a, b = first, middle
    for e in range(first, last):
        takes_a = b >= last or (
            a < middle and low[placed.sweep_kept[a]] <= low[placed.sweep_kept[b]]
        )
        if takes_a:
            placed.sweep_order[e] = placed.sweep_kept[a]
            a += 1
        else:
            placed.sweep_order[e] = placed.sweep_kept[b]
            b += 1


@compiled
def sort_boxes(detection: Detection, axis: int) -> None:
    """Sort the order of the boxes by their lower ends."""
    placed = detection.placed
    count = placed.sweep_order.shape[0]
    for i in range(count):
        placed.sweep_low[i] = placed.box_low[i, axis]
    width = 1
    while width < count:
        for first in range(0, count - width, 2 * width):
            middle = first + width
            before = placed.sweep_low[placed.sweep_order[middle - 1]]
            if before > placed.sweep_low[placed.sweep_order[middle]]:
                merge_runs(detection, first, middle, min(middle + width, count))
        width *= 2


@compiled
def is_excluded(detection: Detection, i: int, j: int) -> bool:
    """Return whether a pair is excluded: shapes of one body, or a pair on the list."""
    shapes = detection.shapes
    if shapes.shape_body[i] == shapes.shape_body[j]:
        return True
    count = shapes.shape_type.shape[0]
    key = min(i, j) * count + max(i, j)
    low, high = 0, shapes.excluded_pairs.shape[0]
    while low < high:
        middle = (low + high) // 2
        if shapes.excluded_pairs[middle] < key:
            low = middle + 1
        else:
            high = middle
    if low == shapes.excluded_pairs.shape[0]:
        return False
    is_one: bool = shapes.excluded_pairs[low] == key
    return is_one


@compiled
def height_above(detection: Detection, i: int, j: int) -> float:
    """Return the height of the bounding box of shape j above plane i."""
    placed = detection.placed
    n = column_of(placed.R_world_shape[i], 2)
    lowest = 0.0
    for axis in range(3):
        corner = placed.box_low[j, axis] if n[axis] > 0.0 else placed.box_high[j, axis]
        lowest += n[axis] * (corner - placed.p_world_shape[i, axis])
    return lowest


@compiled
def add_pair(detection: Detection, count: int, i: int, j: int) -> int:
    """Write a pair as number `count`, the lower shape first, and return the new number."""
    if is_excluded(detection, i, j):
        return count
    contacts = detection.contacts
    if count < contacts.pair_first.shape[0]:
        first, second = min(i, j), max(i, j)
        if contacts.pair_first[count] != first or contacts.pair_second[count] != second:
            contacts.is_warm[count] = 0
        contacts.pair_first[count] = first
        contacts.pair_second[count] = second
    return count + 1


@compiled
def sweep(detection: Detection, margin: float) -> int:
    """Write the pairs whose boxes are within a margin of each other; return their number.

    Pairs beyond the capacity are counted and not written.
    """
    shapes, placed = detection.shapes, detection.placed
    axis = longest_axis(detection)
    sort_boxes(detection, axis)
    other, third = (axis + 1) % 3, (axis + 2) % 3
    total, count = shapes.shape_type.shape[0], 0
    for a in range(total):
        i = placed.sweep_order[a]
        if shapes.shape_type[i] == PLANE:
            for j in range(total):
                if shapes.shape_type[j] != PLANE and height_above(detection, i, j) <= margin:
                    count = add_pair(detection, count, i, j)
            continue
        end = placed.box_high[i, axis] + margin
        for b in range(a + 1, total):
            j = placed.sweep_order[b]
            if placed.sweep_low[j] > end:
                break
            if (
                shapes.shape_type[j] != PLANE
                and placed.box_low[j, other] <= placed.box_high[i, other] + margin
                and placed.box_low[i, other] <= placed.box_high[j, other] + margin
                and placed.box_low[j, third] <= placed.box_high[i, third] + margin
                and placed.box_low[i, third] <= placed.box_high[j, third] + margin
            ):
                count = add_pair(detection, count, i, j)
    return count
