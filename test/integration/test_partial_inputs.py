# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inputs that are incomplete, split among publishers, missing, stale or out of reach."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from graph import EACH_CYCLE, OUTPUTS, Checker, stamps_of, to_time
from node_process import Process, start_dynamics_node
from robot_inputs import (
    ACTUATORS,
    BASE_JOINTS,
    JOINTS,
    LENGTHS,
    Inputs,
    joint_state,
    named,
    pose,
)
from sensor_msgs.msg import JointState

ERROR = b"\x02"
OUT_OF_REACH = [
    *(("torso_actuator", 0.9), ("torso_actuator", 0.01), ("lift_actuator", 0.05)),
    # beyond the bars of the balance mechanisms
    ("lift_actuator", 1.525),
]


@pytest.fixture(scope="module")
def node(folder: Any) -> Iterator[Process]:
    with start_dynamics_node(folder, {"marker_rate": 0.0}) as process:
        yield process


@pytest.fixture(scope="module")
def checker(node: Process) -> Iterator[Checker]:
    with Checker((*OUTPUTS, "/diagnostics")) as checker:
        yield checker


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


def test_missing_lengths_are_an_error_that_names_them(checker: Checker, inputs: Inputs) -> None:
    wait_until_stale(checker)
    joints = part(pose(), JOINTS)
    checker.wait_for_status(
        ": inputs",
        lambda status, _: (
            status.level == ERROR
            and all(name in status.message for name in LENGTHS)
            and "joint_1" not in status.message
        ),
        "an error that names the two lengths only",
        doing=lambda: inputs.send(joints),
    )


def test_one_missing_joint_stops_the_outputs_and_is_named(checker: Checker, inputs: Inputs) -> None:
    wait_until_stale(checker)
    sent = []
    values = without(pose(), "right_arm_joint_4")
    wait_for_error(checker, ("right_arm_joint_4",), doing=lambda: sent.append(inputs.send(values)))
    inputs.cycle(pose())
    assert stamps_on(checker, *OUTPUTS) & set(sent[:-1]) == set()


def test_outputs_come_again_when_stale_lengths_do(checker: Checker, inputs: Inputs) -> None:
    inputs.cycle(pose(1))
    joints = part(pose(1), JOINTS)
    wait_for_error(checker, LENGTHS, doing=lambda: inputs.send(joints))
    cycle = inputs.cycle(pose(2), topics=OUTPUTS)
    assert named(cycle["actuator_efforts"], "position") == pytest.approx(pose(2), abs=1e-12)


def test_fresh_inputs_are_reported_as_such(checker: Checker, inputs: Inputs) -> None:
    values = pose()
    checker.wait_for_status(
        ": inputs",
        lambda status, _: status.level == b"\x00",
        "inputs without error",
        doing=lambda: inputs.send(values),
    )


def test_diagnostics_tell_the_rates_of_the_inputs(checker: Checker, inputs: Inputs) -> None:
    values = pose()
    checker.wait_for_status(
        ": inputs",
        lambda _, items: (
            float(items["joint_states rate (Hz)"]) > 5.0
            and float(items["actuator_lengths rate (Hz)"]) > 5.0
        ),
        "rates of the inputs",
        doing=lambda: inputs.send(values),
    )


def test_base_joints_that_nobody_reports_are_held_at_zero(
    folder: Any, checker: Checker, inputs: Inputs
) -> None:
    """On a node of its own, which has not heard of the base."""
    with start_dynamics_node(folder, {"publish_tf": False}, namespace="no_base"):
        with Checker(EACH_CYCLE[1:], namespace="no_base") as other:
            cycle = Inputs(other).cycle(without(pose(), *BASE_JOINTS), topics=EACH_CYCLE[1:])
    positions = named(cycle["actuator_efforts"], "position")
    assert part(positions, BASE_JOINTS) == dict.fromkeys(BASE_JOINTS, 0.0)


