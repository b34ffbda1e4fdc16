"""The launch files as descriptions: arguments, recording, RViz. Nothing is started here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess
from launch.launch_description_sources import get_launch_description_from_python_launch_file
from launch.utilities import perform_substitutions
from launch_ros.substitutions import ExecutableInPackage

from charmie_dynamics.model.files import share_file

PARAMETERS = {
    "model": "",
    "mechanisms": "",
    "world_frame": "odom",
    "frame_prefix": "",
    "publish_tf": "true",
    "publish_markers": "true",
    "publish_robot_description": "true",
    "compute_dynamics": "true",
    "marker_rate": "30.0",
    "input_timeout": "0.5",
    "acceleration_source": "estimated",
    "acceleration_cutoff": "10.0",
    "require_base_joints": "false",
}
OTHERS = {"namespace": "", "use_sim_time": "false", "rviz": "false", "record": "false"}
PLAYER = {"motion", "rate", "loop", "noise", "dropout"}
RELATIVE = {
    *("joint_states", "actuator_lengths", "actuator_efforts", "resolved_joint_states"),
    *("markers", "base_wrench", "spring_forces", "robot_description"),
}
ABSOLUTE = {"/tf", "/tf_static", "/diagnostics"}


def describe(name: str) -> LaunchDescription:
    return get_launch_description_from_python_launch_file(str(share_file("launch", name)))


def expand(entities: Any, context: LaunchContext) -> list[Any]:
    """Return all actions which run under the conditions that hold in `context`."""
    found = []
    for entity in entities:
        condition = getattr(entity, "condition", None)
        if condition is not None and not condition.evaluate(context):
            continue
        found.append(entity)
        if not isinstance(entity, ExecuteProcess):
            found += expand(entity.visit(context) or [], context)
    return found


def commands(name: str, **arguments: str) -> list[list[str]]:
    """Return the command lines of all processes, as far as they are known before the start."""
    context = LaunchContext()
    context.launch_configurations.update(arguments)
    processes = [
        action
        for action in expand(describe(name).entities, context)
        if isinstance(action, ExecuteProcess)
    ]
    return [[text_of(part, context) for part in process.cmd] for process in processes]


def text_of(part: Any, context: LaunchContext) -> str:
    """Return a part of a command line; `package/executable` for what need not be installed."""
    return "".join(
        "/".join(perform_substitutions(context, name) for name in (one.package, one.executable))
        if isinstance(one, ExecutableInPackage)
        else one.perform(context)
        for one in part
    )


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


@pytest.mark.parametrize(
    "given, prefix", [("", "/"), ("charmie", "/charmie/"), ("/a/b", "/a/b/"), ("/", "/")]
)
def test_record_runs_ros2_bag_on_all_topics_in_the_namespace(given: str, prefix: str) -> None:
    every = commands("charmie.launch.py", record="true", namespace=given)
    (record,) = [command for command in every if "bag" in command]
    assert record[:3] == ["ros2", "bag", "record"]
    topics = {part for part in record[3:] if part.startswith("/")}
    assert topics == {prefix + name for name in RELATIVE} | ABSOLUTE


def test_rviz_is_started_with_the_configuration_of_the_package() -> None:
    every = commands("charmie.launch.py", rviz="true")
    (rviz,) = [command for command in every if any("rviz2" in part for part in command)]
    config = Path(rviz[rviz.index("-d") + 1])
    assert config.is_file()
    assert config.name == "charmie.rviz"


@pytest.fixture(scope="module")
def rviz() -> dict[str, Any]:
    text = share_file("config", "charmie.rviz").read_text(encoding="utf-8")
    configuration: dict[str, Any] = yaml.safe_load(text)["Visualization Manager"]
    return configuration


def test_rviz_has_the_world_frame_as_fixed_frame(rviz: dict[str, Any]) -> None:
    assert rviz["Global Options"]["Fixed Frame"] == "odom"


def topic_of(display: dict[str, Any], key: str) -> str:
    value = display[key]
    return str(value["Value"] if isinstance(value, dict) else value)


@pytest.mark.parametrize(
    "kind, key, topic",
    [
        ("RobotModel", "Description Topic", "robot_description"),
        ("MarkerArray", "Topic", "markers"),
        ("Wrench", "Topic", "base_wrench"),
    ],
)
def test_rviz_displays_the_topic(rviz: dict[str, Any], kind: str, key: str, topic: str) -> None:
    displays = [display for display in rviz["Displays"] if display["Class"].endswith(f"/{kind}")]
    assert [topic_of(display, key).lstrip("/") for display in displays] == [topic]


def test_rviz_displays_the_frames(rviz: dict[str, Any]) -> None:
    assert "rviz_default_plugins/TF" in [display["Class"] for display in rviz["Displays"]]


def test_rviz_asks_for_the_robot_description_as_a_late_joiner(rviz: dict[str, Any]) -> None:
    (display,) = [d for d in rviz["Displays"] if d["Class"] == "rviz_default_plugins/RobotModel"]
    assert display["Description Topic"]["Durability Policy"] == "Transient Local"
