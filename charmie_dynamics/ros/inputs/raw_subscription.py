# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A subscription to serialized messages that can be replaced without losing one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.node import Node

from charmie_dynamics.live.topics import Topic
from charmie_dynamics.ros.outputs.profiles import make_subscription, message_class

# messages taken at once, so that a flood cannot keep the node from its cycles and its report
MOST = 500
# The threads of the middleware deliver each message to one subscription after the other: this many
# may have reached only one of two. On a busy machine 12 were seen at 500 Hz.
ON_THE_WAY = 64
# leading part of a message that identifies it; it begins with the stamp
KNOWN = 65536  # bytes


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
        self._type = message_class(topic)
        self._receive = receive
        self._events = events
        self._made = 0  # subscriptions so far
        self._subscription = self._subscribe()
        self._current = self._made
        # while there are two: the second, its newest messages, and the beginnings of the newest
        # messages of the first
        self._second: Any = None
        self._heard: deque[bytes] = deque(maxlen=ON_THE_WAY)
        self._given: deque[bytes] = deque(maxlen=MOST + ON_THE_WAY)
        # after that: the messages taken from either and not yet returned, the beginnings of those
        # returned, and the number of messages to compare with these
        self._kept: list[bytes] = []
        self._known: set[bytes] = set()
        self._compared = 0

    def _subscribe(self) -> Any:
        self._made += 1
        receive = partial(self._on_message, self._made)
        return make_subscription(
            self._node, self._topic, receive, raw=True, event_callbacks=self._events
        )

    def _on_message(self, number: int, data: bytes) -> None:
        if number == self._current:
            if self._second is None and not self._compared:  # nearly always
                self._receive(data)
            elif self._is_new(data):
                self._note([data])
                self._receive(data)
        elif number > self._current:
            self._heard.append(data)

    def _is_new(self, data: bytes) -> bool:
        """Return whether no former subscription has delivered a message already."""
        if not self._compared:
            return True
        self._compared -= 1
        is_new = data[:KNOWN] not in self._known
        if not self._compared:
            self._known.clear()
        return is_new

    def _note(self, given: list[bytes]) -> None:
        if self._second is not None:
            self._given += (data[:KNOWN] for data in given)

    def waiting(self) -> list[bytes]:
        """Take all messages that wait, oldest first.

        The handle is not held meanwhile (`with`): on the thread of the executor nothing can destroy
        the subscription.
        """
        found = self._take(self._subscription)
        if self._compared:
            found = [data for data in found if self._is_new(data)]
        if self._kept:
            found, self._kept = self._kept + found, []
        self._note(found)
        return found

    def _take(self, subscription: Any) -> list[bytes]:
        take = subscription.handle.take_message
        found: list[bytes] = []
        while len(found) < MOST:
            taken = take(self._type, True)
            if taken is None:
                break
            found.append(taken[0])
        return found

    def begin_replacement(self) -> None:
        """Subscribe a second time; messages of the second wait until `switch`."""
        self._given.clear()
        self._heard.clear()
        self._second = self._subscribe()

    def may_switch(self) -> bool:
        """Return whether publishers have presumably discovered the second subscription."""
        return bool(self._heard) or not self._given

    def switch(self) -> None:
        """Destroy the first subscription and continue with the second.

        The next `waiting` returns the pending messages of both. Of messages that are identical in
        all bytes, stamps included, some may be omitted.
        """
        kept = self._take(self._subscription)
        self._node.destroy_subscription(self._subscription)
        self._subscription, self._second, self._current = self._second, None, self._made
        known = {*self._given, *(data[:KNOWN] for data in kept)}
        for data in (*self._heard, *self._take(self._subscription)):
            if data[:KNOWN] not in known:
                known.add(data[:KNOWN])
                kept.append(data)
        self._kept += kept
        self._known, self._compared = known, ON_THE_WAY
        self._given.clear()
        self._heard.clear()
