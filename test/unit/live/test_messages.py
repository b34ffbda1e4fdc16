# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Messages written field by field are what rosbags writes of the same content."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from charmie_dynamics.live.wire import messages
from charmie_dynamics.live.wire.messages import MARKER_TYPES as TYPES
from charmie_dynamics.live.wire.messages import Marker
from charmie_dynamics.live.wire.templates import Template

typesys = pytest.importorskip("rosbags.typesys", reason="rosbags is missing, the oracle of bytes")

STORE = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)
T = STORE.types
STAMP = 1_700_000_000_987_654_321
LETTERS = ["", "a", "bc", "def", "ghij", "klmno", "pqrstu", "\N{GREEK SMALL LETTER ALPHA}vwx"]


def header(frame: str) -> Any:
    seconds, nanoseconds = divmod(STAMP, 1_000_000_000)
    time = T["builtin_interfaces/msg/Time"](sec=seconds, nanosec=nanoseconds)
    return T["std_msgs/msg/Header"](stamp=time, frame_id=frame)


def vector(values: Any, kind: str = "Vector3") -> Any:
    return T[f"geometry_msgs/msg/{kind}"](*np.asarray(values).tolist())


def numbered(template: Template, name: str, kind: str = "float64") -> Any:
    """Fill a place with numbers that are there once, and return them."""
    places = template.places(name)
    values = (np.arange(1.0, places.size + 1.0) / 7.0).reshape(places.shape)
    if kind == "float32":
        values = values.astype(np.float32)
    getattr(template, kind)[places] = values
    return values


def require_same(template: Template, message: Any, kind: str) -> None:
    template.set_stamp(STAMP)
    assert bytes(template) == bytes(STORE.serialize_cdr(message, kind))


@pytest.mark.parametrize("name", LETTERS)
@pytest.mark.parametrize("given", ["", "p", "v", "e", "pv", "pe", "ve", "pve"])
def test_joint_states(name: str, given: str) -> None:
    fields = [field for field in messages.FIELDS if field[0] in given]
    template = messages.joint_state([name, "x"], "odom", fields)
    values = {field: np.empty(0) for field in messages.FIELDS}
    values |= {field: numbered(template, field)[0] for field in fields}
    kind = messages.JOINT_STATE
    require_same(template, T[kind](header("odom"), [name, "x"], **values), kind)


def test_a_joint_state_without_names() -> None:
    template = messages.joint_state([], "f", messages.FIELDS)
    kind, empty = messages.JOINT_STATE, np.empty(0)
    require_same(template, T[kind](header("f"), [], empty, empty, empty), kind)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_transforms(count: int) -> None:
    frames = [(LETTERS[k], LETTERS[-k]) for k in range(count)]
    template = messages.transforms(frames)
    p, q = numbered(template, "translation"), numbered(template, "rotation")
    expected = [
        T["geometry_msgs/msg/TransformStamped"](
            header(parent),
            child,
            T["geometry_msgs/msg/Transform"](vector(p[k]), vector(q[k], "Quaternion")),
        )
        for k, (parent, child) in enumerate(frames)
    ]
    require_same(template, T[messages.TRANSFORMS](expected), messages.TRANSFORMS)


@pytest.mark.parametrize("frame", LETTERS)
def test_wrenches(frame: str) -> None:
    template = messages.wrench(frame)
    force, torque = numbered(template, "force")[0], numbered(template, "torque")[0] + 1.0
    template.float64[template.places("torque")[0]] = torque
    wrench = T["geometry_msgs/msg/Wrench"](vector(force), vector(torque))
    require_same(template, T[messages.WRENCH](header(frame), wrench), messages.WRENCH)


@pytest.mark.parametrize("frame", LETTERS)
def test_points(frame: str) -> None:
    template = messages.point(frame)
    point = vector(numbered(template, "point")[0], "Point")
    require_same(template, T[messages.POINT](header(frame), point), messages.POINT)


@pytest.mark.parametrize("text", LETTERS)
def test_strings(text: str) -> None:
    assert bytes(messages.string(text)) == bytes(
        STORE.serialize_cdr(T[messages.STRING](text), messages.STRING)
    )


GIVEN = [
    Marker("bodies", 3, TYPES["box"], "base"),
    Marker("l", -1, TYPES["line_strip"], "arm", points=3, lifetime=15),
    Marker("labels", 7, TYPES["text"], "b", text="  1.5 N", lifetime=10**9),
    Marker("meshes", 8, TYPES["mesh"], "head", mesh="package://a/b.dae"),
    Marker("", 0, TYPES["arrow"], "", points=2),
]


def test_markers() -> None:
    template = messages.markers(GIVEN)
    position, orientation = numbered(template, "position"), numbered(template, "orientation")
    scale, color = numbered(template, "scale"), numbered(template, "color", "float32")
    points = iter(numbered(template, "point"))
    template.int32[template.places("action")] = [[0], [2], [0], [0], [2]]
    expected = []
    for k, given in enumerate(GIVEN):
        seconds, nanoseconds = divmod(given.lifetime, 10**9)
        no_image = T["sensor_msgs/msg/CompressedImage"](
            T["std_msgs/msg/Header"](T["builtin_interfaces/msg/Time"](0, 0), ""),
            "",
            np.empty(0, np.uint8),
        )
        expected.append(
            T["visualization_msgs/msg/Marker"](
                header(given.frame_id),
                given.namespace,
                given.id,
                given.type,
                2 if k in (1, 4) else 0,
                T["geometry_msgs/msg/Pose"](
                    vector(position[k], "Point"), vector(orientation[k], "Quaternion")
                ),
                vector(scale[k]),
                T["std_msgs/msg/ColorRGBA"](*color[k].tolist()),
                T["builtin_interfaces/msg/Duration"](seconds, nanoseconds),
                False,
                [vector(next(points), "Point") for _ in range(given.points)],
                [],
                "",
                no_image,
                [],
                given.text,
                given.mesh,
                T["visualization_msgs/msg/MeshFile"]("", np.empty(0, np.uint8)),
                False,
            )
        )
    require_same(template, T[messages.MARKERS](expected), messages.MARKERS)


def test_the_letters_of_a_text_are_known() -> None:
    template = messages.markers(GIVEN)
    letters = [template.uint8[list(r)].tobytes() for r in template.ranges("text")]
    assert letters == [b"", b"", b"  1.5 N", b"", b""]


@pytest.mark.parametrize("name", list(TYPES))
def test_types_of_markers_are_those_of_ros(name: str) -> None:
    constants = {"box": "CUBE", "text": "TEXT_VIEW_FACING", "mesh": "MESH_RESOURCE"}
    constant = constants.get(name, name.upper())
    assert getattr(T["visualization_msgs/msg/Marker"], constant) == TYPES[name]
