# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Shapes with poses in named frames: a picture as data, independent of the viewer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Vector = Floats | Sequence[float]
Color = tuple[float, float, float, float]
Kind = Literal["box", "cylinder", "sphere", "line_strip", "arrow", "mesh", "text"]


@dataclass(frozen=True, eq=False)
class Shape:
    """A coloured shape, the source of RViz markers and rendered pictures.

    The fields correspond to those of ``visualization_msgs/Marker``.

    Parameters
    ----------
    namespace, id : str, int
        Identify the shape: one with the same pair replaces it in the next picture.
    kind : {"box", "cylinder", "sphere", "line_strip", "arrow", "mesh", "text"}
        Geometry.
    frame : str
        Name of the frame of `position`, `rotation` and `points`.
    position : array_like, shape (3,), optional
        Origin of the shape in `frame` (m).
    rotation : array, shape (3, 3), optional
        ``R_frame_shape``: takes shape coordinates to frame coordinates.
    scale : (float, float, float), optional
        box: edge lengths; cylinder: diameter along x, diameter along y, length along z; sphere:
        diameters; line_strip: line width, unused, unused; arrow: shaft diameter, head diameter,
        head length; text: see `text_scale`; mesh: factors. All but the last in m.
    color : (float, float, float, float), optional
        Red, green, blue, opacity, each from 0 to 1.
    points : array, shape (k, 3), optional
        Corners of a line_strip, or tail and tip of an arrow, in shape coordinates (m).
    text : str, optional
        Content of a text.
    mesh : str, optional
        URL of a mesh file.
    """

    namespace: str
    id: int
    kind: Kind
    frame: str
    position: Vector = (0.0, 0.0, 0.0)
    rotation: Floats = field(default_factory=lambda: np.eye(3))
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    color: Color = (0.5, 0.5, 0.5, 1.0)
    points: Floats | None = None
    text: str = ""
    mesh: str = ""


def line_strip(
    namespace: str, id: int, frame: str, width: float, color: Color, points: Floats
) -> Shape:
    """Return lines of a width (m) from point to point."""
    scale = (width, 0.0, 0.0)
    return Shape(namespace, id, "line_strip", frame, scale=scale, color=color, points=points)


# Widths in RViz's font, relative to the height of a letter.
WORD_SPACE = 0.5
DIGIT = 0.9


def text_scale(letter: float, space: float = WORD_SPACE) -> tuple[float, float, float]:
    """Return the scale of a text.

    Parameters
    ----------
    letter : float
        Height of a letter (m).
    space : float
        Width of a space relative to the height of a letter; `DIGIT` for padded numbers. RViz 2
        takes it from ``scale.x``. For zero, and in all versions before August 2024, spaces are as
        wide as those between letters of a metre (ros2/rviz, issue 1336).
    """
    return space * letter, 0.0, letter
