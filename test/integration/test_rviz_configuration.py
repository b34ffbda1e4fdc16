# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The RViz configuration that the launch file makes: it fits the node and RViz."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from geometry_msgs.msg import PointStamped, WrenchStamped
from launch_descriptions import commands
from node_process import Process
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

from charmie_dynamics import CharmieError, Model
from charmie_dynamics.live.outputs import output_topics
from charmie_dynamics.live.topics import CONTACT_MARKERS, ENTITY_MARKERS
from charmie_dynamics.model.description.files import share_file
from charmie_dynamics.ros.nodes.launching import displays, rviz_configuration
from charmie_dynamics.ros.outputs.profiles import message_class
from charmie_dynamics.ros.process.parameters import Settings
from charmie_dynamics.visual.scene.contacts import CONES, FORCES, POINTS
from charmie_dynamics.visual.scene.entities import NAMESPACE as ENTITIES
from charmie_dynamics.visual.scene.scene import Scene

PLUGINS = "rviz_default_plugins"
# what RViz of both distributions calls its displays and their properties
PROPERTIES: dict[str, set[str]] = {
    "rviz_common/Group": {"Displays"},
    f"{PLUGINS}/Grid": {
        *("Reference Frame", "Plane", "Plane Cell Count", "Cell Size", "Color", "Alpha"),
    },
    f"{PLUGINS}/MarkerArray": {"Topic", "Namespaces"},
    f"{PLUGINS}/RobotModel": {
        *("Alpha", "Description Source", "Description Topic", "TF Prefix", "Update Interval"),
        *("Visual Enabled", "Collision Enabled"),
    },
    f"{PLUGINS}/TF": {
        *("Marker Scale", "Show Arrows", "Show Axes", "Show Names", "Frame Timeout"),
        "Update Interval",
    },
    f"{PLUGINS}/PointStamped": {"Topic", "Alpha", "Color", "Radius", "History Length"},
    f"{PLUGINS}/Wrench": {
        *("Topic", "Alpha", "Force Arrow Scale", "Force Color", "Torque Arrow Scale"),
        *("Torque Color", "Arrow Width", "History Length"),
    },
}
OF_EVERY_DISPLAY = {"Class", "Name", "Enabled", "Value"}
OF_A_TOPIC = {"Value", "Depth", "History Policy", "Reliability Policy", "Durability Policy"}
MESSAGES: dict[str, Any] = {
    f"{PLUGINS}/MarkerArray": MarkerArray,
    f"{PLUGINS}/RobotModel": String,
    f"{PLUGINS}/PointStamped": PointStamped,
    f"{PLUGINS}/Wrench": WrenchStamped,
}
PUBLISHED = (*output_topics(), CONTACT_MARKERS, ENTITY_MARKERS)  # the latter of a simulator
LAUNCHES: dict[str, dict[str, str]] = {
    "defaults": {},
    "moved": {
        "namespace": "robots/charmie",
        "frame_prefix": "charmie/",
        "world_frame": "map",
        "robot_model": "true",
    },
    "flat prefix": {"namespace": "/charmie", "frame_prefix": "charmie_"},
}


@pytest.fixture(params=list(LAUNCHES))
def arguments(request: pytest.FixtureRequest) -> dict[str, str]:
    return LAUNCHES[request.param]


@pytest.fixture
def rviz(
    arguments: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Any]:
    """The configuration that RViz is started with, parsed."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    every = commands("charmie.launch.py", rviz="true", **arguments)
    (command,) = [command for command in every if any("rviz2" in part for part in command)]
    path = Path(command[command.index("-d") + 1])
    configuration: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return configuration["Visualization Manager"]


def shown(rviz: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return the first display of a class: among those of markers that of the dynamics node."""
    return next(d for d in displays(rviz) if d["Class"] == f"{PLUGINS}/{kind}")


