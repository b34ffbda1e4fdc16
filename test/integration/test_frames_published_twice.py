# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Frames that another node publishes too, and how the node knows its own transforms."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import TransformStamped
from graph import Checker
from graph_reports import RATE, WITHIN, graph_status, graph_statuses, is_ok, quickest
from node_process import start_dynamics_node
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.qos import QoSDurabilityPolicy, QoSProfile
from rclpy.serialization import serialize_message
from robot_inputs import Inputs, pose
from tf2_msgs.msg import TFMessage

from charmie_dynamics.live.wire.cdr import CdrError
from charmie_dynamics.live.wire.transform_layout import TransformLayout, first_stamp
from charmie_dynamics.ros.watch.own_transforms import OwnStamps


class Broadcaster:
    """A node of its own that publishes transforms."""

    def __init__(self, topic: str = "/tf", name: str = "broadcaster") -> None:
        latched = topic == "/tf_static"
        self.node = rclpy.create_node(name)
        durability = (
            QoSDurabilityPolicy.TRANSIENT_LOCAL if latched else QoSDurabilityPolicy.VOLATILE
        )
        self._publisher = self.node.create_publisher(
            TFMessage, topic, QoSProfile(depth=100, durability=durability)
        )

    def send(self, *children: str) -> None:
        message = TFMessage(transforms=[TransformStamped() for _ in children])
        now = self.node.get_clock().now().to_msg()
        for transform, child in zip(message.transforms, children, strict=True):
            transform.header.stamp = now
            transform.header.frame_id = "somewhere"
            transform.child_frame_id = child
            transform.transform.rotation.w = 1.0
        self._publisher.publish(message)

    def __enter__(self) -> Broadcaster:
        return self

    def __exit__(self, *_: object) -> None:
        self.node.destroy_node()


def play(inputs: Inputs, *others: Callable[[], Any]) -> Callable[[], None]:
    """Return what sends one sample, and lets others do something each fifth time."""
    numbers = itertools.count()

    def step() -> None:
        inputs.send(pose())
        if next(numbers) % 5 == 0:
            for other in others:
                other()

    return step


def subscriptions(checker: Checker) -> set[tuple[int, ...]]:
    """Return the subscriptions to transforms that the watches of nodes have."""
    return {
        tuple(info.endpoint_gid)
        for topic in ("/tf", "/tf_static")
        for info in checker.node.get_subscriptions_info_by_topic(topic)
        if "transform_watch" in info.node_name
    }


@pytest.fixture(scope="module", autouse=True)
def remembered() -> set[tuple[int, ...]]:
    """Subscriptions of nodes of earlier modules, before the node of this module starts.

    Cyclone DDS remembers them in this process if they ended while there was no checker.
    """
    with Checker() as checker:
        return subscriptions(checker)


@pytest.fixture(scope="module")
def listeners(checker: Checker, remembered: set[tuple[int, ...]]) -> Callable[[], int]:
    """Count the subscriptions to transforms that the nodes of this module have."""
    return lambda: len(subscriptions(checker) - remembered)


@pytest.mark.parametrize(
    ("topic", "frame"),
    [
        ("/tf", "left_tool"),
        ("/tf", "base_footprint"),  # which wheel odometry likes to publish
        ("/tf_static", "base_link"),
        ("/tf_static", "left_tool"),
    ],
)
def test_a_frame_that_another_node_publishes_too_is_reported_within_a_second(
    checker: Checker, inputs: Inputs, topic: str, frame: str
) -> None:
    def attempt() -> float:
        graph_status(checker, is_ok, "no fault", doing=play(inputs), rate=RATE)
        with Broadcaster(topic) as other:
            start = time.monotonic()
            other.send("its_own", frame)
            repeat = (lambda: other.send("its_own", frame)) if topic == "/tf" else lambda: None
            status = graph_status(
                checker,
                lambda s: f"transforms published by another node too: {frame}" == s.message,
                f"a report of {frame}",
                doing=play(inputs, repeat),
                rate=RATE,
            )
            seconds = time.monotonic() - start
        assert status.level == DiagnosticStatus.ERROR
        values = {item.key: item.value for item in status.values}
        assert values["other publishers of transforms"] == "/broadcaster"
        return seconds

    assert quickest(attempt) < WITHIN
    graph_status(checker, is_ok, "no fault any more", doing=play(inputs), rate=RATE)


