# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The pairs that the sweep finds are those whose boxes overlap."""

from __future__ import annotations

import numpy as np
import pytest
from shape_pairs import Posed, detector_of, random_rotation, random_shape

from charmie_dynamics.core.contact.detection.detector import Detector
from charmie_dynamics.core.contact.detection.records import (
    BOX,
    CYLINDER,
    PLANE,
    SPHERE,
    TORUS,
    Shapes,
)


def found_pairs(detector: Detector, shapes: list[Posed], margin: float) -> set[tuple[int, int]]:
    count = detector.find([s.R for s in shapes], [s.p for s in shapes], margin)
    c = detector.contacts
    pairs = list(zip(c.pair_first[:count].tolist(), c.pair_second[:count].tolist(), strict=True))
    assert len(set(pairs)) == count
    return set(pairs)


def overlapping(detector: Detector, margin: float) -> set[tuple[int, int]]:
    """Return the pairs whose boxes overlap, each compared with each."""
    placed = detector.detection.placed
    low, high = placed.box_low, placed.box_high + margin
    pairs = set()
    for i in range(len(low)):
        others = np.all((low[i + 1 :] <= high[i]) & (low[i] <= high[i + 1 :]), axis=1)
        pairs |= {(i, i + 1 + int(j)) for j in np.flatnonzero(others)}
    return pairs


@pytest.mark.parametrize("stretch", [(1, 1, 1), (40, 1, 1), (1, 0.1, 30)])
def test_sweep_finds_the_pairs_that_comparing_all_finds(stretch: tuple[float, ...]) -> None:
    random = np.random.default_rng(5)
    shapes = [random_shape(random, int(kind)) for kind in random.integers(SPHERE, TORUS + 1, 2500)]
    detector = detector_of(shapes)
    # each time from the order of the time before
    for margin in (0.0, 0.3):
        shapes = [s._replace(p=random.uniform(-12, 12, 3) * stretch) for s in shapes]
        pairs = found_pairs(detector, shapes, margin)
        assert len(pairs) > 100
        assert pairs == overlapping(detector, margin)


def test_plane_is_paired_with_boxes_that_come_below_it() -> None:
    random = np.random.default_rng(5)
    R = random_rotation(random)
    shapes = [Posed(PLANE, (), R=R)]
    shapes += [random_shape(random, BOX)._replace(p=random.uniform(-3, 3, 3)) for _ in range(300)]
    detector = detector_of(shapes)
    pairs = {pair for pair in found_pairs(detector, shapes, 0.0) if pair[0] == 0}
    placed = detector.detection.placed
    lowest = np.minimum(placed.box_low[1:] * R[:, 2], placed.box_high[1:] * R[:, 2]).sum(axis=1)
    assert pairs == {(0, 1 + int(j)) for j in np.flatnonzero(lowest <= 0.0)}


def test_shapes_of_one_body_and_excluded_pairs_never_meet() -> None:
    shapes = Shapes(
        shape_type=np.array([SPHERE, BOX, CYLINDER, SPHERE]),
        shape_body=np.array([0, 0, 1, 2]),
        shape_size=np.array([[1.0, 0, 0], [1, 1, 1], [1, 1, 0], [1, 0, 0]]),
        R_body_shape=np.tile(np.eye(3), (4, 1, 1)),
        p_body_shape=np.zeros((4, 3)),
        excluded_pairs=np.array([0 * 4 + 3, 2 * 4 + 3]),
    )
    detector = Detector(shapes)
    count = detector.find(np.tile(np.eye(3), (3, 1, 1)), np.zeros((3, 3)))
    c = detector.contacts
    pairs = sorted(zip(c.pair_first[:count].tolist(), c.pair_second[:count].tolist(), strict=True))
    assert pairs == [(0, 2), (1, 2), (1, 3)]


def test_more_pairs_than_there_is_room_for_make_room() -> None:
    shapes = [Posed(SPHERE, (1.0,)) for _ in range(40)]
    assert len(found_pairs(detector_of(shapes), shapes, 0.0)) == 40 * 39 // 2
