# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The bytes of every output say what an ordinary message of the same content says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import ordinary_messages as ordinary
import pytest
from conftest import DEFAULT_RMW, QUICK_RMW, has_middleware
from graph import OUTPUTS
from node_process import Process, child_environment
from rclpy.serialization import deserialize_message, serialize_message
from robot_inputs import ACTUATORS, pose
from small_robots import write_slide
from visualization_msgs.msg import Marker, MarkerArray

from charmie_dynamics import Model, load_model
from charmie_dynamics.live import outputs, topics
from charmie_dynamics.live.cycle_messages import CycleMessages, MeasuredMessages
from charmie_dynamics.live.measured import Comparison
from charmie_dynamics.live.tracked_points import tracked_points
from charmie_dynamics.live.wire.cdr import CdrError
from charmie_dynamics.ros.outputs.markers import SceneMarkers, deletion
from charmie_dynamics.ros.outputs.profiles import message_class
from charmie_dynamics.ros.process.parameters import Settings
from charmie_dynamics.visual.scene.scene import Scene
from charmie_dynamics.visual.shapes.appearance import Appearance, first_appearance
from charmie_dynamics.visual.shapes.shape import Shape

HERE = Path(__file__).parent
ONE_LINK = '<robot name="stone"><link name="stone"/></robot>'
STAMP = 1_700_000_000_987_654_321
SETTLING = 0.12345
SETTINGS = {
    "defaults": Settings(),
    "kinematics": Settings(compute_dynamics=False),
    "prefix": Settings(frame_prefix="left/", world_frame="map"),
    "no tf": Settings(publish_tf=False),
}


def decoded(topic: topics.Topic, data: Any) -> Any:
    return deserialize_message(bytes(data), message_class(topic))


@pytest.fixture(params=["charmie", "slide", "stone"])
def robot(request: pytest.FixtureRequest, tmp_path: Path) -> Model:
    (tmp_path / "stone.urdf").write_text(ONE_LINK)
    files: dict[str, tuple[str, ...]] = {
        "charmie": (),
        "slide": write_slide(tmp_path),
        "stone": (str(tmp_path / "stone.urdf"),),
    }
    return load_model(*files[request.param])


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_every_message_of_a_cycle(robot: Model, settings: Settings) -> None:
    rng = np.random.default_rng(3)
    position = robot.zero_position() + 0.02
    rates = rng.uniform(-0.5, 0.5, (2, len(position)))
    compute = robot.compute if settings.compute_dynamics else robot.kinematics
    state = compute(position, *rates)
    made = CycleMessages(robot, settings)
    made.filler.fill(STAMP, ordinary.block_of_step(robot, settings, state, SETTLING))
    found = {each.topic.name: decoded(each.topic, each.template) for each in made.messages}
    expected = ordinary.of_a_cycle(robot, settings, state, STAMP, SETTLING)
    assert list(found) == list(expected)
    assert found == expected


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_every_message_of_measured_efforts(model: Model, settings: Settings) -> None:
    rng = np.random.default_rng(4)
    made = MeasuredMessages(model, settings)
    for k in range(20):
        residual, external = rng.normal(size=(2, len(ACTUATORS)))
        residual[rng.random(len(ACTUATORS)) < 0.3] = np.nan
        contacts = ~np.isnan(residual) & (rng.random(len(ACTUATORS)) < 0.2 * (k % 3))
        given = Comparison(STAMP + k * 10**9, residual, external, contacts)
        found = {topic.name: decoded(topic, template) for topic, template in made.filled(given)}
        assert found == ordinary.of_a_comparison(model, settings, given)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_every_latched_message(robot: Model, settings: Settings) -> None:
    expected = ordinary.latched(robot, settings, STAMP)
    for output in outputs.LATCHED_OUTPUTS:
        template = output.message(robot, settings)
        if template is None:
            assert output.topic.name == "/tf_static" and not settings.publish_tf
            continue
        template.set_stamp(STAMP)
        assert decoded(output.topic, template) == expected[output.topic.name]


def test_every_message_of_the_tables_is_compared(model: Model) -> None:
    settings, nothing = Settings(), np.zeros(len(model.actuator_names))
    state = model.compute(model.zero_position())
    compared = {
        *ordinary.of_a_cycle(model, settings, state, STAMP),
        *ordinary.of_a_comparison(
            model, settings, Comparison(STAMP, nothing, nothing, nothing.astype(bool))
        ),
        *ordinary.latched(model, settings, STAMP),
        *("markers", "clearance", "contact_forces", "contact_points", "/diagnostics"),
        topics.CYLINDER_EFFORTS.name,  # see test_shared_cylinders
    }
    points = [point.name for point in tracked_points(model, settings.tracked_points)]
    assert {topic.name for topic in outputs.output_topics(points)} == compared


