# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Run the simulator in place of the robot, and the dynamics node on simulated time.

ros2 launch charmie_dynamics simulation.launch.py motion:=wave rviz:=true
ros2 launch charmie_dynamics simulation.launch.py world:=athena rviz:=true

With bridge:=robot model:=charmie_lar the simulator publishes the robot's own topics as well. See
docs/simulation.md.
"""

from pathlib import Path

from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription, OpaqueFunction, SetLaunchConfiguration
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration

from charmie_dynamics.ros.nodes.launching import (
    LAUNCH_ARGUMENTS,
    NODE_ARGUMENTS,
    declare,
    python_node,
    robot_of_world,
)
from charmie_dynamics.ros.simulator.parameters import SPECS

CHARMIE_LAUNCH = Path(__file__).resolve().with_name("charmie.launch.py")
# declared here first, these are the defaults of charmie.launch.py as well
SIMULATED = (
    ("use_sim_time", True, "Use the time of /clock, except in the simulator, which publishes it"),
    ("ground_truth", True, "Record the true values of the simulator"),
    # the simulator reads external_wrench; if the node also knew the push, it would not estimate it
    ("wrench_topic", "known_wrench", "Topic of the external wrenches that the dynamics node knows"),
)


def robot_of_the_world(context):
    """Set the robot of the world for the dynamics node; the simulator publishes its location."""
    names = ("world", "robot")
    world, robot = (LaunchConfiguration(name).perform(context) for name in names)
    return [
        SetLaunchConfiguration(name, value) for name, value in robot_of_world(world, robot).items()
    ]


def generate_launch_description():
    """Return everything of charmie.launch.py on simulated time, and the simulator."""
    return LaunchDescription(
        [
            *declare(SIMULATED),
            *declare(LAUNCH_ARGUMENTS),
            # arguments of both nodes apply to both
            *declare(NODE_ARGUMENTS),
            *declare(SPECS, known=NODE_ARGUMENTS),
            python_node("simulator_node", SPECS, further={"use_sim_time": False}),
            OpaqueFunction(function=robot_of_the_world),
            IncludeLaunchDescription(PythonLaunchDescriptionSource(str(CHARMIE_LAUNCH))),
        ]
    )