def topics_of(rviz: dict[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return each display with a topic, and that topic."""
    keys = ("Topic", "Description Topic")
    return [(d, d[key]) for d in displays(rviz) for key in keys if key in d]


def test_every_display_is_of_a_class_of_rviz_and_has_its_properties(rviz: dict[str, Any]) -> None:
    for display in displays(rviz):
        unknown = set(display) - OF_EVERY_DISPLAY - PROPERTIES[display["Class"]]
        assert (display["Name"], unknown) == (display["Name"], set())


def test_every_topic_has_the_properties_of_a_topic(rviz: dict[str, Any]) -> None:
    assert [topic for _, topic in topics_of(rviz) if set(topic) != OF_A_TOPIC] == []


def test_every_display_has_a_name_of_its_own(rviz: dict[str, Any]) -> None:
    names = [display["Name"] for display in displays(rviz)]
    assert len(set(names)) == len(names)


def test_every_display_but_the_floor_is_in_a_group(rviz: dict[str, Any]) -> None:
    outside = [d["Name"] for d in rviz["Displays"] if d["Class"] != "rviz_common/Group"]
    assert outside == ["Floor"]


def test_every_display_with_a_message_is_there(rviz: dict[str, Any]) -> None:
    assert {display["Class"] for display, _ in topics_of(rviz)} == set(MESSAGES)


def test_every_topic_is_published_with_the_message_of_the_display(
    rviz: dict[str, Any], arguments: dict[str, str]
) -> None:
    namespace = "/" + arguments.get("namespace", "").strip("/")
    types = {f"{namespace.rstrip('/')}/{topic.name}": message_class(topic) for topic in PUBLISHED}
    for display, topic in topics_of(rviz):
        assert types.get(topic["Value"]) is MESSAGES[display["Class"]], topic["Value"]


def test_what_is_latched_is_asked_for_as_such(rviz: dict[str, Any]) -> None:
    latched = tuple(f"/{topic.name}" for topic in PUBLISHED if topic.qos.latched)
    for _, topic in topics_of(rviz):
        is_latched = topic["Value"].endswith(latched)
        assert (topic["Durability Policy"] == "Transient Local") == is_latched


def test_every_namespace_of_the_markers_is_listed(rviz: dict[str, Any], model: Model) -> None:
    scenes = [
        Scene(model, style=style, reactions=True, labels=True, legend=True)
        for style in ("solid", "skeleton")
    ]
    namespaces = {shape.namespace for scene in scenes for shape in scene.shapes}
    assert set(shown(rviz, "MarkerArray")["Namespaces"]) == namespaces


def test_the_namespaces_of_a_simulated_world_are_listed(rviz: dict[str, Any]) -> None:
    found = {topic["Value"].rpartition("/")[2]: display for display, topic in topics_of(rviz)}
    contacts, entities = (set(found[name]["Namespaces"]) for name in ("contacts", "entities"))
    assert contacts == {FORCES, POINTS, CONES}
    assert entities == {ENTITIES, "bodies"}
    assert found["entities"]["Namespaces"]["bodies"]  # of other robots, by whatever they are shown


def test_every_frame_has_the_prefix(rviz: dict[str, Any], arguments: dict[str, str]) -> None:
    prefix = arguments.get("frame_prefix", "")
    view = rviz["Views"]["Current"]
    assert rviz["Global Options"]["Fixed Frame"] == prefix + arguments.get("world_frame", "odom")
    assert view["Target Frame"] == prefix + "base_footprint"


def test_the_camera_follows_a_frame_of_the_model(model: Model) -> None:
    text = share_file("config", "charmie.rviz").read_text(encoding="utf-8")
    view = yaml.safe_load(text)["Visualization Manager"]["Views"]["Current"]
    assert view["Target Frame"] in model.frame_names


def test_links_are_shown_once(rviz: dict[str, Any], arguments: dict[str, str]) -> None:
    """By the RobotModel if it is asked for, else by markers."""
    wanted = arguments.get("robot_model") == "true"
    robot_model = shown(rviz, "RobotModel")
    assert (robot_model["Enabled"], robot_model["Value"]) == (wanted, wanted)
    assert shown(rviz, "MarkerArray")["Namespaces"]["bodies"] is not wanted


@pytest.mark.parametrize("prefix, expected", [("", ""), ("charmie/", "charmie"), ("a/b/", "a/b")])
def test_the_robot_model_finds_the_frames_under_their_prefix(prefix: str, expected: str) -> None:
    """RViz itself puts a slash behind its TF Prefix."""
    text = share_file("config", "charmie.rviz").read_text(encoding="utf-8")
    made = rviz_configuration(
        text, namespace="", world_frame="odom", frame_prefix=prefix, robot_model=True
    )
    manager = yaml.safe_load(made)["Visualization Manager"]
    assert shown(manager, "RobotModel")["TF Prefix"] == expected


def test_a_robot_model_under_a_prefix_without_slash_is_refused() -> None:
    text = share_file("config", "charmie.rviz").read_text(encoding="utf-8")
    with pytest.raises(CharmieError, match="ends with '/', but frame_prefix is 'charmie_'"):
        rviz_configuration(
            text, namespace="", world_frame="odom", frame_prefix="charmie_", robot_model=True
        )


def test_the_file_fits_a_node_with_the_default_settings() -> None:
    """So that it can be opened without the launch file."""
    text = share_file("config", "charmie.rviz").read_text(encoding="utf-8")
    settings = Settings()
    made = rviz_configuration(
        text,
        namespace="",
        world_frame=settings.world_frame,
        frame_prefix=settings.frame_prefix,
        robot_model=False,
    )
    assert yaml.safe_load(made) == yaml.safe_load(text)


RVIZ = """#!/bin/sh
cp "$2" "$PROOF/configuration"
printf '%s\\n' "$@" > "$PROOF/arguments"
exec sleep 600
"""


def test_rviz_reads_a_file_that_is_gone_after_the_launch(folder: Path, tmp_path: Path) -> None:
    """With a program in the place of RViz that keeps what it was given."""
    prefix, temporary = tmp_path / "prefix", tmp_path / "temporary"
    program = prefix / "lib" / "rviz2" / "rviz2"
    index = prefix / "share" / "ament_index" / "resource_index" / "packages" / "rviz2"
    for path, text in ((program, RVIZ), (index, "")):
        path.parent.mkdir(parents=True)
        path.write_text(text)
    program.chmod(0o755)
    temporary.mkdir()
    environment = {
        "AMENT_PREFIX_PATH": f"{prefix}{os.pathsep}{os.environ['AMENT_PREFIX_PATH']}",
        "TMPDIR": str(temporary),
        "PROOF": str(tmp_path),
    }
    launch = [
        *(sys.executable, "-m", "charmie_dynamics.demo.launch_file"),
        str(share_file("launch", "charmie.launch.py")),
        *("rviz:=true", "namespace:=charmie", "use_sim_time:=true"),
    ]
    with Process(launch, folder / "launch.log", environment) as process:
        process.wait_for_output("' ready: ")
        assert len(list(temporary.glob("charmie_*.rviz"))) == 1
        process.send_signal(signal.SIGINT)
        process.wait()
    manager = yaml.safe_load((tmp_path / "configuration").read_text())["Visualization Manager"]
    given = (tmp_path / "arguments").read_text().splitlines()
    assert shown(manager, "MarkerArray")["Topic"]["Value"] == "/charmie/markers"
    assert given[0] == "-d"
    assert "--params-file" in given
    assert list(temporary.glob("charmie_*.rviz")) == []
