# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a layer puts on the stage, and when."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from charmie_dynamics.ros.outputs.markers import SceneMarkers, deletion
from charmie_dynamics.view.layer import FRAME_PERIOD, Layer
from charmie_dynamics.view.poses import Frames
from charmie_dynamics.visual.scene import Shape
from charmie_dynamics.visual.shapes.appearance import first_appearance

SOON, LATER = 0.4 * FRAME_PERIOD, 1.4 * FRAME_PERIOD


class Recorder:
    """In the place of the stage: what it was given."""

    def __init__(self) -> None:
        self.shown: list[tuple[np.ndarray, Any]] = []
        self.hidden: list[Any] = []
        self._layouts: dict[str, Any] = {}

    def update(self, source: str, layout: Any, look: Any, place: Any) -> None:
        self._layouts[source] = layout
        self.shown.append((look.position[0], place))

    def layouts(self, source: str) -> list[Any]:
        return [self._layouts[source]] if source in self._layouts else []

    def hide(self, layout: Any) -> None:
        self.hidden.append(layout)


@pytest.fixture
def frames() -> Frames:
    frames = Frames()
    put(frames, 1.0)
    return frames


@pytest.fixture
def stage() -> Recorder:
    return Recorder()


def put(frames: Frames, x: float) -> None:
    frames.set(("world",), ("box",), np.array([[x, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0]]))


def message(x: float = 0.0, lifetime: float = 0.0) -> bytes:
    shapes = [Shape("entities", 0, "box", "box", (x, 0.0, 0.0))]
    return bytes(SceneMarkers(shapes, "", lifetime).write(0, first_appearance(shapes)))


def test_a_message_that_comes_soon_after_another_waits(stage: Recorder, frames: Frames) -> None:
    layer = Layer(stage, frames, "markers")  # type: ignore[arg-type]
    for x, now in ((0.0, 0.0), (0.1, 0.5 * SOON), (0.2, SOON)):
        layer.take(message(x), now)
    assert [position[0] for position, _ in stage.shown] == [1.0]
    layer.refresh(2.0 * SOON)  # too soon for another picture
    assert len(stage.shown) == 1
    layer.refresh(LATER)
    assert [position[0] for position, _ in stage.shown] == pytest.approx([1.0, 1.2])
    layer.refresh(2.0 * LATER)
    assert len(stage.shown) == 2


def test_after_a_deletion_the_next_message_is_shown_at_once(
    stage: Recorder, frames: Frames
) -> None:
    layer = Layer(stage, frames, "markers")  # type: ignore[arg-type]
    shapes = [Shape("entities", 0, "box", "box")]
    layer.take(bytes(deletion(SceneMarkers(shapes, "", 0.0).identities, 0)), 0.0)
    layer.take(message(0.1), SOON)
    assert stage.shown[-1][0][0] == pytest.approx(1.1)


def test_what_waits_is_left_out_where_nobody_looks(stage: Recorder, frames: Frames) -> None:
    layer = Layer(stage, frames, "markers")  # type: ignore[arg-type]
    layer.take(message(), 0.0)
    layer.take(message(), SOON)
    layer.forget_waiting()
    layer.refresh(LATER)
    assert len(stage.shown) == 1


@pytest.mark.parametrize("moves", [True, False])
def test_entities_alone_go_where_their_frames_go(
    stage: Recorder, frames: Frames, moves: bool
) -> None:
    layer = Layer(stage, frames, "entities", moves_with_frames=moves)  # type: ignore[arg-type]
    layer.take(message(), 0.0)
    put(frames, 5.0)
    layer.follow_frames(SOON)  # too soon for another picture
    layer.follow_frames(LATER)
    assert [position[0] for position, _ in stage.shown] == [1.0, 5.0][: 1 + moves]


def test_the_robot_alone_has_a_place_on_the_floor(stage: Recorder, frames: Frames) -> None:
    for is_robot in (True, False):
        layer = Layer(stage, frames, "markers", is_robot=is_robot)  # type: ignore[arg-type]
        layer.take(message(), 0.0)
    assert [place for _, place in stage.shown] == [(1.0, 2.0, 0.0), None]


def test_markers_are_hidden_after_their_lifetime(stage: Recorder, frames: Frames) -> None:
    layer = Layer(stage, frames, "markers")  # type: ignore[arg-type]
    layer.take(message(lifetime=1.0), 0.0)
    layer.refresh(0.9)
    assert stage.hidden == []
    layer.refresh(1.1)
    assert stage.hidden == stage.layouts("markers")


def test_markers_without_a_lifetime_stay(stage: Recorder, frames: Frames) -> None:
    layer = Layer(stage, frames, "markers")  # type: ignore[arg-type]
    assert layer.arrival is None
    layer.take(message(), 7.0)
    layer.refresh(1e6)
    assert (stage.hidden, layer.arrival) == ([], 7.0)
