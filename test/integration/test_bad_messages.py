# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Fuzzed values, malformed bytes and floods against the node: it goes on and says what is wrong."""

from __future__ import annotations

import math
import random
import re
import time
from array import array
from collections.abc import Iterator, Mapping
from typing import Any

import psutil
import pytest
from finite import is_finite
from graph import OUTPUTS, PATIENCE, Checker, stamps_of
from node_process import FROM_SCRATCH, Process, start_dynamics_node
from rclpy.serialization import serialize_message
from robot_inputs import JOINTS, LENGTHS, Inputs, joint_state, named, pose
from sensor_msgs.msg import JointState

from charmie_dynamics.live.estimation.entries import REMEMBERED

OK, WARN, ERROR = b"\x00", b"\x01", b"\x02"
BAD = (math.nan, math.inf, -math.inf, 1e300, -1e300, 1.7e308, -1e20, 5e-324, -1e-310, -0.0)
FUZZED = 500
NAMES = 10**5
NAMES_PER_MESSAGE = 500
MEBIBYTE = 2**20
RATE = 20.0  # Hz, of what is sent while waiting: the checker has to keep up with all topics
LARGE = 10**4  # entries that every middleware delivers in one message


@pytest.fixture(scope="module")
def node(folder: Any) -> Iterator[Process]:
    # few markers: they are what costs the checker most
    with start_dynamics_node(
        folder,
        {"marker_rate": 10.0},
        environment=FROM_SCRATCH,  # its memory is measured
    ) as process:
        yield process


HEARD = (*OUTPUTS, "/diagnostics")


@pytest.fixture(scope="module")
def inputs(checker: Checker) -> Inputs:
    inputs = Inputs(checker)
    inputs.connect(pose(), OUTPUTS)
    return inputs


def values_of(status: Any) -> dict[str, str]:
    return {item.key: item.value for item in status.values}


def fuzzed(rng: random.Random, stamp: int) -> tuple[bool, JointState]:
    """Return whether a message holds lengths, and the message."""
    are_lengths = rng.random() < 0.3
    right = pose()
    names = list(LENGTHS if are_lengths else JOINTS)
    chosen = rng.sample(names, rng.randint(1, len(names)))
    badness = rng.choice((0.02, 0.2, 1.0))

    def bad_or(value: float) -> float:
        return rng.choice(BAD) if rng.random() < badness else value

    message = joint_state({name: bad_or(right[name]) for name in chosen}, stamp)
    for field in ("velocity", "effort"):
        given = [bad_or(0.0) for _ in chosen] if rng.random() < 0.5 else []
        setattr(message, field, array("d", given))
    return are_lengths, message


def test_no_output_of_fuzzed_messages_is_not_finite(checker: Checker, inputs: Inputs) -> None:
    rng = random.Random(5)
    for k in range(FUZZED):
        are_lengths, message = fuzzed(rng, inputs.next_stamp())
        (inputs.lengths if are_lengths else inputs.joints).publish(message)
        checker.spin(0.002)
        if k % 100 == 99:  # the next good sample works
            cycle = inputs.cycle(pose())
            assert named(cycle["actuator_efforts"], "position") == pytest.approx(pose(), abs=1e-12)
    for topic in OUTPUTS:
        assert len(checker.received[topic]) > FUZZED // 50
        assert all(map(is_finite, checker.received[topic])), topic


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_position_that_is_not_finite_is_counted_and_named(
    checker: Checker, inputs: Inputs, value: float
) -> None:
    values = {**pose(), "right_arm_joint_5": value}
    status = checker.wait_for_status(
        ": inputs",
        lambda status, _: "no finite position: right_arm_joint_5" in status.message,
        "the entry by name",
        doing=lambda: inputs.send(values),
        rate=RATE,
    )
    assert status.level > OK
    count = values_of(status)["right_arm_joint_5 without finite position"]
    assert 0 < int(count.split()[0]) <= int(values_of(status)["entries without a position"])


@pytest.mark.parametrize("field", ["velocity", "effort"])
@pytest.mark.parametrize("given", ["none", "NaN"])
def test_no_or_nan_velocity_or_effort_is_legal(
    checker: Checker, inputs: Inputs, field: str, given: str
) -> None:
    """The velocity is estimated from a joint in motion: neither zero nor what was sent."""
    before = rejected(checker)
    values, speed = pose(), 0.2
    start = values["neck_pan_joint"]
    for k in range(40):
        values["neck_pan_joint"] = start + speed * 0.01 * k
        stamp = inputs.next_stamp()
        parts = []
        for publisher, names in ((inputs.lengths, LENGTHS), (inputs.joints, JOINTS)):
            message = joint_state({name: values[name] for name in names}, stamp)
            if field == "velocity":
                message.velocity = array("d", [math.nan] * len(names) if given == "NaN" else [])
            else:
                speeds = [speed if name == "neck_pan_joint" else 0.0 for name in names]
                message.velocity = array("d", speeds)
                message.effort = array("d", [math.nan] * len(names) if given == "NaN" else [])
            parts.append((publisher, message))
        for publisher, message in parts:
            publisher.publish(message)
        checker.wait_for(
            lambda stamp=stamp: stamp in checker.by_stamp("actuator_efforts"), f"cycle {k}"
        )
    velocity = named(checker.received["actuator_efforts"][-1], "velocity")
    assert velocity["neck_pan_joint"] == pytest.approx(speed, rel=1e-3)
    status = checker.wait_for_status(": inputs", lambda *_: True, "a report")
    source = "measured" if field == "effort" else "estimated"
    assert "neck_pan_joint" in values_of(status)[f"velocities {source}"]
    assert rejected(checker) == before  # a report has come since


