from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics.signals.backlog import DELIVERY, LONGEST, Slack, Stamped, merged
from charmie_dynamics.signals.samples import JointSample

CYCLE = 250e-6  # s


def test_there_is_no_time_to_catch_up_before_there_was_an_idle_moment() -> None:
    slack = Slack()
    assert slack.covers(0, CYCLE)
    assert not slack.covers(1, CYCLE)


def test_idle_time_covers_as_many_cycles_as_fit_once() -> None:
    slack = Slack()
    for _ in range(2):
        slack.note_idle(DELIVERY + 2.01 * CYCLE)
    assert not slack.covers(5, CYCLE)
    assert slack.covers(3, CYCLE)
    assert slack.covers(1, CYCLE)
    assert not slack.covers(1, CYCLE)


def test_moments_between_two_deliveries_are_no_idle_time() -> None:
    slack = Slack()
    for _ in range(1000):
        slack.note_idle(DELIVERY)
    assert slack.left == 0.0


def test_long_idleness_does_not_hold_up_the_newest_sample_for_long() -> None:
    slack = Slack()
    slack.note_idle(3600.0)
    assert slack.left == LONGEST
    assert not slack.covers(1, 1.01 * LONGEST)
    assert slack.covers(1, 0.99 * LONGEST)


def stamped(topic: str, *stamps: int) -> list[Stamped]:
    return [(topic, JointSample((), np.empty(0), None, stamp)) for stamp in stamps]


def order(first: list[int], second: list[int]) -> list[tuple[str, int]]:
    mixed = merged(stamped("first", *first), stamped("second", *second))
    return [(topic[0], sample.stamp) for topic, sample in mixed]


def test_samples_of_two_topics_are_merged_by_stamp_and_equal_ones_by_topic() -> None:
    expected = [("f", 1), ("s", 1), ("f", 3), ("s", 4), ("f", 5), ("f", 6)]
    assert order([1, 3, 5, 6], [1, 4]) == expected


def test_a_jump_back_keeps_its_place_in_each_topic() -> None:
    expected = [("f", 8), ("s", 8), ("f", 9), ("f", 1), ("s", 9), ("s", 1)]
    assert order([8, 9, 1], [8, 9, 1]) == expected


@pytest.mark.parametrize("first, second", [([], []), ([1], []), ([], [1])])
def test_nothing_is_lost_where_a_topic_has_nothing(first: list[int], second: list[int]) -> None:
    assert [stamp for _, stamp in order(first, second)] == first + second
