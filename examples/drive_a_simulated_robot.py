# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Move a shoulder of a simulated robot, and print the efforts that hold the new pose.

Run: ros2 launch charmie_dynamics simulation.launch.py
     python examples/drive_a_simulated_robot.py [ANGLE]
"""

import sys

import rclpy
from rclpy.duration import Duration
from rclpy.node import Node
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

angle = float(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1] != "--ros-args" else 1.0
rclpy.init()
node = Node("driver")
commands = node.create_publisher(JointTrajectory, "joint_trajectory", 10)
efforts: list[JointState] = []
node.create_subscription(JointState, "actuator_efforts", efforts.append, 10)

while not (efforts and commands.get_subscription_count()):
    rclpy.spin_once(node, timeout_sec=0.1)
point = JointTrajectoryPoint(positions=[angle])
point.time_from_start = Duration(seconds=2.0).to_msg()
commands.publish(JointTrajectory(joint_names=["left_arm_joint_2"], points=[point]))

begin = efforts[-1].header.stamp.sec
while efforts[-1].header.stamp.sec < begin + 4:  # of simulated time
    rclpy.spin_once(node)
last = efforts[-1]
for name, position, effort in zip(last.name, last.position, last.effort, strict=True):
    print(f"{name:20} {position:9.3f} {effort:9.3f}")
