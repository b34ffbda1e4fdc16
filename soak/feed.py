# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the node is fed with: a good signal on both topics, and the means to disturb it."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from charmie_dynamics import load_model
from charmie_dynamics.live.wire.samples import ACTUATOR_LENGTHS, JOINT_STATES
from charmie_dynamics.motions import make_motion

MOTION = "wave"
NANOSECONDS = 1_000_000_000
REMEMBERED = 5000  # good samples
STAMP = struct.Struct("<iI")
HEADER = 4  # bytes of a serialized message before the stamp
TRANSPORT = QoSProfile(depth=1000)


class Good(NamedTuple):
    """A good sample: which one it is, counted from zero, and its joint positions by name."""

    number: int
    position: dict[str, float]


class Feed:
    """Publishers of the two inputs and the motion that they send.

    Parameters
    ----------
    node : Node
        Whose publishers they are.
    rate : float
        Samples a second (Hz).
    hold, go_on : callable
        Stop the measured process and let it run on.

    Attributes
    ----------
    sent : dict
        The newest good samples by their stamps (ns): what the outputs with these stamps must show.
    count : int
        Of good samples so far.
    refused : set of int
        Stamps of samples that must give no output.
    offset : int
        Of the stamps from the time of day (ns).
    """

    def __init__(
        self, node: Node, rate: float, hold: Callable[[], None], go_on: Callable[[], None]
    ) -> None:
        self.node = node
        self.rate = rate
        self.hold, self.go_on = hold, go_on
        self.sent: dict[int, Good] = {}
        self.count = 0
        self.refused: set[int] = set()
        self.offset = 0
        self._last = 0
        self._row = 0
        model = load_model()
        motion = make_motion(MOTION, model)
        samples = [motion.at(t) for t in np.arange(0.0, motion.duration, 1.0 / rate)]
        self._position = np.array([position for position, _, _ in samples])
        self._velocity = np.array([velocity for _, velocity, _ in samples])
        self._column = {name: i for i, name in enumerate(model.actuator_names)}
        self.lengths = tuple(a.name for a in model.mechanisms.linear_actuators)
        self.joints = tuple(n for n in model.actuator_names if n not in self.lengths)
        self._publishers: dict[str, Any] = {}
        for topic in (ACTUATOR_LENGTHS, JOINT_STATES):
            self.restart(topic)

    def restart(self, topic: str) -> None:
        """Destroy the publisher of a topic, if there is one, and make another."""
        if topic in self._publishers:
            self.node.destroy_publisher(self._publishers.pop(topic))
        self._publishers[topic] = self.node.create_publisher(JointState, topic, TRANSPORT)

    def shuffle(self, rng: np.random.Generator) -> None:
        """Send the entries of messages in another order from now on."""
        self.joints = tuple(rng.permutation(self.joints).tolist())
        self.lengths = tuple(rng.permutation(self.lengths).tolist())

    def stamp(self) -> int:
        """Return a stamp (ns) that is later than the last one, unless `offset` went back."""
        self._last = max(time.time_ns() + self.offset, self._last + 1)
        return self._last

    def turn_back(self, seconds: float) -> None:
        """Let all stamps from now on be earlier (or later, if negative)."""
        self.offset -= int(seconds * NANOSECONDS)
        self._last = 0

    def message(self, names: Sequence[str], stamp: int) -> JointState:
        """Return a message of the present point of the motion."""
        columns = [self._column[name] for name in names]
        message = JointState(name=list(names))
        message.position.frombytes(self._position[self._row, columns].tobytes())
        message.velocity.frombytes(self._velocity[self._row, columns].tobytes())
        time_of = message.header.stamp
        time_of.sec, time_of.nanosec = divmod(stamp, NANOSECONDS)
        return message

    def publish(self, topic: str, message: JointState | bytes) -> None:
        """Publish on an input."""
        self._publishers[topic].publish(message)

    def step(self) -> None:
        """Move on by one sample of the motion."""
        self._row = (self._row + 1) % len(self._position)

    def pair(self) -> tuple[JointState, JointState]:
        """Return messages of the next sample: lengths and joints."""
        self.step()
        stamp = self.stamp()
        return self.message(self.lengths, stamp), self.message(self.joints, stamp)

    def send(self, lengths: JointState, joints: JointState) -> None:
        """Publish a pair of messages, lengths first."""
        self.publish(ACTUATOR_LENGTHS, lengths)
        self.publish(JOINT_STATES, joints)

    def good(self) -> int:
        """Publish the next sample on both topics, lengths first, and return its stamp."""
        stamp = self.stamp()
        self.step()
        message = self.message(self.joints, stamp)
        # before its output can come
        position = dict(zip(message.name, message.position, strict=True))
        self.sent[stamp] = Good(self.count, position)
        self.count += 1
        if len(self.sent) > REMEMBERED:
            self.sent.pop(next(iter(self.sent)))
        self.publish(ACTUATOR_LENGTHS, self.message(self.lengths, stamp))
        self.publish(JOINT_STATES, message)
        return stamp

    def burst(self, count: int, period: float) -> None:
        """Publish good samples at a rate of their own, on time, without a pause between."""
        stamp = self.stamp()
        parts = [
            (topic, bytearray(serialize_message(self.message(names, stamp))))
            for topic, names in ((ACTUATOR_LENGTHS, self.lengths), (JOINT_STATES, self.joints))
        ]
        due = time.monotonic()
        for _ in range(count):
            stamp = self.stamp()
            for topic, data in parts:
                STAMP.pack_into(data, HEADER, *divmod(stamp, NANOSECONDS))
                self.publish(topic, bytes(data))
            due += period
            time.sleep(max(0.0, due - time.monotonic()))


def stamp_of(message: JointState) -> int:
    """Return the stamp of a message (ns)."""
    time_of = message.header.stamp
    return int(time_of.sec) * NANOSECONDS + int(time_of.nanosec)
