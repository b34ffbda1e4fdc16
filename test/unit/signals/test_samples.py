from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics import InputError
from charmie_dynamics.signals.samples import make_sample


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
        (["a", "b", "a"], [1.0, 2.0, 3.0], [], [], "'a' stands more than once"),
    ],
)
def test_message_whose_arrays_disagree_is_refused(
    names: list, position: list, velocity: list, effort: list, reason: str
) -> None:
    with pytest.raises(InputError, match=reason):
        make_sample(names, position, velocity, effort, 0)


def test_position_that_is_not_finite_is_left_to_the_aligner() -> None:
    assert np.isnan(make_sample(["a"], [float("nan")], [], [], 0).position[0])
