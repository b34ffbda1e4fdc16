# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The launch files as descriptions: arguments, recording. Nothing is started here."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from launch import LaunchContext
from launch.actions import DeclareLaunchArgument
from launch.utilities import perform_substitutions
from launch_descriptions import commands, describe, expand
from launch_ros.actions import Node
from launch_ros.utilities import evaluate_parameters
from rclpy.qos import QoSDurabilityPolicy, QoSHistoryPolicy, QoSReliabilityPolicy

from charmie_dynamics.live.outputs import every_topic
from charmie_dynamics.ros.nodes import launching
from charmie_dynamics.ros.outputs.profiles import qos_profile

PARAMETERS = {
    "model": "",
    "mechanisms": "",
    "strict_inertials": "false",
    "world_frame": "odom",
    "frame_prefix": "",
    "publish_tf": "true",
    "publish_markers": "true",
    "publish_robot_description": "true",
    "compute_dynamics": "true",
    "marker_rate": "30.0",
    "marker_style": "solid",
    "marker_reactions": "false",
    "marker_labels": "false",
    "marker_legend": "false",
    "input_timeout": "0.5",
    "acceleration_source": "estimated",
    "acceleration_cutoff": "10.0",
    "require_base_joints": "false",
    "observer_cutoff": "15.0",
    "payload_left": "[0.0]",
    "payload_right": "[0.0]",
}
OTHERS = {
    "namespace": "",
    "use_sim_time": "false",
    "rviz": "false",
    "robot_model": "false",
    "record": "false",
    "bag": "",
}
PLAYER = {"motion", "rate", "loop", "noise", "dropout"}
RELATIVE = {
    *("joint_states", "actuator_lengths", "actuator_efforts", "resolved_joint_states"),
    *("markers", "base_wrench", "stability", "spring_forces", "robot_description"),
    "cylinder_efforts",
    *("effort_residual", "external_efforts", "contacts", "estimator_settling"),
    *("clearance", "contact_forces", "contact_points", "imu", "odom"),
    *("payload/left", "payload/right", "assumed_payload/left", "assumed_payload/right"),
    *("external_wrench", "trajectory", "trajectory_efforts", "trajectory_verdict"),
    *("tracked_points/left_tool/twist", "tracked_points/left_tool/accel"),
    *("tracked_points/right_tool/twist", "tracked_points/right_tool/accel"),
}
TOOLS = {"left_tool", "right_tool"}
ABSOLUTE = {"/tf", "/tf_static", "/diagnostics"}


def arguments_of(name: str) -> dict[str, DeclareLaunchArgument]:
    return {argument.name: argument for argument in describe(name).get_launch_arguments()}


def default_of(argument: DeclareLaunchArgument) -> str:
    default: str = perform_substitutions(LaunchContext(), argument.default_value)
    return default


@pytest.mark.parametrize("name, default", [*PARAMETERS.items(), *OTHERS.items()])
def test_charmie_launch_has_an_argument_with_the_default(name: str, default: str) -> None:
    assert default_of(arguments_of("charmie.launch.py")[name]) == default


@pytest.mark.parametrize("file", ["charmie.launch.py", "demo.launch.py"])
def test_every_argument_has_a_description(file: str) -> None:
    arguments = arguments_of(file)
    assert [name for name, a in arguments.items() if not a.description.strip(" .")] == []


def test_demo_launch_has_the_arguments_of_both_nodes() -> None:
    assert {*PARAMETERS, *OTHERS, *PLAYER} <= set(arguments_of("demo.launch.py"))


def test_by_default_only_the_node_is_started() -> None:
    (command,) = commands("charmie.launch.py")
    assert any("dynamics_node" in part for part in command)


