# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Run the dynamics node; optionally also RViz and a bag recording.

ros2 launch charmie_dynamics charmie.launch.py rviz:=true record:=true namespace:=charmie
"""

import time
from pathlib import Path

from launch import LaunchDescription
from launch.actions import ExecuteProcess, OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from charmie_dynamics.live.topics import EXTERNAL_WRENCH
from charmie_dynamics.ros.nodes.launching import (
    LAUNCH_ARGUMENTS,
    NODE_ARGUMENTS,
    declare,
    dynamics_node,
    has_ros2_bag,
    in_namespace,
    python_node,
    recorded_topics,
    recording_profiles,
    remove_at_the_end,
    rviz_configuration,
    temporary_file,
)
from charmie_dynamics.ros.process.parameters import TOPIC_SPECS

GROUND_TRUTH = next(argument for argument in LAUNCH_ARGUMENTS if argument[0] == "ground_truth")
RVIZ_CONFIG = Path(__file__).resolve().parents[1] / "config" / "charmie.rviz"


def record(context):
    """Return the recording of all topics in their namespace."""
    folder = LaunchConfiguration("bag").perform(context)
    folder = folder or time.strftime("rosbag2_%Y_%m_%d-%H_%M_%S")
    if not has_ros2_bag():
        further = {"output": folder}
        arguments = (*TOPIC_SPECS, GROUND_TRUTH)
        return [python_node("recorder", arguments, output="log", further=further)]
    values = {name: LaunchConfiguration(name).perform(context) for name, *_ in TOPIC_SPECS}
    ground_truth = IfCondition(LaunchConfiguration("ground_truth")).evaluate(context)
    recorded = recorded_topics(**values, ground_truth=ground_truth)
    namespace = LaunchConfiguration("namespace").perform(context)
    path = temporary_file(recording_profiles(namespace, recorded), ".yaml")
    command = ["ros2", "bag", "record", "--output", folder]
    command += ["--qos-profile-overrides-path", str(path)]
    command += ["--include-unpublished-topics"]  # latched topics, such as payloads
    if IfCondition(LaunchConfiguration("use_sim_time")).evaluate(context):
        command += ["--use-sim-time"]
    names = [in_namespace(name, namespace) for name in recorded]
    return [ExecuteProcess(cmd=[*command, *names], output="screen"), remove_at_the_end(path)]


def rviz(context):
    """Return RViz with a configuration for the namespace and the frames of the node."""
    names = ("namespace", "world_frame", "frame_prefix")
    values = {name: LaunchConfiguration(name).perform(context) for name in names}
    robot_model = IfCondition(LaunchConfiguration("robot_model")).evaluate(context)
    text = RVIZ_CONFIG.read_text(encoding="utf-8")
    path = temporary_file(rviz_configuration(text, **values, robot_model=robot_model), ".rviz")
    simulated = ParameterValue(LaunchConfiguration("use_sim_time"), value_type=bool)
    return [
        Node(
            package="rviz2",
            executable="rviz2",
            namespace=LaunchConfiguration("namespace"),
            arguments=["-d", str(path)],
            parameters=[{"use_sim_time": simulated}],
        ),
        remove_at_the_end(path),
    ]


def generate_launch_description():
    """Return the node, RViz and the recording, with an argument for each parameter."""
    known_wrenches = (EXTERNAL_WRENCH.name, LaunchConfiguration("wrench_topic"))
    return LaunchDescription(
        [
            *declare(LAUNCH_ARGUMENTS),
            *declare(NODE_ARGUMENTS),
            OpaqueFunction(function=dynamics_node, kwargs={"remappings": [known_wrenches]}),
            *(
                OpaqueFunction(function=function, condition=IfCondition(LaunchConfiguration(name)))
                for name, function in (("rviz", rviz), ("record", record))
            ),
        ]
    )
