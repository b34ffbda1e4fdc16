# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parts of the launch files: arguments made from the parameters, actions for the nodes, RViz."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, List  # noqa: UP035  (launch_ros knows no list[float])

import yaml
from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchContext
from launch.actions import DeclareLaunchArgument, RegisterEventHandler
from launch.event_handlers import OnShutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from charmie_dynamics.errors import CharmieError
from charmie_dynamics.live.outputs import every_topic
from charmie_dynamics.live.topics import EXTERNAL_WRENCH, MARKERS, Topic
from charmie_dynamics.live.tracked_points import mechanisms_of
from charmie_dynamics.model.description.world import RobotEntity
from charmie_dynamics.ros.outputs.profiles import listener_profile
from charmie_dynamics.ros.process.parameters import NO_PAYLOAD, PREFIX, SPECS, payload_specs

PACKAGE = "charmie_dynamics"
# name, default, description; the parameter has the type of the default
LAUNCH_ARGUMENTS: tuple[tuple[str, Any, str], ...] = (
    ("namespace", "", "Namespace of the nodes and of all relative topic names"),
    ("use_sim_time", False, "Take the time from /clock"),
    ("rviz", False, "Open RViz"),
    ("robot_model", False, "Show the links by RViz's RobotModel instead of markers"),
    ("record", False, "Record all topics, with ros2 bag if installed, else with the recorder"),
    ("bag", "", "Folder of the recording; empty: rosbag2_ and the time, in the working directory"),
    ("ground_truth", False, "Also record the ground truth of a simulator"),
    ("wrench_topic", EXTERNAL_WRENCH.name, "Topic of the external wrenches"),
)
# those of payloads are of the default robot; another robot may have others, as its node has
NODE_ARGUMENTS = (*SPECS, *payload_specs(mechanisms_of().payload_links))
# the beginnings of arguments: name, default, description
Arguments = Sequence[tuple[Any, ...]]


def declare(arguments: Arguments, known: Arguments = ()) -> list[DeclareLaunchArgument]:
    """Return a launch argument for each parameter, except for known ones."""
    names = {name for name, *_ in known}
    return [
        DeclareLaunchArgument(name, default_value=_text(default), description=text)
        for name, default, text, *_ in arguments
        if name not in names
    ]


def dynamics_node(context: LaunchContext, *, remappings: Any) -> list[Node]:
    """Return the action that runs the dynamics node, with the payloads that were set."""
    unset = _text(NO_PAYLOAD)
    payloads = [
        name[len(PREFIX) :]
        for name, value in context.launch_configurations.items()
        if name.startswith(PREFIX) and value != unset
    ]
    return [python_node("dynamics_node", (*SPECS, *payload_specs(payloads)), remappings=remappings)]


def python_node(
    module: str,
    arguments: Arguments,
    *,
    further: Mapping[str, Any] | None = None,
    output: str = "screen",
    **options: Any,
) -> Node:
    """Return the action that runs a node of this package with the launch arguments' values.

    Parameters
    ----------
    module : str
    arguments : sequence of tuple
        Parameters of the node that are launch arguments: names, defaults.
    further : mapping, optional
        Other parameters and their values.
    output : {"screen", "log"}
        Destination of its output.
    """
    parameters: dict[str, Any] = {
        name: ParameterValue(LaunchConfiguration(name), value_type=_type(default))
        for name, default, *_ in arguments
    }
    simulated = LaunchConfiguration("use_sim_time")
    parameters["use_sim_time"] = ParameterValue(simulated, value_type=bool)
    parameters.update(further or {})
    run: dict[str, Any] = {"package": PACKAGE, "executable": module}
    if not _is_installed(module):
        # the tests and the demo run launch files of a source tree without an ament installation
        words = ["-m", "charmie_dynamics.ros.process.entry", module]
        run = {"executable": sys.executable, "exec_name": module, "arguments": words}
    return Node(
        **run,
        namespace=LaunchConfiguration("namespace"),
        parameters=[parameters],
        output=output,
        **options,
    )


def _is_installed(executable: str) -> bool:
    """Return whether `ros2 run` would find an executable of this package."""
    try:
        folder = Path(get_package_prefix(PACKAGE), "lib", PACKAGE)
    except PackageNotFoundError:
        return False
    return (folder / executable).is_file()


def robot_of_world(world: str, robot: str) -> dict[str, str]:
    """Return the launch arguments with which the dynamics node computes the robot of a world.

    Where the robot is in the world is left to the simulator. Nothing without a world, or in one
    that has no robot.

    Parameters
    ----------
    world, robot : str
        As the simulator has them.

    Raises
    ------
    CharmieError
        If the world cannot be read, or has no such robot.
    """
    if not world:
        return {}
    # SciPy, which no other launch needs
    from charmie_dynamics.simulation import load_world
    from charmie_dynamics.simulation.session.simulated_system import SimulatedSystem

    system = SimulatedSystem.of_world(load_world(world), robot)
    if system.robot is None:
        return {}
    entity = system.entities[system.robot.name]
    urdf, mechanisms = entity.files if isinstance(entity, RobotEntity) else ("", "")
    return {"model": urdf, "mechanisms": mechanisms, "publish_location": "false"}