def rejected(checker: Checker) -> int:
    status = checker.wait_for_status(": inputs", lambda *_: True, "a report")
    return sum(int(values_of(status)[f"{topic} rejected"]) for topic in ("joint_states",))


def bad_text(where: bytes, stamp: int) -> bytes:
    message = joint_state(pose(), stamp)
    message.header.frame_id = "odom_frame"
    data: bytes = serialize_message(message)
    return data.replace(where, where[:-2] + b"\xff\xfe")


def test_bytes_that_are_no_utf_8_are_refused(checker: Checker, inputs: Inputs) -> None:
    def send() -> None:
        for where in (b"neck_pan_joint", b"odom_frame"):
            inputs.joints.publish(bad_text(where, inputs.next_stamp()))

    checker.wait_for_status(
        ": inputs",
        lambda status, values: (
            int(values.get("joint_states rejected: text that is not UTF-8", 0)) >= 4
            and "text that is not UTF-8" in status.message
        ),
        "the refusal",
        doing=send,
        rate=RATE,
    )
    inputs.cycle(pose())


def test_messages_with_a_million_entries_do_not_stop_the_node(
    checker: Checker, inputs: Inputs, node: Process
) -> None:
    """Fast DDS and Cyclone DDS lose parts of the largest ones; smaller ones are refused."""
    data = {n: serialize_message(joint_state({}, 1)) for n in (LARGE, 10**6)}
    for n in data:
        message = JointState(name=["abc"] * n, position=array("d", bytes(8 * n)))
        data[n] = serialize_message(message)
    for _ in range(3):
        inputs.joints.publish(data[10**6])
    checker.wait_for_status(
        ": inputs",
        lambda _, values: int(values.get("joint_states rejected: too large", 0)) >= 3,
        "the refusal",
        doing=lambda: inputs.joints.publish(data[LARGE]),
        rate=5.0,
    )
    assert "bytes; expected at most 65536" in node.output()
    inputs.cycle(pose())


def test_a_flood_of_unknown_names_grows_nothing_and_holds_nothing_up(
    checker: Checker, inputs: Inputs, node: Process
) -> None:
    process = psutil.Process(node.pid)

    def flood(first: int, count: int) -> int:
        """Send names, each once, and good samples among them; return the cycles."""
        before = len(checker.received["actuator_efforts"])
        for k in range(first, first + count, NAMES_PER_MESSAGE):
            names = {f"unknown_{k + i}": 0.0 for i in range(NAMES_PER_MESSAGE)}
            inputs.joints.publish(joint_state(names, inputs.next_stamp()))
            if k % (4 * NAMES_PER_MESSAGE) == 0:
                inputs.send(pose())
            checker.spin(0.004)
        checker.spin(0.3)
        return len(checker.received["actuator_efforts"]) - before

    flood(0, 300 * NAMES_PER_MESSAGE)  # so that as much is remembered as ever will be
    checker.wait_for(lambda: f"{REMEMBERED} names are ignored" in node.output(), "the last notice")
    growth, cycles = [], []
    least = 0.9 * NAMES / (4 * NAMES_PER_MESSAGE)  # on a busy machine the newest sample wins
    for attempt in range(1, 4):  # a middleware may grow once, what is kept of names grows each time
        memory = process.memory_info().rss
        cycles.append(flood(attempt * 10**6, NAMES))
        growth.append(process.memory_info().rss - memory)
        if growth[-1] < MEBIBYTE and max(cycles) > least:
            break
    assert growth[-1] < MEBIBYTE, growth
    assert max(cycles) > least, cycles
    notices = re.findall(r"'unknown_\d+' is not a joint", node.output())
    assert len(notices) == len(set(notices)) <= REMEMBERED
    assert node.output().count(f"{REMEMBERED} names are ignored") == 1


