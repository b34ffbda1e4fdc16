# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The launch files of the controller, MoveIt, Nav2 and ros2_control."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import ament_index_python.packages
import pytest
import yaml
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from graph import Checker
from launch import LaunchContext
from launch.actions import ExecuteProcess, IncludeLaunchDescription, LogInfo
from launch.utilities import perform_substitutions
from launch_descriptions import commands, describe, expand, text_of
from launch_ros.utilities import evaluate_parameters
from node_process import Process
from rclpy.action import ActionClient
from trajectory_msgs.msg import JointTrajectoryPoint

from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.ros.controller.parameters import SPECS as CONTROLLER
from charmie_dynamics.ros.nodes import control_stacks
from charmie_dynamics.ros.nodes.control_stacks import has_packages, nav2_parameters
from charmie_dynamics.ros.simulator.parameters import SPECS as SIMULATOR

OF_ALL = {"dynamics_node", "simulator_node"}
# the package by which ros2_control reads and writes topics
OLDER, NEWER = "topic_based_ros2_control", "joint_state_topic_hardware_interface"
HARDWARE = OLDER if os.environ["ROS_DISTRO"] == "humble" else NEWER
# file: its package, the words that follow "ros-jazzy-", and the nodes that start without it
STACKS = {
    "moveit.launch.py": ("moveit_ros_move_group", "moveit", {*OF_ALL, "controller_node"}),
    "navigation.launch.py": ("nav2_bringup", "nav2-bringup", OF_ALL),
    "ros2_control.launch.py": (HARDWARE, HARDWARE.replace("_", "-"), OF_ALL),
}


def nodes_of(command_lines: list[list[str]]) -> set[str]:
    """Return the names of this package's nodes in command lines."""
    words = {word.rpartition("/")[2] for line in command_lines for word in line}
    return words & {*OF_ALL, "controller_node"}


def launched(file: str, log: Path, *arguments: str) -> Process:
    command = (sys.executable, "-m", "charmie_dynamics.demo.launch_file")
    return Process([*command, str(share_file("launch", file)), *arguments], log)


def test_shared_parameters_of_the_controller_are_arguments_once() -> None:
    arguments = {a.name: a for a in describe("control.launch.py").get_launch_arguments()}
    assert {spec.name for spec in (*CONTROLLER, *SIMULATOR)} | {"rviz"} <= set(arguments)
    assert perform_substitutions(LaunchContext(), arguments["rate"].default_value) == "200.0"
    assert nodes_of(commands("control.launch.py")) == {*OF_ALL, "controller_node"}


@pytest.fixture
def controlled(folder: Path) -> Any:
    with launched("control.launch.py", folder / "control.log") as process:
        yield process


def test_a_trajectory_is_executed(controlled: Process) -> None:
    joint, target = "left_arm_joint_2", 1.0
    with Checker(("resolved_joint_states",)) as checker:
        client = ActionClient(
            checker.node, FollowJointTrajectory, "left_arm_controller/follow_joint_trajectory"
        )
        states = checker.received["resolved_joint_states"]
        checker.wait_for(lambda: states, "joint states", timeout=300.0)
        checker.wait_for(client.server_is_ready, "the server", timeout=300.0)
        goal = FollowJointTrajectory.Goal()
        goal.trajectory.joint_names = [joint]
        goal.trajectory.points = [JointTrajectoryPoint(positions=[target])]
        goal.trajectory.points[0].time_from_start.sec = 2
        sent = client.send_goal_async(goal)
        checker.wait_for(sent.done, "the answer")
        ended = sent.result().get_result_async()
        checker.wait_for(ended.done, "the result", timeout=120.0)
        client.destroy()
    outcome = ended.result()
    assert outcome.result.error_string == ""
    assert outcome.status == GoalStatus.STATUS_SUCCEEDED
    reached = states[-1].position[list(states[-1].name).index(joint)]
    assert reached == pytest.approx(target, abs=0.05)
    assert "Traceback" not in controlled.output()


