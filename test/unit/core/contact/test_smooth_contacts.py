# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Ellipsoids and tori by the four conditions of eq. 33."""

from __future__ import annotations

import numpy as np
import pytest
from shape_pairs import Posed, about, detector_of, meet, random_shape

from charmie_dynamics.core.contact.detection.records import (
    ELLIPSOID,
    FOUND,
    NOT_CONVERGED,
    SPHERE,
    TORUS,
)


def surface(shape: Posed) -> np.ndarray:
    """Return points all over a surface, (k, 3)."""
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 160), np.linspace(0, 2 * np.pi, 160))
    if shape.kind == TORUS:
        r = shape.size[0] + shape.size[1] * np.cos(v)
        points = np.array([r * np.cos(u), r * np.sin(u), shape.size[1] * np.sin(v)])
    else:
        a, b, c = shape.size
        v = v / 2
        points = np.array([a * np.sin(v) * np.cos(u), b * np.sin(v) * np.sin(u), c * np.cos(v)])
    return points.reshape(3, -1).T @ np.asarray(shape.R).T + shape.p


@pytest.mark.parametrize("kinds", [(ELLIPSOID, TORUS), (TORUS, TORUS), (ELLIPSOID, ELLIPSOID)])
def test_surfaces_apart_are_as_far_as_the_nearest_of_many_points(kinds: tuple[int, int]) -> None:
    random = np.random.default_rng(7)
    for _ in range(4):
        first, second = (random_shape(random, kind) for kind in kinds)
        u = random.normal(size=3)
        second = second._replace(p=2.6 * u / np.linalg.norm(u))
        found = meet(first, second)
        assert found.status == FOUND
        near = surface(first)
        near = near[np.argsort(np.linalg.norm(near - found.first, axis=1))[:400]]
        far = surface(second)
        least = min(np.linalg.norm(far - point, axis=1).min() for point in near[::8])
        sample = surface(first)[::371]
        least = min(least, *(np.linalg.norm(far - point, axis=1).min() for point in sample))
        assert found.distance <= least + 1e-12
        assert found.distance == pytest.approx(least, abs=0.02)


def test_ellipsoid_in_the_hole_of_a_torus_is_measured_to_its_inside() -> None:
    found = meet(Posed(ELLIPSOID, (0.2, 0.2, 0.5), (0.3, 0.0, 0.0)), Posed(TORUS, (1.0, 0.1)))
    assert found.distance == pytest.approx(1.0 - 0.1 - 0.5)
    assert found.normal == pytest.approx((1.0, 0.0, 0.0))


def test_round_ellipsoids_meet_as_spheres_do() -> None:
    random = np.random.default_rng(3)
    for _ in range(10):
        p = random.normal(size=3)
        first, second = Posed(ELLIPSOID, (0.3,) * 3), Posed(ELLIPSOID, (0.4,) * 3, p)
        found = meet(first, second)
        spheres = meet(Posed(SPHERE, (0.3,)), Posed(SPHERE, (0.4,), p))
        assert found.distance == pytest.approx(spheres.distance, abs=1e-13)
        assert found.normal == pytest.approx(spheres.normal, abs=1e-12)


def test_search_goes_on_from_where_the_last_one_ended() -> None:
    first, second = Posed(ELLIPSOID, (0.2, 0.3, 0.6)), Posed(ELLIPSOID, (0.5, 0.4, 0.1))
    detector = detector_of((first, second), [(0, 1)])
    for step in range(50):
        R = about((1.0, 2.0, 0.5), 0.05 * step)
        moved = second._replace(R=R, p=R @ (0.4, 0.5, 0.1))
        found = meet(first, moved, detector=detector)
        assert detector.contacts.is_warm[0] == 1
        assert found.distance == pytest.approx(meet(first, moved).distance, abs=1e-12)


def test_search_without_end_is_said() -> None:
    nowhere = Posed(ELLIPSOID, (0.2, 0.3, 0.6), (np.nan, 0.0, 0.0))
    found = meet(Posed(ELLIPSOID, (0.5, 0.4, 0.1)), nowhere)
    assert found.status == NOT_CONVERGED
    assert not found.features
