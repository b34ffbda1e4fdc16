# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Base parameters: fewer numbers than the inertial parameters, and the same efforts."""

from __future__ import annotations

import numpy as np
import pytest
from random_states import random_state

from charmie_dynamics import CharmieError, Model, load_model
from charmie_dynamics.studies import find_base_parameters
from charmie_dynamics.studies.robot_parameters.base_parameters import independent_combinations


@pytest.mark.parametrize("name", ["charmie", "crane", "scara"])
def test_base_parameters_give_the_efforts_of_all_parameters(
    request: pytest.FixtureRequest, name: str
) -> None:
    model: Model = request.getfixturevalue(name)
    base = find_base_parameters(model)
    for seed in range(3):
        regressor = model.regressor(*random_state(model, np.random.default_rng(seed)))
        expected = regressor @ model.inertial_parameters
        found = regressor[:, base.columns] @ base.values
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-11 * abs(expected).max())


def test_their_number_is_the_rank_of_other_regressors(charmie: Model) -> None:
    base = find_base_parameters(charmie)
    rng = np.random.default_rng(7)
    states = [random_state(charmie, rng) for _ in range(60)]
    rows = np.concatenate([charmie.regressor(*state) for state in states])
    assert np.linalg.matrix_rank(rows / max(1.0, abs(rows).max()), tol=1e-10) == len(base.names)


def test_a_number_counts_to_the_parent_where_it_cannot_be_told_from_it(scara: Model) -> None:
    names = find_base_parameters(scara).names
    # the slide lifts all links, and feels nothing but their masses together
    assert names[0] == "link_1 m + link_2 m + link_3 m + link_4 m + link_5 m + tool m"
    # the first moment of a link that turns, across: no other link has to do with it
    assert "link_3 my" in names


def test_another_seed_finds_the_same_combinations(scara: Model) -> None:
    one, other = find_base_parameters(scara), find_base_parameters(scara, seed=8)
    assert one.names == other.names
    np.testing.assert_allclose(one.combination, other.combination, atol=1e-9)


def test_a_robot_without_moving_masses_has_none(tmp_path) -> None:
    path = tmp_path / "rod.urdf"
    path.write_text('<robot name="rod"><link name="rod"/></robot>', encoding="utf-8")
    with pytest.raises(CharmieError, match="robot 'rod': no inertial parameter changes any effort"):
        find_base_parameters(load_model(path))


def test_a_weak_parameter_at_the_tolerance_counts_if_the_gap_is_clear() -> None:
    rng = np.random.default_rng(1)
    W = np.linalg.qr(rng.normal(size=(60, 11)))[0]
    weak = W[:, :9].mean(axis=1)
    W[:, 9] = weak / np.linalg.norm(weak) + 1.2e-9 * W[:, 9]
    W[:, 10] = W[:, 0] - 2.0 * W[:, 1]
    labels = tuple(f"p{k}" for k in range(11))
    found = independent_combinations(W, labels, np.ones(11), "test")
    assert found.columns.tolist() == list(range(10))
    assert found.names[1] == "p1 - 2 p10"
