"""One input topic of the dynamics node: what it received is read and counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.node import Node

from charmie_dynamics.live.monitors import InputMonitor
from charmie_dynamics.live.wire.joint_state_reader import JointStateReader, Layout
from charmie_dynamics.live.wire.samples import JointSample, RefusedSampleError
from charmie_dynamics.ros.outputs.topics import Topic

from .raw_subscription import RawSubscription


class Input:
    """Subscription to serialized joint states.

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

    @property
    def layout(self) -> Layout | None:
        """Of the newest message that could be read."""
        return self._reader.newest

    def note(self, arrival: float) -> None:
        """Count a message that was read elsewhere, at a time on the steady clock (s)."""
        self.monitor.received += 1
        self.monitor.last_arrival = arrival

    def read(self, data: bytes, arrival: float, now: Callable[[], int]) -> JointSample:
        """Return the checked content of a message.

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
            sample = self._reader.read(data, now)
            if sample.stamp <= 0:
                raise RefusedSampleError(
                    "no usable stamp",
                    "stamp before 1970; expected the time of the measurement, or zero for now"
                    if sample.stamp
                    else "no stamp, and the clock has no time yet; expected a stamp, or a time "
                    "on /clock",
                )
        except RefusedSampleError as error:
            self.monitor.reject(error.cause)
            raise
        self.monitor.last_arrival = arrival
        return sample
