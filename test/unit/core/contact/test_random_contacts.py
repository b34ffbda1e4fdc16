# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What holds of any pair of convex shapes, at random poses.

No direction separates two convex shapes further than their signed distance, and the normal does so
just as far: this is the distance of shapes apart, and the least depth of those that overlap.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from shape_pairs import Posed, detector_of, meet, random_rotation, random_shape, reach

from charmie_dynamics.core.contact.detection.records import (
    BOX,
    CAPSULE,
    CYLINDER,
    ELLIPSOID,
    FOUND,
    SPHERE,
    TORUS,
)

PAIRS = [
    *combinations_with_replacement((SPHERE, CAPSULE, BOX, CYLINDER), 2),
    (SPHERE, ELLIPSOID),
    (ELLIPSOID, ELLIPSOID),
]
SEPARATED, SHALLOW, DEEP = (0.3, 3.0), (-0.02, 0.0), (-0.8, -0.02)


def separation(first: Posed, second: Posed, n: Any) -> Any:
    """Return how far apart two shapes are along directions (k, 3)."""
    between = np.asarray(second.p) - np.asarray(first.p)
    return n @ between - reach(first, n) - reach(second, n)


def at_distance(first: Posed, second: Posed, goal: float, u: Any) -> Posed:
    """Return the second shape moved along u until it has nearly some distance from the first."""
    detector = detector_of((first, second), [(0, 1)])
    low, high = 0.0, 6.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        moved = second._replace(p=middle * u)
        if meet(first, moved, detector=detector).distance < goal:
            low = middle
        else:
            high = middle
    return second._replace(p=high * u)


@pytest.mark.parametrize("distances", [SEPARATED, SHALLOW, DEEP], ids=["apart", "touch", "deep"])
@pytest.mark.parametrize("kinds", PAIRS)
def test_distance_is_the_most_that_any_direction_separates(
    kinds: tuple[int, int], distances: tuple[float, float]
) -> None:
    random = np.random.default_rng(sum(kinds))
    directions = random.normal(size=(3000, 3))
    for _ in range(12):
        first, second = (random_shape(random, kind) for kind in kinds)
        u = random.normal(size=3)
        goal = random.uniform(*distances)
        second = at_distance(first, second, goal, u / np.linalg.norm(u))
        found = meet(first, second)
        assert found.status == FOUND
        n = found.normal
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-14)
        assert found.distance == pytest.approx(separation(first, second, n), abs=1e-13)
        nearby = [n + r * random.normal(size=(200, 3)) for r in (1e-1, 1e-2, 1e-4, 1e-6)]
        tried = np.concatenate([directions, *nearby])
        tried /= np.linalg.norm(tried, axis=1)[:, None]
        assert separation(first, second, tried).max() <= found.distance + 1e-12


@pytest.mark.parametrize("kinds", PAIRS)
def test_nearest_points_lie_on_both_surfaces(kinds: tuple[int, int]) -> None:
    random = np.random.default_rng(sum(kinds))
    directions = random.normal(size=(2000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    for _ in range(20):
        first, second = (random_shape(random, kind) for kind in kinds)
        second = second._replace(p=random.normal(size=3))
        found = meet(first, second)
        for shape, point in ((first, found.first), (second, found.second)):
            outside = directions @ (point - shape.p) - reach(shape, directions)
            assert outside.max() <= 1e-12
        assert found.second - found.first == pytest.approx(found.distance * found.normal, abs=1e-14)


@pytest.mark.parametrize("kinds", [*PAIRS, (SPHERE, TORUS), (ELLIPSOID, TORUS)])
def test_order_and_frame_do_not_matter(kinds: tuple[int, int]) -> None:
    random = np.random.default_rng(sum(kinds))
    for _ in range(10):
        first, second = (random_shape(random, kind) for kind in kinds)
        u = random.normal(size=3)
        second = second._replace(p=2.5 * u / np.linalg.norm(u))
        found = meet(first, second)
        turned = meet(second, first)
        assert turned.distance == pytest.approx(found.distance, abs=1e-13)
        assert turned.normal == pytest.approx(-found.normal, abs=1e-9)
        R, p = random_rotation(random), random.normal(size=3)
        moved = meet(*(s._replace(R=R @ s.R, p=R @ s.p + p) for s in (first, second)))
        assert moved.distance == pytest.approx(found.distance, abs=1e-12)
        assert moved.normal == pytest.approx(R @ found.normal, abs=1e-7)
