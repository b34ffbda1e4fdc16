# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inputs about loads: payloads that links hold, and wrenches from outside."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from geometry_msgs.msg import Inertia, InertiaStamped, WrenchStamped
from rclpy.node import Node

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live import topics
from charmie_dynamics.live.loads import KnownLoads
from charmie_dynamics.model.loads import Payload
from charmie_dynamics.model.model import Model
from charmie_dynamics.ros.outputs.profiles import make_publisher, make_subscription
from charmie_dynamics.ros.process.log import Log


class LoadInputs(KnownLoads):
    """Subscriptions to payloads and wrenches, and publishers of the assumed payloads.

    Parameters
    ----------
    node : Node
    log : Log
    changed : callable
        Called after a message has changed the loads.
    is_follower : bool
        Whether the payloads that another node assumes are taken as well; then none are published.
    """

    def __init__(
        self, node: Node, log: Log, changed: Callable[[], None], *, is_follower: bool = False
    ) -> None:
        super().__init__()
        self._is_follower = is_follower
        self._node = node
        self._changed = changed
        self._log = log
        self._made: list[tuple[Callable[[Any], Any], Any]] = []
        self._publishers: dict[str, Any] = {}
        receive = partial(self._on_message, topics.EXTERNAL_WRENCH.name, self._on_wrench)
        make_subscription(node, topics.EXTERNAL_WRENCH, receive)

    def configure(self, model: Model, prefix: str, given: Mapping[str, Payload | None]) -> bool:
        """As `KnownLoads.configure`; subscribes to payloads and publishes the assumed ones."""
        before = self.links
        changed = super().configure(model, prefix, given)
        if self.links != before:
            self._listen()
        if changed:
            self._publish()
        return changed

    def set_payloads(self, payloads: Mapping[str, Payload | None]) -> None:
        """Attach payloads, by their names, to their links; None removes a payload.

        Raises
        ------
        UnknownNameError
            If there is no link for a payload; nothing is changed.
        """
        for name in payloads:
            self.link_of(name)
        for name, payload in payloads.items():
            self.hold(name, payload)
        self._publish()
        self._changed()

    def _listen(self) -> None:
        for destroy, entity in self._made:
            destroy(entity)
        self._made.clear()
        self._publishers.clear()
        node = self._node
        for name in self.links:
            requested, assumed = topics.payload(name), topics.assumed_payload(name)
            for topic in (requested, assumed) if self._is_follower else (requested,):
                receive = partial(self._on_message, topic.name, partial(self._on_payload, name))
                subscription = make_subscription(node, topic, receive)
                self._made.append((node.destroy_subscription, subscription))
            if not self._is_follower:
                publisher = self._publishers[name] = make_publisher(node, assumed)
                self._made.append((node.destroy_publisher, publisher))

    def _on_message(self, topic: str, take: Callable[[Any], None], message: Any) -> None:
        try:
            take(message)
        except CharmieError as error:
            self._log.warn(topic, f"{topic}: message refused: {error}")
            return
        self._changed()

    def _on_payload(self, name: str, message: InertiaStamped) -> None:
        self.take_payload(name, message)
        self._publish()

    def _on_wrench(self, message: WrenchStamped) -> None:
        self.take_wrench(message, time.monotonic())

    def _publish(self) -> None:
        """Publish the assumed payloads; a mass of zero denotes no payload."""
        for name, publisher in self._publishers.items():
            link = self.links[name]
            message = InertiaStamped()
            message.header.stamp = self._node.get_clock().now().to_msg()
            message.header.frame_id = self._prefix + link
            payload = self.payloads.get(link)
            if payload is not None:
                message.inertia = _inertia_message(payload)
            publisher.publish(message)


def _inertia_message(payload: Payload) -> Inertia:
    message = Inertia(m=float(payload.mass))
    com, inertia = payload.p_link_com, payload.inertia
    message.com.x, message.com.y, message.com.z = (float(x) for x in com)
    rows = [[float(x) for x in row] for row in inertia]
    message.ixx, message.ixy, message.ixz = rows[0]
    message.iyy, message.iyz, message.izz = rows[1][1], rows[1][2], rows[2][2]
    return message
