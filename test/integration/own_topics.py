# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A robot's side of the bridge: publishers of its own topics, and messages as it sends them."""

from __future__ import annotations

import math
from array import array

from geometry_msgs.msg import PointStamped
from graph import Checker, to_time
from nav_msgs.msg import Odometry
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, Float64MultiArray

ARM = tuple(f"xarm_joint{i}" for i in range(1, 7))
ARM_ENTRIES = "\n".join(
    f"      {name}: {{field: 'position[name={name}]', velocity: 'velocity[name={name}]', "
    f"effort: 'effort[name={name}]'}}"
    for name in ARM
)


class Robot:
    """The robot's side: publishers of its own topics."""

    def __init__(self, checker: Checker) -> None:
        qos = QoSProfile(depth=200)
        create = checker.node.create_publisher
        self.torso = create(Float64MultiArray, "/own/torso", qos)
        self.legs = create(PointStamped, "/own/legs", qos)
        self.pan = create(Float64, "/own/pan", qos)
        self.arm = create(JointState, "/own/joint_states", qos)
        self.odom = create(Odometry, "/own/odom", qos)


def arm_message(stamp: int, **changed: float) -> JointState:
    """As the arm's driver sends it: another order, its gripper's effort is NaN."""
    names = ("xarm_drive_joint", *reversed(ARM))
    position = {name: 0.1 * k for k, name in enumerate(names)} | changed
    message = JointState(name=names, position=array("d", [position[n] for n in names]))
    message.effort = array("d", [math.nan, *(1.0 + k for k in range(len(ARM)))])
    message.header.stamp = to_time(stamp)
    return message
