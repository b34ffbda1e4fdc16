# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Request the check of a trajectory from the running node, and print the verdict.

The robot does not move: the node only computes, starting from the present pose.

Run: python examples/trajectory_request.py [SECONDS]
"""

import sys

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.duration import Duration
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

duration = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
rclpy.init()
node = Node("trajectory_requester")
publisher = node.create_publisher(JointTrajectory, "trajectory", 10)
answer = rclpy.task.Future()
node.create_subscription(DiagnosticArray, "trajectory_verdict", answer.set_result, 10)

trajectory = JointTrajectory(joint_names=["left_arm_joint_2"])
for fraction, angle in ((0.0, 0.0), (0.5, 0.6), (1.0, 1.2)):
    time = Duration(seconds=fraction * duration).to_msg()
    trajectory.points.append(JointTrajectoryPoint(positions=[angle], time_from_start=time))

node.create_timer(0.5, lambda: publisher.publish(trajectory))  # until the node responds
rclpy.spin_until_future_complete(node, answer)
print(answer.result().status[0].message)
