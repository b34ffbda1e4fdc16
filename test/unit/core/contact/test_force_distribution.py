# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The least forces within friction cones that balance loads."""

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics.core.contact.force_distribution import (
    Cones,
    base_balance,
    distribute,
    project,
    spread,
)
from charmie_dynamics.numerics.vectors import Floats

UP = np.array([0.0, 0.0, 1.0])
MU = 0.6


def matrix_of(points: Floats) -> Floats:
    """Return what forces at points (n, k, 3) do: force, and moment about the origin."""
    n, k, _ = points.shape
    matrix = np.zeros((n, 6, k, 3))
    matrix[:, :3] = np.eye(3)[:, None, :]
    for axis in range(3):
        matrix[:, 3:, :, axis] = np.moveaxis(np.cross(points, np.eye(3)[axis]), 2, 1)
    return matrix


def cones_of(normal: Floats, friction: float) -> Cones:
    return Cones(normal, np.full(normal.shape[:2], friction))


def level(n: int, k: int, friction: float = MU) -> Cones:
    return cones_of(np.tile(UP, (n, k, 1)), friction)


def leaning(rng: np.random.Generator, n: int, k: int) -> Cones:
    normal = UP + 0.3 * rng.normal(size=(n, k, 3))
    return cones_of(normal / np.linalg.norm(normal, axis=2, keepdims=True), MU)


def table(count: int, load: Floats) -> Floats:
    """Return the forces of legs in a circle, level ground."""
    angle = 2.0 * np.pi * np.arange(count) / count
    points = np.column_stack((np.cos(angle), np.sin(angle), np.zeros(count)))[None]
    found = distribute(matrix_of(points), load[None], np.ones((1, count)), level(1, count))
    assert np.abs(found.missing).max() < 1e-10 * np.abs(load).max()
    return found.force[0]


@pytest.mark.parametrize("count", [3, 4, 6])
def test_a_table_rests_on_its_legs_as_the_least_norm_says(count: int) -> None:
    x, y, weight = 0.1, -0.05, 100.0  # of the load, which acts at (x, y)
    force = table(count, np.array([0.0, 0.0, weight, y * weight, -x * weight, 0.0]))
    angle = 2.0 * np.pi * np.arange(count) / count
    expected = weight / count * (1.0 + 2.0 * (x * np.cos(angle) + y * np.sin(angle)))
    np.testing.assert_allclose(force[:, 2], expected, atol=1e-8)
    assert np.abs(force[:, :2]).max() < 1e-8


def test_a_leg_that_would_have_to_pull_bears_nothing() -> None:
    weight = 100.0
    x, y = 0.4, 0.4  # between the first two legs, so that the others would have to pull
    force = table(4, np.array([0.0, 0.0, weight, y * weight, -x * weight, 0.0]))
    assert force[:, 2].min() >= 0.0
    assert force[2:, 2].max() < 0.1 * weight
    assert force[:2, 2].sum() > 0.8 * weight
    np.testing.assert_allclose(force.sum(axis=0), [0.0, 0.0, weight], atol=1e-8)


def test_forces_lie_in_their_cones_and_balance_the_load() -> None:
    rng = np.random.default_rng(3)
    n, k = 60, 4
    points = rng.uniform(-1.0, 1.0, (n, k, 3))
    cones = leaning(rng, n, k)
    within = project(cones.normal * 20.0 + rng.normal(size=(n, k, 3)), cones)[0]
    matrix = matrix_of(points)
    load = np.einsum("nmki,nki->nm", matrix, within)
    found = distribute(matrix, load, np.ones((n, k)), cones)
    size = np.linalg.norm(load, axis=1)
    assert (np.linalg.norm(found.missing, axis=1) / size).max() < 1e-8
    inside = project(found.force, cones)[0]
    assert np.abs(inside - found.force).max() < 1e-8 * size.max()
    least = np.linalg.norm(found.force, axis=(1, 2))
    assert (least <= np.linalg.norm(within, axis=(1, 2)) + 1e-9 * size).all()


def test_what_no_cone_allows_is_missing_and_is_the_least() -> None:
    rng = np.random.default_rng(4)
    n, k = 40, 3
    matrix = matrix_of(rng.uniform(-1.0, 1.0, (n, k, 3)))
    cones = leaning(rng, n, k)
    load = rng.normal(size=(n, 6))
    found = distribute(matrix, load, np.ones((n, k)), cones)
    # no force of a cone does better: what is missing has no power along any of them
    gain = np.einsum("nmki,nm->nki", matrix, found.missing)
    assert np.linalg.norm(project(gain, cones)[0], axis=2).max() < 1e-6
    assert np.abs(np.einsum("nki,nki->n", gain, found.force)).max() < 1e-6


def test_on_a_slope_steeper_than_the_cone_the_block_lacks_what_it_slides_by() -> None:
    angle, weight = np.arctan(0.9), 10.0
    normal = np.array([-np.sin(angle), 0.0, np.cos(angle)])
    points = np.zeros((1, 1, 3))
    load = np.array([[0.0, 0.0, weight]])
    cones = cones_of(normal[None, None], MU)
    found = distribute(matrix_of(points)[:, :3], load, np.ones((1, 1)), cones)
    edge = np.arctan(MU)  # the nearest direction of the cone is so far from the normal
    expected = weight * np.sin(angle - edge)
    assert np.linalg.norm(found.missing) == pytest.approx(expected, rel=1e-6)
    across = found.force[0, 0] - (found.force[0, 0] @ normal) * normal
    assert np.linalg.norm(across) == pytest.approx(MU * (found.force[0, 0] @ normal), rel=1e-6)


