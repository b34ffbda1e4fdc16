# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Contacts as shapes: forces, points, friction cones."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from charmie_dynamics.simulation import ContactTable, Plant, world_of
from charmie_dynamics.visual.pictures.solids import solid_of
from charmie_dynamics.visual.scene import Shape, contact_parts, usual_force_scale
from charmie_dynamics.visual.scene.contacts import (
    CONES,
    CONTACT_POINT,
    FORCES,
    LEAST_SHARE,
    MOST_SHARE,
    POINTS,
)
from charmie_dynamics.visual.shapes.colors import FRICTION_COLORS, friction_color

SIZE, LENGTH = 40.0, 0.2  # N, m
GREEN, AMBER, RED = (color for _, color in FRICTION_COLORS)


def a_table(
    normal_force: list[float],
    friction: list[tuple[float, float, float]],
    coefficient: list[float],
    *,
    moves: tuple[bool, bool] = (False, True),
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0),
) -> ContactTable:
    """Return contacts of a shape 0 with a shape 1."""
    count = len(normal_force)
    zeros = np.zeros(count)
    return ContactTable(
        time=zeros,
        first=np.zeros(count, dtype=np.int64),
        second=np.ones(count, dtype=np.int64),
        point=np.arange(3.0 * count).reshape(count, 3),
        normal=np.tile(normal, (count, 1)),
        indentation=zeros,
        indentation_rate=zeros,
        normal_force=np.array(normal_force),
        friction_force=np.array(friction),
        friction_coefficient=np.array(coefficient),
        entities=("ground", "box"),
        links=("ground", "box"),
        moves=moves,
    )


def parts_of(table: ContactTable, namespace: str) -> list[Shape]:
    parts = contact_parts(table, frame="world", size=SIZE, length=LENGTH)
    return [part for part in parts if part.namespace == namespace]


def points_of(shape: Shape) -> np.ndarray:
    assert shape.points is not None
    return shape.points


def test_the_force_is_that_on_the_body_that_moves() -> None:
    table = a_table([40.0], [(-8.0, 0.0, 0.0)], [0.5])
    for moves, sign in (((False, True), 1.0), ((True, False), -1.0), ((True, True), 1.0)):
        (arrow,) = parts_of(replace(table, moves=moves), FORCES)
        tail, tip = points_of(arrow)
        np.testing.assert_allclose(tail, table.point[0])
        # on the second body: along the normal, and against the friction on the first
        np.testing.assert_allclose(tip - tail, sign * np.array([0.04, 0.0, 0.2]))


@pytest.mark.parametrize("mu", [0.1, 0.6, 1.7])
def test_a_cone_opens_by_the_angle_of_friction_about_the_normal(mu: float) -> None:
    normal = np.array([2.0, -1.0, 2.0]) / 3.0
    table = a_table([20.0], [(0.0, 0.0, 0.0)], [mu], normal=(normal[0], normal[1], normal[2]))
    (cone,) = parts_of(table, CONES)
    away = solid_of(cone).corners.reshape(-1, 3) - table.point[0]
    away = away[np.linalg.norm(away, axis=1) > 1e-9]
    angle = np.arccos(away @ normal / np.linalg.norm(away, axis=1))
    assert angle.max() == pytest.approx(math.atan(mu))


def test_a_cone_is_as_high_as_the_normal_force_is_long() -> None:
    table = a_table([20.0, 40.0], [(0.0, 0.0, 0.0)] * 2, [0.5] * 2)
    for cone, height in zip(parts_of(table, CONES), (0.1, 0.2), strict=True):
        top, apex = points_of(cone)
        np.testing.assert_allclose(top - apex, (0.0, 0.0, height))
        np.testing.assert_allclose(apex, table.point[cone.id])
        assert cone.scale[2] == pytest.approx(height)


def test_the_arrow_of_a_body_that_slips_ends_on_the_rim_of_its_cone() -> None:
    table = a_table([30.0], [(0.0, 18.0, 0.0)], [0.6])
    (arrow,), (cone,) = parts_of(table, FORCES), parts_of(table, CONES)
    away = points_of(arrow)[1] - points_of(cone)[0]
    assert away[2] == pytest.approx(0.0)
    assert np.linalg.norm(away) == pytest.approx(0.5 * cone.scale[1])


