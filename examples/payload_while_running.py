# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tell the running node what the left tool holds, and wait until it says that it knows.

Run: python examples/payload_while_running.py MASS      0 takes it away again
"""

import sys

import rclpy
from geometry_msgs.msg import InertiaStamped
from rclpy.node import Node
from rclpy.qos import QoSDurabilityPolicy, QoSProfile

rclpy.init()
node = Node("payload_teller")
payload = InertiaStamped()
payload.inertia.m = float(sys.argv[1])
if payload.inertia.m > 0.0:
    payload.inertia.com.z = 0.08  # m, in the frame of the tool
told = node.create_publisher(InertiaStamped, "payload/left", 10)


def compare(assumed):
    """End when the node assumes what it was told."""
    if abs(assumed.inertia.m - payload.inertia.m) < 1e-9:
        print(f"the node assumes {assumed.inertia.m:g} kg in the left tool", flush=True)
        done.set_result(True)


done = rclpy.task.Future()
latched = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
node.create_subscription(InertiaStamped, "assumed_payload/left", compare, latched)
node.create_timer(0.5, lambda: told.publish(payload))  # again until it was heard
rclpy.spin_until_future_complete(node, done)
