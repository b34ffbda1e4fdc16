# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Faults in what single messages hold.

Each is a generator: what it publishes until it yields takes the place of one good sample. Stamps
of samples that must give no output go into `Feed.refused`.
"""

from __future__ import annotations

import itertools
import math
from array import array
from collections.abc import Iterator

import numpy as np
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES

from .feed import Feed, stamp_of

REPEATED = 10  # samples
OUT_OF_REACH = (
    *(("torso_actuator", 0.9), ("torso_actuator", 0.01), ("lift_actuator", 0.05)),
    ("lift_actuator", 1.525),  # beyond the bars of the balance mechanisms
)
_numbers = itertools.count()


def not_finite(feed: Feed, rng: np.random.Generator) -> Iterator[None]:
    """Send positions of which some or all are NaN or infinite."""
    for _ in range(REPEATED):
        pair = feed.pair()
        for message in pair:
            count = len(message.position)
            for i in rng.permutation(count)[: rng.integers(count + 1)]:
                message.position[i] = rng.choice((math.nan, math.inf, -math.inf))
        feed.send(*pair)
        yield


def no_velocities(feed: Feed, rng: np.random.Generator) -> Iterator[None]:
    """Leave velocities out, or send NaN or infinity; the same with efforts."""
    for _ in range(REPEATED):
        pair = feed.pair()
        for message in pair:
            count = len(message.name)
            kinds: tuple[list[float], ...] = ([], [math.nan] * count, [math.inf] * count)
            message.velocity = array("d", kinds[rng.integers(len(kinds))])
            message.effort = array("d", kinds[rng.integers(2)])
        feed.send(*pair)
        yield


def wrong_lengths(feed: Feed, rng: np.random.Generator) -> Iterator[None]:
    """Send arrays that do not belong to the names, and no names at all."""
    for i in range(REPEATED):
        pair = feed.pair()
        for message in pair:
            count = len(message.name)
            if i % 5 == 0:
                message.position = message.position[: rng.integers(count)]
            elif i % 5 == 1:
                message.velocity = message.velocity[: rng.integers(1, count)]
            elif i % 5 == 2:
                message.effort = array("d", [0.0] * (count + 1))
            elif i % 5 == 3:
                message.name = message.name[: rng.integers(count)]
            else:
                message.name, message.position, message.velocity = [], array("d"), array("d")
        feed.refused.add(stamp_of(pair[1]))
        feed.send(*pair)
        yield


def repeated_names(feed: Feed, rng: np.random.Generator) -> Iterator[None]:
    """Let a name stand twice."""
    for _ in range(REPEATED):
        pair = feed.pair()
        for message in pair:
            one, other = rng.permutation(len(message.name))[:2]
            message.name[one] = message.name[other]
        feed.refused.add(stamp_of(pair[1]))
        feed.send(*pair)
        yield


def unknown_names(feed: Feed, rng: np.random.Generator) -> Iterator[None]:
    """Add names that no model knows, never the same again."""
    for _ in range(REPEATED):
        pair = feed.pair()
        for message in pair:
            strangers = [f"stranger_{next(_numbers)}" for _ in range(5)]
            message.name = [*message.name, *strangers]
            for field in (message.position, message.velocity):
                field.extend(rng.normal(size=len(strangers)).tolist())
        feed.send(*pair)
        yield


def broken_bytes(feed: Feed, rng: np.random.Generator) -> Iterator[None]:
    """Cut bytes off, count beyond all bounds, send text that is no UTF-8, and noise."""
    for i in range(REPEATED):
        lengths, joints = feed.pair()
        feed.publish(ACTUATOR_LENGTHS, lengths)
        data = bytearray(serialize_message(joints))
        stamp = stamp_of(joints)
        if i % 4 == 0:
            del data[rng.integers(16, len(data) - 32) :]
            feed.refused.add(stamp)
        elif i % 4 == 1:
            count = data.index(joints.name[0].encode()) - 8  # of the names
            data[count : count + 4] = b"\xff\xff\xff\x7f"
            feed.refused.add(stamp)
        elif i % 4 == 2:
            start = data.index(joints.name[0].encode())
            data[start : start + 2] = b"\xff\xfe"
        else:
            data[12:] = rng.bytes(len(data) - 12)
        feed.publish(JOINT_STATES, bytes(data))
        yield


class Oversized:
    """A message with so many entries, made once: a million take a second.

    Its publisher goes after it: subscriptions of Fast DDS then never free what they have of a
    message that did not come whole.
    """

    def __init__(self, entries: int) -> None:
        self._entries = entries
        self._data = b""

    def __call__(self, feed: Feed, rng: np.random.Generator) -> Iterator[None]:
        """Send it from a publisher of its own."""
        self._data = self._data or _zeros(self._entries)
        publisher = feed.node.create_publisher(JointState, JOINT_STATES, 1)
        try:
            while not publisher.get_subscription_count():
                feed.good()
                yield
            publisher.publish(self._data)
            yield
        finally:
            feed.node.destroy_publisher(publisher)


def _zeros(entries: int) -> bytes:
    message = JointState(name=[f"n{i}" for i in range(entries)])
    message.position = array("d", bytes(8 * entries))
    return bytes(serialize_message(message))


def out_of_reach(feed: Feed, rng: np.random.Generator) -> Iterator[None]:
    """Send a length that no position of the joint gives."""
    name, value = OUT_OF_REACH[rng.integers(len(OUT_OF_REACH))]
    for k in range(REPEATED):
        lengths, joints = feed.pair()
        i = lengths.name.index(name)
        lengths.position[i], lengths.velocity[i] = value, 0.0
        if k:  # whichever of the two messages came first
            feed.refused.add(stamp_of(joints))
        feed.send(lengths, joints)
        yield


def leaps(feed: Feed, rng: np.random.Generator) -> Iterator[None]:
    """Let positions leap at a rate that no motor reaches, without velocities."""
    for _ in range(REPEATED):
        lengths, joints = feed.pair()
        joints.position = array("d", rng.uniform(-1.0, 1.0, len(joints.position)).tolist())
        joints.velocity = array("d")
        feed.send(lengths, joints)
        yield
