# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""MoveIt, Nav2 and ros2_control for CHARMIE: parameters, and what to install."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import yaml
from ament_index_python.packages import (
    PackageNotFoundError,
    get_package_prefix,
    get_package_share_directory,
)
from launch.actions import LogInfo
from launch_ros.parameter_descriptions import ParameterValue

from charmie_dynamics.errors import ModelFileError
from charmie_dynamics.live.topics import ROBOT_DESCRIPTION
from charmie_dynamics.model.description.files import read_text, share_file

HUMBLE = "humble"
# plugins whose names have a slash on Humble
SLASHED = re.compile(r"\b(nav2_behaviors|nav2_navfn_planner)::")
PARAMETERS = "ros__parameters"
# nodes of Nav2 on Humble that have no section in config/nav2.yaml
ONLY_DEFAULTS = (
    *("map_server", "map_saver", "waypoint_follower"),
    *(f"bt_navigator_navigate_{kind}_rclcpp_node" for kind in ("to_pose", "through_poses")),
)
PLANNER = "ompl"
# packages that connect ros2_control to topics, the newest first, and their plugins
TOPIC_HARDWARE = {
    "joint_state_topic_hardware_interface": "JointStateTopicSystem",
    "topic_based_ros2_control": "TopicBasedSystem",
}


def has_packages(*names: str) -> bool:
    """Return whether ROS 2 packages are installed."""
    try:
        for name in names:
            get_package_prefix(name)
    except PackageNotFoundError:
        return False
    return True


def install_hint(stack: str, *packages: str) -> LogInfo:
    """Return the action that reports a missing stack and how to install its packages."""
    distribution = os.environ.get("ROS_DISTRO", "jazzy")
    names = " ".join(f"ros-{distribution}-{package}" for package in packages)
    return LogInfo(msg=f"{stack} is not installed, all other nodes run: sudo apt install {names}")


def topic_hardware() -> str:
    """Return the package that connects ros2_control to topics, also if it is not installed.

    Jazzy and later have only the newer package, Humble only the older one.
    """
    newer, older = TOPIC_HARDWARE
    installed = [name for name in TOPIC_HARDWARE if has_packages(name)]
    return (*installed, older if os.environ.get("ROS_DISTRO") == HUMBLE else newer)[0]


def moveit_parameters() -> dict[str, Any]:
    """Return the parameters of move_group, with the planners of the installed MoveIt.

    These differ between distributions, so that they are read from moveit_configs_utils.
    """
    folder = Path(get_package_share_directory("moveit_configs_utils"), "default_configs")
    planner = {
        **yaml.safe_load(read_text(folder / f"{PLANNER}_planning.yaml")),
        **yaml.safe_load(read_text(folder / f"{PLANNER}_defaults.yaml")),
    }
    return {
        **robot_parameters(),
        "planning_pipelines": [PLANNER],
        "default_planning_pipeline": PLANNER,
        PLANNER: planner,
    }


def robot_parameters() -> dict[str, Any]:
    """Return the parameters of move_group that define CHARMIE and its controllers."""
    texts = {
        ROBOT_DESCRIPTION.name: read_text(share_file("urdf", "charmie.urdf")),
        "robot_description_semantic": _moveit_file("charmie.srdf"),
    }
    published = ("planning_scene", "geometry_updates", "state_updates", "transforms_updates")
    return {
        # as texts: launch_ros reads others as YAML
        **{name: ParameterValue(text, value_type=str) for name, text in texts.items()},
        "robot_description_kinematics": yaml.safe_load(_moveit_file("kinematics.yaml")),
        "robot_description_planning": yaml.safe_load(_moveit_file("joint_limits.yaml")),
        **yaml.safe_load(_moveit_file("moveit_controllers.yaml")),
        **{f"publish_{name}": True for name in published},
    }


def _moveit_file(name: str) -> str:
    return read_text(share_file("config", "moveit", name))


def nav2_parameters(text: str, distribution: str) -> str:
    """Return the parameter file of Nav2 for a distribution, from that for Jazzy.

    On Humble the launch files of Nav2 set the simulated time and the map only where the file has
    these parameters, so that all nodes get them.

    Examples
    --------
    >>> from charmie_dynamics.ros.nodes.control_stacks import nav2_parameters
    >>> text = "amcl: {ros__parameters: {scan_topic: scan}}"
    >>> nav2_parameters(text, "jazzy")
    'amcl: {ros__parameters: {scan_topic: scan}}'
    >>> print(nav2_parameters(text, "humble")[:69])
    amcl:
      ros__parameters:
        use_sim_time: false
        scan_topic: scan
    """
    if distribution != HUMBLE:
        return text
    nodes = yaml.safe_load(SLASHED.sub(r"\1/", text))
    for name in ONLY_DEFAULTS:
        nodes.setdefault(name, {}).setdefault(PARAMETERS, {})
    nodes["map_server"][PARAMETERS].setdefault("yaml_filename", "")
    return yaml.safe_dump(_with_time(nodes), sort_keys=False)


def _with_time(section: dict[str, Any]) -> dict[str, Any]:
    """Return the sections of nodes, which may be in namespaces, with `use_sim_time`."""
    return {
        key: {"use_sim_time": False, **entry} if key == PARAMETERS else _with_time(entry)
        for key, entry in section.items()
    }


def with_ros2_control(urdf: str, section: str, hardware: str = "") -> str:
    """Return a URDF with the sections ``<ros2_control>`` of another text.

    Parameters
    ----------
    urdf, section : str
    hardware : str
        Package of `TOPIC_HARDWARE` whose plugin replaces that of the sections; empty: none.

    Raises
    ------
    ModelFileError
        If the other text has no such section.

    Examples
    --------
    >>> from charmie_dynamics.ros.nodes.control_stacks import with_ros2_control
    >>> with_ros2_control("<robot />", "<robot><ros2_control name='arm' /></robot>")
    '<robot><ros2_control name="arm" /></robot>'
    """
    robot, found = ElementTree.fromstring(urdf), ElementTree.fromstring(section)
    sections = found.findall("ros2_control")
    if not sections:
        raise ModelFileError(
            f"expected a section <ros2_control> within <robot>, got none within <{found.tag}>"
        )
    for plugin in found.iter("plugin") if hardware else ():
        plugin.text = f"{hardware}/{TOPIC_HARDWARE[hardware]}"
    robot.extend(sections)
    return ElementTree.tostring(robot, encoding="unicode")