def test_publishers_may_each_report_a_part_of_the_joints(checker: Checker, inputs: Inputs) -> None:
    """Arms, neck, base and torso from four publishers, three of them at the same stamp."""
    expected = pose(4)
    groups = (
        [name for name in JOINTS if name.startswith("left")],
        [name for name in JOINTS if name.startswith("right")],
        [name for name in JOINTS if name.startswith("neck")],
        list(BASE_JOINTS),
    )
    node = checker.node
    publishers = [node.create_publisher(JointState, "joint_states", 10) for _ in groups]

    def send() -> None:
        stamp = inputs.next_stamp()
        inputs.lengths.publish(joint_state(part(expected, LENGTHS), stamp))
        for publisher, names in zip(publishers, groups, strict=True):
            publisher.publish(joint_state(part(expected, names), stamp))

    def arrived() -> bool:
        messages = checker.received["actuator_efforts"]
        found = messages and named(messages[-1], "position")
        return bool(found) and found == pytest.approx(expected, abs=1e-9)

    try:
        checker.wait_for(arrived, "a cycle with the values of all publishers", doing=send)
    finally:
        for publisher in publishers:
            node.destroy_publisher(publisher)


def test_two_actuators_may_come_in_separate_messages(checker: Checker, inputs: Inputs) -> None:
    wait_until_stale(checker)
    expected = pose(2)
    first = inputs.stamp + 1

    def send() -> None:
        stamp = inputs.next_stamp()
        for name in LENGTHS:
            inputs.lengths.publish(joint_state(part(expected, [name]), stamp))
        inputs.joints.publish(joint_state(part(expected, JOINTS), stamp))

    def cycles() -> list[JointState]:
        return [m for s, m in checker.by_stamp("actuator_efforts").items() if s >= first]

    checker.wait_for(cycles, "a cycle", doing=send)
    assert named(cycles()[-1], "position") == pytest.approx(expected, abs=1e-12)


def test_a_publisher_may_come_back_with_another_order_of_its_joints(
    checker: Checker, inputs: Inputs
) -> None:
    inputs.cycle(pose(1))
    expected = pose(2)
    node = checker.node
    for names in (JOINTS, JOINTS[::-1], sorted(JOINTS)):
        publisher = node.create_publisher(JointState, "joint_states", 10)
        checker.forget()

        def send(publisher: Any = publisher, names: Any = names) -> None:
            stamp = inputs.next_stamp()
            inputs.lengths.publish(joint_state(part(expected, LENGTHS[::-1]), stamp))
            publisher.publish(joint_state(part(expected, names), stamp))

        checker.wait_for(lambda: checker.received["actuator_efforts"], "a cycle", doing=send)
        node.destroy_publisher(publisher)
        found = named(checker.received["actuator_efforts"][-1], "position")
        assert found == pytest.approx(expected, abs=1e-12)


def test_a_second_publisher_that_merges_and_lags_hides_nothing(
    checker: Checker, inputs: Inputs
) -> None:
    """It sends all joints 5 ms late, the arms with values that nobody else sends."""
    wait_until_stale(checker)
    expected = pose(4)
    own = [name for name in JOINTS if "arm" not in name]
    merged = {**pose(1), **without(expected, *own)}
    publisher = checker.node.create_publisher(JointState, "joint_states", 10)

    def send() -> None:
        stamp = inputs.next_stamp()
        inputs.lengths.publish(joint_state(part(expected, LENGTHS), stamp))
        inputs.joints.publish(joint_state(part(expected, own), stamp))
        publisher.publish(joint_state(part(merged, JOINTS), stamp - 5_000_000))

    checker.forget()
    try:
        checker.wait_for(
            lambda: len(checker.received["actuator_efforts"]) >= 10, "cycles", doing=send
        )
    finally:
        checker.node.destroy_publisher(publisher)
    for message in checker.received["actuator_efforts"]:
        assert named(message, "position") == pytest.approx(expected, abs=1e-9)


