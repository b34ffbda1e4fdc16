# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The view reads from serialised messages what decoding them gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import ordinary_messages
import pytest
from geometry_msgs.msg import Point, TransformStamped
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray

from charmie_dynamics import Model
from charmie_dynamics.ros.outputs.markers import SceneMarkers
from charmie_dynamics.view.messages import EffortsReader, MarkersReader, TransformsReader
from charmie_dynamics.visual.scene.scene import Scene


@pytest.fixture(params=["template", "ordinary"])
def reading(request: pytest.FixtureRequest, model: Model) -> tuple[Any, Any, Any]:
    """Layout and look of the second of two messages, and the appearance that it was made from."""
    scene = Scene(model, labels=True)
    markers = SceneMarkers(scene.shapes, "p/", 1.5)
    reader = MarkersReader()
    for k in (1, 2):
        state = model.compute(model.zero_position() + 0.01 * k)
        appearance = scene.update(state)
        if request.param == "template":
            data = bytes(markers.write(k, appearance))
        else:
            data = serialize_message(
                ordinary_messages.markers(scene.shapes, "p/", 1.5, k, appearance)
            )
        layout, look = reader.read(data)
    return layout, look, appearance


@pytest.mark.parametrize("field", ["visible", "position", "quaternion", "scale", "points"])
def test_numbers_are_exact(reading: tuple[Any, Any, Any], field: str) -> None:
    _, look, appearance = reading
    np.testing.assert_array_equal(getattr(look, field), getattr(appearance, field))


def test_colours_are_those_of_single_precision(reading: tuple[Any, Any, Any]) -> None:
    _, look, appearance = reading
    np.testing.assert_array_equal(look.color, appearance.color.astype(np.float32))


def test_texts_are_read(reading: tuple[Any, Any, Any]) -> None:
    _, look, appearance = reading
    assert look.texts == appearance.texts


def test_the_layout_knows_frames_and_lifetime(reading: tuple[Any, Any, Any]) -> None:
    layout, _, _ = reading
    assert layout.lifetime == 1.5 and all(frame.startswith("p/") for frame in layout.frames)


def test_messages_that_differ_in_numbers_have_one_layout() -> None:
    reader = MarkersReader()
    layouts = [reader.read(marker_bytes(x=x, z=9.0))[0] for x in (1.0, 2.0)]
    assert layouts[0] is layouts[1]


def marker_bytes(*, x: float = 0.0, z: float = 0.0, name: str = "a", points: int = 2) -> bytes:
    marker = Marker(ns=name, type=Marker.LINE_STRIP)
    marker.pose.position.x = x
    marker.points = [Point(z=z) for _ in range(points)]
    return bytes(serialize_message(MarkerArray(markers=[marker])))


@pytest.mark.parametrize("other", [{"name": "b"}, {"points": 3}])
def test_messages_that_differ_otherwise_have_two(other: dict[str, Any]) -> None:
    reader = MarkersReader()
    assert reader.read(marker_bytes())[0] is not reader.read(marker_bytes(**other))[0]


def joint_state(**fields: Any) -> bytes:
    message = JointState(name=["a", "b"], **fields)
    message.header.stamp.sec, message.header.stamp.nanosec = 7, 250_000_000
    return bytes(serialize_message(message))


def test_efforts_are_read_with_time_and_names() -> None:
    reader = EffortsReader()
    for k in (1.0, 2.0):
        time, names, effort = reader.read(joint_state(position=[0.0, k], effort=[k, -k]))
    assert (time, list(names), effort.tolist()) == (7.25, ["a", "b"], [2.0, -2.0])


def test_velocities_are_not_taken_for_efforts() -> None:
    reader = EffortsReader()
    reader.read(joint_state(position=[1.0, 2.0], effort=[3.0, 4.0]))
    _, names, effort = reader.read(joint_state(position=[1.0, 2.0], velocity=[3.0, 4.0]))
    assert (list(names), len(effort)) == ([], 0)


def test_transforms_are_read() -> None:
    reader = TransformsReader()
    for k in (1.0, 2.0):
        transform = TransformStamped(child_frame_id="arm")
        transform.header.frame_id = "base"
        transform.transform.translation.y = k
        data = bytes(serialize_message(TFMessage(transforms=[transform])))
        parents, children, rows = reader.read(data)
    assert (parents, children, rows.tolist()) == (("base",), ("arm",), [[0, 2, 0, 0, 0, 0, 1]])
