# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Topics and actions of the controller node."""

from __future__ import annotations

from dataclasses import replace

from charmie_dynamics.live.topics import JOINT_TRAJECTORY, Qos, Topic
from charmie_dynamics.simulation.session.topics import EFFORT_COMMANDS

COMMANDED_EFFORTS = replace(
    EFFORT_COMMANDS,
    content="an effort for each actuator, in their order (N m, N), within all limits; NaN for "
    "actuators that belong to none of the `groups`",
)


# for the reference: name, type and content
ACTIONS = (
    (
        "GROUP_controller/follow_joint_trajectory",
        "control_msgs/FollowJointTrajectory",
        "checks and executes a trajectory of joints or linear actuators of the group",
    ),
    (
        "GRIPPER_controller/gripper_cmd",
        "control_msgs/GripperCommand",
        "moves a gripper to a position (rad, m) with at most `max_effort`; 0: that of its actuator",
    ),
    ("~/stop", "std_srvs/Trigger", "ends all goals; the `fallback` applies until `~/start`"),
    ("~/start", "std_srvs/Trigger", "holds the measured pose and accepts goals again"),
)


def trajectory_topic(group: str) -> Topic:
    """Return the topic of the trajectories of a group."""
    return Topic(
        f"{group}_controller/joint_trajectory",
        JOINT_TRAJECTORY,
        Qos(10),
        "trajectory of joints or linear actuators of the group, checked and executed as a goal of "
        "the action; without points the group stops",
    )


def trajectory_action(group: str) -> str:
    """Return the name of the action control_msgs/action/FollowJointTrajectory of a group."""
    return f"{group}_controller/follow_joint_trajectory"


def gripper_action(gripper: str) -> str:
    """Return the name of the action control_msgs/action/GripperCommand of a gripper."""
    return f"{gripper}_controller/gripper_cmd"
