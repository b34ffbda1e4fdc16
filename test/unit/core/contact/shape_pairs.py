# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Two shapes, posed, and how they meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from charmie_dynamics.core.contact.detection.detector import Detector
from charmie_dynamics.core.contact.detection.records import (
    BOX,
    CAPSULE,
    CYLINDER,
    ELLIPSOID,
    PLANE,
    SPHERE,
    TORUS,
    Shapes,
)

UPRIGHT = np.eye(3)
USED_SIZES = {PLANE: 0, SPHERE: 1, CAPSULE: 2, BOX: 3, CYLINDER: 2, ELLIPSOID: 3, TORUS: 2}


class Posed(NamedTuple):
    """A shape: its type, its size (as many numbers as it has), and where it is."""

    kind: int
    size: Sequence[float]
    p: Sequence[float] = (0.0, 0.0, 0.0)
    R: Any = UPRIGHT


class Meeting(NamedTuple):
    """What was found of one pair."""

    status: int
    distance: float
    normal: Any
    first: Any
    second: Any
    features: list[int]
    positions: Any
    distances: Any
    shares: Any
    point_normal: Any


def detector_of(shapes: Sequence[Posed], pairs: Any = None) -> Detector:
    """Return a detector of shapes, each on a body of its own."""
    count = len(shapes)
    sizes = np.zeros((count, 3))
    for row, shape in zip(sizes, shapes, strict=True):
        row[: len(shape.size)] = shape.size
    return Detector(
        Shapes(
            np.array([shape.kind for shape in shapes]),
            np.arange(count),
            sizes,
            np.tile(np.eye(3), (count, 1, 1)),
            np.zeros((count, 3)),
            np.zeros(0, dtype=int),
        ),
        pairs,
    )


def meet(*shapes: Posed, detector: Detector | None = None) -> Meeting:
    """Return how two shapes meet."""
    detector = detector or detector_of(shapes, [(0, 1)])
    detector.find(np.array([shape.R for shape in shapes]), np.array([shape.p for shape in shapes]))
    c = detector.contacts
    points = slice(0, c.point_count[0])
    return Meeting(
        int(c.pair_status[0]),
        float(c.pair_distance[0]),
        c.pair_normal[0].copy(),
        c.nearest_first[0].copy(),
        c.nearest_second[0].copy(),
        c.point_feature[0, points].tolist(),
        c.point_position[0, points].copy(),
        c.point_distance[0, points].copy(),
        c.point_share[0, points].copy(),
        c.point_normal[0].copy(),
    )


def about(axis: Sequence[float], angle: float) -> Any:
    """Return the matrix of a rotation about an axis."""
    x, y, z = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def random_rotation(random: np.random.Generator) -> Any:
    """Return a matrix of a rotation, each as likely as the others."""
    q, r = np.linalg.qr(random.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    if np.linalg.det(q) < 0.0:
        q[:, 0] = -q[:, 0]
    return q


def random_shape(random: np.random.Generator, kind: int) -> Posed:
    """Return a shape of some type with random size, turned at random."""
    size = random.uniform(0.2, 1.0, USED_SIZES[kind])
    if kind == TORUS:
        size[1] *= 0.5 * size[0]
    return Posed(kind, size, np.zeros(3), random_rotation(random))


def reach(shape: Posed, n: Any) -> Any:
    """Return how far a convex shape reaches along directions (k, 3), from its centre."""
    x, y, z = np.moveaxis(np.asarray(n) @ shape.R, -1, 0)
    size = shape.size
    if shape.kind == SPHERE:
        return np.full(x.shape, size[0])
    if shape.kind == CAPSULE:
        return size[0] + size[1] * np.abs(z)
    if shape.kind == BOX:
        return size[0] * np.abs(x) + size[1] * np.abs(y) + size[2] * np.abs(z)
    if shape.kind == CYLINDER:
        return size[0] * np.hypot(x, y) + size[1] * np.abs(z)
    return np.sqrt((size[0] * x) ** 2 + (size[1] * y) ** 2 + (size[2] * z) ** 2)
