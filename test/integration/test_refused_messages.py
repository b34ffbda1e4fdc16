# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Messages that the node refuses, and parts of messages that it ignores."""

from __future__ import annotations

import itertools
import time
from array import array
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from graph import OUTPUTS, Checker
from node_process import Process
from robot_inputs import Inputs, joint_state, pose
from sensor_msgs.msg import JointState

LOG_PERIOD = 10.0  # s, between two warnings of one cause


NODE_PARAMETERS = {"marker_rate": 0.0}


HEARD = (*OUTPUTS, "/diagnostics")


def too_few_positions(stamp: int) -> JointState:
    message = joint_state(pose(), stamp)
    message.position = message.position[:-1]
    return message


def too_few_velocities(stamp: int) -> JointState:
    message = joint_state(pose(), stamp)
    message.velocity = message.velocity[:3]
    return message


def too_many_efforts(stamp: int) -> JointState:
    message = joint_state(pose(), stamp)
    message.effort = array("d", [0.0] * (len(message.name) + 1))
    return message


def repeated_name(stamp: int, number: int = 0) -> JointState:
    message = joint_state(pose(), stamp)
    message.name[-1] = message.name[number % (len(message.name) - 1)]
    return message


def no_position(stamp: int) -> JointState:
    message = joint_state(pose(), stamp)
    message.position = array("d")
    return message


def empty(stamp: int) -> JointState:
    return joint_state({}, stamp)


REFUSED: dict[str, Callable[[int], JointState]] = {
    "names but": too_few_positions,
    "velocities": too_few_velocities,
    "efforts": too_many_efforts,
    "is repeated": repeated_name,
    "0 positions": no_position,
    "without names": empty,
}
# what each is counted as; the same for every number of entries and every name
CAUSES: dict[str, str] = {
    "names but": "as many positions as names expected",
    "velocities": "as many velocities as names or none expected",
    "efforts": "as many efforts as names or none expected",
    "is repeated": "repeated name",
    "0 positions": "as many positions as names expected",
    "without names": "no names",
}


def rejected(checker: Checker, topic: str) -> int:
    """Return the number of refused messages that the newest diagnostics tell of."""
    status = checker.wait_for_status(": inputs", lambda *_: True, "a diagnostics message")
    values = {item.key: item.value for item in status.values}
    return int(values[f"{topic} rejected"])


@pytest.mark.parametrize("topic", ["joint_states", "actuator_lengths"])
def test_refused_messages_are_counted_by_cause_in_the_diagnostics(
    checker: Checker, inputs: Inputs, topic: str
) -> None:
    publisher = inputs.joints if topic == "joint_states" else inputs.lengths

    def send_all() -> None:
        for make in REFUSED.values():
            publisher.publish(make(inputs.next_stamp()))

    def all_counted(_: Any, values: Mapping[str, str]) -> bool:
        by_cause = {key: int(n) for key, n in values.items() if f"{topic} rejected: " in key}
        found = set(by_cause) == {f"{topic} rejected: {cause}" for cause in CAUSES.values()}
        return found and sum(by_cause.values()) == int(values[f"{topic} rejected"])

    checker.wait_for_status(
        ": inputs", all_counted, f"all causes on {topic}", doing=send_all, rate=5.0
    )


def test_each_cause_is_warned_of(checker: Checker, inputs: Inputs, node: Process) -> None:
    """The test before has sent all of them; one cause must not hide the others."""
    first_of_a_cause = {cause: words for words, cause in reversed(CAUSES.items())}
    for cause in first_of_a_cause.values():
        assert any(
            "joint_states: message refused" in line and cause in line
            for line in node.output().splitlines()
        ), cause


def test_one_cause_is_warned_of_once_in_a_while(
    checker: Checker, inputs: Inputs, node: Process
) -> None:
    """Fifty bad messages, no two alike, are one line; one more for each period that goes by."""
    before = rejected(checker, "joint_states")
    lines = node.output().count("joint_states: message refused")
    start = time.monotonic()
    numbers = itertools.count()
    checker.wait_for_status(
        ": inputs",
        lambda _, values: int(values["joint_states rejected"]) >= before + 50,
        "fifty refused messages",
        doing=lambda: inputs.joints.publish(repeated_name(inputs.next_stamp(), next(numbers))),
        rate=100.0,
    )
    periods = int((time.monotonic() - start) / LOG_PERIOD)
    assert node.output().count("joint_states: message refused") - lines <= 1 + periods


def test_the_warning_names_topic_expectation_and_value(
    checker: Checker, inputs: Inputs, node: Process
) -> None:
    checker.wait_for(
        lambda: (
            "joint_states: message refused: 21 names but 3 velocities; expected 21 or none"
            in node.output()
        ),
        "the warning",
        doing=lambda: inputs.joints.publish(too_few_velocities(inputs.next_stamp())),
    )
