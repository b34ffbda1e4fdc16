# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Shapes that come and go as markers: those of contacts."""

from __future__ import annotations

import numpy as np
import pytest
from rclpy.serialization import deserialize_message
from visualization_msgs.msg import Marker, MarkerArray

from charmie_dynamics.ros.outputs.shape_markers import LEAST_ROOM, ShapeMarkers
from charmie_dynamics.simulation import Plant, world_of
from charmie_dynamics.visual.scene import Shape, contact_parts

STAMP = 12_345_678_901
BOX = """
contacts: {default: {normal: hooke, stiffness: 1.0e5, friction: coulomb, kinetic: 0.5}}
entities:
  ground: {shape: plane}
  box: {shape: box, size: [0.4, 0.3, 0.2], mass: 2.0, pose: [0, 0, 0.09995, 0, 0, 0]}
"""


def shown(markers: ShapeMarkers, shapes: list[Shape]) -> dict[tuple[str, int], Marker]:
    found = deserialize_message(bytes(markers.write(STAMP, shapes)), MarkerArray).markers
    return {(m.ns, m.id): m for m in found if m.action == Marker.ADD}


def balls(*numbers: int) -> list[Shape]:
    return [Shape("balls", k, "sphere", "world", position=(float(k), 0.0, 0.0)) for k in numbers]


@pytest.fixture(scope="module")
def parts() -> list[Shape]:
    world = world_of(BOX)
    plant = Plant(world.model, world.position, contacts=world.contacts)
    return contact_parts(plant.contacts, frame="world", size=5.0, length=0.1)


def test_contacts_are_arrows_discs_and_cones(parts: list[Shape]) -> None:
    found = shown(ShapeMarkers("left/", 1.5), parts)
    kinds = {ns: Marker.CYLINDER if "points" in ns else Marker.ARROW for ns, _ in found}
    assert set(kinds) == {"contacts", "contact_points", "friction_cones"}
    assert len(found) == 12 == len(parts)
    for (ns, _), marker in found.items():
        assert marker.type == kinds[ns]
        assert marker.header.frame_id == "left/world"
        assert (marker.lifetime.sec, marker.lifetime.nanosec) == (1, 500_000_000)


def test_the_numbers_are_those_of_the_shapes(parts: list[Shape]) -> None:
    found = shown(ShapeMarkers("", 1.0), parts)
    for part in parts:
        marker = found[part.namespace, part.id]
        scale = marker.scale
        assert (scale.x, scale.y, scale.z) == pytest.approx(part.scale)
        color = marker.color
        assert (color.r, color.g, color.b, color.a) == pytest.approx(part.color)
        points = [(p.x, p.y, p.z) for p in marker.points]
        np.testing.assert_allclose(points, [] if part.points is None else part.points)
        place = marker.pose.position
        np.testing.assert_allclose((place.x, place.y, place.z), part.position)


def test_what_is_gone_is_deleted() -> None:
    markers = ShapeMarkers("", 1.0)
    markers.write(0, balls(0, 1, 2))
    found = deserialize_message(bytes(markers.write(STAMP, balls(1))), MarkerArray).markers
    assert {m.id for m in found} == set(range(LEAST_ROOM))
    assert [m.id for m in found if m.action == Marker.ADD] == [1]
    assert {m.action for m in found} == {Marker.ADD, Marker.DELETE}


def test_room_grows_and_stays() -> None:
    markers = ShapeMarkers("", 1.0)
    assert shown(markers, []) == {}
    small = len(bytes(markers.write(0, balls(0))))
    assert len(bytes(markers.write(0, balls(*range(8))))) == small
    large = len(bytes(markers.write(0, balls(8))))
    assert large > small
    found = shown(markers, balls(3, 11))
    assert {key: m.pose.position.x for key, m in found.items()} == {
        ("balls", 3): 3.0, ("balls", 11): 11.0,
    }  # fmt: skip
    assert len(bytes(markers.write(0, []))) == large
