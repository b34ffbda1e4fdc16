# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Markers follow their parameters at run time: what is gone is deleted, not left to time out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from graph import EACH_CYCLE, Checker, stamp_of
from node_process import start_dynamics_node
from rcl_interfaces.srv import SetParametersAtomically
from rclpy.parameter import Parameter
from robot_inputs import JOINTS, Inputs, named, pose
from small_robots import write_slide
from visualization_msgs.msg import Marker

DEFAULTS: dict[str, Any] = {
    "model": "",
    "mechanisms": "",
    "frame_prefix": "",
    "publish_markers": True,
    "marker_style": "solid",
    "marker_reactions": False,
    "marker_labels": False,
    "marker_legend": False,
}
SOLIDS = {Marker.CUBE, Marker.CYLINDER, Marker.SPHERE, Marker.MESH_RESOURCE}


class Viewer(Checker):
    """Shows what a viewer of markers shows, but for lifetimes: no marker ever times out."""

    def shown(self) -> dict[tuple[str, int], Any]:
        """Return the markers that were added and not deleted since."""
        markers: dict[tuple[str, int], Any] = {}
        for message in self.received["markers"]:
            for marker in message.markers:
                if marker.action == Marker.ADD:
                    markers[marker.ns, marker.id] = marker
                else:
                    markers.pop((marker.ns, marker.id), None)
        return markers

    def namespaces(self) -> set[str]:
        return {namespace for namespace, _ in self.shown()}

    def set(self, **values: Any) -> None:
        """Set parameters together, which must be accepted."""
        parameters = [
            Parameter(name, value=value).to_parameter_msg() for name, value in values.items()
        ]
        request = SetParametersAtomically.Request(parameters=parameters)
        service = "/charmie_dynamics/set_parameters_atomically"
        result = self.call(SetParametersAtomically, service, request).result
        assert result.successful, result.reason


@pytest.fixture(scope="module")
def viewer(folder: Path) -> Iterator[Viewer]:
    with start_dynamics_node(folder, {"marker_rate": 0.0, "input_timeout": 600.0}):
        with Viewer((*EACH_CYCLE, "markers")) as viewer:
            yield viewer


@pytest.fixture(scope="module")
def inputs(viewer: Viewer) -> Inputs:
    inputs = Inputs(viewer)
    inputs.connect(pose(), (*EACH_CYCLE, "markers"))
    return inputs


@pytest.fixture(autouse=True)
def defaults(viewer: Viewer) -> Iterator[None]:
    """Put all parameters back after each test."""
    yield
    viewer.set(**DEFAULTS)


def show(inputs: Inputs) -> None:
    """Send one sample and wait for its markers."""
    inputs.cycle(pose(), topics=("markers",))


@pytest.mark.parametrize(
    "name, namespace",
    [
        ("marker_reactions", "reactions"),
        ("marker_labels", "labels"),
        ("marker_legend", "legend"),
    ],
)
def test_a_part_appears_with_the_next_sample_and_vanishes_without_one(
    viewer: Viewer, inputs: Inputs, name: str, namespace: str
) -> None:
    show(inputs)
    before = viewer.namespaces()
    viewer.set(**{name: True})
    show(inputs)
    assert viewer.namespaces() - before == {namespace}
    viewer.set(**{name: False})
    viewer.wait_for(lambda: viewer.namespaces() == before, f"no {namespace}")


def test_markers_vanish_when_they_are_switched_off(viewer: Viewer, inputs: Inputs) -> None:
    show(inputs)
    assert viewer.shown()
    viewer.set(publish_markers=False)
    viewer.wait_for(lambda: not viewer.shown(), "no markers")


def test_markers_stay_away_while_they_are_switched_off(viewer: Viewer, inputs: Inputs) -> None:
    viewer.set(publish_markers=False)
    viewer.spin(0.2)
    viewer.forget()
    for _ in range(5):
        inputs.cycle(pose())
    assert viewer.received["markers"] == []


def test_nothing_is_deleted_that_stays(viewer: Viewer, inputs: Inputs) -> None:
    """Changes of something else must not make the picture flicker."""
    show(inputs)
    before = set(viewer.shown())
    viewer.set(marker_legend=True)
    viewer.set(marker_legend=False, marker_labels=True)
    show(inputs)
    assert before <= set(viewer.shown())
    deleted = {
        (marker.ns, marker.id)
        for message in viewer.received["markers"]
        for marker in message.markers
        if marker.action != Marker.ADD and len(message.markers) < len(before)
    }
    assert deleted & before == set()


def test_the_skeleton_takes_the_place_of_the_solids_and_back(
    viewer: Viewer, inputs: Inputs
) -> None:
    def bodies() -> list[Any]:
        return [
            marker for (namespace, _), marker in viewer.shown().items() if namespace == "bodies"
        ]

    def lines() -> list[Any]:
        return [marker for marker in bodies() if marker.type == Marker.LINE_STRIP]

    show(inputs)
    solids = {(marker.ns, marker.id, marker.type) for marker in bodies()}
    assert {kind for _, _, kind in solids} <= SOLIDS
    viewer.set(marker_style="skeleton")
    viewer.wait_for(
        lambda: not {Marker.CUBE, Marker.CYLINDER} & {m.type for m in bodies()}, "no solids"
    )
    show(inputs)
    assert len(lines()) > 20
    viewer.set(marker_style="solid")
    viewer.wait_for(lambda: not lines(), "no lines")
    show(inputs)
    assert {(marker.ns, marker.id, marker.type) for marker in bodies()} == solids


def test_no_marker_stays_in_a_frame_that_is_gone(viewer: Viewer, inputs: Inputs) -> None:
    show(inputs)
    viewer.set(frame_prefix="x/")
    viewer.wait_for(lambda: not viewer.shown(), "no markers in the old frames")
    show(inputs)
    frames = {marker.header.frame_id for marker in viewer.shown().values()}
    assert [frame for frame in frames if not frame.startswith("x/")] == []


def test_no_marker_of_another_robot_stays(viewer: Viewer, inputs: Inputs, tmp_path: Path) -> None:
    show(inputs)
    urdf, mechanisms = write_slide(tmp_path)
    viewer.set(model=urdf, mechanisms=mechanisms)
    viewer.wait_for(lambda: not viewer.shown(), "no markers of the old robot")


def test_markers_change_without_a_new_start_of_the_inputs(viewer: Viewer, inputs: Inputs) -> None:
    """The lengths from before the change are still in use."""
    inputs.cycle(pose())
    viewer.set(marker_labels=True, marker_style="skeleton")
    joints = {name: pose()[name] for name in JOINTS}
    stamp = inputs.next_stamp()
    inputs.send(joints, stamp)
    cycle = inputs.cycle(joints, stamp)
    assert stamp_of(cycle["actuator_efforts"]) == stamp
    assert named(cycle["actuator_efforts"], "position") == pytest.approx(pose(), abs=1e-9)
