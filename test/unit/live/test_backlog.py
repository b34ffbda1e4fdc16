# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics.live.backlog import (
    DELIVERY,
    LONGEST,
    OFTEN,
    SAVED,
    STEP,
    Slack,
    Stamped,
    merged,
)
from charmie_dynamics.live.wire.samples import JointSample

CYCLE = 250e-6  # s
LONG_AGO = 10.0  # s, between the stamps of what waits


def slack_with(cycle: float) -> Slack:
    slack = Slack()
    slack.note_cycle(cycle)
    return slack


def test_there_is_no_time_to_catch_up_before_there_was_an_idle_moment() -> None:
    slack = slack_with(CYCLE)
    assert slack.covers(0, LONG_AGO)
    assert not slack.covers(1, LONG_AGO)


def test_idle_time_covers_as_many_cycles_as_fit_once() -> None:
    slack = slack_with(CYCLE)
    for _ in range(2):
        slack.note_idle(DELIVERY + 2.01 * CYCLE)
    assert not slack.covers(5, LONG_AGO)
    assert slack.covers(3, LONG_AGO)
    assert slack.covers(1, LONG_AGO)
    assert not slack.covers(1, LONG_AGO)


def test_samples_that_come_faster_than_cycles_are_computed_are_too_much_and_no_stall() -> None:
    slack = slack_with(0.1 * LONGEST)
    slack.note_idle(3600.0)
    needed = 5 * 0.1 * LONGEST
    assert not slack.covers(5, 1.9 * needed)
    assert slack.covers(5, 2.1 * needed)


def test_a_few_milliseconds_are_spent_whatever_the_stamps_are() -> None:
    slack = slack_with(0.3 * OFTEN)
    slack.note_idle(3600.0)
    assert not slack.covers(4, 0.0)
    assert slack.covers(3, 0.0)


def test_moments_between_two_deliveries_are_no_idle_time() -> None:
    slack = Slack()
    for _ in range(1000):
        slack.note_idle(DELIVERY)
    assert slack.left == 0.0


@pytest.mark.parametrize("share, covered", [(1.01, False), (0.99, True)])
def test_long_idleness_does_not_hold_up_the_newest_sample_for_long(
    share: float, covered: bool
) -> None:
    slack = slack_with(share * LONGEST)
    slack.note_idle(3600.0)
    assert slack.left == LONGEST
    assert slack.covers(1, LONG_AGO) == covered


def test_more_than_a_few_milliseconds_are_saved_from_a_share_of_the_idle_time() -> None:
    slack = Slack()
    slack.note_idle(DELIVERY + OFTEN + 0.1)
    assert slack.left == pytest.approx(OFTEN + 0.1 * SAVED)
    assert SAVED < 0.5


def test_a_few_milliseconds_come_back_at_once() -> None:
    slack = slack_with(LONGEST)
    slack.note_idle(3600.0)
    assert slack.covers(1, LONG_AGO)
    slack.note_idle(DELIVERY + 0.9 * OFTEN)
    assert slack.left == pytest.approx(0.9 * OFTEN)


def test_one_cycle_that_was_held_up_changes_little_of_what_a_cycle_is_thought_to_take() -> None:
    slack = slack_with(CYCLE)
    slack.note_cycle(1000 * CYCLE)
    assert slack.cycle == pytest.approx((1.0 + STEP) * CYCLE)


def test_what_a_cycle_is_thought_to_take_follows_a_slower_machine_within_some_cycles() -> None:
    slack = slack_with(CYCLE)
    for _ in range(30):
        slack.note_cycle(10 * CYCLE)
    assert slack.cycle == pytest.approx(10 * CYCLE)


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
