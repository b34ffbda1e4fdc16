"""A subscription to serialized messages that can be made anew without losing one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.node import Node

from .topics import Topic

# messages taken at once, so that a flood cannot keep the node from its cycles and its report
MOST = 500


class RawSubscription:
    """Subscription to serialized messages; to be used on the executor's thread.

    Parameters
    ----------
    node : Node
    topic : Topic
    receive : callable
        Called with each message (bytes).
    events : SubscriptionEventCallbacks, optional
    """

    def __init__(
        self, node: Node, topic: Topic, receive: Callable[[bytes], None], events: Any = None
    ) -> None:
        self._node = node
        self._topic = topic
        self._receive = receive
        self._events = events
        self._made = 0  # subscriptions so far
        self._subscription = self._subscribe()
        self._current = self._made
        # while there is a second: how many messages each has given, and the newest of the first
        self._second: Any = None
        self._given = 0
        self._heard = 0
        self._newest = b""
        self._kept: list[bytes] = []  # what was taken before the first was destroyed

    def _subscribe(self) -> Any:
        self._made += 1
        topic, receive = self._topic, partial(self._on_message, self._made)
        return self._node.create_subscription(
            topic.type, topic.name, receive, topic.qos, raw=True, event_callbacks=self._events
        )

    def _on_message(self, number: int, data: bytes) -> None:
        if number == self._current:
            self._note([data])
            self._receive(data)
        else:  # of the second, which has the same as the first, or of one that is no more
            self._heard += 1

    def _note(self, given: list[bytes]) -> None:
        if self._second is not None and given:
            self._given += len(given)
            self._newest = given[-1]

    def waiting(self) -> list[bytes]:
        """Take all messages that wait, oldest first.

        An empty take costs 2 us. To hold the handle meanwhile (`with`) would cost 3 us more: on
        the thread of the executor nothing can destroy the subscription.
        """
        found, self._kept = self._kept, []
        found += self._take(self._subscription)
        self._note(found)
        return found

    def _take(self, subscription: Any) -> list[bytes]:
        take = subscription.handle.take_message
        found: list[bytes] = []
        while len(found) < MOST:
            taken = take(self._topic.type, True)
            if taken is None:
                break
            found.append(taken[0])
        return found

    def subscribe_anew(self) -> None:
        """Subscribe a second time; what the second hears is left alone until `switch`."""
        self._given = self._heard = 0
        self._second = self._subscribe()

    def may_switch(self) -> bool:
        """Tell whether publishers have found the second subscription, as far as one can tell."""
        return self._heard > 0 or self._given == 0

    def switch(self) -> None:
        """Destroy the first subscription and go on with the second.

        What waited in the first, and in the second alone, is among the next `waiting`.
        """
        kept = self._take(self._subscription)
        self._node.destroy_subscription(self._subscription)
        known = {self._newest, *kept}
        self._subscription, self._second, self._current = self._second, None, self._made
        further = self._take(self._subscription)
        first_unknown = 1 + max((k for k, data in enumerate(further) if data in known), default=-1)
        self._kept = kept + further[first_unknown:]
        self._newest = b""
