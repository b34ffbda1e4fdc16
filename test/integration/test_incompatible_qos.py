# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Quality of service that does not fit, beside the real node: who has it, and which policy."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticStatus
from graph import EACH_CYCLE, TYPES, Checker
from graph_reports import WITHIN, graph_status, is_ok, quickest
from node_process import Process
from rclpy.context import Context
from rclpy.duration import Duration, Infinite
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import (
    QoSCompatibility,
    QoSDurabilityPolicy,
    QoSLivelinessPolicy,
    QoSProfile,
    QoSReliabilityPolicy,
    qos_check_compatible,
)
from robot_inputs import Inputs, joint_state, pose
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from charmie_dynamics.live import topics
from charmie_dynamics.ros.outputs.profiles import make_subscription
from charmie_dynamics.ros.process.executors import WaitSetExecutor, make_executor
from charmie_dynamics.ros.watch.qos_watch import QosWatch, incompatible_policies

OUTPUTS = (*EACH_CYCLE, "markers", "/tf_static", "robot_description", "/diagnostics")
DEADLINE = Duration(seconds=0.05)
UNFIT: dict[str, dict[str, Any]] = {
    "DURABILITY": {"durability": QoSDurabilityPolicy.TRANSIENT_LOCAL},
    "DEADLINE": {"deadline": DEADLINE},
    "LIVELINESS": {"liveliness": QoSLivelinessPolicy.MANUAL_BY_TOPIC},
    "LIVELINESS_LEASE_DURATION": {"liveliness_lease_duration": Duration(seconds=3.0)},
}


@contextmanager
def subscription(checker: Checker, topic: str, **policies: Any) -> Iterator[None]:
    qos = QoSProfile(depth=5, **policies)
    made = checker.node.create_subscription(TYPES[topic], topic, lambda _: None, qos)
    try:
        yield
    finally:
        checker.node.destroy_subscription(made)


@pytest.mark.parametrize(
    ("topic", "policy"),
    [
        ("actuator_efforts", "DURABILITY"),
        ("/tf", "DURABILITY"),
        ("resolved_joint_states", "DEADLINE"),
        ("robot_description", "DEADLINE"),
        ("markers", "LIVELINESS"),
        ("base_wrench", "LIVELINESS_LEASE_DURATION"),
    ],
)
def test_an_unfit_subscription_is_reported_within_a_second_by_its_policy(
    checker: Checker, inputs: Inputs, topic: str, policy: str
) -> None:
    """Who it is and what does not fit, which the graph knows a little after the middleware's event.

    The event alone has another name for some policies (Cyclone DDS).
    """

    def attempt() -> float:
        graph_status(checker, is_ok, "no fault")
        start = time.monotonic()
        with subscription(checker, topic, **UNFIT[policy]):
            report = f"incompatible QoS on {topic}: {policy} of /checker"
            status = graph_status(checker, lambda s: s.message == report, report)
            seconds = time.monotonic() - start
            subject, value = report.split(": ")
            assert status.level == DiagnosticStatus.WARN
            assert {item.key: item.value for item in status.values} == {subject: value}
        return seconds

    assert quickest(attempt) < WITHIN


def test_unfit_subscriptions_to_all_topics_are_reported_until_they_go(
    checker: Checker, inputs: Inputs, node: Process
) -> None:
    """With the name of the node that has them, once in the log."""
    qos = QoSProfile(depth=5, deadline=DEADLINE)
    made = [
        checker.node.create_subscription(TYPES[topic], topic, lambda _: None, qos)
        for topic in OUTPUTS
    ]
    parts = [f"incompatible QoS on {topic}: DEADLINE of /checker" for topic in OUTPUTS]
    try:
        graph_status(
            checker, lambda status: all(part in status.message for part in parts), "all topics"
        )
    finally:
        for subscribed in made:
            checker.node.destroy_subscription(subscribed)
    graph_status(checker, is_ok, "no fault any more")
    assert node.output().count("incompatible QoS on spring_forces") == 1


