# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The markers of one topic on the stage."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .batches import MarkerAppearance, MarkerLayout, in_world
from .messages import MarkersReader
from .poses import Frames, Poses

if TYPE_CHECKING:
    from .stage import Place, Stage  # needs viser

FRAME_PERIOD = 0.03  # s, least time between two pictures


class Layer:
    """Shows the messages of a topic, each at least `FRAME_PERIOD` after one with shapes.

    Parameters
    ----------
    stage : Stage
    frames : Frames
    source : str
        Name of the topic.
    is_robot : bool, optional
        The stage follows these markers: the frame nearest to the world is the base of the robot.
    moves_with_frames : bool, optional
        The markers are sent once, and move with their frames.

    Attributes
    ----------
    arrival : float or None
        Time of the newest message (s).
    """

    def __init__(
        self,
        stage: Stage,
        frames: Frames,
        source: str,
        *,
        is_robot: bool = False,
        moves_with_frames: bool = False,
    ) -> None:
        self._stage, self._frames, self._source = stage, frames, source
        self._is_robot, self._moves_with_frames = is_robot, moves_with_frames
        self._reader = MarkersReader()
        self._waiting: bytes | None = None
        self._last: tuple[MarkerLayout, MarkerAppearance] | None = None
        self._shown_at = -math.inf
        self._arrivals: dict[int, float] = {}  # by the ids of layouts
        self.arrival: float | None = None

    def take(self, data: bytes, now: float) -> None:
        """Show a message, or store it until the picture period is over."""
        self.arrival = now
        if now - self._shown_at < FRAME_PERIOD:
            self._waiting = data
            return
        self._show(data, now)

    def follow_frames(self, now: float) -> None:
        """Show the last message at the present poses of its frames, if they have changed."""
        if self._moves_with_frames and self._last and now - self._shown_at >= FRAME_PERIOD:
            self._shown_at = now
            self._place(*self._last)

    def refresh(self, now: float) -> None:
        """Show a stored message, and hide markers after their lifetime."""
        if self._waiting is not None and now - self._shown_at >= FRAME_PERIOD:
            self._show(self._waiting, now)
        layouts = {id(layout): layout for layout in self._stage.layouts(self._source)}
        self._arrivals = {key: self._arrivals[key] for key in layouts}
        for key, layout in layouts.items():
            if layout.lifetime and now - self._arrivals[key] > layout.lifetime:
                self._stage.hide(layout)

    def forget_waiting(self) -> None:
        """Drop the stored message, without viewers."""
        self._waiting = None

    def _show(self, data: bytes, now: float) -> None:
        self._waiting, self._shown_at = None, now
        layout, appearance = self._reader.read(data)
        if not layout.namespaces:
            return
        if not appearance.visible.any():  # a deletion: its replacement may follow at once
            self._shown_at = -math.inf
        self._arrivals[id(layout)] = now
        self._last = layout, appearance
        self._place(layout, appearance)

    def _place(self, layout: MarkerLayout, appearance: MarkerAppearance) -> None:
        poses = self._frames.poses(layout.frames)
        appearance = in_world(layout, appearance, poses)
        place = self._base(layout, poses) if self._is_robot else None
        self._stage.update(self._source, layout, appearance, place)

    def _base(self, layout: MarkerLayout, poses: Poses) -> Place:
        # the frame with a shape that is nearest to the world is that of the base
        base = int(np.argmin([self._frames.depth(frame) for frame in layout.frames]))
        x, y, _ = poses.position[base].tolist()
        i, j, k, w = poses.quaternion[base].tolist()
        return x, y, math.atan2(2.0 * (w * k + i * j), 1.0 - 2.0 * (j * j + k * k))