def test_other_frames_are_no_conflict_and_are_listened_to_only_while_they_come(
    checker: Checker, inputs: Inputs, listeners: Callable[[], int]
) -> None:
    checker.wait_for(lambda: listeners() == 0, "no subscription to transforms")
    with Broadcaster("/tf") as odometry, Broadcaster("/tf_static", "laser") as laser:
        laser.send("laser")
        step = play(inputs, lambda: odometry.send("odom", "map"))
        checker.wait_for(lambda: listeners() == 2, "its subscriptions", doing=step)
        checker.received["/diagnostics"].clear()
        checker.wait_for(
            lambda: len(graph_statuses(checker)) >= 2, "two reports", doing=step, rate=RATE
        )
        graph = graph_statuses(checker)
        assert all(map(is_ok, graph))
    checker.wait_for(lambda: listeners() == 0, "no subscription to transforms")


def set_prefix(checker: Checker, node: str, prefix: str) -> None:
    value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=prefix)
    request = SetParameters.Request(parameters=[Parameter(name="frame_prefix", value=value)])
    (result,) = checker.call(SetParameters, f"{node}/set_parameters", request).results
    assert result.successful, result.reason


def test_two_nodes_of_the_same_inputs_conflict_as_long_as_their_frames_are_the_same(
    checker: Checker,
    inputs: Inputs,
    folder: Path,
    model: Any,
    listeners: Callable[[], int],
) -> None:
    """All messages of the two are the same, stamps included."""
    names = ("/charmie_dynamics", "/second")

    def wait(condition: Callable[[DiagnosticStatus], Any], what: str) -> None:
        for name in names:
            graph_status(checker, condition, f"{what} of {name}", name, doing=step, rate=RATE)

    step = play(inputs)
    with start_dynamics_node(folder, {"frame_prefix": "two/"}, name="second"):
        checker.wait_for(lambda: listeners() == 4, "their listeners", doing=step, rate=RATE)
        checker.received["/diagnostics"].clear()
        checker.wait_for(
            lambda: len(graph_statuses(checker)) >= 4, "reports", doing=step, rate=RATE
        )
        graph = graph_statuses(checker)
        assert {s.name.split(":")[0] for s in graph} == set(names)
        assert all(map(is_ok, graph)), [s.message for s in graph]
        set_prefix(checker, "/second", "")
        wait(lambda s: f" and {len(model.frame_names) - 8} more" in s.message, "all frames")
        set_prefix(checker, "/second", "two/")
        wait(is_ok, "no conflict")


def test_a_layout_holds_the_child_frames_and_fits_messages_of_the_same_names() -> None:
    message = TFMessage(transforms=[TransformStamped() for _ in range(3)])
    for number, transform in enumerate(message.transforms):
        transform.header.frame_id = "parent" * number
        transform.child_frame_id = f"child_{number}"
    message.transforms[0].header.stamp.sec, message.transforms[0].header.stamp.nanosec = 7, 9
    data = bytes(serialize_message(message))
    layout = TransformLayout(data)
    assert layout.children == {"child_0", "child_1", "child_2"}
    assert first_stamp(data) == 7_000_000_009
    message.transforms[2].transform.translation.x = 5.0
    message.transforms[1].header.stamp.sec = 3
    assert layout.fits(bytes(serialize_message(message)))
    padded = bytearray(data)
    padded[16 + 4 + 1] ^= 0xFF  # behind the empty parent of the first, what no serialiser clears
    assert layout.fits(bytes(padded))
    assert layout.begins(bytes(padded))
    message.transforms[2].child_frame_id = "child_9"
    other = bytes(serialize_message(message))
    assert not layout.fits(other)
    assert layout.begins(other)
    message.transforms[0].child_frame_id = "child_8"
    assert not layout.begins(bytes(serialize_message(message)))


def test_bytes_that_are_no_transforms_are_refused_at_once() -> None:
    message = TFMessage(transforms=[TransformStamped(child_frame_id="child") for _ in range(3)])
    data = bytes(serialize_message(message))
    cut = [data[:end] for end in range(0, len(data) - 8)]
    huge = data[:4] + b"\xff\xff\xff\x7f" + data[8:]
    long_name = data[:16] + b"\xff\xff\xff\xff" + data[20:]
    for wrong in (*cut, huge, long_name, b"\x00\x00" + data[2:]):
        with pytest.raises(CdrError):
            TransformLayout(wrong)


def test_a_stamp_is_own_as_often_as_it_was_published_and_until_it_is_old() -> None:
    stamps = OwnStamps()
    stamps.add(5)
    stamps.add(5)
    assert [stamps.take(5) for _ in range(3)] == [True, True, False]
    assert not stamps.take(None)
    stamps.add(6)
    stamps.add(7)
    stamps.age()
    assert stamps.take(6)
    stamps.age()
    assert not stamps.take(7)