def test_colours_go_from_green_over_amber_to_red() -> None:
    shares = [0.0, 0.7, 1.0, 1.2]
    table = a_table([10.0] * 4, [(5.0 * share, 0.0, 0.0) for share in shares], [0.5] * 4)
    colors = [cone.color[:3] for cone in parts_of(table, CONES)]
    np.testing.assert_allclose(colors, [GREEN, AMBER, RED, RED])
    between = np.array(friction_color(0.85)[:3])
    np.testing.assert_allclose(between, 0.5 * (np.array(AMBER) + RED))


def test_without_a_coefficient_there_is_no_cone() -> None:
    table = a_table([10.0] * 3, [(0.0, 0.0, 0.0)] * 3, [math.nan, 0.0, 0.5])
    assert [cone.id for cone in parts_of(table, CONES)] == [2]
    assert len(parts_of(table, FORCES)) == len(parts_of(table, POINTS)) == 3


def test_points_are_discs_on_the_surface() -> None:
    normal = (0.6, 0.0, 0.8)
    (disc,) = parts_of(a_table([10.0], [(0.0, 0.0, 0.0)], [0.5], normal=normal), POINTS)
    assert (disc.kind, disc.color) == ("cylinder", CONTACT_POINT)
    np.testing.assert_allclose(disc.rotation[:, 2], normal)
    np.testing.assert_allclose(disc.rotation @ disc.rotation.T, np.eye(3), atol=1e-15)
    assert np.linalg.det(disc.rotation) == pytest.approx(1.0)
    assert disc.scale[2] < 0.2 * disc.scale[0]


def test_small_forces_are_left_out_and_large_ones_cut() -> None:
    small, large = 0.5 * LEAST_SHARE * SIZE, 10.0 * MOST_SHARE * SIZE
    table = a_table([small, large], [(0.0, 0.0, 0.0), (0.3 * large, 0.0, 0.0)], [0.5] * 2)
    for namespace in (FORCES, POINTS, CONES):
        assert [part.id for part in parts_of(table, namespace)] == [1]
    (arrow,), (cone,) = parts_of(table, FORCES), parts_of(table, CONES)
    assert cone.scale[2] == pytest.approx(MOST_SHARE * LENGTH)
    tail, tip = points_of(arrow)
    np.testing.assert_allclose(tip - tail, MOST_SHARE * LENGTH * np.array([-0.3, 0.0, 1.0]))


def test_without_contacts_there_is_nothing() -> None:
    table = a_table([10.0], [(0.0, 0.0, 0.0)], [0.5]).part(slice(0))
    assert contact_parts(table, frame="world", size=SIZE, length=LENGTH) == []


WORLD = """
contacts:
  default: {normal: hooke, stiffness: 1.0e5, friction: coulomb, kinetic: 0.3}
  pairs:
    - {between: [ball, ground], friction: bengisu_akay, kinetic: 0.4, static: 0.5, v0: 0.01}
    - {between: [can, ground], friction: none}
entities:
  box: {shape: box, size: [0.1, 0.1, 0.1], mass: 1.0, pose: [1, 0, 0.0499, 0, 0, 0]}
  ground: {shape: plane}
  ball: {shape: sphere, size: [0.05], mass: 1.0, pose: [0, 0, 0.0499, 0, 0, 0]}
  can: {shape: cylinder, size: [0.05, 0.1], mass: 1.0, pose: [2, 0, 0.0499, 0, 0, 0]}
"""


@pytest.fixture(scope="module")
def found() -> ContactTable:
    world = world_of(WORLD)
    return Plant(world.model, world.position, contacts=world.contacts).contacts


@pytest.mark.parametrize(("entity", "mu"), [("box", 0.3), ("ball", 0.5), ("can", math.nan)])
def test_the_table_has_the_coefficient_of_each_pair(
    found: ContactTable, entity: str, mu: float
) -> None:
    values = found.of(entity).friction_coefficient
    assert len(values) > 0
    np.testing.assert_array_equal(values, np.full(len(values), mu))


def test_forces_on_bodies_point_up_whichever_shape_is_first(found: ContactTable) -> None:
    assert len({*zip(found.first, found.second, strict=True)}) == 3
    assert {name: found.moves[found.links.index(name)] for name in ("box", "ground")} == {
        "box": True, "ground": False,
    }  # fmt: skip
    for arrow in parts_of(found, FORCES):
        tail, tip = points_of(arrow)
        assert (tip - tail)[2] > 0.0


def test_a_usual_scale_follows_weight_and_size() -> None:
    world = world_of(WORLD)
    size, length = usual_force_scale(world.model)
    assert size == pytest.approx(0.25 * 3.0 * 9.81, rel=1e-3) and length > 0.0
