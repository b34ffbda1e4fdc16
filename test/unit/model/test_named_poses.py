# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The section named_poses of a world file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from charmie_dynamics.errors import InputError, MissingFileError, ModelFileError
from charmie_dynamics.model.description.world import parse_world
from charmie_dynamics.model.description.world.world_headers import folder_headers, world_header


def world(poses: str) -> str:
    return f"entities: {{ground: {{shape: plane}}}}\nnamed_poses:\n  {poses}\n"


def test_a_named_pose_has_what_the_file_says() -> None:
    text = world("door: {pose: [1, 2, 3, 0, 0, 1], tags: [a, b], description: here}")
    (door,) = parse_world(text, "w.yaml").named_poses
    assert (door.name, door.tags, door.description) == ("door", ("a", "b"), "here")
    np.testing.assert_allclose(door.pose.numbers, [1, 2, 3, 0, 0, 1])
    assert door.bounds is None


@pytest.mark.parametrize(
    ("bounds", "points"),
    [
        ("box: [-1, -2, -3, 1, 2, 3]", [[1, 2, 3], [-1, -2, -3]]),
        ("sphere: [1, 2, 3, 4]", [[1, 2, 3], [4, 0, 0]]),
        ("hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]", [[0, 0, 0], [1, 0, 0], [0, 1, 0]]),
    ],
)
def test_bounds_are_volumes(bounds: str, points: list[list[float]]) -> None:
    (found,) = parse_world(world(f"a: {{bounds: {{{bounds}}}}}"), "w.yaml").named_poses
    assert found.bounds is not None and found.bounds.kind == bounds.partition(":")[0]
    assert found.bounds.points.tolist() == points


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{pos: [0, 0, 0, 0, 0, 0]}", "unknown key 'pos'; did you mean 'pose'?"),
        ("{bounds: {box: [0, 0, 0, 1, 1, 0]}}", "line 3: named_poses.a.bounds.box: expected each"),
        ("{bounds: {sphere: [0, 0, 0, 0]}}", "named_poses.a.bounds.sphere: expected a radius"),
        ("{bounds: {hull: [[0, 0, 0], [1, 1, 1], [2, 2, 2]]}}", "not on a line"),
        ("{bounds: {}}", "named_poses.a.bounds"),
        ("{pose: [0, 0, .nan, 0, 0, 0]}", "named_poses.a.pose"),
    ],
)
def test_a_wrong_pose_is_refused_with_its_place(entry: str, message: str) -> None:
    with pytest.raises(ModelFileError) as caught:
        parse_world(world(f"a: {entry}"), "w.yaml")
    assert message in str(caught.value)


def test_the_headers_of_a_folder_are_those_of_its_worlds(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text("{tags: [x], entities: {}}", encoding="utf-8")
    (tmp_path / "a.yml").write_text("{world: first, entities: {}}", encoding="utf-8")
    (tmp_path / "c.yaml").write_text("- no world", encoding="utf-8")
    assert [header.name for header in folder_headers(tmp_path)] == ["first", "b"]
    assert folder_headers(tmp_path)[1].tags == ("x",)
    assert world_header("{entities: {}}").name == "world"
    with pytest.raises(InputError):
        folder_headers(tmp_path / "none")


@pytest.mark.parametrize("entry", ["urdf: no.urdf", "shape: mesh, mesh: no.stl, mass: 1"])
def test_a_missing_file_is_an_error_of_its_own(entry: str) -> None:
    with pytest.raises(MissingFileError, match=r"no\."):
        parse_world(f"entities: {{a: {{{entry}}}}}", "w.yaml")