@pytest.mark.parametrize("topic", outputs.every_topic().values(), ids=lambda topic: topic.name)
def test_every_topic_has_a_class_of_messages(topic: topics.Topic) -> None:
    kind = message_class(topic)
    assert topic.type == f"{kind.__module__.split('.')[0]}/msg/{kind.__name__}"


def random_look(shapes: list[Shape]) -> Appearance:
    rng = np.random.default_rng(5)
    first = first_appearance(shapes)
    numbers = [rng.normal(size=array.shape) for array in first[1:-1]]
    return Appearance(rng.random(len(shapes)) < 0.5, *numbers, first.texts)


def test_every_number_of_the_markers(model: Model) -> None:
    scene = Scene(model, reactions=True, labels=True, legend=True)
    looks = random_look(scene.shapes)
    template = SceneMarkers(scene.shapes, "p/", 1.5).write(STAMP, looks)
    expected = ordinary.markers(scene.shapes, "p/", 1.5, STAMP, looks)
    found = deserialize_message(bytes(template), MarkerArray)
    # colours are numbers of single precision, which decoding makes of the ordinary ones, too
    assert found == deserialize_message(serialize_message(expected), MarkerArray)


def test_markers_that_are_not_visible_are_deleted(model: Model) -> None:
    scene = Scene(model)
    state = model.kinematics([pose(1)[name] for name in ACTUATORS])
    appearance = scene.update(state)
    data = bytes(SceneMarkers(scene.shapes, "", 1.0).write(0, appearance))
    found = deserialize_message(data, MarkerArray)
    deleted = [marker.action == Marker.DELETE for marker in found.markers]
    assert deleted == (~appearance.visible).tolist()


def test_a_deletion_names_the_markers_that_go(model: Model) -> None:
    made = SceneMarkers(Scene(model).shapes, "p/", 1.0)
    found = deserialize_message(bytes(deletion(made.identities, STAMP)), MarkerArray).markers
    keys = {(m.ns, m.id, m.type, m.header.frame_id, m.mesh_resource) for m in found}
    assert keys == {(m.namespace, m.id, m.type, m.frame_id, m.mesh) for m in made.identities}
    assert {m.action for m in found} == {Marker.DELETE}
    assert {(m.header.stamp.sec, m.header.stamp.nanosec) for m in found} == {divmod(STAMP, 10**9)}


LABELS = [
    Shape("labels", 0, "text", "base", text="  1.0"),
    Shape("labels", 1, "text", "base", text="left"),
]


def test_a_text_may_change() -> None:
    made = SceneMarkers(LABELS, "", 1.0)
    for texts in ((" 22.5", "left"), ("  1.0", "left")):
        looks = first_appearance(LABELS)._replace(texts=texts)
        found = deserialize_message(bytes(made.write(0, looks)), MarkerArray)
        assert tuple(marker.text for marker in found.markers) == texts


def test_a_text_of_another_length_is_refused() -> None:
    made = SceneMarkers(LABELS, "", 1.0)
    with pytest.raises(CdrError, match=r"expected 9 bytes .*\[5, 4\], got 10 bytes"):
        made.write(0, first_appearance(LABELS)._replace(texts=("123456", "left")))


@pytest.fixture(scope="module", params=[DEFAULT_RMW, QUICK_RMW])
def comparison(request: pytest.FixtureRequest, folder: Path) -> dict[str, Any]:
    """What a subscriber found that received both, by topic, on one middleware."""
    if not has_middleware(request.param):
        pytest.skip(f"{request.param} is not installed")
    environment = {"RMW_IMPLEMENTATION": request.param}
    player = [sys.executable, str(HERE / "wire_player.py")]
    log = folder / f"wire_player_{request.param}.log"
    with Process(player, log, environment) as process:
        process.wait_for_output("playing")
        done = subprocess.run(
            [sys.executable, str(HERE / "wire_checker.py")],
            env=child_environment(environment),
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert done.returncode == 0, f"{done.stderr}\n{process.output()}"
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


@pytest.mark.parametrize("topic", OUTPUTS)
def test_a_subscriber_cannot_tell_them_apart(comparison: dict[str, Any], topic: str) -> None:
    assert comparison[topic]["different"] == []
    assert comparison[topic]["compared"] >= 5
