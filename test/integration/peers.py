# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Subscribers that come and go: a process of its own, ``python peers.py ROUNDS``.

Each round makes `PARTICIPANTS` contexts with `EACH` subscriptions, waits until every one has
received something, and takes everything down again. It prints a line when all have received.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import rclpy
from geometry_msgs.msg import WrenchStamped
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile, QoSReliabilityPolicy
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

PARTICIPANTS = 4
EACH = 5
PATIENCE = 50.0  # s: a machine may be busy; shorter than that of the tests, which show the reason
TOPICS: tuple[tuple[str, Any], ...] = (
    ("actuator_efforts", JointState),
    ("resolved_joint_states", JointState),
    ("spring_forces", JointState),
    ("base_wrench", WrenchStamped),
    ("/tf", TFMessage),
)


class Peer:
    """A participant with one subscription to each of the topics."""

    def __init__(self, number: int) -> None:
        self._context = Context()
        rclpy.init(args=[], context=self._context)
        self._node = Node(f"peer_{number}", context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self.received = dict.fromkeys((topic for topic, _ in TOPICS), 0)
        qos = QoSProfile(depth=10)
        if number % 2:
            qos.reliability = QoSReliabilityPolicy.BEST_EFFORT
        for topic, kind in TOPICS[:EACH]:

            def count(_: Any, topic: str = topic) -> None:
                self.received[topic] += 1

            self._node.create_subscription(kind, topic, count, qos)

    def spin_once(self) -> None:
        self._executor.spin_once(timeout_sec=0.002)

    def close(self) -> None:
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.shutdown(context=self._context)


def run_round(number: int) -> None:
    peers = [Peer(k) for k in range(PARTICIPANTS)]
    deadline = time.monotonic() + PATIENCE
    while not all(all(peer.received.values()) for peer in peers):
        for peer in peers:
            peer.spin_once()
        if time.monotonic() > deadline:
            raise SystemExit(f"round {number}: {[peer.received for peer in peers]}")
    print(f"round {number}: all {PARTICIPANTS * EACH} have received", flush=True)
    for peer in peers:
        peer.close()


if __name__ == "__main__":
    for number in range(int(sys.argv[1])):
        run_round(number)
    print("done", flush=True)
