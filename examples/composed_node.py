# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Run the dynamics node and a node of your own in one process and one executor.

This saves one process; both nodes have their own names, topics and parameters.

Run: python examples/composed_node.py --ros-args -p lift_guard:share:=0.3
"""

import sys

from rclpy.node import Node
from sensor_msgs.msg import JointState

from charmie_dynamics.ros.nodes.dynamics_node import main

RATED = 200.0  # N


class LiftGuard(Node):
    """Warn when the lift actuator exceeds a fraction of its rated force."""

    def __init__(self) -> None:
        super().__init__("lift_guard")
        self._share = self.declare_parameter("share", 0.5).value
        self.create_subscription(JointState, "actuator_efforts", self._watch, 10)

    def _watch(self, message: JointState) -> None:
        force = abs(message.effort[message.name.index("lift_actuator")])
        if force > self._share * RATED:
            text = f"the lift needs {force:.0f} N, {100.0 * force / RATED:.0f} % of its rated force"
            self.get_logger().warning(text, throttle_duration_sec=1.0)


if __name__ == "__main__":
    sys.exit(main(beside=[LiftGuard]))
