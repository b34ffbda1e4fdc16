# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics import InputError
from charmie_dynamics.live.wire.samples import DistinctNames, make_sample


def test_sample_holds_what_the_message_says() -> None:
    sample = make_sample(["a", "b"], [1.0, 2.0], [3.0, 4.0], [5.0, 6.0], 7)
    assert (sample.names, sample.stamp) == (("a", "b"), 7)
    assert (sample.position.tolist(), sample.velocity.tolist()) == ([1.0, 2.0], [3.0, 4.0])


def test_sample_without_velocities_knows_none() -> None:
    assert make_sample(["a"], [1.0], [], [], 0).velocity is None


def test_sample_keeps_no_reference_to_the_message() -> None:
    position, velocity = np.ones(2), np.ones(2)
    sample = make_sample(["a", "b"], position, velocity, [], 0)
    position[:], velocity[:] = 9.0, 9.0
    assert (sample.position.tolist(), sample.velocity.tolist()) == ([1.0, 1.0], [1.0, 1.0])


@pytest.mark.parametrize(
    ("names", "position", "velocity", "effort", "reason"),
    [
        ([], [], [], [], "without names"),
        (["a"], [], [], [], "1 names but 0 positions"),
        (["a", "b"], [1.0], [], [], "2 names but 1 positions"),
        (["a"], [1.0, 2.0], [], [], "1 names but 2 positions"),
        (["a", "b"], [1.0, 2.0], [1.0], [], "2 names but 1 velocities"),
        (["a", "b"], [1.0, 2.0], [], [1.0, 2.0, 3.0], "2 names but 3 efforts"),
        (["a", "b", "a"], [1.0, 2.0, 3.0], [], [], "'a' is repeated"),
    ],
)
def test_message_whose_arrays_disagree_is_refused(
    names: list, position: list, velocity: list, effort: list, reason: str
) -> None:
    with pytest.raises(InputError, match=reason):
        make_sample(names, position, velocity, effort, 0)


def test_position_that_is_not_finite_is_left_to_the_aligner() -> None:
    assert np.isnan(make_sample(["a"], [float("nan")], [], [], 0).position[0])


def test_names_that_are_known_to_be_distinct_are_taken_as_they_are() -> None:
    names = DistinctNames(["a", "b"])
    assert names == ("a", "b")
    assert make_sample(names, [1.0, 2.0], [], [], 0).names is names


def test_names_cannot_be_called_distinct_where_one_repeats() -> None:
    with pytest.raises(InputError, match="'b' is repeated"):
        DistinctNames(["a", "b", "b"])


@pytest.mark.parametrize(("count", "reason"), [(1, "2 names but 1"), (3, "2 names but 3")])
def test_arrays_are_counted_for_names_that_are_known_to_be_distinct(
    count: int, reason: str
) -> None:
    names = DistinctNames(["a", "b"])
    for arrays in (
        ([1.0] * count, [], []),
        ([1.0, 2.0], [1.0] * count, []),
        ([1.0, 2.0], [], [1.0] * count),
    ):
        with pytest.raises(InputError, match=reason):
            make_sample(names, *arrays, 0)


def test_view_into_a_message_becomes_an_ordinary_array() -> None:
    # doubles of a serialized message: read-only, and not at a multiple of their size
    message = bytes(4) + np.array([1.0, 2.0]).tobytes()
    view = np.ndarray(2, dtype=np.float64, buffer=message, offset=4)
    sample = make_sample(["a", "b"], view, view, [], 0)
    for values in (sample.position, sample.velocity):
        assert values.tolist() == [1.0, 2.0]
        assert values.flags.behaved
        assert values.flags.c_contiguous
