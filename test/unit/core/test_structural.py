# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The structural form of the equations of motion, against the recursion and its own structure."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from trees import ROOT, Body, X, Z, inverse_dynamics, make_tree, random_tree

from charmie_dynamics.core.arrays import FIXED, PRISMATIC, REVOLUTE, Tree
from charmie_dynamics.core.equations.structural import (
    CarriedBody,
    Coefficients,
    carried_bodies,
    coriolis_matrix,
    effort,
    structural_coefficients,
    sum_of_bodies,
)

SEEDS = range(2)


def coefficients_at(tree: Tree, q: np.ndarray) -> Coefficients:
    still = np.zeros(len(q))
    solution = inverse_dynamics(tree, q, still, still)
    bodies = carried_bodies(tree, solution.R_parent_body, solution.p_parent_body)
    return structural_coefficients(bodies, len(q))


def pushed_tree(rng: np.random.Generator, bodies: int = 9) -> Tree:
    force, torque = rng.normal(size=(2, bodies, 3))
    return random_tree(rng, bodies)._replace(external_force=force, external_torque=torque)


def coordinates_of(tree: Tree) -> int:
    return int(tree.coordinate.max()) + 1


@pytest.mark.parametrize("seed", SEEDS)
def test_each_body_has_the_share_of_a_tree_with_no_other_body(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = pushed_tree(rng)
    q, qd, qdd = rng.normal(size=(3, coordinates_of(tree)))
    shares = effort(coefficients_at(tree, q), qd, qdd)
    for b, share in enumerate(shares):
        only = np.zeros(len(tree.parent))
        only[b] = 1.0
        alone = tree._replace(
            mass=only * tree.mass,
            inertia=only[:, None, None] * tree.inertia,
            external_force=only[:, None] * tree.external_force,
            external_torque=only[:, None] * tree.external_torque,
        )
        expected = inverse_dynamics(alone, q, qd, qdd).generalized_force
        np.testing.assert_allclose(share, expected, rtol=1e-10, atol=1e-10)


def test_joints_that_do_not_carry_a_body_have_no_share_in_it() -> None:
    tree = random_tree(np.random.default_rng(3), 9)
    q = np.full(coordinates_of(tree), 0.4)
    shares = coefficients_at(tree, q)
    for b in range(len(tree.parent)):
        carrying, k = set(), b
        while k >= 0:
            carrying.add(int(tree.coordinate[k]))
            k = int(tree.parent[k])
        others = [c for c in range(len(q)) if c not in carrying]
        for array in (shares.inertia, shares.centrifugal, shares.coriolis, shares.gravity):
            assert not array[b][others].any()
        assert not shares.centrifugal[b][:, others].any()


def test_two_links_in_a_plane_by_hand() -> None:
    # point masses m1, m2 at the ends of links of lengths a, b; gravity along -y
    m1, m2, a, b, q2 = 2.0, 3.0, 0.5, 0.7, 0.6
    tree = make_tree(
        [
            ROOT,
            Body(0, REVOLUTE, Z, mass=m1, com=a * X),
            Body(1, REVOLUTE, Z, origin=a * X, mass=m2, com=b * X),
        ],
        gravity=(0.0, -9.81, 0.0),
    )
    shares = coefficients_at(tree, np.array([0.0, q2]))
    h = m2 * a * b * np.sin(q2)
    np.testing.assert_allclose(shares.inertia[1], [[m1 * a * a, 0.0], [0.0, 0.0]], atol=1e-12)
    c = m2 * (b * b + a * b * np.cos(q2))
    np.testing.assert_allclose(
        shares.inertia[2], [[m2 * a * a + 2 * c - m2 * b * b, c], [c, m2 * b * b]], atol=1e-12
    )
    np.testing.assert_allclose(shares.centrifugal[2], [[0.0, -h], [h, 0.0]], atol=1e-12)
    np.testing.assert_allclose(shares.coriolis[2, :, 0, 1], [-2.0 * h, 0.0], atol=1e-12)
    level = b * np.cos(q2)
    np.testing.assert_allclose(
        shares.gravity[1:] / 9.81, [[m1 * a, 0.0], [m2 * (a + level), m2 * level]], atol=1e-12
    )


def test_two_joints_of_one_coordinate_have_one_centrifugal_coefficient() -> None:
    tree = make_tree(
        [
            ROOT,
            Body(0, REVOLUTE, Z, mass=1.0, com=X),
            Body(1, FIXED, origin=0.3 * X, mass=0.5, com=Z),
            Body(2, PRISMATIC, X, mimic=(0, 0.5, 0.1), mass=2.0, com=0.4 * X),
        ]
    )
    q, qd = np.array([0.7]), np.array([1.3])
    total = sum_of_bodies(coefficients_at(tree, q))
    assert not total.coriolis.any()
    motion = inverse_dynamics(tree, q, qd, np.zeros(1)).generalized_force
    rest = inverse_dynamics(tree, q, np.zeros(1), np.zeros(1)).generalized_force
    assert abs(motion - rest)[0] > 0.1
    np.testing.assert_allclose(total.centrifugal[0] * qd**2, motion - rest, rtol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_world_axes_give_the_same_as_the_axes_of_the_bodies(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = pushed_tree(rng)
    n = coordinates_of(tree)
    q, still = rng.normal(size=n), np.zeros(n)
    poses = inverse_dynamics(tree, q, still, still)
    own = carried_bodies(tree, poses.R_parent_body, poses.p_parent_body)
    world = [in_axes(body, R) for body, R in zip(own, poses.R_world_body, strict=True)]
    for body in world:
        np.testing.assert_allclose(body.gravity, tree.gravity, atol=1e-12)
    compare(structural_coefficients(world, n), structural_coefficients(own, n))


def in_axes(body: CarriedBody, R: np.ndarray) -> CarriedBody:
    vectors = {name: getattr(body, name) @ R.T for name in ("axis", "arm", "gravity")}
    loads = {name: R @ getattr(body, name) for name in ("force", "torque")}
    return body._replace(**vectors, **loads, inertia=R @ body.inertia @ R.T)


def compare(actual: Coefficients, expected: Coefficients) -> None:
    for name, one, other in zip(Coefficients._fields, actual, expected, strict=True):
        np.testing.assert_allclose(
            one.astype(float), other.astype(float), rtol=1e-9, atol=1e-9, err_msg=name
        )


def test_arrays_of_objects_give_the_same_as_floats() -> None:
    # exact fractions, which refuse to be mixed with arrays of floats
    rng = np.random.default_rng(2)
    tree = pushed_tree(rng)
    n = coordinates_of(tree)
    q, still = rng.normal(size=n), np.zeros(n)
    poses = inverse_dynamics(tree, q, still, still)
    fraction = np.frompyfunc(Fraction, 1, 1)
    floats = ("axis", "multiplier", "mass", "p_body_com", "inertia", "gravity")
    loads = ("external_force", "external_torque")
    exact = tree._replace(**{name: fraction(getattr(tree, name)) for name in floats + loads})
    bodies = carried_bodies(exact, fraction(poses.R_parent_body), fraction(poses.p_parent_body))
    result = structural_coefficients(bodies, n)
    for array in result:
        assert array.dtype == object
        assert all(isinstance(value, (int, Fraction)) for value in array.flat)
    compare(result, coefficients_at(tree, q))
    velocity = fraction(rng.normal(size=n))
    C = coriolis_matrix(sum_of_bodies(result), velocity)
    expected = coriolis_matrix(sum_of_bodies(coefficients_at(tree, q)), velocity.astype(float))
    np.testing.assert_allclose(C.astype(float), expected, atol=1e-10)
