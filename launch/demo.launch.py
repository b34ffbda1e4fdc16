# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Run the dynamics node on a motion of the motion player.

ros2 launch charmie_dynamics demo.launch.py motion:=paper_5s rate:=200.0 rviz:=true
"""

from pathlib import Path

from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

from charmie_dynamics.ros.nodes.launching import NODE_ARGUMENTS, declare, python_node
from charmie_dynamics.ros.nodes.motion_player import PARAMETERS

CHARMIE_LAUNCH = Path(__file__).resolve().with_name("charmie.launch.py")


def generate_launch_description():
    """Return everything of charmie.launch.py, and the player."""
    return LaunchDescription(
        [
            IncludeLaunchDescription(PythonLaunchDescriptionSource(str(CHARMIE_LAUNCH))),
            # the model and mechanisms arguments serve both nodes
            *declare(PARAMETERS, known=NODE_ARGUMENTS),
            python_node("motion_player", PARAMETERS),
        ]
    )
