# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics import InputError
from charmie_dynamics.visual.pictures.camera import Camera, look_direction, looking_at

WINDOW = (100.0, 50.0, 700.0, 550.0)


def some_points() -> np.ndarray:
    return np.random.default_rng(4).uniform([-1.0, 2.0, 0.0], [1.0, 3.0, 1.5], (50, 3))


def test_size_in_the_picture_is_focal_length_times_size_over_distance() -> None:
    camera = Camera(np.array([0.0, 0.0, -4.0]), np.eye(3), 1000.0, np.array([400.0, 300.0]))
    pixels, depth = camera.project(np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0]]))
    np.testing.assert_allclose(pixels, [[400.0, 300.0], [525.0, 300.0]])
    np.testing.assert_allclose(depth, 4.0)


def test_rays_lead_back_to_the_projected_points() -> None:
    points = some_points()
    camera = looking_at(points, azimuth=40.0, elevation=25.0, window=WINDOW)
    pixels, depth = camera.project(points)
    np.testing.assert_allclose(camera.eye + depth[:, None] * camera.rays(pixels), points)


@pytest.mark.parametrize("azimuth", [0.0, 128.0, -62.0])
@pytest.mark.parametrize("elevation", [-20.0, 16.0, 80.0])
def test_points_just_fill_the_window(azimuth: float, elevation: float) -> None:
    points = some_points()
    camera = looking_at(points, azimuth=azimuth, elevation=elevation, window=WINDOW)
    pixels, depth = camera.project(points)
    margins = np.concatenate([pixels.min(axis=0) - WINDOW[:2], WINDOW[2:] - pixels.max(axis=0)])
    assert (depth > 0.0).all()
    assert margins.min() == pytest.approx(0.0, abs=1e-9)
    assert margins[0] == pytest.approx(margins[2], abs=1e-9)
    assert margins[1] == pytest.approx(margins[3], abs=1e-9)


def test_eye_is_where_azimuth_and_elevation_say() -> None:
    points = np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]])
    camera = looking_at(points, azimuth=90.0, elevation=30.0, window=WINDOW)
    direction = camera.eye / np.linalg.norm(camera.eye)
    np.testing.assert_allclose(direction, [0.0, np.sqrt(0.75), 0.5], atol=1e-12)
    np.testing.assert_allclose(direction, look_direction(90.0, 30.0))


def test_camera_in_front_sees_the_left_hand_on_the_right_and_the_head_on_top() -> None:
    left_hand, right_hand, head = np.array([[-1.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.5]])
    points = np.array([left_hand, right_hand, head, [0.0, 0.0, 0.0]])
    camera = looking_at(points, azimuth=90.0, elevation=10.0, window=WINDOW)
    pixels, _ = camera.project(points)
    assert pixels[0, 0] > pixels[2, 0] > pixels[1, 0]
    assert pixels[2, 1] < pixels[0, 1] < pixels[3, 1]


def test_camera_axes_are_a_rotation() -> None:
    camera = looking_at(some_points(), azimuth=77.0, elevation=33.0, window=WINDOW)
    np.testing.assert_allclose(
        camera.R_camera_world @ camera.R_camera_world.T, np.eye(3), atol=1e-12
    )
    assert np.linalg.det(camera.R_camera_world) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "points",
    [
        np.zeros((0, 3)),
        np.ones((2, 3)),
        np.array([[-1.0], [0.5], [2.0]]) * look_direction(40.0, 25.0) + [5.0, 3.0, 1.0],
        np.full((2, 3), np.nan),
    ],
)
def test_points_without_an_extent_in_the_picture_are_refused(points: np.ndarray) -> None:
    with pytest.raises(InputError, match="points: expected"):
        looking_at(points, azimuth=40.0, elevation=25.0, window=WINDOW)