def test_lengths_outside_their_limits_are_computed_and_warned_of(
    checker: Checker, inputs: Inputs
) -> None:
    values = {**pose(), "torso_actuator": 0.47}
    status = checker.wait_for_status(
        ": inputs",
        lambda status, _: (
            status.level == WARN and "outside limits: torso_actuator" in status.message
        ),
        "a warning",
        doing=lambda: inputs.send(values),
        rate=RATE,
    )
    assert "0.33 to 0.46" in values_of(status)["torso_actuator outside limits"]
    cycle = inputs.cycle(values)
    assert named(cycle["actuator_efforts"], "position")["torso_actuator"] == 0.47


def test_an_impossible_rate_is_warned_of_and_published_as_measured(
    checker: Checker, inputs: Inputs
) -> None:
    velocity = {**dict.fromkeys(pose(), 0.0), "lift_actuator": 1.5}  # rated 0.1
    sent: list[int] = []
    status = checker.wait_for_status(
        ": inputs",
        lambda status, _: (
            status.level == WARN and "impossible rate: lift_actuator" in status.message
        ),
        "a warning",
        doing=lambda: sent.append(inputs.send(pose(), velocity=velocity)),
        rate=RATE,
    )
    assert "rated 0.1" in values_of(status)["lift_actuator at impossible rate"]
    cycle = inputs.cycle(pose(), velocity=velocity)
    assert named(cycle["actuator_efforts"], "velocity")["lift_actuator"] == 1.5


def test_a_velocity_that_makes_results_overflow_gives_no_output_and_is_an_error(
    checker: Checker, inputs: Inputs
) -> None:
    velocity = {**dict.fromkeys(pose(), 0.0), "neck_pan_joint": 1e300}
    sent: list[int] = []
    checker.wait_for_status(
        ": cycle",
        lambda status, _: (
            status.level == ERROR and "velocity 1e+300 of 'neck_pan_joint'" in status.message
        ),
        "an error",
        doing=lambda: sent.append(inputs.send(pose(), velocity=velocity)),
        rate=RATE,
    )
    inputs.cycle(pose())
    stamps = {s for topic in OUTPUTS for m in checker.received[topic] for s in stamps_of(m)}
    assert stamps & set(sent) == set()


def test_all_is_well_again_after_good_samples(checker: Checker, inputs: Inputs) -> None:
    """The poses of earlier tests jump at zero velocity, which is reported for 10 s of stamps."""
    for part in (": inputs", ": cycle"):
        checker.wait_for_status(
            part,
            lambda status, _: status.level == OK,
            f"{part} without warning",
            timeout=180.0,  # 10 s of stamps, of which a busy machine sends a few a second
            doing=lambda: inputs.send(pose(), inputs.next_stamp(round(1e9 / RATE))),
            rate=RATE,
        )


def without(values: Mapping[str, float], *names: str) -> dict[str, float]:
    return {name: value for name, value in values.items() if name not in names}


@pytest.mark.parametrize("lost", ["left_arm_joint_2", "lift_actuator", "base_x_joint"])
def test_a_missing_joint_is_held_until_the_timeout_and_then_stops_tf_and_markers(
    checker: Checker, inputs: Inputs, lost: str
) -> None:
    """Base joints are held at zero only while nobody has ever reported them."""
    inputs.cycle(pose(2))
    checker.spin(0.3)
    checker.forget()
    inputs.send(pose(2))
    start = time.monotonic()
    values = without(pose(2), lost)
    last: dict[str, float] = {}

    def send() -> None:
        inputs.send(values, inputs.next_stamp(10**8))  # markers each time
        for topic in OUTPUTS:
            if checker.received[topic]:
                last[topic] = time.monotonic()
                for message in checker.received[topic]:
                    if topic == "actuator_efforts":
                        found = named(message, "position")[lost]
                        assert found == pytest.approx(pose(2)[lost], abs=1e-12)
                checker.received[topic].clear()

    checker.wait_for(lambda: time.monotonic() - start > 3.0, "a while", doing=send, rate=RATE)
    assert set(last) == set(OUTPUTS)
    # 0.5 s of timeout, and what a busy machine may add
    assert last["actuator_efforts"] - start > 0.25
    assert max(last.values()) - start < 2.5


def test_markers_vanish_after_the_outputs_have_stopped(checker: Checker, inputs: Inputs) -> None:
    """Each has a lifetime, the input timeout and a second, that only new ones extend."""
    inputs.connect(pose(), ("markers",))
    lifetimes = [
        marker.lifetime.sec + 1e-9 * marker.lifetime.nanosec
        for message in checker.received["markers"]
        for marker in message.markers
    ]
    assert lifetimes and max(lifetimes) == pytest.approx(min(lifetimes)) == pytest.approx(1.5)


def test_nothing_was_raised_in_the_node(node: Process, checker: Checker) -> None:
    assert node.is_running()
    assert "Traceback" not in node.output()
    checker.wait_for_status(": model", lambda *_: True, "a report", timeout=PATIENCE)
