# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Run ros2_control's controllers with the simulator as hardware, and the dynamics node.

ros2 launch charmie_dynamics ros2_control.launch.py rviz:=true

The dynamics node publishes the URDF with the section <ros2_control>, which ros2_control reads.
"""

from pathlib import Path

import yaml
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription, OpaqueFunction, SetLaunchConfiguration
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from charmie_dynamics.ros.nodes.control_stacks import (
    has_packages,
    install_hint,
    topic_hardware,
    with_ros2_control,
)
from charmie_dynamics.ros.nodes.launching import declare, remove_at_the_end, temporary_file

FOLDER = Path(__file__).resolve().parents[1]
SIMULATION_LAUNCH = FOLDER / "launch" / "simulation.launch.py"
CONFIG = FOLDER / "config" / "ros2_control"
CONTROLLERS = CONFIG / "controllers.yaml"
MANAGER = "controller_manager"
# declared here first, this is the default of simulation.launch.py as well
DEFAULTS = (
    ("hold_joint_commands", True, "Joint commands stay active until the next; ros2_control pauses"),
)


def description(_):
    """Set the URDF with the section <ros2_control> as the robot."""
    urdf = (FOLDER / "urdf" / "charmie.urdf").read_text(encoding="utf-8")
    section = (CONFIG / "charmie.ros2_control.urdf").read_text(encoding="utf-8")
    path = temporary_file(with_ros2_control(urdf, section, topic_hardware()), ".urdf")
    mechanisms = FOLDER / "config" / "charmie_mechanisms.yaml"
    return [
        SetLaunchConfiguration("model", str(path)),
        SetLaunchConfiguration("mechanisms", str(mechanisms)),
        remove_at_the_end(path),
    ]


def controllers(_):
    """Return the controller manager and the spawner of all controllers, or a hint."""
    hardware = topic_hardware()
    if not has_packages(MANAGER, hardware, "joint_trajectory_controller"):
        package = hardware.replace("_", "-")
        return [install_hint("ros2_control", "ros2-control", "ros2-controllers", package)]
    simulated = ParameterValue(LaunchConfiguration("use_sim_time"), value_type=bool)
    names = yaml.safe_load(CONTROLLERS.read_text(encoding="utf-8"))
    names.pop(MANAGER)
    return [
        Node(
            package=MANAGER,
            executable="ros2_control_node",
            parameters=[str(CONTROLLERS), {"use_sim_time": simulated}],
            # the name of the topic on Humble
            remappings=[("~/robot_description", "/robot_description")],
        ),
        Node(
            package=MANAGER,
            executable="spawner",
            arguments=[*names, "--controller-manager-timeout", "120"],
        ),
    ]


def generate_launch_description():
    """Return everything of simulation.launch.py with the robot as hardware, and ros2_control."""
    return LaunchDescription(
        [
            *declare(DEFAULTS),
            OpaqueFunction(function=description),
            IncludeLaunchDescription(PythonLaunchDescriptionSource(str(SIMULATION_LAUNCH))),
            OpaqueFunction(function=controllers),
        ]
    )
