# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Light on surfaces, the floor with its grid, soft shadows and outlines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.colors import to_rgb
from numpy.typing import NDArray

from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.visual.shapes.raster import Raster, rasterize

from .themes import Theme

GAMMA = 2.2
GRID_STEP = 0.25
GRID_WIDTH = 0.004
SHADOW_PIXEL = 0.006


def shaded(colors: Floats, normals: Floats, R_camera_world: Floats) -> Floats:
    """Return the colours, shape (k, 3), of surface points under fixed studio lights.

    The lights follow the camera: a key light from the upper left, a fill from the right, and a
    bright sky above a darker floor.
    """
    unit = normals / np.linalg.norm(normals, axis=-1, keepdims=True)
    key = key_light(R_camera_world)
    fill = _unit(R_camera_world.T @ np.array([0.8, -0.1, -0.6]))
    back = -R_camera_world[2]
    sky = 0.5 + 0.5 * unit[:, 2]
    light = 0.36 + 0.22 * sky
    light += 0.58 * np.maximum(unit @ key, 0.0) + 0.14 * np.maximum(unit @ fill, 0.0)
    shine = 0.10 * np.maximum(unit @ _unit(key + back), 0.0) ** 40
    linear = colors**GAMMA * light[:, None] + shine[:, None]
    return np.clip(linear, 0.0, 1.0) ** (1.0 / GAMMA)


def key_light(R_camera_world: Floats) -> Floats:
    """Return the direction towards the key light, at least 45 degrees above the horizon."""
    direction = R_camera_world.T @ np.array([-0.55, -0.35, -0.65])
    direction[2] = max(direction[2], 0.0) + float(np.linalg.norm(direction[:2]))
    return _unit(direction)


@dataclass(frozen=True, eq=False)
class FloorShadow:
    """Darkness of the floor, 0 to 1, on a raster of squares of SHADOW_PIXEL."""

    darkness: Floats
    corner: Floats

    def at(self, points: Floats) -> Floats:
        """Return the darkness at floor points, shape (k, 2)."""
        index = np.floor((points - self.corner) / SHADOW_PIXEL).astype(int)
        shape = np.array(self.darkness.shape)[::-1]
        inside = np.all((index >= 0) & (index < shape), axis=-1)
        result = np.zeros(len(points))
        result[inside] = self.darkness[index[inside, 1], index[inside, 0]]
        return result


def floor_shadow(corners: Floats, light: Floats, floor: float, softness: float) -> FloorShadow:
    """Return the shadow of triangles on the floor z = `floor`, blurred by `softness` (m)."""
    fall = (corners[..., 2] - floor) / light[2]
    flat = corners[..., :2] - fall[..., None] * light[:2]
    margin = 3.0 * softness
    corner = flat.reshape(-1, 2).min(axis=0) - margin
    extent = flat.reshape(-1, 2).max(axis=0) + margin - corner
    width, height = (np.ceil(extent / SHADOW_PIXEL).astype(int) + 1).tolist()
    pixels = np.concatenate(
        [(flat - corner) / SHADOW_PIXEL, np.ones((*flat.shape[:-1], 1))], axis=-1
    )
    # Both orders of the corners: a triangle has a shadow for either orientation towards the light.
    both = rasterize(np.concatenate([pixels, pixels[:, ::-1]]), width, height)
    cover: Floats = np.where(both.face >= 0, 1.0, 0.0)
    reach = max(1, round(softness / SHADOW_PIXEL / 2.0))
    for _ in range(3):
        for axis in (0, 1):
            cover = _box_blurred(cover, reach, axis)
    return FloorShadow(cover, corner)


def floor_colors(
    points: Floats,
    shadows: list[tuple[FloorShadow, float]],
    middle: Floats,
    radius: float,
    theme: Theme,
) -> Floats:
    """Return the colours of floor points, shape (k, 2): grid, shadows, fading into the ground.

    `shadows` have a strength from 0 to 1 each.
    """
    offset = np.abs(points - GRID_STEP * np.round(points / GRID_STEP))
    line = np.minimum(offset[:, 0], offset[:, 1]) < GRID_WIDTH / 2.0
    colors: Floats = np.where(line[:, None], theme.floor_line, theme.floor)
    distance = np.hypot(points[:, 0] - middle[0], points[:, 1] - middle[1])
    fade = np.clip((distance / radius - 0.4) / 0.6, 0.0, 1.0)
    fade = fade * fade * (3.0 - 2.0 * fade)
    colors = colors + (np.array(to_rgb(theme.background)) - colors) * fade[:, None]
    for shadow, strength in shadows:
        colors = colors * (1.0 - strength * shadow.at(points))[:, None]
    return colors


def outline(raster: Raster, shape_of_face: NDArray[np.int32], jump: float) -> NDArray[np.bool_]:
    """Return the pixels at the rim of a shape, on the nearer side of the rim.

    At a rim, the shape changes and the nearness changes by more than the fraction `jump`.
    """
    seen = raster.face >= 0
    label = np.full(seen.shape, -1)
    label[seen] = shape_of_face[raster.face[seen]]
    rim = np.zeros(label.shape, dtype=bool)
    for axis in (0, 1):
        step = np.diff(raster.nearness, axis=axis)
        before: tuple[slice, ...] = (slice(None, -1), slice(None))[:: 1 - 2 * axis]
        after: tuple[slice, ...] = (slice(1, None), slice(None))[:: 1 - 2 * axis]
        differs = np.diff(label, axis=axis) != 0
        rim[before] |= differs & (-step > jump * raster.nearness[before])
        rim[after] |= differs & (step > jump * raster.nearness[after])
    return rim & seen


def _box_blurred(values: Floats, reach: int, axis: int) -> Floats:
    """Return the mean over 2 reach + 1 values along an axis; values beyond the rim are zero."""
    padding = [(0, 0), (0, 0)]
    padding[axis] = (reach + 1, reach)
    total = np.cumsum(np.pad(values, padding), axis=axis)
    length = 2 * reach + 1
    upper, lower = [slice(None)] * 2, [slice(None)] * 2
    upper[axis], lower[axis] = slice(length, None), slice(None, -length)
    result: Floats = (total[tuple(upper)] - total[tuple(lower)]) / length
    return result


def _unit(vector: Floats) -> Floats:
    return vector / float(np.linalg.norm(vector))
