# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Variables of a study, candidates that cover their space, one number made of several."""

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics import InputError
from charmie_dynamics.studies import DesignSpace, Variable, weighted_sum
from charmie_dynamics.studies.search.sampling import grid, latin_hypercube, sobol
from charmie_dynamics.studies.search.scalarisation import lattice, non_dominated, worst_of
from charmie_dynamics.studies.search.sensitivity import sensitivities, sensitivity_candidates

A, B = "springs.a.stiffness", "springs.b.stiffness"
FREE = Variable("free", {A: 1.0}, 2.0, 4.0)
STEPPED = Variable("stepped", {B: 1.0}, 0.0, 10.0, steps=(1.0, 2.0, 5.0))
LISTED = Variable(
    "listed", {A: 1.0}, 0.0, 1.0, (0.0, 1.0), {A: (10.0, 20.0), "kg": (0.1, 0.2)}
)  # fmt: skip


def test_tied_numbers_follow_by_their_factors() -> None:
    assert Variable("k", {A: 1.0, B: -0.5}, 0.0, 9.0).numbers(4.0) == {A: 4.0, B: -2.0}


def test_a_list_sets_its_paths_and_tells_its_columns() -> None:
    assert LISTED.numbers(1.0) == {A: 20.0}
    assert LISTED.properties(1.0) == {"listed": 1.0, "listed.kg": 0.2}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"lower": 3.0, "upper": 2.0}, r"variable 'x': expected bounds .*, got \[3, 2\]"),
        ({"lower": 0.0, "upper": np.inf}, "expected bounds"),
        ({"lower": 0.0, "upper": 9.0, "steps": (2.0, 2.0)}, "steps in ascending order"),
        ({"lower": 0.0, "upper": 9.0, "steps": (2.0, 10.0)}, r"within \[0, 9\], got 2 to 10"),
    ],
)
def test_a_variable_that_cannot_be_is_refused(given: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Variable("x", {A: 1.0}, **given)


def test_the_nearest_candidate_is_within_bounds_and_on_a_step() -> None:
    space = DesignSpace((FREE, STEPPED))
    found = space.nearest(np.array([[1.0, 3.4], [3.0, 3.6], [9.0, -7.0]]))
    np.testing.assert_array_equal(found, [[2.0, 2.0], [3.0, 5.0], [4.0, 1.0]])


def test_steps_have_equal_parts_of_the_range() -> None:
    shares = np.array([0.0, 0.3, 0.34, 0.67, 1.0])
    np.testing.assert_array_equal(STEPPED.at_shares(shares), [1.0, 1.0, 2.0, 5.0, 5.0])
    for variable in (FREE, STEPPED, LISTED):
        for value in variable.steps or (2.0, 2.5, 4.0):
            assert variable.at_shares(np.array([variable.share(value)]))[0] == value


def test_a_grid_has_all_combinations_and_all_steps() -> None:
    found = grid(DesignSpace((FREE, STEPPED)), 3)
    assert found.shape == (9, 2)
    assert {tuple(row) for row in found} == {(x, y) for x in (2, 3, 4) for y in (1, 2, 5)}


def test_a_grid_that_nobody_can_compute_is_refused() -> None:
    space = DesignSpace(tuple(Variable(f"v{k}", {f"p{k}": 1.0}, 0.0, 1.0) for k in range(9)))
    with pytest.raises(InputError, match="expected at most 10000000 candidates, got 1000000000"):
        grid(space, 10)


def test_a_latin_hypercube_has_one_candidate_in_each_part_of_each_range() -> None:
    space = DesignSpace((FREE, Variable("other", {B: 1.0}, -1.0, 1.0)))
    found = latin_hypercube(space, 20, seed=3)
    for column, (lower, upper) in zip(found.T, space.bounds, strict=True):
        parts = np.floor((column - lower) / (upper - lower) * 20).astype(int)
        assert sorted(parts) == list(range(20))


@pytest.mark.parametrize("sample", [latin_hypercube, sobol, sensitivity_candidates])
def test_equal_seeds_give_equal_candidates_and_others_others(sample) -> None:
    space = DesignSpace((FREE, STEPPED))
    one, same, other = sample(space, 16, 1), sample(space, 16, 1), sample(space, 16, 2)
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()
    assert (space.nearest(one) == one).all()


def test_sobol_gives_as_many_as_are_asked_for() -> None:
    assert len(sobol(DesignSpace((FREE,)), 13, 0)) == 13


def test_the_worst_share_tells_candidates_apart_where_a_sum_does_not() -> None:
    goals = np.array([[0.0, 1.0], [0.6, 0.6], [1.0, 0.0]])  # the middle is not on the convex hull
    total = weighted_sum(np.ones(2), np.ones(2)).value(goals)
    assert np.argmin(total) != 1
    worst = worst_of(np.array([0.5, 0.5]), np.zeros(2), np.ones(2)).value(goals)
    assert np.argmin(worst) == 1


@pytest.mark.parametrize(
    ("count", "objectives", "expected"), [(5, 2, 5), (5, 3, 6), (1, 2, 2), (5, 1, 1)]
)
def test_weights_are_spread_evenly_and_sum_to_one(count, objectives, expected) -> None:
    weights = lattice(count, objectives)
    assert len(weights) == expected
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)


def test_equal_candidates_do_not_dominate_each_other() -> None:
    goals = np.array([[1.0, 1.0], [1.0, 1.0], [2.0, 1.0], [0.0, 3.0]])
    np.testing.assert_array_equal(non_dominated(goals), [True, True, False, True])


def test_sensitivities_of_a_sum_are_the_shares_of_its_variances() -> None:
    widths = np.array([1.0, 2.0, 4.0])
    space = DesignSpace(
        tuple(Variable(f"v{k}", {f"p{k}": 1.0}, 0.0, w) for k, w in enumerate(widths))
    )
    candidates = sensitivity_candidates(space, 512, seed=2)
    assert candidates.shape == (512 * 5, 3)
    values = np.stack((candidates.sum(axis=1), np.full(len(candidates), 3.0)), axis=1)
    found = sensitivities(space, values, seed=2)
    shares = widths**2 / (widths**2).sum()
    np.testing.assert_allclose(found.first[0], shares, atol=0.02)
    np.testing.assert_allclose(found.total[0], shares, atol=0.02)
    np.testing.assert_array_equal(found.total[1], 0.0)  # what is always the same


def test_sensitivities_leave_out_what_is_undefined() -> None:
    space = DesignSpace((FREE, Variable("other", {B: 1.0}, 0.0, 0.2)))
    candidates = sensitivity_candidates(space, 256, seed=2)
    values = candidates.sum(axis=1, keepdims=True)
    values[::50] = np.nan
    found = sensitivities(space, values, seed=2)
    assert found.total[0, 0] > 0.9
    assert np.isnan(sensitivities(space, np.full_like(values, np.nan), 2).total).all()