def in_namespace(name: str, namespace: str) -> str:
    """Return the absolute name of a topic of a node in a namespace."""
    return (
        name if name.startswith("/") else "/" + "/".join((*namespace.split("/"), name)).strip("/")
    )


def has_ros2_bag() -> bool:
    """Return whether `ros2 bag` is installed."""
    return find_spec("ros2bag") is not None


def recorded_topics(
    *, model: str, mechanisms: str, tracked_points: str, ground_truth: bool = False
) -> dict[str, Topic]:
    """Return the topics to record for a node with certain parameters.

    Parameters
    ----------
    model, mechanisms, tracked_points : str
        The launch arguments of these names, the last one as YAML.
    ground_truth : bool
        Whether the topics of a simulator's ground truth are also recorded.
    """
    points = yaml.safe_load(tracked_points)
    entries = tuple(points) if isinstance(points, list) else (str(points),)
    topics = every_topic(entries, model, mechanisms)
    if ground_truth:
        # the simulation, which no other launch needs
        from charmie_dynamics.simulation.session.topics import ground_truth_topics

        topics.update(ground_truth_topics())
    return topics


def recording_profiles(namespace: str, recorded: Mapping[str, Topic]) -> str:
    """Return the quality of service with which `ros2 bag record` subscribes to all topics.

    By default it uses that of the publishers that it discovers first, with a depth of 10: it would
    miss a later best-effort publisher of inputs, and lose messages of a burst.

    Parameters
    ----------
    namespace : str
        Of the node.
    recorded : mapping of str to Topic

    Returns
    -------
    str
        A file for `--qos-profile-overrides-path` (YAML).
    """
    profiles = {}
    for name, topic in recorded.items():
        qos = listener_profile(topic)
        profiles[in_namespace(name, namespace)] = {
            "history": "keep_last",
            "depth": qos.depth,
            "reliability": qos.reliability.name.lower(),
            "durability": qos.durability.name.lower(),
        }
    result: str = yaml.safe_dump(profiles, sort_keys=False)
    return result


def rviz_configuration(
    text: str, *, namespace: str, world_frame: str, frame_prefix: str, robot_model: bool
) -> str:
    """Return an RViz configuration for a node with these settings.

    Parameters
    ----------
    text : str
        A configuration for a node in no namespace and without a prefix; all frames in it are the
        node's.
    namespace, world_frame, frame_prefix : str
        As the node has them.
    robot_model : bool
        Show the links by RViz's RobotModel; False: by the markers of the namespace `bodies`.

    Raises
    ------
    CharmieError
        If a RobotModel has a prefix that does not end with a slash: RViz puts
        one between its TF Prefix and the names of the links.
    """
    if robot_model and frame_prefix and not frame_prefix.endswith("/"):
        raise CharmieError(
            "robot_model: RViz finds the links only under a prefix that ends with '/', but "
            f"frame_prefix is '{frame_prefix}'"
        )
    configuration = yaml.safe_load(text)
    manager = configuration["Visualization Manager"]
    manager["Global Options"]["Fixed Frame"] = frame_prefix + world_frame
    view = manager["Views"]["Current"]
    view["Target Frame"] = frame_prefix + view["Target Frame"]
    markers = in_namespace(MARKERS.name, namespace)
    for display in displays(manager):
        for key in ("Topic", "Description Topic"):
            if key in display:
                topic = display[key]
                topic["Value"] = in_namespace(topic["Value"].lstrip("/"), namespace)
        if display["Class"] == "rviz_default_plugins/RobotModel":
            display["TF Prefix"] = frame_prefix.rstrip("/")
            display["Enabled"] = display["Value"] = robot_model
        elif display.get("Topic", {}).get("Value") == markers:
            display["Namespaces"]["bodies"] = not robot_model
    result: str = yaml.safe_dump(configuration, sort_keys=False, width=1000)
    return result


def displays(group: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield all displays of a parsed RViz configuration, those in groups included."""
    for display in group.get("Displays", ()):
        yield display
        yield from displays(display)


def temporary_file(text: str, suffix: str) -> Path:
    """Write a text to a new temporary file, which is the caller's to remove."""
    with tempfile.NamedTemporaryFile(
        "w", prefix="charmie_", suffix=suffix, delete=False, encoding="utf-8"
    ) as file:
        file.write(text)
    return Path(file.name)


def remove_at_the_end(path: Path) -> RegisterEventHandler:
    """Return a handler that removes a temporary file at shutdown."""
    return RegisterEventHandler(OnShutdown(on_shutdown=lambda *_: path.unlink(missing_ok=True)))


def _type(default: Any) -> Any:
    if not isinstance(default, tuple):
        return type(default)
    return List[str] if isinstance(default[0], str) else List[float]  # noqa: UP006


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return str(list(value))
    return str(value).lower() if isinstance(value, bool) else str(value)
