# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The camera shows all of the robot and leaves alone who has turned it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from charmie_dynamics.view.batches import Form, MarkerAppearance, MarkerLayout
from charmie_dynamics.view.camera import DISTANCE, MARGIN, ViewerCamera

ORIGIN = np.zeros(3)


class Scene:
    """A server as far as the camera needs one: the view's own tests use a real browser."""

    def __init__(self) -> None:
        self.initial_camera = SimpleNamespace()
        self.browser = SimpleNamespace(position=np.ones(3), look_at=np.zeros(3), fov=0.0)
        self.camera = ViewerCamera(cast(Any, self))

    def get_clients(self) -> dict[int, Any]:
        return {0: SimpleNamespace(camera=self.browser)}

    def show(self, height: float, *, place: np.ndarray = ORIGIN, form: Form = "box") -> None:
        """Show a post of this height."""
        layout = MarkerLayout(("a",), (form,), ("base",), ("",), np.zeros(1, dtype=int), 0.0)
        look = MarkerAppearance(
            visible=np.array([True]),
            position=place + np.array([[0.0, 0.0, 0.5 * height]]),
            quaternion=np.array([[0.0, 0.0, 0.0, 1.0]]),
            scale=np.array([[0.6, 0.8, height]]),
            color=np.ones((1, 4)),
            points=np.zeros((0, 3)),
            texts=("",),
        )
        self.camera.show(layout, look, place, 0.0)

    def distance(self) -> float:
        return float(np.linalg.norm(self.browser.position - self.browser.look_at))


@pytest.fixture
def scene() -> Scene:
    scene = Scene()
    scene.show(1.0)
    return scene


def test_the_eye_is_as_far_as_the_robot_is_large(scene: Scene) -> None:
    assert scene.distance() == pytest.approx(DISTANCE * np.linalg.norm([0.6, 0.8, 1.0]))
    np.testing.assert_allclose(scene.browser.look_at, [0.0, 0.0, 0.5])


def test_browsers_that_come_later_see_the_same(scene: Scene) -> None:
    np.testing.assert_array_equal(scene.initial_camera.position, scene.browser.position)
    np.testing.assert_array_equal(scene.initial_camera.look_at, scene.browser.look_at)


def test_the_eye_backs_away_from_a_robot_that_raises_itself(scene: Scene) -> None:
    before = scene.distance()
    scene.show(1.5)
    assert scene.distance() > before
    np.testing.assert_allclose(scene.browser.look_at, [0.0, 0.0, 0.75])


@pytest.mark.parametrize("height", [0.5, 1.0 + MARGIN])
def test_the_eye_rests_while_the_robot_is_in_the_picture(scene: Scene, height: float) -> None:
    before = scene.browser.position
    scene.show(height)
    assert scene.browser.position is before


def test_the_eye_rests_while_the_robot_drives(scene: Scene) -> None:
    before = scene.browser.position
    scene.show(1.0, place=np.array([30.0, -20.0, 0.0]))
    assert scene.browser.position is before


def test_who_has_turned_the_view_keeps_it(scene: Scene) -> None:
    scene.browser.position = mine = scene.browser.position + 0.1
    scene.show(2.0)
    assert scene.browser.position is mine
    assert scene.initial_camera.look_at[2] == pytest.approx(1.0)


def test_lines_do_not_count_whose_place_is_in_their_points(scene: Scene) -> None:
    before = scene.browser.position
    scene.show(5.0, form="line_list")
    assert scene.browser.position is before