def test_a_point_without_a_share_has_no_force_and_others_bear_by_theirs() -> None:
    points = np.zeros((1, 3, 3))
    share = np.array([[1.0, 3.0, 0.0]])
    load = np.array([[0.0, 0.0, 8.0]])
    found = distribute(matrix_of(points)[:, :3], load, share, level(1, 3))
    np.testing.assert_allclose(found.force[0, :, 2], [2.0, 6.0, 0.0], atol=1e-9)


def test_without_load_or_without_contact_there_is_no_force() -> None:
    points = np.ones((2, 2, 3))
    load = np.array([np.zeros(6), np.ones(6)])
    found = distribute(matrix_of(points), load, np.array([[1.0, 1.0], [0.0, 0.0]]), level(2, 2))
    assert not found.force.any()
    np.testing.assert_array_equal(found.missing, load)


def test_without_friction_forces_are_normal() -> None:
    points = np.array([[[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]])
    load = np.array([[3.0, 0.0, 10.0]])
    found = distribute(matrix_of(points)[:, :3], load, np.ones((1, 2)), level(1, 2, 0.0))
    np.testing.assert_allclose(found.force[0], [[0.0, 0.0, 5.0]] * 2, atol=1e-6)
    np.testing.assert_allclose(found.missing[0], [3.0, 0.0, 0.0], atol=1e-6)


def test_without_friction_a_leg_does_not_pull() -> None:
    points = np.array([[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]])
    load = np.array([[0.0, 0.0, 10.0, 0.0, -20.0, 0.0]])  # beyond the second leg
    found = distribute(matrix_of(points), load, np.ones((1, 2)), level(1, 2, 0.0))
    assert (found.force[0, :, 2] >= 0.0).all()
    np.testing.assert_allclose(found.force[0, 0], 0.0, atol=1e-6)
    assert np.abs(found.missing).max() > 1.0


def test_the_derivative_of_the_projection_is_that_of_differences() -> None:
    rng = np.random.default_rng(5)
    cones, z = leaning(rng, 200, 1), rng.normal(size=(200, 1, 3))
    derivative = project(z, cones)[1]
    step = 1e-6
    for axis in range(3):
        far = step * np.eye(3)[axis]
        slope = (project(z + far, cones)[0] - project(z - far, cones)[0]) / (2.0 * step)
        assert np.abs(slope - derivative[..., axis]).max() < 1e-6


def test_spread_forces_are_those_of_least_squares() -> None:
    rng = np.random.default_rng(6)
    matrix = matrix_of(rng.uniform(-1.0, 1.0, (1, 4, 3)))[0]
    load, share, r = rng.normal(size=(6, 1)), rng.uniform(0.2, 1.0, 4), 1e-3
    force = spread(matrix, load, share, r)[..., 0]
    weight = np.sqrt(r / np.repeat(share, 3))
    stacked = np.vstack((matrix.reshape(6, 12), np.diag(weight)))
    wanted = np.concatenate((load[:, 0], np.zeros(12)))
    expected = np.linalg.lstsq(stacked, wanted, rcond=None)[0]
    np.testing.assert_allclose(force.ravel(), expected, atol=1e-10)


def test_one_point_bears_the_nearest_force_whatever_the_moment() -> None:
    normal, mu = np.array([0.0, 0.0, 1.0]), 0.3
    needed = np.array([[20.0, 1.0, 30.0, 5.0, -6.0, 2.0]])
    point, share = np.array([[[0.2, 0.3, 0.0]]]), np.ones((1, 1))
    cones = cones_of(normal[None, None], mu)
    matrix, load = base_balance(point, share, (np.zeros(3), np.eye(3)), needed)
    found = distribute(matrix, load, share, cones).force
    np.testing.assert_allclose(found, project(needed[:, None, :3], cones)[0], rtol=1e-9)


def test_a_sample_alone_equals_that_of_a_batch_also_where_steps_are_repeated() -> None:
    matrices, loads, cones = [], [], []
    for seed in (0, 255, 371, 414):  # the method of multipliers repeats its first step for three
        rng = np.random.default_rng(seed)
        matrices.append(matrix_of(rng.uniform(-0.8, 0.8, (1, 4, 3))))
        loads.append(rng.normal(size=(1, 6)) * [3.0, 3.0, 3.0, 9.0, 9.0, 9.0])
        cones.append(leaning(rng, 1, 4))
    alone = [
        distribute(*each, np.ones((1, 4)), cone).force[0]
        for *each, cone in zip(matrices, loads, cones, strict=True)
    ]
    normal = np.concatenate([cone.normal for cone in cones])
    joined = np.concatenate(matrices), np.concatenate(loads)
    together = distribute(*joined, np.ones((4, 4)), cones_of(normal, MU)).force
    np.testing.assert_allclose(together, alone, rtol=0.0, atol=1e-9)
