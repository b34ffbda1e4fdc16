# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Start the dynamics node in your own launch file, with parameters and a remapped topic.

The node reads the robot's joint states. Its own topics are in the namespace `dynamics`.

Run: ros2 launch examples/own.launch.py [cutoff:=4.0]
"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue


def generate_launch_description() -> LaunchDescription:
    """Return the node and its argument."""
    cutoff = ParameterValue(LaunchConfiguration("cutoff"), value_type=float)
    return LaunchDescription(
        [
            DeclareLaunchArgument("cutoff", default_value="10.0", description="Estimator (Hz)"),
            Node(
                package="charmie_dynamics",
                executable="dynamics_node",
                namespace="dynamics",
                parameters=[{"acceleration_cutoff": cutoff, "frame_prefix": "dynamics/"}],
                remappings=[("joint_states", "/joint_states")],
                output="screen",
            ),
        ]
    )
