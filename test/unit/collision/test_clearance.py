# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The nearest of many pairs of shapes; `test_contact_detection` compares single pairs with coal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from charmie_dynamics import InputError
from charmie_dynamics.core.contact.detection.detector import Detector
from charmie_dynamics.core.contact.detection.records import (
    BOX,
    CAPSULE,
    CYLINDER,
    PLANE,
    SPHERE,
    Shapes,
)
from charmie_dynamics.simulation import World, world_of

KINDS = np.array([PLANE, *(SPHERE, CAPSULE, BOX, CYLINDER) * 3])
PAIRS = [(i, j) for i in range(len(KINDS)) for j in range(i + 1, len(KINDS)) if KINDS[j] != PLANE]


def rotation(random: np.random.Generator) -> Any:
    q, _ = np.linalg.qr(random.normal(size=(3, 3)))
    return q * np.linalg.det(q)


def crowd(random: np.random.Generator, spread: float) -> tuple[Detector, Any, Any]:
    """Return shapes of all kinds and their poses, around a plane far below."""
    count = len(KINDS)
    used = np.array([{PLANE: 0, SPHERE: 1, BOX: 3}.get(kind, 2) for kind in KINDS])
    sizes = np.where(np.arange(3) < used[:, None], random.uniform(0.05, 0.4, (count, 3)), 0.0)
    fixed = Shapes(
        KINDS, np.arange(count), sizes, np.tile(np.eye(3), (count, 1, 1)),
        np.zeros((count, 3)), np.zeros(0, dtype=int),
    )  # fmt: skip
    R, p = [np.eye(3)], [[0.0, 0.0, -0.6 * spread]]
    R += [rotation(random) for _ in range(count - 1)]
    p += [random.uniform(-spread, spread, 3) for _ in range(count - 1)]
    return Detector(fixed, PAIRS), np.array(R), np.array(p)


def poses_of(R: Any, p: Any) -> Any:
    return np.concatenate([R.ravel(), p.ravel()])[None]


@pytest.mark.parametrize("spread", [0.5, 1.0, 3.0, 30.0])
@pytest.mark.parametrize("seed", range(10))
def test_nearest_pair_of_each_group_is_the_least_of_all_distances(seed: int, spread: float) -> None:
    detector, R, p = crowd(np.random.default_rng(seed), spread)
    detector.find(R, p)
    distance = detector.contacts.pair_distance.copy()
    first = detector.contacts.nearest_first.copy()
    second = detector.contacts.nearest_second.copy()
    ends = np.array([20, 50, len(PAIRS)])
    nearest, results = detector.nearest(poses_of(R, p), ends)
    begins = [0, *ends[:-1]]
    expected = [int(distance[a:b].argmin()) + a for a, b in zip(begins, ends, strict=True)]
    assert nearest[0].tolist() == expected
    np.testing.assert_array_equal(results[0, :, 0], distance[expected])
    np.testing.assert_array_equal(results[0, :, 1:4], first[expected])
    np.testing.assert_array_equal(results[0, :, 4:], second[expected])


@pytest.mark.parametrize("seed", range(5))
def test_first_pair_to_touch_is_the_least_of_all_times(seed: int) -> None:
    random = np.random.default_rng(seed)
    detector, R, p = crowd(random, 3.0)
    detector.find(R, p)
    distance, factor = detector.contacts.pair_distance.copy(), random.uniform(0.1, 9.0, len(PAIRS))
    nearest, _ = detector.nearest(poses_of(R, p), np.array([len(PAIRS)]), factor, 0.01)
    times = np.where(distance > 0.0, (distance + 0.01) * factor, distance)
    assert nearest[0, 0] == times.argmin()


def test_few_distances_are_computed() -> None:
    """Of 78 pairs that are far from each other, less than a quarter."""
    random = np.random.default_rng(1)
    detector, R, p = crowd(random, 10.0)
    detector.detection.contacts.point_count[:] = -1
    detector.nearest(poses_of(R, p), np.array([len(PAIRS)]))
    computed = (detector.contacts.point_count >= 0).sum()
    assert 1 <= computed < len(PAIRS) / 4


def pair_of(first: str, second: str, x: float) -> World:
    """Return a world with two shapes along the x axis."""
    return world_of(
        f"contacts: {{default: {{normal: hooke, stiffness: 1.0e5}}}}\nentities:\n"
        f"  one: {{{first}, moves: fixed}}\n"
        f"  two: {{{second}, mass: 1, pose: [{x}, 0, 0, 0, 0, 0]}}\n"
    )


BALL, CUBE = "shape: sphere, size: [0.1]", "shape: box, size: [0.2, 0.2, 0.2]"
ROD = "shape: capsule, size: [0.1, 1.0e-9]"
DISC = "shape: cylinder, size: [0.1, 1.0e-6]"


@pytest.mark.parametrize(
    ("first", "second", "x", "distance"),
    [
        (BALL, CUBE, 0.2, 0.0),
        (BALL, CUBE, 0.15, -0.05),
        (CUBE, CUBE, 0.01, -0.19),
        (BALL, BALL, 0.05, -0.15),
        (BALL, CUBE, 1.0e4, 1.0e4 - 0.2),
        (ROD, CUBE, 0.5, 0.3),
        (DISC, CUBE, 0.5, 0.3),
        (DISC, "shape: sphere, size: [1.0e-6]", 0.5, 0.4 - 1e-6),
    ],
)
def test_distance_and_points_of_two_shapes(
    first: str, second: str, x: float, distance: float
) -> None:
    world = pair_of(first, second, x)
    clearance = world.clearance(world.position)
    assert clearance.distance == pytest.approx(distance, abs=1e-9)
    assert (clearance.first, clearance.second) == ("one", "two")
    along = clearance.p_second - clearance.p_first
    assert along == pytest.approx([distance, 0.0, 0.0], abs=1e-9)


def test_many_positions_give_the_results_of_single_ones() -> None:
    world = pair_of(BALL, CUBE, 0.5)
    positions = np.tile(world.position, (2, 5, 1))
    positions[..., 0] = np.linspace(-1.0, 1.0, 10).reshape(2, 5)
    many = world.clearance(positions)
    assert many.distance.shape == (2, 5) and many.p_first.shape == (2, 5, 3)
    for at in np.ndindex(2, 5):
        one = world.clearance(positions[at])
        for part, single in zip(many, one, strict=True):
            np.testing.assert_array_equal(part[at], single)


def test_world_without_pairs_has_infinite_clearance() -> None:
    world = world_of("entities: {ball: {shape: sphere, size: [0.1], mass: 1}}")
    clearance = world.clearance(world.position)
    assert clearance.distance == np.inf and clearance.first == clearance.second == ""
    assert np.isnan(clearance.p_first).all()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_positions_that_are_not_finite_are_refused(value: float) -> None:
    world = pair_of(BALL, CUBE, 0.5)
    with pytest.raises(InputError):
        world.clearance(np.full(len(world.position), value))
