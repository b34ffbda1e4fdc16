# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Play the inputs in a bag as `ros2 bag play --clock --rate RATE --loop` does, some times over.

Usage: ``bag_player.py BAG RATE PASSES BEGIN END``. What was recorded from BEGIN to END (ns) is
played: serialized bytes unchanged, at the recorded times, with the recorded quality of service.
``/clock`` comes at 40 Hz from a thread of its own, so that in a loop it goes back some time after
the last sample of a pass. At the end the number of samples is printed.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path
from typing import Any

import rclpy
from graph import to_time
from rclpy.qos import QoSProfile, QoSReliabilityPolicy
from rosbags.highlevel import AnyReader
from rosbags.interfaces import QosReliability
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState

INPUTS = ("/actuator_lengths", "/joint_states")
DEPTH = 10  # rosbag2's own, whatever was recorded
CLOCK_PERIOD = 0.025  # s
# s for which rosbag2 waits for its queue after it has set its clock back; then it catches up
FILLING = 0.1
DELAY = 0.7  # s before the first sample, as of `--delay`: others must have found the publishers


class PlayerClock:
    """Time that runs at a rate and can be set, published until it is closed."""

    def __init__(self, node: Any, start: int, rate: float) -> None:
        self._rate = rate
        self.set(start)
        qos = QoSProfile(depth=1, reliability=QoSReliabilityPolicy.BEST_EFFORT)
        self.publisher = node.create_publisher(Clock, "/clock", qos)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._publish)
        self._thread.start()

    def set(self, now: int) -> None:
        """Let it be a time (ns)."""
        self._start = (now, time.monotonic())

    def sleep_until(self, due: int) -> None:
        """Return at a time (ns), at once if it is over."""
        start, began = self._start
        time.sleep(max(0.0, began + (due - start) * 1e-9 / self._rate - time.monotonic()))

    def close(self) -> None:
        """End the thread."""
        self._closed.set()
        self._thread.join()

    def _publish(self) -> None:
        while not self._closed.wait(CLOCK_PERIOD):
            start, began = self._start
            now = start + round((time.monotonic() - began) * 1e9 * self._rate)
            self.publisher.publish(Clock(clock=to_time(now)))


def read(bag: Path, begin: int, end: int) -> tuple[list[tuple[int, str, bytes]], dict[str, Any]]:
    """Return times (ns), topics and bytes in the recorded order, and the reliability by topic."""
    with AnyReader([bag]) as reader:
        wanted = [c for c in reader.connections if c.topic in INPUTS]
        messages = [
            (recorded, connection.topic, bytes(data))
            for connection, recorded, data in reader.messages(wanted, start=begin, stop=end)
        ]
        offered = {c.topic: c.ext.offered_qos_profiles[0].reliability for c in wanted}
    return messages, offered


def main(bag: Path, rate: float, passes: int, begin: int, end: int) -> None:
    messages, offered = read(bag, begin, end)
    rclpy.init()
    node = rclpy.create_node("bag_player")
    publishers = {}
    for topic, reliability in offered.items():
        qos = QoSProfile(depth=DEPTH, reliability=QoSReliabilityPolicy.RELIABLE)
        if reliability == QosReliability.BEST_EFFORT:
            qos.reliability = QoSReliabilityPolicy.BEST_EFFORT
        publishers[topic] = node.create_publisher(JointState, topic, qos)
    start = messages[0][0]
    clock = PlayerClock(node, start, rate)
    everyone = (clock.publisher, *publishers.values())
    while not all(publisher.get_subscription_count() for publisher in everyone):
        time.sleep(0.01)
    time.sleep(DELAY)
    for _ in range(passes):
        clock.set(start)
        time.sleep(FILLING)
        for due, topic, data in messages:
            clock.sleep_until(due)
            publishers[topic].publish(data)
    print(f"sent {passes * len(messages)}", flush=True)
    time.sleep(0.2)  # what is on its way
    clock.close()
    rclpy.try_shutdown()


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), *map(int, sys.argv[3:]))
