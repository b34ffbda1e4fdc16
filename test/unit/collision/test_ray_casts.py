# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Distances along rays compared with steps along the signed distance of the shape."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from charmie_dynamics.collision.contact_shape import ContactShape
from charmie_dynamics.collision.ray_casts import ray_distances
from charmie_dynamics.model.description.meshes import ConvexMesh, Polyhedron

RAYS, FAR = 4000, 20.0
WEDGE = Polyhedron(
    ConvexMesh(
        "wedge",
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
        [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    )
)
SIZES: dict[str, tuple[float, ...]] = {
    "plane": (),
    "sphere": (0.4,),
    "capsule": (0.3, 0.9),
    "box": (0.5, 0.8, 1.1),
    "cylinder": (0.4, 0.7),
    "mesh": (),
}


def shape_of(kind: str) -> ContactShape:
    mesh = WEDGE if kind == "mesh" else None
    return ContactShape("one", "one", kind, SIZES[kind], np.zeros(3), np.eye(3), mesh=mesh)


def outside(excess: np.ndarray) -> np.ndarray:
    """Return the distance to a box whose sides are exceeded by so much."""
    inner = np.minimum(excess.max(axis=1), 0.0)
    return np.linalg.norm(np.maximum(excess, 0.0), axis=1) + inner


# lower bounds of the distance from points (n, 3), which are zero on the surface
DISTANCES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "plane": lambda p: p[:, 2],
    "sphere": lambda p: np.linalg.norm(p, axis=1) - 0.4,
    "capsule": lambda p: (
        np.linalg.norm(p - np.array([0, 0, 1]) * np.clip(p[:, 2:], -0.45, 0.45), axis=1) - 0.3
    ),
    "box": lambda p: outside(np.abs(p) - [0.25, 0.4, 0.55]),
    "cylinder": lambda p: outside(
        np.column_stack((np.hypot(p[:, 0], p[:, 1]) - 0.4, np.abs(p[:, 2]) - 0.35))
    ),
    "mesh": lambda p: (p @ WEDGE.normals.T - WEDGE.offsets).max(axis=1),
}


def sampled(kind: str, origin: np.ndarray, rays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return distances by steps as large as the distance permits, and the nearest approach."""
    travel, nearest = np.zeros(len(rays)), np.full(len(rays), np.inf)
    for _ in range(3000):
        gap = DISTANCES[kind](origin + travel[:, None] * rays)
        nearest = np.minimum(nearest, gap)
        travel = np.minimum(travel + np.maximum(gap, 0.0), FAR)
    return np.where(travel < FAR, travel, np.inf), nearest


@pytest.mark.parametrize("kind", SIZES)
def test_distances_are_those_of_steps_along_the_signed_distance(kind: str) -> None:
    random = np.random.default_rng(7)
    for origin in ([1.2, 0.3, 0.4], [-0.2, -1.5, 0.8], [0.05, 0.02, 2.0]):
        rays = random.standard_normal((RAYS, 3)) - 0.7 * np.array(origin)
        rays[:3] = np.eye(3)
        rays[3:6] = -np.eye(3)
        rays /= np.linalg.norm(rays, axis=1)[:, None]
        found = ray_distances(shape_of(kind), np.array(origin), rays)
        expected, nearest = sampled(kind, np.array(origin), rays)
        clear = np.abs(nearest) > 1e-6  # a ray that passes the surface so closely is undecided
        clear |= np.isfinite(expected)
        found[found > FAR] = np.inf
        assert np.isfinite(expected).sum() > RAYS // 20
        # steps along a ray that almost misses end early
        np.testing.assert_allclose(found[clear], expected[clear], atol=1e-3)
        hit = np.isfinite(found)
        surface = DISTANCES[kind](np.array(origin) + found[hit, None] * rays[hit])
        np.testing.assert_allclose(surface, 0.0, atol=1e-9)


@pytest.mark.parametrize("kind", SIZES)
def test_from_within_the_distance_is_zero_and_from_behind_there_is_none(kind: str) -> None:
    rays = np.array([[1.0, 0.0, 0.0], [0.0, 0.6, 0.8]])
    within = np.array([0.0, 0.0, -0.1]) if kind != "mesh" else WEDGE.centroid - WEDGE.middle
    assert ray_distances(shape_of(kind), within, rays).tolist() == [0.0, 0.0]
    beyond = np.array([3.0, 0.0, 3.0])
    assert np.isinf(ray_distances(shape_of(kind), beyond, rays)).all()
