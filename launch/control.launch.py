# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Run the controller, with the simulator in place of the robot, and the dynamics node.

ros2 launch charmie_dynamics control.launch.py rviz:=true

The controller executes trajectories of the joint groups of the mechanisms file, such as those of
the action left_arm_controller/follow_joint_trajectory.
"""

from pathlib import Path

from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

from charmie_dynamics.ros.controller.parameters import SPECS
from charmie_dynamics.ros.nodes.launching import NODE_ARGUMENTS, declare, python_node
from charmie_dynamics.ros.simulator.parameters import SPECS as SIMULATOR_SPECS

SIMULATION_LAUNCH = Path(__file__).resolve().with_name("simulation.launch.py")
# declared here first, this is the default of simulation.launch.py as well
DEFAULTS = (("rate", 200.0, "Samples of the simulator, and commands, per second (Hz)"),)


def generate_launch_description():
    """Return everything of simulation.launch.py, and the controller."""
    return LaunchDescription(
        [
            *declare(DEFAULTS),
            IncludeLaunchDescription(PythonLaunchDescriptionSource(str(SIMULATION_LAUNCH))),
            # parameters with the same names have the same values in all nodes
            *declare(SPECS, known=(*NODE_ARGUMENTS, *SIMULATOR_SPECS)),
            python_node("controller_node", SPECS),
        ]
    )
