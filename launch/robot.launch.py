# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Run the bridge to the topics of the real robot, and the dynamics node.

ros2 launch charmie_dynamics robot.launch.py rviz:=true

Relative topics are in a separate namespace and frames have a prefix, so that they do not collide
with the robot's own joint states and frames. /tf, /tf_static and /diagnostics are shared with the
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
    ("frame_prefix", "dynamics/", "Prefix of every published frame id"),
    ("input_timeout", 2.5, "Age (s) at which an input is stale; the neck may publish at 1 Hz"),
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