def test_lift_and_torso_joint_may_come_instead_of_lengths(
    folder: Any, checker: Checker, model: Any
) -> None:
    """On a node of its own, which has never got lengths."""
    expected = pose(3)
    state = model.compute([expected[name] for name in ACTUATORS])
    joints = dict(zip(state.joint_names, state.joint_position.tolist(), strict=True))
    with start_dynamics_node(folder, {"publish_tf": False}, namespace="joints_only"):
        with Checker(EACH_CYCLE[1:], namespace="joints_only") as other:
            cycle = Inputs(other).cycle(joints, topics=EACH_CYCLE[1:])
    efforts = dict(zip(model.actuator_names, state.actuator_effort.tolist(), strict=True))
    assert named(cycle["actuator_efforts"]) == pytest.approx(efforts, rel=1e-6, abs=1e-6)
    assert named(cycle["actuator_efforts"], "position") == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name, length", OUT_OF_REACH)
def test_a_length_out_of_reach_gives_no_output(
    checker: Checker, inputs: Inputs, name: str, length: float
) -> None:
    inputs.cycle(pose(1))
    sent = [inputs.send({**pose(1), name: length}) for _ in range(5)]
    cycle = inputs.cycle(pose(2), topics=OUTPUTS)
    assert stamps_on(checker, *OUTPUTS) & set(sent) == set()
    assert named(cycle["actuator_efforts"], "position") == pytest.approx(pose(2), abs=1e-12)


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


def test_the_error_ends_when_the_length_is_in_reach_again(checker: Checker, inputs: Inputs) -> None:
    values = pose()
    checker.wait_for_status(
        ": cycle",
        lambda status, _: status.level == b"\x00",
        "a cycle without error",
        doing=lambda: inputs.send(values),
    )


def test_a_joint_beyond_the_dead_centre_of_its_loop_gives_no_output(
    checker: Checker, inputs: Inputs, node: Process
) -> None:
    wait_until_stale(checker)
    sent = []
    values = {**part(pose(), JOINTS), "lift_joint": 0.1, "torso_joint": 3.0}
    checker.wait_for(
        lambda: any(
            "torso_actuator" in line and "dead centre" in line
            for line in node.output().splitlines()
        ),
        "a warning of the dead centre",
        doing=lambda: sent.append(inputs.send(values)),
    )
    inputs.cycle(pose())
    assert stamps_on(checker, *OUTPUTS) & set(sent) == set()


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


def test_an_older_sample_starts_no_cycle(checker: Checker, inputs: Inputs) -> None:
    """One that is older by less than the timeout is disorder on the way, no jump of time."""
    inputs.stamp = checker.node.get_clock().now().nanoseconds
    first = inputs.next_stamp(10**9)
    inputs.cycle(pose(1), first)
    inputs.cycle(pose(1), first + 10**9)
    older = first + 9 * 10**8
    inputs.send(pose(2), older)
    cycle = inputs.cycle(pose(1), first + 2 * 10**9)
    assert older not in stamps_on(checker, *EACH_CYCLE)
    assert named(cycle["actuator_efforts"], "position") == pytest.approx(pose(1), abs=1e-9)
    inputs.stamp = first + 2 * 10**9


def test_stamps_that_jump_back_for_good_are_followed(checker: Checker, inputs: Inputs) -> None:
    """As when a bag is played once more."""
    start = inputs.stamp
    inputs.stamp -= 100 * 10**9
    checker.wait_for(
        lambda: any(stamp < start - 10**9 for stamp in stamps_on(checker, "actuator_efforts")),
        "cycles at the earlier stamps",
        doing=lambda: inputs.send(pose()),
    )


def test_nothing_was_raised_in_the_node(node: Process, checker: Checker) -> None:
    assert node.is_running()
    assert "Traceback" not in node.output()
