# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A robot among the shapes of a world file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from shaped_arm import URDF, arm

from charmie_dynamics import Model, ModelFileError, UnknownNameError, load_model
from charmie_dynamics.collision.monitor import CollisionMonitor
from charmie_dynamics.model.description.world import parse_world

WALL = "wall: {shape: box, size: [0.1, 4, 4], pose: [1.0, 0, 0, 0, 0, 0], moves: fixed}"


def monitor(*entities: str, model: Model | None = None, folder: Path | None = None):
    text = "entities:\n" + "".join(f"  {entity}\n" for entity in entities)
    return CollisionMonitor(model or arm(), parse_world(text, "world.yaml", folder))


def test_own_links_and_surroundings_are_two_groups() -> None:
    model = arm()
    own, outside = monitor(WALL, model=model).at(model.compute([0.0, 0.0, 0.0]))
    # the jaw is 0.1 m beside the axis of the lower arm, and 0.05 m above its end
    assert (own.first, own.second) == ("lower", "jaw")
    assert own.distance == pytest.approx(np.hypot(0.1 - 0.01 - 0.025, 0.05), abs=1e-9)
    assert outside.second == "wall" and outside.first == "jaw"
    assert outside.distance == pytest.approx(0.95 - 0.16 - 0.1 - 0.01, abs=1e-9)
    assert outside.p_second[0] == pytest.approx(0.95, abs=1e-9)


def test_links_that_a_joint_connects_are_no_pair() -> None:
    watched = monitor(WALL)
    pairs = {
        frozenset(watched.distances.shapes[k].link for k in pair)
        for pair in watched.distances.pairs.tolist()
    }
    assert frozenset(("upper", "lower")) not in pairs
    assert frozenset(("base", "hand")) in pairs


def test_pairs_that_touch_at_the_start_are_named_and_not_monitored() -> None:
    floor = "floor: {shape: box, size: [4, 4, 1], pose: [0.3, 0, 0.9, 0, 0, 0], moves: fixed}"
    watched = monitor(floor, WALL)
    assert "upper and floor" in watched.touching
    assert all("wall" not in pair for pair in watched.touching)
    names = {watched.distances.shapes[k].link for k in watched.distances.pairs.ravel()}
    assert "floor" not in names and "wall" in names


def test_entity_of_the_robot_defines_its_pose_and_pairs(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(URDF)
    robot = (
        "me: {urdf: arm.urdf, pose: [0.2, 0.1, 0, 0, 0, 1.5707963267948966], "
        "self: [[base, hand]], position: {slide: 0.1}}"
    )
    model = arm()
    watched = monitor(robot, WALL, model=model, folder=tmp_path)
    own, outside = watched.at(model.compute([0.0, 0.0, 0.1]))
    assert (own.first, own.second) == ("base", "hand")
    # the x axis of the robot is the y axis of the world; its base cannot move
    assert outside.distance == pytest.approx(0.95 - 0.2 - 0.04, abs=1e-9)
    assert outside.p_second == pytest.approx([outside.p_first[0], -0.75, outside.p_first[2]])


def test_entities_that_move_are_ignored_and_named(tmp_path: Path) -> None:
    (tmp_path / "other.urdf").write_text(URDF.replace('name="arm"', 'name="other"'))
    can = "can: {shape: cylinder, size: [0.03, 0.1], mass: 0.4}"
    watched = monitor(can, "other: {urdf: other.urdf}", WALL, folder=tmp_path)
    assert watched.ignored == ("can", "other")


def test_robot_whose_root_floats_is_monitored_alone() -> None:
    model = load_model("athena")
    watched = monitor(WALL, model=model)
    assert watched.ignored == ("wall",)
    own, outside = watched.at(model.compute(model.zero_position()))
    assert np.isfinite(own.distance) and outside.distance == np.inf


def test_world_without_pairs_has_infinite_distances(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(URDF)
    found = monitor("me: {urdf: arm.urdf}", folder=tmp_path).at(arm().kinematics(np.zeros(3)))
    assert [clearance.distance for clearance in found] == [np.inf, np.inf]


def test_pair_without_a_method_is_refused(tmp_path: Path) -> None:
    cube = [f"v {x} {y} {z}" for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = ("1 2 4", "1 4 3", "5 7 8", "5 8 6", "1 5 6", "1 6 2", "3 4 8", "3 8 7", "1 3 7")
    lines = [*cube, *(f"f {face}" for face in (*faces, "1 7 5", "2 6 8", "2 8 4"))]
    (tmp_path / "cube.obj").write_text("\n".join(lines))
    with pytest.raises(ModelFileError, match="a cylinder and a mesh are not supported"):
        monitor("rock: {shape: mesh, mesh: cube.obj, moves: fixed}", folder=tmp_path)


def test_start_with_an_unknown_coordinate_is_refused(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(URDF)
    with pytest.raises(UnknownNameError, match="'slid' is unknown"):
        monitor("me: {urdf: arm.urdf, position: {slid: 0.1}}", WALL, folder=tmp_path)


def test_driving_base_above_the_floor_is_not_monitored() -> None:
    model = load_model("charmie")
    watched = monitor("floor: {shape: plane}", model=model)
    assert "base and floor" in watched.touching
    names = {
        watched.distances.shapes[i].link
        for i, j in watched.distances.pairs.tolist()
        if watched.distances.shapes[j].link == "floor"
    }
    assert "left_claw_1" in names and "base" not in names
