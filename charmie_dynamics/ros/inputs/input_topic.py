# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""One input topic of the dynamics node: its messages are read and counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.node import Node

from charmie_dynamics.live.monitors import InputMonitor
from charmie_dynamics.live.topics import Topic
from charmie_dynamics.live.wire.joint_states import JointStateReader, Message
from charmie_dynamics.live.wire.samples import RefusedSampleError

from .raw_subscription import RawSubscription


class Input:
    """Subscription to one topic with serialized JointState messages: joint states or lengths.

    Parameters
    ----------
    node : Node
    topic : Topic
    receive : callable
        Called with each message (bytes).
    events : SubscriptionEventCallbacks, optional

    Attributes
    ----------
    name : str
        Of the topic.
    subscription : RawSubscription
    monitor : InputMonitor
        Everything that was received, in callbacks or not.
    """

    def __init__(
        self, node: Node, topic: Topic, receive: Callable[[bytes], None], events: Any = None
    ) -> None:
        self.name = topic.name
        self.monitor = InputMonitor()
        self._reader = JointStateReader()
        self.subscription = RawSubscription(node, topic, receive, events)

    def read(self, data: bytes, arrival: float, now: Callable[[], int]) -> Message:
        """Return a message after checking all of it but its numbers, and count it.

        Parameters
        ----------
        data : bytes
        arrival : float
            On the steady clock (s).
        now : callable
            Returns the stamp (ns) for a message without one; 0: the clock has no time yet.

        Raises
        ------
        RefusedSampleError
            If the message cannot be used; it is counted as rejected.
        """
        self.monitor.received += 1
        try:
            message = self._reader.read(data, now)
        except RefusedSampleError as error:
            self.monitor.reject(error.cause)
            raise
        self.monitor.last_arrival = arrival
        return message