@pytest.mark.parametrize("file", STACKS)
def test_a_missing_stack_is_reported_and_the_rest_starts(file: str, folder: Path) -> None:
    package, words, nodes = STACKS[file]
    if has_packages(package):
        pytest.skip(f"{package} is installed: the workflow runs its stack")
    assert nodes_of(commands(file)) == nodes
    with (
        launched(file, folder / f"{file}.log") as process,
        Checker(("actuator_efforts",)) as checker,
    ):
        efforts = checker.received["actuator_efforts"]
        checker.wait_for(lambda: len(efforts) > 10, "efforts", timeout=300.0)
        output = process.output()
    distribution = os.environ["ROS_DISTRO"]
    hints = [line for line in output.splitlines() if "is not installed" in line]
    assert len(hints) == 1 and "sudo apt install" in hints[0]
    assert f"ros-{distribution}-{words}" in hints[0]
    assert "Traceback" not in output


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A share folder of every stack, with the files that the launch files read."""
    folder = tmp_path / "share"
    (folder / "default_configs").mkdir(parents=True)
    for name, content in (("planning", {"planning_plugins": ["ompl"]}), ("defaults", {"a": {}})):
        path = folder / "default_configs" / f"ompl_{name}.yaml"
        path.write_text(yaml.safe_dump(content), encoding="utf-8")
    (folder / "launch").mkdir()
    bringup = (
        "from launch import LaunchDescription\ngenerate_launch_description = LaunchDescription"
    )
    (folder / "launch" / "bringup_launch.py").write_text(bringup, encoding="utf-8")
    monkeypatch.setattr(control_stacks, "has_packages", lambda *_: True)
    for module in (control_stacks, ament_index_python.packages):
        monkeypatch.setattr(module, "get_package_share_directory", lambda _: str(folder))
    return folder


def actions(file: str, kind: type, **arguments: str) -> tuple[list[Any], LaunchContext]:
    """Return the actions of a kind that a launch file runs, and their context."""
    context = LaunchContext()
    context.launch_configurations.update(arguments)
    found = expand(describe(file).entities, context)
    return [action for action in found if isinstance(action, kind)], context


@pytest.mark.usefixtures("installed")
def test_move_group_gets_all_joints_and_the_description() -> None:
    processes, context = actions("moveit.launch.py", ExecuteProcess, rviz="true")
    lines = [" ".join(text_of(part, context) for part in process.cmd) for process in processes]
    moveit = next(k for k, line in enumerate(lines) if "moveit_ros_move_group/move_group" in line)
    assert sum("rviz2" in line for line in lines) == 1
    node = processes[moveit]
    parameters: dict[str, Any] = {}
    for given in evaluate_parameters(context, node._Node__parameters):
        parameters.update(given)
    assert parameters["robot_description"].startswith("<?xml")
    assert "<end_effector" in parameters["robot_description_semantic"]
    assert parameters["robot_description_planning.joint_limits.lift_joint.max_velocity"] == 0.1
    assert parameters["ompl.planning_plugins"] == ("ompl",)
    assert parameters["use_sim_time"] is True
    (remapping,) = node._Node__remappings
    texts = [perform_substitutions(context, part) for part in remapping]
    assert texts == ["joint_states", "resolved_joint_states"]


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(("given", "slam"), [("", "True"), ("room.yaml", "False")])
def test_nav2_makes_a_map_unless_there_is_one(given: str, slam: str) -> None:
    includes, context = actions("navigation.launch.py", IncludeLaunchDescription, map=given)
    arguments = dict(includes[-1].launch_arguments)
    assert (arguments["map"], arguments["slam"]) == (given, slam)
    path = Path(arguments["params_file"])
    assert "controller_server" in yaml.safe_load(path.read_text(encoding="utf-8"))
    path.unlink()
    assert context.launch_configurations["publish_location"] == "false"


def test_humble_gets_its_names_of_plugins() -> None:
    text = share_file("config", "nav2.yaml").read_text(encoding="utf-8")
    assert nav2_parameters(text, "jazzy") == text
    humble = nav2_parameters(text, "humble")
    assert "nav2_behaviors/Spin" in humble and "nav2_navfn_planner/NavfnPlanner" in humble
    assert "nav2_mppi_controller::MPPIController" in humble
    assert yaml.safe_load(humble).keys() >= yaml.safe_load(text).keys()


def rewritten(section: Any, values: dict[str, Any]) -> Any:
    """Return a parameter file as nav2_bringup of Humble does: only existing keys get values."""
    if not isinstance(section, dict):
        return section
    return {key: values.get(key, rewritten(entry, values)) for key, entry in section.items()}


# nodes that nav2_bringup starts on Humble with the file alone
OF_HUMBLE = (
    *("amcl", "map_server", "map_saver", "controller_server", "planner_server", "smoother_server"),
    *("behavior_server", "bt_navigator", "waypoint_follower", "velocity_smoother"),
)


def test_humble_can_set_the_simulated_time_and_the_map() -> None:
    text = share_file("config", "nav2.yaml").read_text(encoding="utf-8")
    before = yaml.safe_load(nav2_parameters(text, "humble"))
    after = rewritten(before, {"use_sim_time": True, "yaml_filename": "room.yaml"})
    costmaps = [after[name][name] for name in ("local_costmap", "global_costmap")]
    for node in (*(after[name] for name in OF_HUMBLE), *costmaps):
        assert node["ros__parameters"]["use_sim_time"] is True
    assert after["map_server"]["ros__parameters"]["yaml_filename"] == "room.yaml"
    assert before["amcl"]["ros__parameters"]["use_sim_time"] is False


def test_sections_of_humble_keep_given_values() -> None:
    text = "{map_server: {ros__parameters: {yaml_filename: hall.yaml, use_sim_time: true}}}"
    section = yaml.safe_load(nav2_parameters(text, "humble"))["map_server"]
    assert section == yaml.safe_load(text)["map_server"]


@pytest.mark.usefixtures("installed")
def test_ros2_control_gets_its_section_and_all_controllers() -> None:
    processes, context = actions("ros2_control.launch.py", ExecuteProcess)
    model = Path(context.launch_configurations["model"])
    urdf = model.read_text(encoding="utf-8")
    model.unlink()
    assert "<ros2_control" in urdf and "base_yaw_joint" in urdf
    lines = [[text_of(part, context) for part in process.cmd] for process in processes]
    (spawner,) = (line for line in lines if line[0] == "controller_manager/spawner")
    assert {"left_arm_controller", "right_gripper_controller"} <= set(spawner)
    assert any(line[0] == "controller_manager/ros2_control_node" for line in lines)
    assert context.launch_configurations["hold_joint_commands"] == "true"


@pytest.mark.parametrize(("distribution", "present", "expected"), [
    ("humble", (), OLDER), ("jazzy", (), NEWER), ("kilted", (), NEWER),
    ("humble", (NEWER,), NEWER), ("jazzy", (OLDER,), OLDER), ("jazzy", (OLDER, NEWER), NEWER),
])  # fmt: skip
def test_ros2_control_gets_the_plugin_of_the_distribution_or_of_an_installed_package(
    distribution: str, present: tuple[str, ...], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROS_DISTRO", distribution)
    monkeypatch.setattr(control_stacks, "has_packages", lambda name: name in present)
    hardware = control_stacks.topic_hardware()
    assert hardware == expected
    section = "<robot><ros2_control><plugin>other</plugin></ros2_control></robot>"
    text = control_stacks.with_ros2_control("<robot />", section, hardware)
    name = "TopicBasedSystem" if expected == OLDER else "JointStateTopicSystem"
    assert f"<plugin>{expected}/{name}</plugin>" in text


def test_hints_name_the_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DISTRO", "humble")
    hint: LogInfo = control_stacks.install_hint("Nav2", "navigation2", "nav2-bringup")
    text = perform_substitutions(LaunchContext(), hint.msg)
    assert text.endswith("sudo apt install ros-humble-navigation2 ros-humble-nav2-bringup")
