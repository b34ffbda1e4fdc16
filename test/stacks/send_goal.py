# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Send a goal to a stack that its launch file runs, and wait until it has been reached.

python3 test/stacks/send_goal.py moveit|navigation|ros2_control
"""

from __future__ import annotations

import importlib
import sys
import time
from typing import Any

import rclpy
from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient

# action and its type
ACTIONS = {
    "moveit": ("move_action", "moveit_msgs", "MoveGroup"),
    "navigation": ("navigate_to_pose", "nav2_msgs", "NavigateToPose"),
    "ros2_control": (
        "left_arm_controller/follow_joint_trajectory",
        "control_msgs",
        "FollowJointTrajectory",
    ),
}
JOINT, TARGET = "left_arm_joint_2", 1.0  # rad; 1.35 at rest
PLACE = (3.5, 1.0)  # m, behind the cabinet of the room
PATIENCE = 600.0  # s until a stack is ready, on a busy machine


def moveit_goal(goal: Any) -> None:
    """Request a plan of the left arm to a position of one joint, and its execution."""
    from moveit_msgs.msg import Constraints, JointConstraint

    joint = JointConstraint(
        joint_name=JOINT, position=TARGET, tolerance_above=0.01, tolerance_below=0.01, weight=1.0
    )
    goal.request.group_name = "left_arm"
    goal.request.allowed_planning_time = 10.0
    goal.request.num_planning_attempts = 3
    goal.request.goal_constraints = [Constraints(joint_constraints=[joint])]
    goal.planning_options.planning_scene_diff.is_diff = True
    goal.planning_options.planning_scene_diff.robot_state.is_diff = True


def navigation_goal(goal: Any) -> None:
    """Request a drive to a place in the room."""
    goal.pose.header.frame_id = "map"
    goal.pose.pose.position.x, goal.pose.pose.position.y = PLACE
    goal.pose.pose.orientation.w = 1.0


def ros2_control_goal(goal: Any) -> None:
    """Request a trajectory of one point for all joints of the left arm."""
    from trajectory_msgs.msg import JointTrajectoryPoint

    goal.trajectory.joint_names = [f"left_arm_joint_{k}" for k in range(1, 7)]
    point = JointTrajectoryPoint(positions=[0.15, TARGET, -1.45, 0.6, 0.0, 0.0])
    point.time_from_start.sec = 3
    goal.trajectory.points = [point]


GOALS = {
    "moveit": moveit_goal,
    "navigation": navigation_goal,
    "ros2_control": ros2_control_goal,
}


def main(stack: str) -> int:
    """Send the goal until it is reached: a stack that is starting refuses it."""
    name, package, kind = ACTIONS[stack]
    action = getattr(importlib.import_module(f"{package}.action"), kind)
    rclpy.init()
    node = rclpy.create_node("goal_sender")
    client = ActionClient(node, action, name)
    goal = action.Goal()
    GOALS[stack](goal)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if not client.wait_for_server(timeout_sec=5.0):
            print(f"no server of {name} yet", flush=True)
            continue
        sent = client.send_goal_async(goal)
        rclpy.spin_until_future_complete(node, sent, timeout_sec=60.0)
        handle = sent.result()
        if handle is not None and handle.accepted:
            ended = handle.get_result_async()
            rclpy.spin_until_future_complete(node, ended, timeout_sec=300.0)
            outcome = ended.result()
            print(outcome, flush=True)
            if outcome is not None and outcome.status == GoalStatus.STATUS_SUCCEEDED:
                return 0
        time.sleep(2.0)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
