# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Watch for other publishers of the frames that this node publishes.

Two publishers of one frame make it jump between two poses, for every user of tf2. While no other
node publishes transforms, there is no subscription. Else the messages are taken out of the
middleware's own queue some times a second, past the executor, which would call a callback for each.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSHistoryPolicy, QoSProfile, QoSReliabilityPolicy

from charmie_dynamics.live import topics
from charmie_dynamics.live.wire.cdr import CdrError
from charmie_dynamics.live.wire.transform_layout import TransformLayout, first_stamp
from charmie_dynamics.ros.outputs.profiles import message_class, qos_profile

from .own_transforms import OwnFrames, OwnStamps

# messages kept from one check to the next: at twenty checks a second all of 2 kHz
DEPTH = 100
# s, for which a frame counts as published by another node after its last message
MEMORY = 2.0
# s, after which static transforms in conflict are checked again: they are published only once
RECHECK = 2.0
# s, for which this node's own messages may be on their way
DELAY = 1.0
# cached layouts of other nodes' messages
REMEMBERED = 32


class _Listener:
    """A subscription that exists while a topic has several publishers, outside of any executor."""

    def __init__(self, topic: topics.Topic, name: str) -> None:
        self._type = message_class(topic)
        self._durability = qos_profile(topic.qos).durability
        self.name = name
        self._reliability = (
            QoSReliabilityPolicy.RELIABLE
            if topic is topics.TF_STATIC
            else QoSReliabilityPolicy.BEST_EFFORT
        )
        self._count = 0
        self._subscription: Any = None

    @property
    def is_open(self) -> bool:
        return self._subscription is not None

    def follow(self, count: int, node: Node, *, restart: bool = False) -> bool:
        """Resubscribe on `restart` or after a change of the publishers; return whether it did."""
        if count == self._count and not restart:
            return False
        self.close(node)
        self._count = count
        if count > 1:
            qos = QoSProfile(
                history=QoSHistoryPolicy.KEEP_LAST,
                depth=DEPTH,
                reliability=self._reliability,
                durability=self._durability,
            )
            self._subscription = node.create_subscription(
                self._type, self.name, lambda _: None, qos, raw=True
            )
        return True

    def close(self, node: Node) -> None:
        """End the subscription, and check the publishers again at the next call."""
        if self._subscription is not None:
            node.destroy_subscription(self._subscription)
        self._subscription = None
        self._count = 0

    def take(self) -> Iterable[bytes]:
        """Return the messages since the last call, at most `DEPTH`, so that this always ends."""
        if self._subscription is None:
            return
        handle = self._subscription.handle
        with handle:
            for _ in range(DEPTH):
                taken = handle.take_message(self._type, True)
                if taken is None:
                    return
                yield taken[0]


