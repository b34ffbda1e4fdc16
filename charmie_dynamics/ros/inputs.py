"""One input topic of the dynamics node: read, counted, and emptied when messages wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.node import Node

from ..signals.samples import JointSample, RefusedSampleError
from .joint_state_reader import JointStateReader
from .monitors import InputMonitor
from .topics import Topic

# messages taken at once, so that a flood cannot keep the node from its cycles and its report
MOST = 500


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
    monitor : InputMonitor
        Everything that was received, in callbacks or not.
    """

    def __init__(
        self, node: Node, topic: Topic, receive: Callable[[bytes], None], events: Any = None
    ) -> None:
        self.name = topic.name
        self.monitor = InputMonitor()
        self._reader = JointStateReader()
        self._type = topic.type
        self._subscription = node.create_subscription(
            topic.type, topic.name, receive, topic.qos, raw=True, event_callbacks=events
        )

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

    def waiting(self) -> list[bytes]:
        """Take all messages that wait, oldest first; to be called on the executor's thread.

        An empty take costs 2 us. To hold the handle meanwhile (`with`) would cost 3 us more: on
        the thread of the executor nothing can destroy the subscription.
        """
        take = self._subscription.handle.take_message
        found: list[bytes] = []
        while len(found) < MOST:
            taken = take(self._type, True)
            if taken is None:
                break
            found.append(taken[0])
        return found
