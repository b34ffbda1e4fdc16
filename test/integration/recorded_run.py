# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A live run of the node that is recorded, with payloads and pushes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from geometry_msgs.msg import InertiaStamped, WrenchStamped
from graph import EACH_CYCLE, Checker
from rclpy.qos import QoSDurabilityPolicy, QoSProfile
from rclpy.serialization import serialize_message
from recorded_inputs import INPUTS, KIND, PERIOD, Recorded
from sensor_msgs.msg import JointState

TIMEOUT = 1.0  # s
INERTIA_KIND, WRENCH_KIND = "geometry_msgs/msg/InertiaStamped", "geometry_msgs/msg/WrenchStamped"
SIDES = ("left", "right")
Moment = list[Recorded]
Inputs = Callable[[int, float], Iterator[tuple[str, JointState]]]


class Run:
    """Each moment's inputs, and in between what is told of loads.

    Parameters
    ----------
    checker : Checker
        Of all `EACH_CYCLE` at least.
    inputs : callable
        Returns the messages of a moment, whose number is negative before the run, and the time
        (s) by which it is late.
    """

    def __init__(self, checker: Checker, inputs: Inputs) -> None:
        self.checker = checker
        self.moments: list[Moment] = []
        self.assumed: list[Recorded] = []
        self._inputs = inputs
        node = checker.node
        kinds = {**dict.fromkeys(INPUTS, JointState), "payload/left": InertiaStamped,
                 "external_wrench": WrenchStamped}  # fmt: skip
        self._publishers = {
            topic: node.create_publisher(kind, topic, 10) for topic, kind in kinds.items()
        }
        latched = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
        for side in SIDES:
            topic = f"assumed_payload/{side}"
            hear = partial(self._note_assumed, topic)
            node.create_subscription(InertiaStamped, topic, hear, latched)

    def wait_for_node(self) -> None:
        checker = self.checker
        checker.wait_for(lambda: len(self.assumed) >= len(SIDES), "what is assumed", timeout=60.0)
        for publisher in self._publishers.values():
            checker.wait_for(publisher.get_subscription_count, publisher.topic)
        earlier = iter(range(-100_000, 0))
        checker.wait_for(
            lambda: all(checker.received[topic] for topic in EACH_CYCLE),
            "outputs",
            doing=lambda: self.play(next(earlier), -10.0),
            rate=20.0,
        )
        checker.spin(1.5 * TIMEOUT)  # the estimators start anew
        self.moments.clear()
        checker.forget()

    def play(self, k: int, pause: float) -> None:
        moment = []
        for topic, message in self._inputs(k, pause):
            moment.append(self._publish(topic, KIND, message))
            self.checker.spin(0.3 * PERIOD)  # so that no topic overtakes the other
        self.moments.append(moment)

    def hold(self, mass: float) -> None:
        """Tell of a payload, and wait until it is assumed."""
        message = InertiaStamped()
        message.inertia.m = mass
        message.inertia.com.z = 0.1 if mass else 0.0
        count = len(self.assumed)
        self.moments.append([self._publish("payload/left", INERTIA_KIND, message)])
        self.checker.wait_for(lambda: len(self.assumed) >= count + len(SIDES), "what is assumed")

    def push(self, link: str, force: float) -> None:
        message = WrenchStamped()
        message.header.frame_id = link
        message.wrench.force.x = force
        self.moments.append([self._publish("external_wrench", WRENCH_KIND, message)])
        self.checker.spin(0.1)  # nobody says that it has come

    def _publish(self, topic: str, kind: str, message: Any) -> Recorded:
        arrival = time.time_ns()
        self._publishers[topic].publish(message)
        return Recorded(topic, kind, arrival, serialize_message(message))

    def _note_assumed(self, topic: str, message: InertiaStamped) -> None:
        data = serialize_message(message)
        self.assumed.append(Recorded(topic, INERTIA_KIND, time.time_ns(), data))

    def bag(self) -> list[Recorded]:
        """Return all messages; of what is assumed from the start on, a recorder hears late."""
        entries = [entry for moment in self.moments for entry in moment]
        late = entries[20].arrival
        return entries + [e._replace(arrival=max(e.arrival, late)) for e in self.assumed]
