# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import numpy as np
import pytest

from charmie_dynamics.visual.shapes.raster import rasterize


def triangle(nearness: tuple[float, float, float]) -> np.ndarray:
    """Half of a picture of 20 by 20 pixels, clockwise on the screen reversed: seen from front."""
    return np.c_[np.array([[0.0, 0.0], [0.0, 20.0], [20.0, 0.0]]), np.array(nearness)]


def test_triangle_covers_the_pixels_whose_centre_it_contains() -> None:
    face = rasterize(triangle((1.0, 1.0, 1.0))[None], 20, 20).face
    rows, columns = np.mgrid[0:20, 0:20]
    np.testing.assert_array_equal(face == 0, rows + columns + 1 <= 20)


def test_triangle_is_not_seen_from_behind() -> None:
    face = rasterize(triangle((1.0, 1.0, 1.0))[None, ::-1], 20, 20).face
    assert (face == -1).all()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_nearer_triangle_hides_the_other_in_any_order(order: tuple[int, int]) -> None:
    pair = np.array([triangle((1.0, 1.0, 1.0)), triangle((2.0, 2.0, 2.0))])[list(order)]
    raster = rasterize(pair, 20, 20)
    assert set(raster.face[raster.face >= 0].tolist()) == {order.index(1)}


def test_triangles_that_cross_hide_each_other_in_part() -> None:
    # Equal where x = 10: left of it the first is nearer, right of it the second.
    raster = rasterize(np.array([triangle((3.0, 3.0, 1.0)), triangle((1.0, 1.0, 3.0))]), 20, 20)
    assert (raster.face[:5, :10] == 0).all()
    assert (raster.face[:5, 10:15] == 1).all()


def test_what_lies_behind_an_earlier_raster_is_left_out() -> None:
    wall = rasterize(triangle((2.0, 2.0, 2.0))[None], 20, 20)
    behind = rasterize(triangle((1.0, 1.0, 1.0))[None], 20, 20, hidden_behind=wall)
    before = rasterize(triangle((3.0, 3.0, 3.0))[None], 20, 20, hidden_behind=wall)
    assert (behind.face == -1).all()
    np.testing.assert_array_equal(before.face, wall.face)


def test_values_at_the_corners_are_interpolated_linearly() -> None:
    raster = rasterize(triangle((1.0, 1.0, 1.0))[None], 20, 20)
    seen = raster.face >= 0
    places = np.array([[[0.0, 0.0], [0.0, 20.0], [20.0, 0.0]]])
    rows, columns = np.nonzero(seen)
    expected = np.stack([columns + 0.5, rows + 0.5], axis=1)
    np.testing.assert_allclose(raster.interpolated(places, seen), expected, atol=1e-5)
