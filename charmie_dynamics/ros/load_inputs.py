"""Loads that the node is told of: payloads that links hold, and wrenches from outside."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from geometry_msgs.msg import Inertia, InertiaStamped, WrenchStamped
from rclpy.node import Node

from ..model.errors import CharmieError, InputError
from ..model.loads import Payload, Wrench, payload_from_numbers
from ..model.model import Model
from . import topics
from .log import Log


class LoadInputs:
    """Subscriptions to payloads and wrenches, and what is assumed of them.

    Parameters
    ----------
    node : Node
    log : Log
    changed : callable
        Called after a message has changed the loads.

    Attributes
    ----------
    payloads : dict of str to Payload
        By link.
    """

    def __init__(self, node: Node, log: Log, changed: Callable[[], None]) -> None:
        self._node = node
        self._changed = changed
        self._log = log
        self._model: Model | None = None
        self._links: dict[str, str] = {}
        # the values that the parameters have given last, by the names of the payloads
        self._given: dict[str, tuple[float, ...]] = {}
        self._made: list[tuple[Callable[[Any], Any], Any]] = []
        self._publishers: dict[str, Any] = {}
        self.payloads: dict[str, Payload] = {}
        self._wrenches: dict[str, tuple[Wrench, float]] = {}
        self._oldest = math.inf
        topic = topics.EXTERNAL_WRENCH
        receive = partial(self._on_message, topic.name, self._take_wrench)
        node.create_subscription(topic.type, topic.name, receive, topic.qos)

    def configure(self, model: Model, prefix: str, given: Mapping[str, Payload | None]) -> None:
        """Take a model and the payloads that parameters give into use.

        What messages have said stays, unless the model or the parameter is another one.

        Parameters
        ----------
        model : Model
        prefix : str
            Of frames.
        given : mapping of str to Payload or None
            By the names of the payloads.
        """
        links = dict(model.mechanisms.payload_links)
        self._prefix = prefix
        self._bodies = set(model.flat.body_names)
        if model is not self._model:
            self.payloads.clear()
            self._wrenches.clear()
            self._oldest = math.inf
            self._given = {}
        self._model = model
        if links != self._links:
            self._links = links
            self._listen()
        changed = {name for name in links if _values(given.get(name)) != self._given.get(name)}
        for name in changed:
            self._hold(name, given.get(name))
            self._given[name] = _values(given.get(name))
        if changed:
            self._publish()

    @property
    def wrenches(self) -> dict[str, Wrench]:
        """Wrenches in force, by link."""
        return {link: wrench for link, (wrench, _) in self._wrenches.items()}

    def expire(self, now: float, timeout: float) -> bool:
        """Drop wrenches that came more than `timeout` before `now` (s); tell whether any was."""
        if now - self._oldest <= timeout or not self._wrenches:
            return False
        kept = {k: (w, t) for k, (w, t) in self._wrenches.items() if now - t <= timeout}
        dropped = len(kept) < len(self._wrenches)
        self._wrenches = kept
        self._oldest = min((t for _, t in kept.values()), default=math.inf)
        return dropped

    def described(self) -> dict[str, str]:
        """Return what is assumed, for people."""
        held = {f"payload on {link} (kg)": f"{p.mass:.3f}" for link, p in self.payloads.items()}
        pushed = {
            f"wrench on {link} (N, N m)": " ".join(f"{x:.2f}" for x in (*w.force, *w.torque))
            for link, w in self.wrenches.items()
        }
        return {**held, **pushed}

    def _listen(self) -> None:
        for destroy, entity in self._made:
            destroy(entity)
        self._made.clear()
        self._publishers.clear()
        node = self._node
        for name in self._links:
            told, assumed = topics.payload(name), topics.assumed_payload(name)
            receive = partial(self._on_message, told.name, partial(self._take_payload, name))
            subscription = node.create_subscription(told.type, told.name, receive, told.qos)
            publisher = node.create_publisher(assumed.type, assumed.name, assumed.qos)
            self._publishers[name] = publisher
            self._made += [
                (node.destroy_subscription, subscription),
                (node.destroy_publisher, publisher),
            ]

    def _on_message(self, topic: str, take: Callable[[Any], None], message: Any) -> None:
        try:
            take(message)
        except CharmieError as error:
            self._log.warn(topic, f"{topic}: message refused: {error}")
            return
        self._changed()

    def _take_payload(self, name: str, message: InertiaStamped) -> None:
        link, frame = self._links[name], message.header.frame_id
        if frame not in ("", self._prefix + link):
            raise InputError(f"expected the frame '{self._prefix + link}' or none, got '{frame}'")
        i = message.inertia
        numbers = [i.m, i.com.x, i.com.y, i.com.z, i.ixx, i.ixy, i.ixz, i.iyy, i.iyz, i.izz]
        self._hold(name, payload_from_numbers(numbers))
        self._publish()

    def _hold(self, name: str, payload: Payload | None) -> None:
        link = self._links[name]
        self.payloads.pop(link, None)
        if payload is not None:
            self.payloads[link] = payload

    def _take_wrench(self, message: WrenchStamped) -> None:
        frame = message.header.frame_id
        link = frame[len(self._prefix) :] if frame.startswith(self._prefix) else frame
        if link not in self._bodies:
            raise InputError(f"expected the frame of a link, got '{frame}'")
        f, t = message.wrench.force, message.wrench.torque
        now = time.monotonic()
        self._wrenches[link] = Wrench((f.x, f.y, f.z), (t.x, t.y, t.z)), now
        self._oldest = min(arrival for _, arrival in self._wrenches.values())

    def _publish(self) -> None:
        """Say what is assumed; a mass of zero stands for no payload."""
        for name, publisher in self._publishers.items():
            link = self._links[name]
            message = InertiaStamped()
            message.header.stamp = self._node.get_clock().now().to_msg()
            message.header.frame_id = self._prefix + link
            payload = self.payloads.get(link)
            if payload is not None:
                message.inertia = _inertia_message(payload)
            publisher.publish(message)


def _values(payload: Payload | None) -> tuple[float, ...]:
    """Return what tells a payload from another."""
    if payload is None:
        return ()
    return (payload.mass, *np.ravel(payload.p_link_com), *np.ravel(payload.inertia))


def _inertia_message(payload: Payload) -> Inertia:
    message = Inertia(m=float(payload.mass))
    com, inertia = payload.p_link_com, payload.inertia
    message.com.x, message.com.y, message.com.z = (float(x) for x in com)
    rows = [[float(x) for x in row] for row in inertia]
    message.ixx, message.ixy, message.ixz = rows[0]
    message.iyy, message.iyz, message.izz = rows[1][1], rows[1][2], rows[2][2]
    return message