class TransformWatch:
    """Looks for other publishers of this node's frames.

    Parameters
    ----------
    node : Node
        Publishes /tf and /tf_static, each with one publisher.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        # made when it is needed
        self._listening_node: Node | None = None
        self._tf, self._tf_static = self._listeners = tuple(
            _Listener(topic, node.resolve_topic_name(topic.name))
            for topic in (topics.TF, topics.TF_STATIC)
        )
        self._configure(OwnFrames())

    def configure(self, frames: OwnFrames) -> None:
        """Watch these frames, whose static transforms have been published just before."""
        for listener in self._listeners:
            if listener.is_open:
                listener.close(self._get_listening_node())
        self._configure(frames)

    def _configure(self, frames: OwnFrames) -> None:
        self._own = frames
        self._own_names = frames.all
        self._own_layout: TransformLayout | None = None
        self._own_stamps = OwnStamps()
        self._expects_own_static = False
        self._layouts: dict[int, TransformLayout] = {}
        self._expiry: dict[str, float] = {}
        self._recheck_due = math.inf
        self._age_due = 0.0

    def note(self, stamp: int) -> None:
        """Note that a message with this stamp has been published on /tf."""
        if self._tf.is_open:
            self._own_stamps.add(stamp)

    @property
    def is_listening(self) -> bool:
        """Whether any other node published transforms at the last check."""
        return self._tf.is_open or self._tf_static.is_open

    def look(self, now: float) -> None:
        """Process the messages since the last call, at steady time `now` (s)."""
        if not self._own_names:
            return
        for listener in self._listeners:
            self._follow(listener, now)
        if not self.is_listening:
            self._expiry.clear()
            return
        for data in self._tf.take():
            if not self._is_own(data):
                self._keep(data, now + MEMORY)
        if now >= self._age_due:
            self._own_stamps.age()
            self._age_due = now + DELAY
        for data in self._tf_static.take():
            if not self._is_own_static(data):
                self._keep(data, math.inf)
        if self._recheck_due == math.inf and math.inf in self._expiry.values():
            self._recheck_due = now + RECHECK
        self._expiry = {name: end for name, end in self._expiry.items() if end > now}

    def _follow(self, listener: _Listener, now: float) -> None:
        """Subscribe to a topic while it has other publishers."""
        count = self._node.count_publishers(listener.name)
        if count < 2 and not listener.is_open:
            return
        is_static = listener is self._tf_static
        restart = is_static and now >= self._recheck_due
        if listener.follow(count, self._get_listening_node(), restart=restart) and is_static:
            # the last message of each publisher arrives now, also that of this node
            self._expects_own_static = bool(self._own.fixed)
            self._recheck_due = math.inf
            for name in self._expiry:
                self._expiry[name] = min(self._expiry[name], now + MEMORY)

    def conflicts(self) -> list[str]:
        """Return the frames that another node publishes too, sorted."""
        return sorted(self._expiry)

    def other_publishers(self) -> list[str]:
        """Return the names of the other nodes that publish transforms now, sorted."""
        own = (self._node.get_name(), self._node.get_namespace())
        found: set[str] = set()
        for listener in self._listeners:
            infos = self._node.get_publishers_info_by_topic(listener.name)
            ends = [(info.node_name, info.node_namespace) for info in infos]
            if own in ends:
                ends.remove(own)  # once: another may have the same name
            found.update(f"{namespace.rstrip('/')}/{name}" for name, namespace in ends)
        return sorted(found)

    def close(self) -> None:
        """Give everything back to the middleware."""
        if self._listening_node is not None:
            self._listening_node.destroy_node()
            self._listening_node = None

    def _get_listening_node(self) -> Node:
        """Return a node that is on no executor, whose name tools do not list (underscore)."""
        if self._listening_node is None:
            self._listening_node = Node(
                f"_{self._node.get_name()}_transform_watch",
                context=self._node.context,
                namespace=self._node.get_namespace(),
                use_global_arguments=False,
                enable_rosout=False,
                start_parameter_services=False,
                # a service of Jazzy
                parameter_overrides=[Parameter("start_type_description_service", value=False)],
            )
        return self._listening_node

    def _is_own(self, data: bytes) -> bool:
        """Return whether this node has published a message on /tf.

        A message is recognised by its first frame and its stamp, once for each publication: if two
        nodes publish the same transforms from the same input, one message is surplus. A message
        with the same first frame and a different stamp is from another node.
        """
        if self._own_layout is None:
            layout = self._layout_of(data)
            if layout is None or layout.children != self._own.moving:
                return False
            if not self._own_stamps.take(first_stamp(data)):
                return False
            self._own_layout = layout
            return True
        return self._own_layout.begins(data) and self._own_stamps.take(first_stamp(data))

    def _is_own_static(self, data: bytes) -> bool:
        """Return whether a message on /tf_static is that of this node, which arrives once."""
        if not self._expects_own_static:
            return False
        layout = self._layout_of(data)
        if layout is None or layout.children != self._own.fixed:
            return False
        self._expects_own_static = False
        return True

    def _keep(self, data: bytes, expiry: float) -> None:
        layout = self._layout_of(data)
        if layout is None:
            return
        for name in layout.children & self._own_names:
            self._expiry[name] = max(expiry, self._expiry.get(name, 0.0))

    def _layout_of(self, data: bytes) -> TransformLayout | None:
        """Return the layout of a message; None if it cannot be parsed, which others report."""
        layout = self._layouts.get(len(data))
        if layout is not None and layout.fits(data):
            return layout
        try:
            layout = TransformLayout(data)
        except CdrError:
            return None
        if len(self._layouts) >= REMEMBERED:
            self._layouts.pop(next(iter(self._layouts)))
        self._layouts[len(data)] = layout
        return layout
