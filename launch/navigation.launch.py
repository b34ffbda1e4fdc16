# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Run Nav2 for CHARMIE, with the simulator in a room, its laser scanner, and the dynamics node.

ros2 launch charmie_dynamics navigation.launch.py
ros2 launch charmie_dynamics navigation.launch.py map:=room_map.yaml
"""

import os
from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription, OpaqueFunction
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration

from charmie_dynamics.ros.nodes.control_stacks import has_packages, install_hint, nav2_parameters
from charmie_dynamics.ros.nodes.launching import declare, remove_at_the_end, temporary_file

SIMULATION_LAUNCH = Path(__file__).resolve().with_name("simulation.launch.py")
NAV2_CONFIG = Path(__file__).resolve().parents[1] / "config" / "nav2.yaml"
ARGUMENTS = (
    ("map", "", "Map (YAML) in which amcl locates the robot; empty: slam_toolbox makes one"),
    ("params_file", str(NAV2_CONFIG), "Parameters of Nav2, with the names of plugins on Jazzy"),
    # declared here first, these are the defaults of simulation.launch.py as well
    ("world", "room", "World of the simulator: a path (YAML), or a name of this package"),
    ("world_frame", "map", "Frame of the true poses in the world; odom is that of the odometry"),
    ("odom_tf", "root", "Transform of the odometry; root: the dynamics node publishes the others"),
    ("scan_link", "base_link", "Frame of the laser scanner"),
)


def nav2(context):
    """Return the bring-up of Nav2, or a hint."""
    if not has_packages("nav2_bringup"):
        return [install_hint("Nav2", "navigation2", "nav2-bringup")]
    folder = Path(get_package_share_directory("nav2_bringup"), "launch")
    file, room_map = (LaunchConfiguration(n).perform(context) for n in ("params_file", "map"))
    text = Path(file).read_text(encoding="utf-8")
    path = temporary_file(nav2_parameters(text, os.environ.get("ROS_DISTRO", "")), ".yaml")
    arguments = {
        "map": room_map,
        "slam": str(not room_map),
        "params_file": str(path),
        "use_sim_time": LaunchConfiguration("use_sim_time"),
    }
    source = PythonLaunchDescriptionSource(str(folder / "bringup_launch.py"))
    return [
        IncludeLaunchDescription(source, launch_arguments=arguments.items()),
        remove_at_the_end(path),
    ]


def generate_launch_description():
    """Return everything of simulation.launch.py in a room, and Nav2."""
    return LaunchDescription(
        [
            *declare(ARGUMENTS),
            IncludeLaunchDescription(PythonLaunchDescriptionSource(str(SIMULATION_LAUNCH))),
            OpaqueFunction(function=nav2),
        ]
    )
