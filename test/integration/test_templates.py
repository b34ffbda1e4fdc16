"""Serialised templates and ordinary messages say the same."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rclpy
from conftest import DEFAULT_RMW, QUICK_RMW, has_middleware
from geometry_msgs.msg import WrenchStamped
from graph import OUTPUTS
from node_process import Process, child_environment
from rclpy.serialization import deserialize_message
from robot_inputs import ACTUATORS, pose
from small_robots import write_slide
from visualization_msgs.msg import Marker, MarkerArray

from charmie_dynamics import Model, load_model
from charmie_dynamics.live.wire.cdr import LayoutError
from charmie_dynamics.ros.outputs.cycle_messages import CycleMessages, Entry, Source
from charmie_dynamics.ros.outputs.markers import MarkersMessage, MarkersTemplate
from charmie_dynamics.ros.outputs.messages import WrenchMessage
from charmie_dynamics.ros.outputs.publishers import Outputs
from charmie_dynamics.ros.outputs.templates import quickest
from charmie_dynamics.ros.process.parameters import Settings
from charmie_dynamics.visual.scene.scene import Scene
from charmie_dynamics.visual.shapes.appearance import first_appearance
from charmie_dynamics.visual.shapes.shape import Shape

HERE = Path(__file__).parent
ONE_LINK = '<robot name="stone"><link name="stone"/></robot>'


@pytest.fixture
def node() -> Iterator[Any]:
    if not rclpy.ok():
        rclpy.init()
    node = rclpy.create_node("templates")
    yield node
    node.destroy_node()


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


@pytest.mark.parametrize("topic", OUTPUTS)
def test_several_cycles_were_compared(comparison: dict[str, Any], topic: str) -> None:
    assert comparison[topic]["compared"] >= 5


@pytest.mark.parametrize("compute_dynamics", [True, False])
@pytest.mark.parametrize("robot", ["charmie", "slide", "stone"])
def test_no_message_falls_back(
    node: Any, tmp_path: Path, robot: str, compute_dynamics: bool
) -> None:
    (tmp_path / "stone.urdf").write_text(ONE_LINK)
    files: dict[str, tuple[str, ...]] = {
        "charmie": (),
        "slide": write_slide(tmp_path),
        "stone": (str(tmp_path / "stone.urdf"),),
    }
    outputs = Outputs(node)
    outputs.configure(load_model(*files[robot]), Settings(compute_dynamics=compute_dynamics))
    assert outputs.fallbacks == ()


class SwappedTemplate(MarkersTemplate):
    """A template that misplaces numbers."""

    def __init__(self, ordinary: MarkersMessage) -> None:
        super().__init__(ordinary)
        action, position, quaternion, scale, *rest = self._places
        self._places = (action, scale, quaternion, position, *rest)


class RefusedTemplate(MarkersTemplate):
    """A template for a middleware that serialises in another way."""

    def __init__(self, ordinary: MarkersMessage) -> None:
        raise LayoutError("another form")


def a_sphere() -> MarkersMessage:
    return MarkersMessage([Shape("bodies", 0, "sphere", "base")], "", 1.0)


@pytest.mark.parametrize("template", [SwappedTemplate, RefusedTemplate])
def test_a_template_that_does_not_hold_is_not_used(template: Any) -> None:
    ordinary = a_sphere()
    assert quickest(ordinary, template, lambda reason: None) is ordinary


@pytest.mark.parametrize(
    ("template", "reason"),
    [(SwappedTemplate, "decodes to other numbers"), (RefusedTemplate, "another form")],
)
def test_it_is_reported_why_a_template_is_not_used(template: Any, reason: str) -> None:
    reasons: list[str] = []
    quickest(a_sphere(), template, reasons.append)
    assert len(reasons) == 1 and reason in reasons[0]


def test_a_template_that_holds_is_used() -> None:
    assert isinstance(quickest(a_sphere(), MarkersTemplate, print), MarkersTemplate)


class SwappedWrench(WrenchMessage):
    """A message that says wrongly where its numbers stand."""

    targets = (("wrench.torque", "xyz"), ("wrench.force", "xyz"))


class NowhereWrench(WrenchMessage):
    """A message that names a field which it has not."""

    targets = (("wrench.force", "xyz"), ("wrench.moment", "xyz"))


LOADS = (Source(np.array([2, 0, 1])), Source(np.array([5, 3, 4]), 2.0, 1.0))


def filled_together(report: Any, *wrenches: type[WrenchMessage]) -> list[Any]:
    """Return what is published of wrenches from the same block of numbers."""
    entries = [Entry(wrench("base"), LOADS) for wrench in wrenches]
    block = np.arange(10.0, 16.0)
    block.flags.writeable = False
    return list(CycleMessages(entries, 6, True, report).write(1_500_000_000, block))


def test_messages_that_are_filled_together_take_their_numbers_from_where_they_are_told() -> None:
    first, second = filled_together(print, WrenchMessage, WrenchMessage)
    wrench = deserialize_message(bytes(second), WrenchStamped).wrench
    assert bytes(first) == bytes(second)
    assert [wrench.force.x, wrench.force.y, wrench.force.z] == [12.0, 10.0, 11.0]
    assert [wrench.torque.x, wrench.torque.y, wrench.torque.z] == [31.0, 27.0, 29.0]


@pytest.mark.parametrize("wrong", [SwappedWrench, NowhereWrench])
def test_one_that_cannot_be_filled_so_is_published_as_an_ordinary_message(wrong: Any) -> None:
    reasons: list[str] = []
    good, ordinary = filled_together(reasons.append, WrenchMessage, wrong)
    assert deserialize_message(bytes(good), WrenchStamped) == ordinary
    assert len(reasons) == 1


LABELS = [
    Shape("labels", 0, "text", "base", text="  1.0"),
    Shape("labels", 1, "text", "base", text="left"),
]


def test_a_text_may_change() -> None:
    template = MarkersTemplate(MarkersMessage(LABELS, "", 1.0))
    appearance = first_appearance(LABELS)._replace(texts=(" 22.5", "left"))
    found = deserialize_message(bytes(template.write(0, appearance)), MarkerArray)
    assert [marker.text for marker in found.markers] == [" 22.5", "left"]


def test_a_text_of_another_length_is_refused() -> None:
    template = MarkersTemplate(MarkersMessage(LABELS, "", 1.0))
    with pytest.raises(LayoutError, match=r"expected 9 bytes .*\[5, 4\], got 10 bytes"):
        template.write(0, first_appearance(LABELS)._replace(texts=("123456", "left")))


def test_markers_that_are_not_visible_are_deleted(model: Model) -> None:
    scene = Scene(model)
    state = model.compute([pose(1)[name] for name in ACTUATORS], dynamics=False)
    template = MarkersTemplate(MarkersMessage(scene.shapes, "", 1.0))
    appearance = scene.update(state)
    found = deserialize_message(bytes(template.write(0, appearance)), MarkerArray)
    deleted = [marker.action == Marker.DELETE for marker in found.markers]
    assert deleted == (~appearance.visible).tolist()
