# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Subscribe to the efforts of the running node and log the largest once a second.

Run: ros2 launch charmie_dynamics demo.launch.py
     python examples/effort_listener.py
"""

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import JointState


class EffortListener(Node):
    """Subscribe to `actuator_efforts`."""

    def __init__(self):
        super().__init__("effort_listener")
        self.create_subscription(JointState, "actuator_efforts", self.listen, 10)

    def listen(self, message):
        """Log the actuator with the largest effort."""
        effort, name = max(zip(map(abs, message.effort), message.name, strict=True))
        stamp = message.header.stamp
        text = f"at {stamp.sec}.{stamp.nanosec:09d}: {name} {effort:.1f} N or N m"
        self.get_logger().info(text, throttle_duration_sec=1.0)


if __name__ == "__main__":
    rclpy.init()
    try:
        rclpy.spin(EffortListener())
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
