"""Parts of the launch files: arguments made from the parameters, actions for the nodes."""

from __future__ import annotations

import sys
from dataclasses import fields
from typing import Any

from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from .parameters import DESCRIPTIONS, Settings

# name, default, description; the type of the default is that of the parameter
PLAYER_ARGUMENTS: tuple[tuple[str, Any, str], ...] = (
    ("motion", "wave", "Motion to play: paper_5s, paper_20s or wave"),
    ("rate", 100.0, "Samples per second (Hz)"),
    ("loop", True, "Start the motion anew at its end"),
    ("noise", 0.0, "Standard deviation of the positions (rad, m)"),
    ("dropout", 0.0, "Share of messages that are not sent"),
    ("velocities", True, "Publish velocities as well"),
)
NODE_ARGUMENTS: tuple[tuple[str, Any, str], ...] = tuple(
    (field.name, field.default, DESCRIPTIONS[field.name]) for field in fields(Settings)
)


def declare(arguments: tuple[tuple[str, Any, str], ...]) -> list[DeclareLaunchArgument]:
    """Return a launch argument for each parameter."""
    return [
        DeclareLaunchArgument(name, default_value=_text(default), description=text)
        for name, default, text in arguments
    ]


def python_node(module: str, arguments: tuple[tuple[str, Any, str], ...], **options: Any) -> Node:
    """Return the action that runs a node of this package with the launch arguments' values.

    The module is run by the interpreter that runs the launch file, so that a source tree needs no
    installation.
    """
    parameters: dict[str, Any] = {
        name: ParameterValue(LaunchConfiguration(name), value_type=type(default))
        for name, default, _ in arguments
    }
    simulated = LaunchConfiguration("use_sim_time")
    parameters["use_sim_time"] = ParameterValue(simulated, value_type=bool)
    return Node(
        executable=sys.executable,
        arguments=["-m", f"charmie_dynamics.ros.{module}"],
        namespace=LaunchConfiguration("namespace"),
        parameters=[parameters],
        output="screen",
        **options,
    )


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
