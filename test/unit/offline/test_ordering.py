"""Lengths come before the joints of the same moment, and nothing else changes its place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from charmie_dynamics.offline.ordering import WAIT, lengths_first
from charmie_dynamics.offline.received import Received
from charmie_dynamics.signals.align import ACTUATOR_LENGTHS, JOINT_STATES
from charmie_dynamics.signals.samples import make_sample

MS = 1_000_000
EFFORTS = "actuator_efforts"


def entry(topic: str, stamp: int, arrival: int) -> Received:
    """Return a sample of one joint; times in milliseconds."""
    return Received(topic, make_sample(["a"], [0.0], [], [], stamp * MS), arrival * MS)


def joints(stamp: int, arrival: int) -> Received:
    return entry(JOINT_STATES, stamp, arrival)


def lengths(stamp: int, arrival: int) -> Received:
    return entry(ACTUATOR_LENGTHS, stamp, arrival)


def test_lengths_recorded_after_the_joints_of_their_moment_come_first() -> None:
    j, k, a, b = joints(10, 11), joints(20, 21), lengths(10, 12), lengths(20, 22)
    assert list(lengths_first([j, a, k, b])) == [a, j, b, k]


def test_lengths_that_are_newer_than_the_joints_stay_behind_them() -> None:
    j, a = joints(10, 11), lengths(11, 12)
    assert list(lengths_first([j, a])) == [j, a]


def test_lengths_recorded_much_later_stay_where_they_are() -> None:
    late = WAIT // MS + 1
    j, a = joints(10, 11), lengths(10, 11 + late)
    assert list(lengths_first([j, a])) == [j, a]


def test_lengths_of_an_earlier_pass_stay_where_they_are() -> None:
    j, a = joints(1000, 11), lengths(10, 12)
    assert list(lengths_first([j, a])) == [j, a]


def test_lengths_keep_their_own_order() -> None:
    j, a, b = joints(30, 31), lengths(40, 32), lengths(20, 33)
    assert list(lengths_first([j, a, b])) == [j, a, b]


ENTRIES = st.lists(
    st.builds(
        entry,
        st.sampled_from([JOINT_STATES, ACTUATOR_LENGTHS, EFFORTS]),
        st.integers(0, 60),
        st.integers(0, 60),
    ),
    max_size=20,
)


@given(ENTRIES)
def test_each_topic_keeps_all_its_samples_in_their_order(given_entries: list[Received]) -> None:
    found = list(lengths_first(given_entries))
    for topic in (JOINT_STATES, ACTUATOR_LENGTHS, EFFORTS):
        expected = [id(e) for e in given_entries if e.topic == topic]
        assert [id(e) for e in found if e.topic == topic] == expected
