# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import math

import numpy as np
import pytest
from pose_series import poses
from trees import ROOT, Body, X, Z, inverse_dynamics, make_tree, random_tree

from charmie_dynamics.core.arrays import FIXED, REVOLUTE

REST = np.zeros


def world_position(tree, q) -> np.ndarray:
    return inverse_dynamics(tree, q, REST(len(q)), REST(len(q))).p_world_body


def test_chain_of_three_bodies_by_hand() -> None:
    # Quarter turns about z, then x. Eq. 19 places a body by its own point A, which is its origin:
    # with that of the body before, as printed, body 3 would be off by the origin of body 2.
    tree = make_tree(
        [
            ROOT,
            Body(0, REVOLUTE, Z, origin=(0.0, 0.0, 1.0)),
            Body(1, REVOLUTE, X, origin=(2.0, 0.0, 0.0)),
            Body(2, FIXED, origin=(0.0, 3.0, 0.0)),
        ]
    )
    p = world_position(tree, [math.pi / 2, math.pi / 2])
    np.testing.assert_allclose(p, [[0, 0, 0], [0, 0, 1], [0, 2, 1], [0, 2, 4]], atol=1e-15)


def test_root_keeps_the_pose_that_it_is_given() -> None:
    tree = make_tree([Body(-1, origin=(1.0, 2.0, 3.0)), Body(0, origin=(0.0, 0.0, 1.0))])
    assert world_position(tree, []).tolist() == [[1.0, 2.0, 3.0], [1.0, 2.0, 4.0]]


@pytest.mark.parametrize("seed", range(2))
def test_any_tree_stands_where_the_product_of_its_poses_puts_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = random_tree(rng)
    q = rng.uniform(-2.0, 2.0, size=tree.coordinate.max() + 1)
    solution = inverse_dynamics(tree, q, REST(len(q)), REST(len(q)))
    expected = poses(tree, q, REST(len(q)), REST(len(q))).value
    np.testing.assert_allclose(solution.R_world_body, expected[:, :3, :3], atol=1e-14)
    np.testing.assert_allclose(solution.p_world_body, expected[:, :3, 3], atol=1e-13)
