# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Publish both inputs at a rate, from a process of its own that can keep it up.

Usage: ``rapid_player.py RATE SECONDS NAMESPACE``. The pose stays, the stamps are the time. Lengths
come with every tenth joint sample. It begins when efforts have come, and until then sends slowly:
on Fast DDS a publisher may find a node seconds before that finds the publisher. When all is sent,
the number of joint samples since then is printed, and their first and last stamp.
"""

from __future__ import annotations

import struct
import sys
import time
from typing import Any

import rclpy
from rclpy.duration import Duration
from rclpy.qos import QoSProfile
from rclpy.serialization import serialize_message
from robot_inputs import JOINTS, LENGTHS, joint_state, pose
from sensor_msgs.msg import JointState

STAMP = struct.Struct("<iI")
AFTER_HEADER = 4  # bytes
PATIENCE = 20  # s, until subscribers have confirmed all


def main(rate: float, seconds: float, namespace: str) -> None:
    rclpy.init()
    node = rclpy.create_node("rapid_player", namespace=namespace)
    publishers = []
    for topic, names in (("actuator_lengths", LENGTHS), ("joint_states", JOINTS)):
        publisher = node.create_publisher(JointState, topic, QoSProfile(depth=2000))
        message = joint_state({name: pose()[name] for name in names}, 0)
        publishers.append((publisher, bytearray(serialize_message(message))))

    def send(to: list[tuple[Any, bytearray]]) -> int:
        stamp = time.time_ns()
        for publisher, data in to:
            STAMP.pack_into(data, AFTER_HEADER, *divmod(stamp, 1_000_000_000))
            publisher.publish(bytes(data))
        return stamp

    answers: list[JointState] = []
    node.create_subscription(JointState, "actuator_efforts", answers.append, 10)
    while not answers:
        send(publishers)
        rclpy.spin_once(node, timeout_sec=0.1)
    print("playing", flush=True)
    start = time.monotonic()
    sent = first = last = 0
    while (elapsed := time.monotonic() - start) < seconds:
        # the most often waited for, so that a delay of this process makes a burst, no gap
        while sent < elapsed * rate:
            last = send(publishers if sent % 10 == 0 else publishers[1:])
            first = first or last
            sent += 1
        time.sleep(0.2 / rate)
    print(f"sent {sent} {first} {last}", flush=True)
    for publisher, _ in publishers:  # what is on its way
        publisher.wait_for_all_acked(Duration(seconds=PATIENCE))
    time.sleep(0.3)
    rclpy.try_shutdown()


if __name__ == "__main__":
    main(float(sys.argv[1]), float(sys.argv[2]), sys.argv[3])
