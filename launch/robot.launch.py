# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Run beside the robot as it is built: the bridge to its topics, and the dynamics node.

ros2 launch charmie_dynamics robot.launch.py rviz:=true

Relative topics are in a namespace and frames under a prefix of their own, so that the robot's own
joint states and frames are not disturbed. /tf, /tf_static and /diagnostics are shared with the
robot. See docs/robot.md.
"""

from pathlib import Path

from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

from charmie_dynamics.ros.nodes.bridge_node import PARAMETERS
from charmie_dynamics.ros.nodes.launching import declare, python_node

CHARMIE_LAUNCH = Path(__file__).resolve().with_name("charmie.launch.py")
# declared here first, these are the defaults of charmie.launch.py as well
DEFAULTS = (
    ("namespace", "dynamics", "Namespace of the nodes and of all relative topic names"),
    ("frame_prefix", "dynamics/", "Put before every published frame id"),
    ("input_timeout", 2.5, "An input older than this (s) is stale; the neck may come at 1 Hz"),
)


def generate_launch_description():
    """Return the bridge and everything of charmie.launch.py."""
    return LaunchDescription(
        [
            *declare((*PARAMETERS, *DEFAULTS)),
            IncludeLaunchDescription(PythonLaunchDescriptionSource(str(CHARMIE_LAUNCH))),
            # the model and mechanisms arguments serve both nodes
            python_node("charmie_bridge", PARAMETERS),
        ]
    )
