"""Run the dynamics node; on request also RViz and a bag recording.

ros2 launch charmie_dynamics charmie.launch.py rviz:=true record:=true namespace:=charmie
"""

from pathlib import Path

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from charmie_dynamics.ros.launching import NODE_ARGUMENTS, declare, python_node
from charmie_dynamics.ros.topics import MARKERS, RECORDED

RVIZ_CONFIG = Path(__file__).resolve().parents[1] / "config" / "charmie.rviz"


def record(context):
    """Return the recording of all topics, where the namespace has moved them."""
    if LaunchConfiguration("record").perform(context).lower() != "true":
        return []
    namespace = "/" + LaunchConfiguration("namespace").perform(context).strip("/")
    names = [
        name if name.startswith("/") else f"{namespace.rstrip('/')}/{name}" for name in RECORDED
    ]
    return [ExecuteProcess(cmd=["ros2", "bag", "record", *names], output="screen")]


def generate_launch_description():
    """Return the node, RViz and the recording, with an argument for each parameter."""
    # RViz asks for absolute names; these put them where the namespace is
    moved = [(f"/{name}", name) for name in ("robot_description", MARKERS.name, "base_wrench")]
    rviz = Node(
        package="rviz2",
        executable="rviz2",
        namespace=LaunchConfiguration("namespace"),
        arguments=["-d", str(RVIZ_CONFIG), "-f", LaunchConfiguration("world_frame")],
        remappings=moved,
        condition=IfCondition(LaunchConfiguration("rviz")),
    )
    return LaunchDescription(
        [
            DeclareLaunchArgument("namespace", default_value="", description="Of all topics"),
            DeclareLaunchArgument(
                "use_sim_time", default_value="false", description="Take the time from /clock"
            ),
            DeclareLaunchArgument("rviz", default_value="false", description="Open RViz"),
            DeclareLaunchArgument(
                "record", default_value="false", description="Run ros2 bag record on all topics"
            ),
            *declare(NODE_ARGUMENTS),
            python_node("dynamics_node", NODE_ARGUMENTS),
            rviz,
            OpaqueFunction(function=record),
        ]
    )
