# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Shapes with poses in named frames: a picture as data, before any viewer is chosen."""

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
    """One coloured shape. RViz markers and rendered pictures are both made from it.

    The fields have the meaning of those of ``visualization_msgs/Marker``.

    Parameters
    ----------
    namespace, id : str, int
        Identify the shape: one with the same pair replaces it in the next picture.
    kind : {"box", "cylinder", "sphere", "line_strip", "arrow", "mesh", "text"}
        What is drawn.
    frame : str
        Name of the frame that `position`, `rotation` and `points` refer to.
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
        What a text shows.
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


# Widths in RViz's font, by the height of a letter.
WORD_SPACE = 0.5
DIGIT = 0.9


def text_scale(letter: float, space: float = WORD_SPACE) -> tuple[float, float, float]:
    """Return the scale of a text.

    Parameters
    ----------
    letter : float
        Height of a letter (m).
    space : float
        Width of a space by the height of a letter; where numbers are padded: `DIGIT`. RViz 2 takes
        it from ``scale.x``. With zero, as any before August 2024, it makes spaces as wide as those
        between letters of a metre (ros2/rviz, issue 1336).
    """
    return space * letter, 0.0, letter
