# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Appearance of a scene at one instant: arrays with one row per shape, written in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from charmie_dynamics.numerics.rotations import quaternions_from_matrices

from .shape import Floats, Shape


class Appearance(NamedTuple):
    """Variable values of the k shapes of a scene; their points (P in total) are concatenated.

    Parameters
    ----------
    visible : array of bool, shape (k,)
        False: the shape is hidden, and its other values are undefined.
    position : array, shape (k, 3)
        Origin of the shape in its frame (m).
    quaternion : array, shape (k, 4)
        Its orientation in its frame: x, y, z, w.
    scale : array, shape (k, 3)
        As in `Shape` (m).
    color : array, shape (k, 4)
        Red, green, blue, opacity, each from 0 to 1.
    points : array, shape (P, 3)
        Of all shapes, in shape coordinates (m). See `Scene.first_point` for their shapes.
    texts : tuple of str, length k
        Content of each text, of constant width; empty for other shapes.
    """

    visible: NDArray[np.bool_]
    position: Floats
    quaternion: Floats
    scale: Floats
    color: Floats
    points: Floats
    texts: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of an appearance that belong to consecutive shapes, as views to write into."""

    visible: NDArray[np.bool_]
    position: Floats
    scale: Floats
    color: Floats
    points: Floats


def count_points(shapes: Sequence[Shape]) -> list[int]:
    """Return the number of points of each shape."""
    return [0 if shape.points is None else len(shape.points) for shape in shapes]


def first_appearance(shapes: Sequence[Shape]) -> Appearance:
    """Return arrays that show the shapes unchanged, all visible."""
    k = len(shapes)
    rotations = np.array([shape.rotation for shape in shapes]).reshape(k, 3, 3)
    quaternion = np.empty((k, 4))
    quaternions_from_matrices(np.ascontiguousarray(rotations, dtype=np.float64), quaternion)
    points = [np.asarray(s.points, dtype=np.float64) for s in shapes if s.points is not None]
    return Appearance(
        visible=np.ones(k, dtype=bool),
        position=np.array([shape.position for shape in shapes], dtype=np.float64).reshape(k, 3),
        quaternion=quaternion,
        scale=np.array([shape.scale for shape in shapes], dtype=np.float64).reshape(k, 3),
        color=np.array([shape.color for shape in shapes], dtype=np.float64).reshape(k, 4),
        points=np.concatenate(points) if points else np.zeros((0, 3)),
        texts=tuple(shape.text for shape in shapes),
    )


def visible_shapes(shapes: Sequence[Shape], appearance: Appearance) -> list[Shape]:
    """Return copies of the visible shapes with the values of the appearance.

    Parameters
    ----------
    shapes : sequence of Shape, length k
        Of a scene.
    appearance : Appearance
        Of the same scene.
    """
    end = np.cumsum(count_points(shapes), dtype=np.int64)
    result = []
    for i in np.flatnonzero(appearance.visible).tolist():
        shape = shapes[i]
        points = None
        if shape.points is not None:
            points = appearance.points[end[i] - len(shape.points) : end[i]].copy()
        width, depth, height = appearance.scale[i].tolist()
        r, g, b, a = appearance.color[i].tolist()
        result.append(
            replace(
                shape,
                position=appearance.position[i].copy(),
                rotation=_rotation(appearance.quaternion[i]),
                scale=(width, depth, height),
                color=(r, g, b, a),
                points=points,
                text=appearance.texts[i],
            )
        )
    return result


def _rotation(quaternion: Floats) -> Floats:
    x, y, z, w = quaternion.tolist()
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )
