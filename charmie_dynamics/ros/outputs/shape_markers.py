# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Temporary shapes, such as those of contacts, as RViz markers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from charmie_dynamics.live.wire.templates import Template
from charmie_dynamics.visual.shapes.appearance import Appearance, first_appearance
from charmie_dynamics.visual.shapes.shape import Shape

from .markers import SceneMarkers

LEAST_ROOM = 8  # shapes of a namespace


class ShapeMarkers:
    """The markers of some shapes at one instant after the other.

    Every message has a marker for each id that there is room for; one that no shape has now has the
    action DELETE. The messages thus have a constant form while the capacity suffices, which helps
    viewers, and removed shapes are deleted. The capacity doubles when it is exceeded.

    Parameters
    ----------
    frame_prefix : str
        Put before the shapes' frames.
    lifetime : float
        Time (s) after which a marker that is not renewed disappears.

    Examples
    --------
    >>> from charmie_dynamics.ros.outputs.shape_markers import ShapeMarkers
    >>> from charmie_dynamics.visual.scene import Shape
    >>> markers = ShapeMarkers("", 1.0)
    >>> ball = Shape(namespace="balls", id=0, kind="sphere", frame="world")
    >>> first = bytes(markers.write(0, [ball]))
    >>> second = bytes(markers.write(1, []))
    >>> len(first) == len(second)
    True
    """

    def __init__(self, frame_prefix: str, lifetime: float) -> None:
        self._prefix, self._lifetime = frame_prefix, lifetime
        self._room: dict[str, int] = {}
        self._samples: dict[str, Shape] = {}
        self._first: dict[str, int] = {}
        self._set_up()

    def write(self, stamp: int, shapes: Sequence[Shape]) -> Template:
        """Return the message of some shapes at a time (ns).

        Parameters
        ----------
        stamp : int
        shapes : sequence of Shape
            Those of one namespace are of one kind, have the same frame and as many points; their
            ids are from zero on. No texts.
        """
        grown = False
        for shape in shapes:
            name = shape.namespace
            if shape.id >= self._room.get(name, 0):
                self._room[name] = max(LEAST_ROOM, 1 << shape.id.bit_length())
                self._samples.setdefault(name, shape)
                grown = True
        if grown:
            self._set_up()
        everything = self._appearance
        everything.visible[:] = False
        if shapes:
            rows = np.array([self._first[shape.namespace] + shape.id for shape in shapes])
            now = first_appearance(shapes)
            everything.visible[rows] = True
            everything.position[rows] = now.position
            everything.quaternion[rows] = now.quaternion
            everything.scale[rows] = now.scale
            everything.color[rows] = now.color
            counts = self._end[rows] - self._begin[rows]
            places = np.repeat(self._end[rows] - np.cumsum(counts), counts)
            everything.points[places + np.arange(len(places))] = now.points
        return self._markers.write(stamp, everything)

    def _set_up(self) -> None:
        slots: list[Shape] = []
        for name, room in self._room.items():
            self._first[name] = len(slots)
            slots += [replace(self._samples[name], id=k) for k in range(room)]
        self._appearance: Appearance = first_appearance(slots)
        counts = [0 if shape.points is None else len(shape.points) for shape in slots]
        self._end = np.cumsum(counts, dtype=np.int64)
        self._begin = self._end - np.array(counts, dtype=np.int64)
        self._markers = SceneMarkers(slots, self._prefix, self._lifetime)
