"""Serialised templates and ordinary messages say the same."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import rclpy
from conftest import DEFAULT_RMW, QUICK_RMW, has_middleware
from graph import OUTPUTS
from node_process import Process, child_environment
from rclpy.serialization import deserialize_message
from robot_inputs import ACTUATORS, pose
from small_robots import write_slide
from visualization_msgs.msg import Marker, MarkerArray

from charmie_dynamics import Model, load_model
from charmie_dynamics.ros.cdr import LayoutError
from charmie_dynamics.ros.markers import MarkersMessage, MarkersTemplate
from charmie_dynamics.ros.messages import WrenchMessage
from charmie_dynamics.ros.outputs import Outputs
from charmie_dynamics.ros.parameters import Settings
from charmie_dynamics.ros.templates import WrenchTemplate, quickest
from charmie_dynamics.scene.appearance import first_appearance
from charmie_dynamics.scene.scene import Scene
from charmie_dynamics.scene.shapes import Shape

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


class SwappedTemplate(WrenchTemplate):
    """A template that misplaces numbers."""

    def __init__(self, ordinary: WrenchMessage) -> None:
        super().__init__(ordinary)
        self._force, self._torque = self._torque, self._force


class RefusedTemplate(WrenchTemplate):
    """A template for a middleware that serialises in another way."""

    def __init__(self, ordinary: WrenchMessage) -> None:
        raise LayoutError("another form")


@pytest.mark.parametrize("template", [SwappedTemplate, RefusedTemplate])
def test_a_template_that_does_not_hold_is_not_used(template: Any) -> None:
    ordinary = WrenchMessage("base")
    assert quickest(ordinary, template, lambda reason: None) is ordinary


@pytest.mark.parametrize(
    ("template", "reason"),
    [(SwappedTemplate, "decodes to other numbers"), (RefusedTemplate, "another form")],
)
def test_it_is_reported_why_a_template_is_not_used(template: Any, reason: str) -> None:
    reasons: list[str] = []
    quickest(WrenchMessage("base"), template, reasons.append)
    assert len(reasons) == 1 and reason in reasons[0]


def test_a_template_that_holds_is_used() -> None:
    assert isinstance(quickest(WrenchMessage("base"), WrenchTemplate, print), WrenchTemplate)


LABELS = [
    Shape("labels", 0, "text", "base", text="  1.0"),
    Shape("labels", 1, "text", "base", text="left"),
]


def test_a_text_may_change() -> None:
    template = MarkersTemplate(MarkersMessage(LABELS, "", 1.0))
    appearance = first_appearance(LABELS)._replace(texts=(" 22.5", "left"))
    found = deserialize_message(template.write(0, appearance), MarkerArray)
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
    found = deserialize_message(template.write(0, appearance), MarkerArray)
    deleted = [marker.action == Marker.DELETE for marker in found.markers]
    assert deleted == (~appearance.visible).tolist()