def test_an_installed_package_is_run_by_its_executables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in ("share/ament_index/resource_index/packages/charmie_dynamics",
                 "lib/charmie_dynamics/dynamics_node"):  # fmt: skip
        (tmp_path / file).parent.mkdir(parents=True)
        (tmp_path / file).touch(mode=0o755)
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    (node,) = commands("charmie.launch.py")
    assert node[0] == "charmie_dynamics/dynamics_node"
    (player,) = (c for c in commands("demo.launch.py") if "motion_player" in c)
    assert player[0] == sys.executable  # it has no executable here


def test_a_payload_of_another_robot_reaches_the_node() -> None:
    description = describe("charmie.launch.py")
    context = LaunchContext()
    context.launch_configurations["payload_bucket"] = "[1.5]"
    nodes = [action for action in expand(description.entities, context) if isinstance(action, Node)]
    (node,) = nodes
    (parameters,) = evaluate_parameters(context, node._Node__parameters)
    assert list(parameters["payload_bucket"]) == [1.5]
    assert not {"payload_left", "payload_right"} & set(parameters)


def recording(**arguments: str) -> tuple[list[str], dict[str, Any]]:
    """Return the command line of the recording and its profiles, without starting it."""
    given = {"namespace": "", "use_sim_time": "false", "bag": "", **arguments}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launching, "has_ros2_bag", lambda: True)
        every = commands("charmie.launch.py", record="true", **given)
    (record,) = [command for command in every if "bag" in command]
    path = Path(record[record.index("--qos-profile-overrides-path") + 1])
    profiles = yaml.safe_load(path.read_text(encoding="utf-8"))
    path.unlink()
    record.remove(str(path))
    return record, profiles


@pytest.mark.parametrize(
    "given, prefix", [("", "/"), ("charmie", "/charmie/"), ("/a/b", "/a/b/"), ("/", "/")]
)
def test_record_runs_ros2_bag_on_all_topics_in_the_namespace(given: str, prefix: str) -> None:
    record, profiles = recording(namespace=given)
    assert record[:3] == ["ros2", "bag", "record"]
    topics = {part for part in record[3:] if part.startswith("/")}
    assert topics == {prefix + name for name in RELATIVE} | ABSOLUTE
    assert profiles.keys() == topics
    assert "--include-unpublished-topics" in record


@pytest.mark.parametrize(
    ("given", "names"),
    [("['tip:left_tool:0,0,0.1', 'x:head']", {"tip", "x"}), ("[none]", set()), ("['']", TOOLS)],
)
def test_record_knows_the_tracked_points_of_the_node(given: str, names: set[str]) -> None:
    record, _ = recording(tracked_points=given)
    found = {part.split("/")[2] for part in record if part.startswith("/tracked_points/")}
    assert found == names


def test_recording_is_named_by_the_time_unless_it_is_given_a_name() -> None:
    for given, expected in (("", r"rosbag2_\d{4}_\d\d_\d\d-\d\d_\d\d_\d\d"), ("/a/run", "/a/run")):
        record, _ = recording(bag=given)
        assert re.fullmatch(expected, record[record.index("--output") + 1])


@pytest.mark.parametrize("simulated", ["true", "false"])
def test_recording_follows_simulated_time_as_the_node_does(simulated: str) -> None:
    record, _ = recording(use_sim_time=simulated)
    assert ("--use-sim-time" in record) == (simulated == "true")


@pytest.mark.parametrize("name", every_topic())
def test_recording_gets_what_is_published_early_late_or_in_a_burst(name: str) -> None:
    """By a publisher as reliable and as durable as the topic's; inputs by any."""
    _, profiles = recording()
    profile = profiles["/" + name.lstrip("/")]
    publisher = qos_profile(every_topic()[name].qos)
    assert profile["history"] == QoSHistoryPolicy.KEEP_LAST.short_key
    assert profile["depth"] >= 200
    reliability = QoSReliabilityPolicy.get_from_short_key(profile["reliability"])
    durability = QoSDurabilityPolicy.get_from_short_key(profile["durability"])
    assert (reliability, durability) == (publisher.reliability, publisher.durability)
