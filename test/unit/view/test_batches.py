# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Markers become few nodes, which stand where the markers are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from charmie_dynamics.view.batches import (
    HIDDEN,
    Lines,
    MarkerAppearance,
    MarkerLayout,
    Solids,
    Texts,
    in_world,
    make_batches,
)
from charmie_dynamics.view.poses import Poses

HALF = np.sqrt(0.5)
RED, BLUE = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)


def make(*markers: dict[str, Any]) -> tuple[MarkerLayout, MarkerAppearance]:
    """Return layout and look of markers that are given by what is special about them."""
    points = [np.array(m.get("points", np.zeros((0, 3))), dtype=float) for m in markers]
    layout = MarkerLayout(
        namespaces=tuple(m.get("ns", "a") for m in markers),
        forms=tuple(m.get("form", "box") for m in markers),
        frames=tuple("f" for _ in markers),
        meshes=tuple(m.get("mesh", "") for m in markers),
        counts=np.array([len(p) for p in points]),
        lifetime=0.0,
    )
    look = MarkerAppearance(
        visible=np.array([m.get("visible", True) for m in markers]),
        position=np.array([m.get("position", (0.0, 0.0, 0.0)) for m in markers], dtype=float),
        quaternion=np.array([m.get("quaternion", (0.0, 0.0, 0.0, 1.0)) for m in markers]),
        scale=np.array([m.get("scale", (1.0, 1.0, 1.0)) for m in markers], dtype=float),
        color=np.array([m.get("color", RED) for m in markers]),
        points=np.concatenate([np.zeros((0, 3)), *points]),
        texts=tuple(m.get("text", "") for m in markers),
    )
    return layout, look


def line(*points: tuple[float, float, float], **more: Any) -> dict[str, Any]:
    return {"form": "line_strip", "points": points, "scale": (0.01, 0.0, 0.0), **more}


ARROW = {"form": "arrow", "points": [(0, 0, 0), (0, 2, 0)], "scale": (0.1, 0.3, 0.5)}


def test_solids_of_one_form_and_namespace_share_a_node() -> None:
    batches = make_batches(*make({}, {}, {"form": "sphere"}, {"ns": "b"}))
    assert [(b.namespace, b.rows.tolist()) for b in batches] == [
        ("a", [0, 1]),
        ("a", [2]),
        ("b", [3]),
    ]


def test_meshes_of_one_file_share_a_node() -> None:
    files = ({"form": "mesh", "mesh": name} for name in ("x", "y", "x"))
    batches = make_batches(*make(*files))
    assert [b.rows.tolist() for b in batches] == [[0, 2], [1]]


def test_what_cannot_be_shown_becomes_no_node() -> None:
    assert make_batches(*make({"form": None})) == []


def test_lines_of_one_width_share_a_node() -> None:
    wide = line((0, 0, 0), (1, 0, 0), scale=(0.5, 0.0, 0.0))
    batches = make_batches(*make(line((0, 0, 0), (1, 0, 0)), wide, line((0, 0, 0), (2, 0, 0))))
    assert [b.rows.tolist() for b in batches] == [[0, 2], [1]]


def test_a_line_strip_joins_each_point_to_the_next() -> None:
    layout, look = make(line((0, 0, 0), (1, 0, 0), (1, 1, 0)))
    (lines,) = make_batches(layout, look)
    assert isinstance(lines, Lines)
    segments = lines.segments(look)
    assert segments is not None
    assert segments[0].tolist() == [[[0, 0, 0], [1, 0, 0]], [[1, 0, 0], [1, 1, 0]]]


def test_a_line_list_joins_pairs() -> None:
    layout, look = make({**line((0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)), "form": "line_list"})
    (lines,) = make_batches(layout, look)
    assert isinstance(lines, Lines)
    segments = lines.segments(look)
    assert segments is not None
    assert segments[0][:, :, 0].tolist() == [[0, 1], [2, 3]]


def test_hidden_lines_lie_upon_visible_ones() -> None:
    hidden = line((5, 5, 5), (6, 6, 6), visible=False, color=BLUE)
    layout, look = make(hidden, line((0, 0, 0), (1, 0, 0)))
    (lines,) = make_batches(layout, look)
    assert isinstance(lines, Lines)
    segments = lines.segments(look)
    assert segments is not None
    assert segments[0][0].tolist() == segments[0][1].tolist() == [[0, 0, 0], [1, 0, 0]]
    assert segments[1].reshape(-1, 3).tolist() == [list(RED[:3])] * 4


def test_lines_all_hidden_are_nothing() -> None:
    layout, look = make(line((0, 0, 0), (1, 0, 0), visible=False))
    (lines,) = make_batches(layout, look)
    assert isinstance(lines, Lines) and lines.segments(look) is None


def test_a_hidden_solid_is_too_small_to_see() -> None:
    layout, look = make({}, {"visible": False})
    (boxes,) = make_batches(layout, look)
    assert isinstance(boxes, Solids)
    assert boxes.place(look).scale.tolist() == [[1.0] * 3, [HIDDEN] * 3]


@pytest.mark.parametrize(
    ("part", "middle", "scale"),
    [(0, (0.0, 0.75, 0.0), (0.1, 0.1, 1.5)), (1, (0.0, 1.5, 0.0), (0.3, 0.3, 0.5))],
    ids=["shaft", "head"],
)
def test_an_arrow_has_a_shaft_and_a_head(
    part: int, middle: tuple[float, ...], scale: tuple[float, ...]
) -> None:
    layout, look = make(ARROW)
    batch = make_batches(layout, look)[part]
    assert isinstance(batch, Solids)
    placed = batch.place(look)
    np.testing.assert_allclose(placed.position[0], middle)
    np.testing.assert_allclose(placed.scale[0], scale)


def test_an_arrow_without_length_is_hidden() -> None:
    layout, look = make({**ARROW, "points": [(1, 1, 1), (1, 1, 1)]})
    for batch in make_batches(layout, look):
        assert isinstance(batch, Solids)
        assert batch.place(look).scale.max() == HIDDEN


def test_texts_become_a_node_of_their_own() -> None:
    (batch,) = make_batches(*make({"form": "text", "text": "12 N"}))
    assert isinstance(batch, Texts)


def quarter_turn() -> Poses:
    """Return a frame at (1, 0, 0), turned by a quarter about z."""
    quaternion = np.array([[0.0, 0.0, HALF, HALF]])
    return Poses(np.array([[1.0, 0.0, 0.0]]), quaternion, np.array([True]))


def test_a_marker_goes_with_its_frame() -> None:
    layout, look = make({"position": (1.0, 0.0, 0.0)})
    np.testing.assert_allclose(in_world(layout, look, quarter_turn()).position[0], (1.0, 1.0, 0.0))


def test_points_go_with_frame_and_pose_of_their_marker() -> None:
    layout, look = make(line((1, 0, 0), (2, 0, 0), position=(0.0, 0.0, 3.0)))
    found = in_world(layout, look, quarter_turn()).points
    np.testing.assert_allclose(found, [(1.0, 1.0, 3.0), (1.0, 2.0, 3.0)], atol=1e-12)


def test_a_marker_in_an_unknown_frame_is_hidden() -> None:
    layout, look = make({})
    unknown = quarter_turn()._replace(known=np.array([False]))
    assert in_world(layout, look, unknown).visible.tolist() == [False]
