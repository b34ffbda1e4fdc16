# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Set the payload of the left tool in the running node, and wait for the confirmation.

Run: python examples/payload_while_running.py MASS      0 removes the payload
"""

import sys

import rclpy
from geometry_msgs.msg import InertiaStamped
from rclpy.node import Node
from rclpy.qos import QoSDurabilityPolicy, QoSProfile

rclpy.init()
node = Node("payload_setter")
payload = InertiaStamped()
payload.inertia.m = float(sys.argv[1])
if payload.inertia.m > 0.0:
    payload.inertia.com.z = 0.08  # m, in the frame of the tool
publisher = node.create_publisher(InertiaStamped, "payload/left", 10)


def compare(assumed):
    """Finish when the node assumes this payload."""
    if abs(assumed.inertia.m - payload.inertia.m) < 1e-9:
        print(f"the node assumes {assumed.inertia.m:g} kg in the left tool", flush=True)
        done.set_result(True)


done = rclpy.task.Future()
latched = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
node.create_subscription(InertiaStamped, "assumed_payload/left", compare, latched)
node.create_timer(0.5, lambda: publisher.publish(payload))  # until the node confirms
rclpy.spin_until_future_complete(node, done)
