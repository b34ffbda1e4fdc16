# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Topics as rclpy takes them: message classes and profiles of quality of service."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSDurabilityPolicy, QoSHistoryPolicy, QoSProfile, QoSReliabilityPolicy
from rclpy.subscription import Subscription

from charmie_dynamics.live.topics import LISTENER_DEPTH, Qos, Topic


def message_class(topic: Topic) -> Any:
    """Return the class of a topic's messages."""
    package, _, name = topic.type.partition("/msg/")
    return getattr(import_module(f"{package}.msg"), name)


def qos_profile(qos: Qos) -> QoSProfile:
    """Return a quality of service as rclpy takes it."""
    return QoSProfile(
        history=QoSHistoryPolicy.KEEP_LAST,
        depth=qos.depth,
        reliability=(
            QoSReliabilityPolicy.RELIABLE if qos.reliable else QoSReliabilityPolicy.BEST_EFFORT
        ),
        durability=(
            QoSDurabilityPolicy.TRANSIENT_LOCAL if qos.latched else QoSDurabilityPolicy.VOLATILE
        ),
    )


def listener_profile(topic: Topic) -> QoSProfile:
    """Return the quality of service for receiving every message, of several publishers too."""
    profile = qos_profile(topic.qos)
    profile.depth = LISTENER_DEPTH
    return profile


def make_publisher(node: Node, topic: Topic, **options: Any) -> Publisher:
    """Return a publisher on a topic; options as for `Node.create_publisher`."""
    kind, qos = message_class(topic), qos_profile(topic.qos)
    return node.create_publisher(kind, topic.name, qos, **options)


def make_subscription(
    node: Node, topic: Topic, receive: Callable[..., None], **options: Any
) -> Subscription:
    """Return a subscription to a topic; options as for `Node.create_subscription`."""
    kind, qos = message_class(topic), qos_profile(topic.qos)
    return node.create_subscription(kind, topic.name, receive, qos, **options)
