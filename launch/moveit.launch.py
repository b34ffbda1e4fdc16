# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Run MoveIt's move_group for CHARMIE, and everything of control.launch.py.

ros2 launch charmie_dynamics moveit.launch.py rviz:=true
"""

from pathlib import Path

from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription, OpaqueFunction, SetLaunchConfiguration
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from charmie_dynamics.ros.nodes.control_stacks import (
    has_packages,
    install_hint,
    moveit_parameters,
)
from charmie_dynamics.ros.nodes.launching import LAUNCH_ARGUMENTS, declare

CONTROL_LAUNCH = Path(__file__).resolve().with_name("control.launch.py")
RVIZ_CONFIG = Path(__file__).resolve().parents[1] / "config" / "moveit" / "moveit.rviz"
SIMULATED = (
    ("use_sim_time", True, "Use the time of /clock, except in the simulator, which publishes it"),
    *(argument for argument in LAUNCH_ARGUMENTS if argument[0] in ("namespace", "rviz")),
)


def moveit(context):
    """Return move_group and its RViz, or a hint."""
    if not has_packages("moveit_ros_move_group", "moveit_configs_utils"):
        return [install_hint("MoveIt", "moveit")]
    simulated = ParameterValue(LaunchConfiguration("use_sim_time"), value_type=bool)
    options = {
        "namespace": LaunchConfiguration("namespace"),
        "parameters": [{**moveit_parameters(), "use_sim_time": simulated}],
        # joint_states has no joints that linear actuators move
        "remappings": [("joint_states", "resolved_joint_states")],
    }
    nodes = [Node(package="moveit_ros_move_group", executable="move_group", **options)]
    if IfCondition(LaunchConfiguration("rviz")).evaluate(context):
        arguments = ["-d", str(RVIZ_CONFIG)]
        nodes.append(Node(package="rviz2", executable="rviz2", arguments=arguments, **options))
        nodes.append(SetLaunchConfiguration("rviz", "false"))  # that of charmie.launch.py
    return nodes


def generate_launch_description():
    """Return everything of control.launch.py, and move_group."""
    return LaunchDescription(
        [
            *declare(SIMULATED),
            OpaqueFunction(function=moveit),
            IncludeLaunchDescription(PythonLaunchDescriptionSource(str(CONTROL_LAUNCH))),
        ]
    )
