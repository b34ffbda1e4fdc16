# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The camera of the browser scene, which keeps the whole robot in view."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from charmie_dynamics.numerics.vectors import Floats

from .batches import MarkerAppearance, MarkerLayout
from .poses import rotate

if TYPE_CHECKING:
    import viser  # only served pages need it

AZIMUTH, ELEVATION = math.radians(118.0), math.radians(14.0)  # of the eye from the robot's x axis
DISTANCE = 2.0  # of the eye, in diagonals of the visible shapes
FIELD = math.radians(30.0)
# growth of the robot beyond the view, relative to its diagonal, within the margin of the picture
MARGIN = 0.08
SHAPES = ("box", "cylinder", "sphere", "mesh")  # others have their positions in points
# relative to the distance: larger movements of the eye are those of a user
MOVED = 1e-3


class ViewerCamera:
    """A camera that shows the whole robot as large as possible, also when it reaches out.

    A view that a user has changed is kept.

    Parameters
    ----------
    server : ViserServer
    """

    def __init__(self, server: viser.ViserServer) -> None:
        self._server = server
        self._eye: Floats | None = None
        self._direction = np.zeros(3)  # from the robot to the eye
        # corners of all shapes so far, and of the view, relative to the place of the robot
        self._reached = self._shown = (np.full(3, np.inf), np.full(3, -np.inf))

    def show(
        self, layout: MarkerLayout, appearance: MarkerAppearance, origin: Floats, heading: float
    ) -> None:
        """Move the camera, if necessary, so that all visible shapes are in view.

        Parameters
        ----------
        layout : MarkerLayout
        appearance : MarkerAppearance
            In the world.
        origin : (3,) array
            Position of the robot (m).
        heading : float
            Rotation about the vertical (rad).
        """
        solid = appearance.visible & np.array([form in SHAPES for form in layout.forms])
        if not solid.any():
            return
        low, high = bounds(appearance, solid)
        low = np.minimum(self._reached[0], low - origin)
        high = np.maximum(self._reached[1], high - origin)
        self._reached = low, high
        diagonal = max(float(np.linalg.norm(high - low)), 0.1)
        beyond = np.concatenate((self._shown[0] - low, high - self._shown[1]))
        if beyond.max() <= MARGIN * diagonal:
            return
        if self._eye is None:
            flat, azimuth = math.cos(ELEVATION), AZIMUTH + heading
            self._direction = np.array(
                [flat * math.cos(azimuth), flat * math.sin(azimuth), math.sin(ELEVATION)]
            )
        self._shown = low, high
        middle = 0.5 * (low + high)
        self._place(middle + DISTANCE * diagonal * self._direction, middle)

    def _place(self, eye: Floats, middle: Floats) -> None:
        last, self._eye = self._eye, eye
        cameras: list[Any] = [client.camera for client in self._server.get_clients().values()]
        cameras = [camera for camera in cameras if last is None or _is_at(camera, last)]
        for camera in [self._server.initial_camera, *cameras]:
            camera.position = eye
            camera.look_at = middle
            camera.fov = FIELD


def _is_at(camera: Any, eye: Floats) -> bool:
    distance = float(np.linalg.norm(camera.position - camera.look_at))
    return float(np.linalg.norm(camera.position - eye)) <= MOVED * distance


def bounds(appearance: MarkerAppearance, solid: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return the corners of a box around solids of any orientation."""
    reach = np.abs(rotate(appearance.quaternion[solid], 0.5 * appearance.scale[solid]))
    position = appearance.position[solid]
    return (position - reach).min(axis=0), (position + reach).max(axis=0)