@pytest.mark.parametrize(
    "policies",
    [
        {"reliability": QoSReliabilityPolicy.BEST_EFFORT},
        {"durability": QoSDurabilityPolicy.TRANSIENT_LOCAL},
        {"deadline": DEADLINE, "liveliness": QoSLivelinessPolicy.MANUAL_BY_TOPIC},
    ],
)
def test_the_inputs_take_from_publishers_of_any_quality_of_service(
    checker: Checker, inputs: Inputs, policies: dict[str, Any]
) -> None:
    qos = QoSProfile(depth=10, **policies)
    publisher = checker.node.create_publisher(JointState, "joint_states", qos)
    stamp = inputs.next_stamp()
    values = pose()

    def send() -> None:
        for name in ("lift_actuator", "torso_actuator"):
            inputs.lengths.publish(joint_state({name: values[name]}, stamp))
        publisher.publish(
            joint_state({k: v for k, v in values.items() if "actuator" not in k}, stamp)
        )

    try:
        checker.wait_for(
            lambda: stamp in checker.by_stamp("actuator_efforts"), "a cycle", doing=send, rate=20.0
        )
    finally:
        checker.node.destroy_publisher(publisher)
    graph_status(checker, is_ok, "no fault")


def profiles() -> Iterator[QoSProfile]:
    for reliability, durability, deadline, liveliness, lease in itertools.product(
        (QoSReliabilityPolicy.RELIABLE, QoSReliabilityPolicy.BEST_EFFORT),
        (QoSDurabilityPolicy.VOLATILE, QoSDurabilityPolicy.TRANSIENT_LOCAL),
        (Duration(), Duration(seconds=0.1), Duration(seconds=1.0)),
        (QoSLivelinessPolicy.AUTOMATIC, QoSLivelinessPolicy.MANUAL_BY_TOPIC),
        (Duration(), Duration(seconds=0.1)),
    ):
        yield QoSProfile(
            depth=1,
            reliability=reliability,
            durability=durability,
            deadline=deadline,
            liveliness=liveliness,
            liveliness_lease_duration=lease,
        )


def test_policies_are_incompatible_where_the_middleware_says_so() -> None:
    wrong = [
        (offered, requested)
        for offered, requested in itertools.product(profiles(), repeat=2)
        if bool(incompatible_policies(offered, requested))
        != (qos_check_compatible(offered, requested)[0] == QoSCompatibility.ERROR)
    ]
    assert wrong == []


AS_TOLD = {
    "deadline": Infinite,
    "liveliness": QoSLivelinessPolicy.AUTOMATIC,
    "liveliness_lease_duration": Infinite,
}


def test_a_policy_left_open_goes_with_what_the_graph_tells_of_it() -> None:
    own, told = QoSProfile(depth=1), QoSProfile(depth=1, **AS_TOLD)
    assert incompatible_policies(own, told) == incompatible_policies(told, own) == []


@pytest.mark.parametrize("policy", UNFIT)
def test_each_incompatible_policy_is_named_whatever_else_is_left_open(policy: str) -> None:
    offers = (QoSProfile(depth=1), QoSProfile(depth=1, **AS_TOLD))
    for offered in offers:
        requested = QoSProfile(depth=1, **UNFIT[policy])
        assert incompatible_policies(offered, requested) == [policy]
    everything = QoSProfile(depth=1, **{k: v for unfit in UNFIT.values() for k, v in unfit.items()})
    offered = QoSProfile(depth=1, reliability=QoSReliabilityPolicy.BEST_EFFORT)
    assert incompatible_policies(offered, everything) == ["RELIABILITY", *UNFIT]


@pytest.mark.parametrize("make", [make_executor, WaitSetExecutor])
def test_an_unfit_publisher_is_known_with_its_policy_until_it_goes(make: Any) -> None:
    """The node's own inputs fit everything, so this subscription is a stricter one."""
    context = Context()
    rclpy.init(args=[], context=context)
    executor = make(context=context)
    listener = Node("strict", context=context)
    talker = Node("unfit", context=context)
    told: list[dict[str, Any]] = []
    topic = topics.Topic("strictly", "std_msgs/msg/String", topics.Qos(depth=1))
    watch = QosWatch(listener, lambda: told.append(watch.incompatible()))
    events = watch.subscription_events(topic)
    make_subscription(listener, topic, lambda _: None, event_callbacks=events)
    executor.add_node(listener)
    qos = QoSProfile(depth=1, reliability=QoSReliabilityPolicy.BEST_EFFORT)
    publisher = talker.create_publisher(String, "strictly", qos)
    deadline = time.monotonic() + 20.0

    def look() -> None:
        watch.look(time.monotonic())
        if watch.incompatible() == {"strictly": (["RELIABILITY"], ["/unfit"])}:
            talker.destroy_publisher(publisher)
        if (told and not watch.incompatible()) or time.monotonic() > deadline:
            rclpy.try_shutdown(context=context)

    listener.create_timer(0.05, look)
    try:
        executor.spin()
    except ExternalShutdownException:
        pass
    assert told[0]["strictly"][0] == ["RELIABILITY"]
    assert watch.incompatible() == {}
    talker.destroy_node()
    listener.destroy_node()
