# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A pinhole camera: projection of points in the world to pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from charmie_dynamics.errors import InputError
from charmie_dynamics.numerics.vectors import Floats

# Distance of the eye in radii of the scene: far enough to keep proportions.
EYE_DISTANCE = 6.0
# Of the size of the scene: its least extent across the line of view.
LEAST_EXTENT = 1e-9


@dataclass(frozen=True, eq=False)
class Camera:
    """A pinhole camera. Camera axes: x to the right, y down, z into the picture.

    Parameters
    ----------
    eye : array, shape (3,)
        Position in the world (m).
    R_camera_world : array, shape (3, 3)
        Takes world coordinates to camera coordinates.
    focal : float
        Focal length: pixels per unit of x / z.
    center : array, shape (2,)
        Pixel on the axis of view. Pixel coordinates run right and down from the upper left.
    """

    eye: Floats
    R_camera_world: Floats
    focal: float
    center: Floats

    def project(self, points: Floats) -> tuple[Floats, Floats]:
        """Return the pixels, shape (..., 2), and depths (m), shape (...), of world points."""
        view = (points - self.eye) @ self.R_camera_world.T
        depth = view[..., 2]
        return self.focal * view[..., :2] / depth[..., None] + self.center, depth

    def rays(self, pixels: Floats) -> Floats:
        """Return the viewing directions of pixels in the world, with depth 1 along the axis."""
        flat = (pixels - self.center) / self.focal
        view = np.concatenate([flat, np.ones((*flat.shape[:-1], 1))], axis=-1)
        return view @ self.R_camera_world


def look_direction(azimuth: float, elevation: float) -> Floats:
    """Return the unit vector from the target of the view to the eye.

    Parameters
    ----------
    azimuth, elevation : float
        Of the eye (deg): about world z from world x, and above the horizon.
    """
    a, e = math.radians(azimuth), math.radians(elevation)
    return np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])


def looking_at(
    points: Floats,
    *,
    azimuth: float,
    elevation: float,
    window: tuple[float, float, float, float],
) -> Camera:
    """Return a camera whose picture of all points fits a window.

    Parameters
    ----------
    points : array, shape (k, 3)
        Visible points in the world (m), not all on one line of view.
    azimuth, elevation : float
        Of the eye (deg); the elevation is between -90 and 90, both excluded.
    window : (left, top, right, bottom)
        In pixels.

    Raises
    ------
    InputError
        If the picture of the points has no extent.
    """
    if len(points) == 0:
        raise InputError("points: expected at least 2, got none")
    lower, upper = points.min(axis=0), points.max(axis=0)
    middle = (lower + upper) / 2.0
    back = look_direction(azimuth, elevation)
    right = np.cross(np.array([0.0, 0.0, 1.0]), back)
    right /= np.linalg.norm(right)
    R_camera_world = np.stack([right, np.cross(right, back), -back])
    size = float(np.linalg.norm(upper - lower))
    extent = float(np.ptp((points - middle) @ R_camera_world[:2].T, axis=0).max())
    if not extent > LEAST_EXTENT * size:
        raise InputError(f"points: expected an extent across the line of view, got {extent:.3g} m")
    eye = middle + back * EYE_DISTANCE * size / 2.0

    flat, _ = Camera(eye, R_camera_world, 1.0, np.zeros(2)).project(points)
    least, most = flat.min(axis=0), flat.max(axis=0)
    left, top, rim_right, bottom = window
    focal = float(np.min(np.array([rim_right - left, bottom - top]) / (most - least)))
    center = np.array([left + rim_right, top + bottom]) / 2.0 - focal * (least + most) / 2.0
    return Camera(eye, R_camera_world, focal, center)
