# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inputs that are incomplete, split among publishers, missing, stale or out of reach."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from graph import EACH_CYCLE, OUTPUTS, Checker, stamps_of, to_time
from node_process import Process
from robot_inputs import (
    JOINTS,
    LENGTHS,
    Inputs,
    joint_state,
    named,
    pose,
)

ERROR = b"\x02"
OUT_OF_REACH = [
    *(("torso_actuator", 0.9), ("torso_actuator", 0.01), ("lift_actuator", 0.05)),
    # beyond the bars of the balance mechanisms
    ("lift_actuator", 1.525),
]


NODE_PARAMETERS = {"marker_rate": 0.0}


HEARD = (*OUTPUTS, "/diagnostics")


@pytest.fixture(scope="module")
def inputs(checker: Checker) -> Inputs:
    return Inputs(checker)


def part(values: Mapping[str, float], names: Any) -> dict[str, float]:
    return {name: values[name] for name in names}


def without(values: Mapping[str, float], *names: str) -> dict[str, float]:
    return {name: value for name, value in values.items() if name not in names}


def stamps_on(checker: Checker, *topics: str) -> set[int]:
    return {s for topic in topics for m in checker.received[topic] for s in stamps_of(m)}


def wait_for_error(
    checker: Checker, words: tuple[str, ...], doing: Callable[[], Any] | None = None
) -> None:
    checker.wait_for_status(
        ": inputs",
        lambda status, _: status.level == ERROR and all(w in status.message for w in words),
        f"an error of the inputs with {words}",
        doing=doing,
    )


def wait_until_stale(checker: Checker) -> None:
    wait_for_error(checker, ("left_arm_joint_1", "lift_actuator"))


def test_a_joint_sample_waits_for_the_lengths_that_come_after_it(
    checker: Checker, inputs: Inputs
) -> None:
    """Nothing has come before, so that the cycle cannot use older lengths."""
    checker.wait_for(
        lambda: inputs.joints.get_subscription_count() and inputs.lengths.get_subscription_count(),
        "the node's subscriptions",
    )
    wait_until_stale(checker)
    cycle = inputs.cycle(pose(), lengths_first=False)
    assert named(cycle["actuator_efforts"], "position") == pytest.approx(pose(), abs=1e-12)


def test_without_lengths_there_is_no_output(checker: Checker, inputs: Inputs) -> None:
    wait_until_stale(checker)
    sent = []
    joints = part(pose(), JOINTS)
    wait_for_error(checker, LENGTHS, doing=lambda: sent.append(inputs.send(joints)))
    inputs.cycle(pose())
    # the last joint sample rightly gets its cycle when the lengths come
    assert len(sent) > 1
    assert stamps_on(checker, *OUTPUTS) & set(sent[:-1]) == set()


def test_one_missing_joint_stops_the_outputs_and_is_named(checker: Checker, inputs: Inputs) -> None:
    wait_until_stale(checker)
    sent = []
    values = without(pose(), "right_arm_joint_4")
    wait_for_error(checker, ("right_arm_joint_4",), doing=lambda: sent.append(inputs.send(values)))
    inputs.cycle(pose())
    assert stamps_on(checker, *OUTPUTS) & set(sent[:-1]) == set()


@pytest.mark.parametrize("name, length", OUT_OF_REACH)
def test_a_length_out_of_reach_is_an_error_that_names_actuator_and_value(
    checker: Checker, inputs: Inputs, name: str, length: float
) -> None:
    values = {**pose(), name: length}
    checker.wait_for_status(
        ": cycle",
        lambda status, _: (
            status.level == ERROR
            and all(word in status.message for word in (name, f"{length:g} m"))
        ),
        f"an error that names '{name}' and {length:g} m",
        doing=lambda: inputs.send(values),
        timeout=5.0,
    )


def test_a_length_out_of_reach_is_warned_of_with_actuator_value_and_reach(
    checker: Checker, inputs: Inputs, node: Process, model: Any
) -> None:
    low, high = model.reach("torso_actuator")
    values = {**pose(), "torso_actuator": 0.9}
    words = ("torso_actuator", "0.9 m", f"{low:.6g}", f"{high:.6g}")
    checker.wait_for(
        lambda: any(all(w in line for w in words) for line in node.output().splitlines()),
        f"a warning with {words}",
        doing=lambda: inputs.send(values),
    )


def test_a_message_without_stamp_gets_the_time_of_the_node(
    checker: Checker, inputs: Inputs
) -> None:
    inputs.stamp = checker.node.get_clock().now().nanoseconds
    before = inputs.stamp

    def send() -> None:
        for publisher, names in ((inputs.lengths, LENGTHS), (inputs.joints, JOINTS)):
            message = joint_state(part(pose(), names), 0)
            message.header.stamp = to_time(0)
            publisher.publish(message)

    checker.forget()
    checker.wait_for(
        lambda: any(s > before for s in stamps_on(checker, *EACH_CYCLE)),
        "a cycle at the node's own time",
        doing=send,
    )
    assert 0 not in stamps_on(checker, *EACH_CYCLE)
