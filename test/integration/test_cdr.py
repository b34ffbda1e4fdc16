"""Where the numbers of a message stand in its serialised form."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Point
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import Imu, JointState, NavSatFix
from visualization_msgs.msg import Marker, MarkerArray

from charmie_dynamics.live.wire.cdr import CdrError
from charmie_dynamics.ros.outputs.conversions import template_of


def markers() -> MarkerArray:
    """Two markers whose strings and sequences have other lengths, so that gaps differ."""
    first = Marker(ns="abc", id=-5, type=Marker.SPHERE, text="x")
    first.color.a = 0.25
    second = Marker(ns="de", id=7, mesh_use_embedded_materials=True)
    second.points = [Point(x=1.0, y=2.0, z=3.0), Point(x=4.0, y=5.0, z=6.0)]
    second.color.a = 0.75
    second.header.stamp.nanosec = 999_999_999
    second.mesh_file.data = b"odd"
    return MarkerArray(markers=[first, second])


def imu() -> Imu:
    """A message with arrays of fixed length."""
    message = Imu()
    message.header.frame_id = "imu"
    message.angular_velocity.y = 2.5
    message.linear_acceleration_covariance = np.arange(9.0)
    return message


def fix() -> NavSatFix:
    """A message with numbers of one and two bytes before those of eight."""
    message = NavSatFix(latitude=1.5, altitude=-2.5, position_covariance_type=3)
    message.status.status = -1
    message.status.service = 513
    return message


def names(*lengths: int, **fields: list[float]) -> JointState:
    """A joint state with names of given lengths."""
    message = JointState(name=["n" * length for length in lengths])
    for field, values in fields.items():
        setattr(message, field, array("d", values))
    return message


CASES: list[tuple[Any, str, str, list[float]]] = [
    (markers(), "markers.id", "int32", [-5, 7]),
    (markers(), "markers.type", "int32", [Marker.SPHERE, Marker.ARROW]),
    (markers(), "markers.header.stamp.nanosec", "int32", [0, 999_999_999]),
    (markers(), "markers.color.a", "float32", [0.25, 0.75]),
    (markers(), "markers.points.y", "float64", [2.0, 5.0]),
    (markers(), "markers.text", "uint8", [ord("x"), 0]),
    (markers(), "markers.mesh_file.data", "uint8", list(b"odd")),
    (markers(), "markers.mesh_use_embedded_materials", "uint8", [0, 1]),
    (imu(), "angular_velocity.y", "float64", [2.5]),
    (imu(), "linear_acceleration_covariance", "float64", list(range(9))),
    (fix(), "latitude", "float64", [1.5]),
    (fix(), "altitude", "float64", [-2.5]),
    (fix(), "position_covariance_type", "uint8", [3]),
    (names(1, 2, 3, position=[1.0, 2.0, 3.0]), "position", "float64", [1.0, 2.0, 3.0]),
    (names(4, position=[1.0], effort=[3.0]), "effort", "float64", [3.0]),
    (names(5, effort=[3.0]), "effort", "float64", [3.0]),
    (names(), "position", "float64", []),
]


@pytest.mark.parametrize(("message", "path", "kind", "expected"), CASES)
def test_a_template_shows_the_numbers_of_its_message(
    message: Any, path: str, kind: str, expected: list[float]
) -> None:
    template = template_of(message)
    assert getattr(template, kind)[template.index(path)].tolist() == expected


@pytest.mark.parametrize("length", range(9))
def test_strings_before_numbers_do_not_misplace_them(length: int) -> None:
    template = template_of(names(length, 3, position=[1.5, 2.5]))
    assert template.doubles("position").tolist() == [1.5, 2.5]


def test_strings_are_counted_in_bytes() -> None:
    message = JointState(name=["\N{GREEK SMALL LETTER ALPHA}" * 6], position=array("d", [1.5]))
    assert template_of(message).doubles("position").tolist() == [1.5]


def test_a_number_that_is_written_is_decoded() -> None:
    template = template_of(markers())
    template.float64[template.index("markers.points", "xyz")] = [[1.5, 2.5, 3.5], [4.5, 5.5, 6.5]]
    expected = markers()
    expected.markers[1].points = [Point(x=1.5, y=2.5, z=3.5), Point(x=4.5, y=5.5, z=6.5)]
    assert deserialize_message(bytes(template), MarkerArray) == expected


@pytest.mark.parametrize(
    "message",
    [
        markers(),
        imu(),
        fix(),
        names(3, velocity=[1.0]),
        names(3, position=[1.0]),
        DiagnosticArray(status=[DiagnosticStatus(values=[KeyValue(key="a", value="bcd")])]),
    ],
    ids=lambda message: type(message).__name__,
)
def test_an_untouched_template_is_its_message(message: Any) -> None:
    assert deserialize_message(bytes(template_of(message)), type(message)) == message


def test_fields_make_columns() -> None:
    template = template_of(markers())
    points = template.float64[template.index("markers.points", "zx")]
    np.testing.assert_array_equal(points, [[3.0, 1.0], [6.0, 4.0]])


def test_numbers_apart_are_no_array_of_doubles() -> None:
    with pytest.raises(CdrError, match=r"markers\.points\.x"):
        template_of(markers()).doubles("markers.points.x")


def test_what_a_message_has_not_is_an_empty_index() -> None:
    assert template_of(markers()).index("markers.colors.r").tolist() == []
