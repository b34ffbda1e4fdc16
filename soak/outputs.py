# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What listens to the node: every output is checked for numbers that are none, or are wrong."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from charmie_dynamics.live import topics
from charmie_dynamics.live.outputs import output_topics
from charmie_dynamics.live.tracked_points import point_names
from charmie_dynamics.ros.outputs.profiles import message_class, qos_profile

from .feed import HEADER, Feed, stamp_of

# of a double that is no finite number all bits of this, in its upper half, are set
EXPONENT = np.uint32(0x7FF00000)
# every so often a message is decoded whatever it holds: numbers of 4 bytes are seen only then
DECODED = 25
LARGEST_DIFFERENCE = 1e-9
EFFORTS = topics.ACTUATOR_EFFORTS.name


class Outputs:
    """Subscriptions to all outputs of the node.

    Attributes
    ----------
    received : Counter
        Messages by topic.
    not_finite : Counter
        Messages with a number that is NaN or infinite, by topic.
    wrong : Counter
        Efforts by what is wrong: positions that are not those sent, output of refused samples.
    on_efforts : callable
        Is told of each efforts message that belongs to a good sample: the sample's number and the
        time of arrival (s) on the steady clock.
    """

    def __init__(self, node: Node, feed: Feed) -> None:
        self.received: Counter[str] = Counter()
        self.not_finite: Counter[str] = Counter()
        self.wrong: Counter[str] = Counter()
        self.on_efforts: Callable[[int, float], None] = lambda number, arrival: None
        self._feed = feed
        for topic in output_topics(point_names()):
            qos = QoSProfile(depth=500, durability=qos_profile(topic.qos).durability)
            node.create_subscription(
                message_class(topic), topic.name, self._receiver(topic), qos, raw=True
            )

    def _receiver(self, topic: topics.Topic) -> Callable[[bytes], None]:
        always = topic.name in (EFFORTS, topics.DIAGNOSTICS.name)
        kind = message_class(topic)

        def receive(data: bytes) -> None:
            arrival = time.monotonic()
            self.received[topic.name] += 1
            suspicious = may_hold_nonsense(data)
            if not (always or suspicious or self.received[topic.name] % DECODED == 1):
                return
            message = deserialize_message(data, kind)
            if not is_finite(message):
                self.not_finite[topic.name] += 1
            if topic.name == EFFORTS:
                self._check_efforts(message, arrival)

        return receive

    def _check_efforts(self, message: JointState, arrival: float) -> None:
        stamp = stamp_of(message)
        if stamp in self._feed.refused:
            self.wrong["efforts of a sample that had to be refused"] += 1
        sent = self._feed.sent.get(stamp)
        if sent is None:
            return
        shown = dict(zip(message.name, message.position, strict=True))
        if any(
            abs(shown[name] - value) > LARGEST_DIFFERENCE for name, value in sent.position.items()
        ):
            self.wrong["efforts with other positions than those sent"] += 1
        self.on_efforts(sent.number, arrival)


def may_hold_nonsense(data: bytes) -> bool:
    """Tell whether a serialized message may hold a double that is not finite.

    Every double stands at a multiple of 8 from the end of the header. Other content, such as
    the number -1, may look like one: then the message is to be decoded.
    """
    count = (len(data) - HEADER) // 8
    upper = np.frombuffer(data, "<u4", 2 * count, HEADER)[1::2]
    return bool(((upper & EXPONENT) == EXPONENT).any())


def is_finite(message: Any) -> bool:
    """Tell whether all numbers of a message are finite, those in diagnostic texts too."""
    return all(map(math.isfinite, numbers_in(message)))


def numbers_in(value: Any) -> Iterator[float]:
    """Return all numbers of a message or of a part of it."""
    if isinstance(value, DiagnosticArray):
        for status in value.status:
            for item in status.values:
                yield from _numbers_in_text(item.value)
    elif isinstance(value, (int, float)):
        yield value
    elif hasattr(value, "get_fields_and_field_types"):
        for field in value.get_fields_and_field_types():
            yield from numbers_in(getattr(value, field))
    elif not isinstance(value, (str, bytes)):
        for part in value:
            yield from numbers_in(part)


def _numbers_in_text(text: str) -> Iterator[float]:
    for word in text.split():
        try:
            yield float(word)
        except ValueError:
            continue
