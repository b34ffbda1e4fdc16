# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Joints wait for the lengths of their moment, and for nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from charmie_dynamics.live.ordering import AGREED, WAIT, LengthsFirst
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES, make_sample

MS = 1_000_000  # ns
PERIOD = 10  # ms
LIFT, TORSO = ("lift",), ("torso",)
BOTH = LIFT + TORSO
EFFORTS = "actuator_efforts"


class Entry(NamedTuple):
    topic: str
    stamp: int  # ms
    names: tuple[str, ...] = BOTH


def joints(stamp: int) -> Entry:
    return Entry(JOINT_STATES, stamp, ("a",))


def lengths(stamp: int, names: tuple[str, ...] = BOTH) -> Entry:
    return Entry(ACTUATOR_LENGTHS, stamp, names)


class Ordered:
    """What comes out, sample by sample."""

    def __init__(self, names: tuple[str, ...] = BOTH) -> None:
        self.order: LengthsFirst[Entry] = LengthsFirst(names)

    def add(self, entry: Entry, now: float = 0.0) -> list[Entry]:
        sample = make_sample(entry.names, [0.0] * len(entry.names), [], [], entry.stamp * MS)
        return self.order.add(entry.topic, sample, now, entry)

    def all(self, entries: Iterable[Entry]) -> list[Entry]:
        return [found for entry in entries for found in self.add(entry)]


@pytest.fixture
def started() -> Ordered:
    """A stream of which lengths and joints of one moment have come."""
    ordered = Ordered()
    assert ordered.all([lengths(10), joints(10)]) == [lengths(10), joints(10)]
    return ordered


def test_joints_wait_for_the_lengths_of_their_stamp(started: Ordered) -> None:
    assert started.add(joints(20)) == []
    assert started.order.is_holding
    assert started.add(lengths(20)) == [lengths(20), joints(20)]
    assert not started.order.is_holding
    assert started.order.waited == 1


def test_joints_wait_for_all_actuators(started: Ordered) -> None:
    assert started.add(joints(20)) == []
    assert started.add(lengths(20, TORSO)) == [lengths(20, TORSO)]
    assert started.add(lengths(20, LIFT)) == [lengths(20, LIFT), joints(20)]


def test_joints_wait_no_longer_when_newer_lengths_come(started: Ordered) -> None:
    started.add(joints(20))
    assert started.add(lengths(25)) == [joints(20), lengths(25)]


def test_joints_wait_no_longer_than_they_may(started: Ordered) -> None:
    started.add(joints(20), now=1.0)
    started.add(joints(30), now=1.01)
    assert started.order.overdue(1.0 + 0.99 * WAIT) == []
    assert started.order.overdue(1.0 + WAIT) == [joints(20), joints(30)]
    assert started.order.overdue(2.0) == []


def test_joints_do_not_wait_before_lengths_were_ever_sent() -> None:
    entries = [lengths(10, ("unknown",)), joints(10), joints(20)]
    assert Ordered().all(entries) == entries


def test_joints_do_not_wait_where_there_are_no_lengths_to_wait_for() -> None:
    entries = [lengths(10), joints(10), joints(20), lengths(20)]
    assert Ordered(()).all(entries) == entries


def test_unknown_names_leave_nothing_behind(started: Ordered) -> None:
    for k in range(100):
        started.add(lengths(20, (f"n{k}",)))
    assert started.all([joints(20), lengths(20)]) == [lengths(20), joints(20)]


@pytest.mark.parametrize("every", [2, 3, AGREED])
def test_lengths_at_a_lower_rate_hold_up_one_sample_at_most(every: int) -> None:
    ordered = Ordered()
    for k in range(1, 20 * every):
        if k % every == 0:
            ordered.add(lengths(PERIOD * k))
        ordered.add(joints(PERIOD * k), now=0.01 * k)
        ordered.order.overdue(0.01 * k + WAIT)
    assert ordered.order.waited <= 1


def test_lengths_with_stamps_of_their_own_hold_up_one_sample_at_most() -> None:
    ordered = Ordered()
    for k in range(1, 50):
        ordered.all([lengths(PERIOD * k), joints(PERIOD * k + 3)])
    assert ordered.order.waited <= 1


@pytest.mark.parametrize("early", [True, False])
def test_joints_wait_again_after_many_with_lengths_of_their_own(early: bool) -> None:
    ordered = Ordered()
    ordered.all([lengths(1), joints(2)])
    assert ordered.order.overdue(WAIT) == [joints(2)]
    for k in range(1, AGREED + 1):
        pair = lengths(PERIOD * k), joints(PERIOD * k)
        assert len(ordered.all(pair if early else pair[::-1])) == 2
        assert not ordered.order.waited > 1
    assert ordered.all([joints(1000), lengths(1000)]) == [lengths(1000), joints(1000)]


def test_a_jump_back_is_followed_when_joints_come_first(started: Ordered) -> None:
    assert started.all([joints(1), lengths(1)]) == [lengths(1), joints(1)]


def test_joints_from_before_a_jump_back_wait_no_longer(started: Ordered) -> None:
    started.add(joints(20))
    assert started.add(lengths(1)) == [joints(20), lengths(1)]


def test_joints_that_wait_about_a_jump_back_get_the_lengths_of_their_own_pass(
    started: Ordered,
) -> None:
    assert started.all([joints(20), joints(1)]) == []
    assert started.add(lengths(20)) == [lengths(20), joints(20)]


def test_other_topics_stay_behind_joints_that_came_before(started: Ordered) -> None:
    other = Entry(EFFORTS, 20)
    assert started.add(other) == [other]
    assert started.all([joints(20), other]) == []
    assert started.add(lengths(20)) == [lengths(20), joints(20), other]


ENTRIES = st.lists(
    st.builds(
        Entry,
        st.sampled_from([JOINT_STATES, ACTUATOR_LENGTHS, EFFORTS]),
        st.integers(1, 60),
        st.sampled_from([LIFT, TORSO, BOTH]),
    ),
    max_size=20,
)


@given(ENTRIES)
def test_each_topic_keeps_all_its_samples_in_their_order(entries: list[Entry]) -> None:
    ordered = Ordered()
    found = [*ordered.all(entries), *ordered.order.rest()]
    for topic in (JOINT_STATES, ACTUATOR_LENGTHS, EFFORTS):
        expected = [entry for entry in entries if entry.topic == topic]
        assert [entry for entry in found if entry.topic == topic] == expected


@given(st.lists(st.floats(-0.9 * WAIT, 0.9 * WAIT), min_size=2, max_size=30))
def test_what_comes_a_little_late_or_early_comes_in_the_order_of_the_moments(
    delays: list[float],
) -> None:
    # from the second on: before the first lengths nobody knows that there are any
    stamps = range(PERIOD, PERIOD * len(delays) + 1, PERIOD)
    sent = [(1e-3 * stamp, joints(stamp)) for stamp in stamps]
    late = 0.0
    for stamp, delay in zip(stamps, delays, strict=True):
        late = max(late, 1e-3 * stamp + delay)  # a topic keeps its order
        sent.append((late if stamp > PERIOD else 0.0, lengths(stamp)))
    ordered = Ordered()
    found = []
    for now, entry in sorted(sent, key=lambda item: item[0]):
        found += ordered.order.overdue(now)
        found += ordered.add(entry, now)
    found += ordered.order.rest()
    expected_joints = [entry.stamp for entry in found if entry.topic == JOINT_STATES]
    assert expected_joints == list(stamps)
    for stamp in stamps:
        assert found.index(lengths(stamp)) < found.index(joints(stamp))
