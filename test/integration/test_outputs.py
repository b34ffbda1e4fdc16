# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What one cycle looks like on the wire: names, order, stamps, frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from graph import EACH_CYCLE, LATCHED, OUTPUTS, Checker, stamp_of, stamps_of
from node_process import start_dynamics_node
from robot_inputs import Inputs, pose
from visualization_msgs.msg import Marker


@pytest.fixture(scope="module")
def checker(folder: Any) -> Iterator[Checker]:
    """A checker that has seen three cycles of three poses, markers with each."""
    with start_dynamics_node(folder, {"marker_rate": 0.0}):
        with Checker((*OUTPUTS, *LATCHED)) as checker:
            inputs = Inputs(checker)
            checker.inputs = inputs
            for number in (1, 2, 3):
                checker.last_stamp = inputs.next_stamp()
                checker.last_cycle = inputs.cycle(pose(number), checker.last_stamp, topics=OUTPUTS)
            checker.wait_for(lambda: all(checker.received[t] for t in LATCHED), "latched topics")
            yield checker


@pytest.fixture(scope="module")
def cycle(checker: Checker) -> dict[str, Any]:
    return checker.last_cycle


def transforms(checker: Checker, cycle: dict[str, Any]) -> dict[str, Any]:
    """Return all transforms by their child frame."""
    every = [t for m in checker.received["/tf_static"] for t in m.transforms]
    return {t.child_frame_id: t for t in [*every, *cycle["/tf"].transforms]}


@pytest.mark.parametrize("topic", OUTPUTS)
def test_every_stamp_in_a_message_is_that_of_the_joint_sample(
    checker: Checker, cycle: dict[str, Any], topic: str
) -> None:
    assert stamps_of(cycle[topic]) == {checker.last_stamp}


@pytest.mark.parametrize("topic", EACH_CYCLE)
def test_each_joint_sample_gives_one_message(checker: Checker, topic: str) -> None:
    stamps = [stamp for message in checker.received[topic] for stamp in stamps_of(message)]
    assert len(checker.received[topic]) == len(set(stamps)) == 3


def test_each_frame_has_one_parent_on_both_tf_topics(checker: Checker) -> None:
    parents: dict[str, set[str]] = {}
    for topic in ("/tf", "/tf_static"):
        for message in checker.received[topic]:
            for transform in message.transforms:
                parents.setdefault(transform.child_frame_id, set()).add(transform.header.frame_id)
    assert {child: found for child, found in parents.items() if len(found) != 1} == {}


def test_no_frame_is_on_both_tf_topics(checker: Checker) -> None:
    moving, static = (
        {t.child_frame_id for message in checker.received[topic] for t in message.transforms}
        for topic in ("/tf", "/tf_static")
    )
    assert moving & static == set()


def test_the_tree_has_one_root_which_is_odom(checker: Checker, cycle: dict[str, Any]) -> None:
    tree = transforms(checker, cycle)
    roots = {t.header.frame_id for t in tree.values()} - set(tree)
    assert roots == {"odom"}


def test_markers_have_the_namespaces_of_the_interface(cycle: dict[str, Any]) -> None:
    namespaces = {marker.ns for marker in cycle["markers"].markers}
    expected = {"bodies", "springs", "actuators", "balance", "efforts", "stability"}
    assert namespaces == expected


def test_every_marker_is_in_a_published_frame(checker: Checker, cycle: dict[str, Any]) -> None:
    shown = [marker for marker in cycle["markers"].markers if marker.action == Marker.ADD]
    frames = {marker.header.frame_id for marker in shown}
    assert frames - set(transforms(checker, cycle)) == set()


@pytest.mark.parametrize(("earlier", "later"), [("actuator_efforts", "/tf"), ("/tf", "markers")])
def test_efforts_come_before_tf_and_tf_before_markers_of_the_same_stamp(
    checker: Checker, earlier: str, later: str
) -> None:
    """By the times at which the middleware was given the messages."""
    times: dict[str, dict[int, int]] = {earlier: {}, later: {}}
    # a node that is not spun: its messages are taken by hand, which also gives their times
    # (callbacks that ask for them do not exist on Humble)
    with Checker(times, name="taker") as taker:

        def take() -> bool:
            for topic, subscription in taker.subscriptions.items():
                with subscription.handle:
                    taken = subscription.handle.take_message(subscription.msg_type, False)
                if taken is not None:
                    message, info = taken
                    times[topic][stamp_of(message)] = info["source_timestamp"]
            return len(times[earlier].keys() & times[later].keys()) >= 10

        checker.wait_for(take, "ten cycles", doing=lambda: checker.inputs.send(pose(3)), rate=50.0)
    both = times[earlier].keys() & times[later].keys()
    assert [stamp for stamp in both if times[earlier][stamp] >= times[later][stamp]] == []
