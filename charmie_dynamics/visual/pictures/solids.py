# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Triangle meshes of shapes: closed surfaces with outward normals, in the frame of the shape."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from charmie_dynamics.errors import InputError
from charmie_dynamics.numerics.vectors import Floats
from charmie_dynamics.visual.scene import Shape

CYLINDER_SIDES = 48
TUBE_SIDES = 12
SPHERE_RINGS = 20


@dataclass(frozen=True, eq=False)
class Solid:
    """A surface of m triangles, counterclockwise as seen from outside.

    Parameters
    ----------
    corners : array, shape (m, 3, 3)
        Position of each corner of each triangle (m).
    normals : array, shape (m, 3, 3)
        Outward unit normal at each corner; equal at the three corners where the face is flat.
    """

    corners: Floats
    normals: Floats

    def moved(self, position: Floats, rotation: Floats) -> Solid:
        """Return the solid in another frame, for the pose of its frame in that one."""
        return Solid(self.corners @ rotation.T + position, self.normals @ rotation.T)


def solid_of(shape: Shape) -> Solid:
    """Return the surface of a shape in its frame (not for the kind "text").

    Raises
    ------
    InputError
        If the kind of the shape has no surface here, or its points do not fit its kind.
    """
    if shape.kind == "box":
        solid = box(shape.scale)
    elif shape.kind == "cylinder":
        solid = cylinder(shape.scale)
    elif shape.kind == "sphere":
        solid = sphere(shape.scale)
    elif shape.kind == "line_strip":
        solid = tube(_points(shape), shape.scale[0] / 2.0)
    elif shape.kind == "arrow":
        solid = arrow(_points(shape), shape.scale)
    elif shape.kind == "mesh" and shape.points is not None:
        solid = flat(shape.points.reshape(-1, 3, 3))
    else:
        raise InputError(
            f"shape {shape.namespace}/{shape.id} in frame '{shape.frame}' is a {shape.kind}, "
            "expected one of box, cylinder, sphere, line_strip, arrow, or a mesh with points"
        )
    position = np.asarray(shape.position, dtype=np.float64)
    return solid.moved(position, np.asarray(shape.rotation, dtype=np.float64))


def flat(corners: Floats) -> Solid:
    """Return triangles (m, 3, 3) with one normal for each."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    normals = _unit(np.cross(b - a, c - a))
    return Solid(corners, np.repeat(normals[:, None], 3, axis=1))


def box(edges: tuple[float, float, float]) -> Solid:
    """Return a box around the origin with the given edge lengths (m)."""
    faces = []
    normals = []
    square = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    for axis in range(3):
        for sign in (1.0, -1.0):
            loop = square if sign > 0 else square[::-1]
            corners = np.empty((4, 3))
            corners[:, axis] = sign
            corners[:, (axis + 1) % 3] = loop[:, 0]
            corners[:, (axis + 2) % 3] = loop[:, 1]
            normal = np.zeros(3)
            normal[axis] = sign
            faces += [corners[[0, 1, 2]], corners[[0, 2, 3]]]
            normals += [np.tile(normal, (3, 1))] * 2
    return Solid(np.array(faces) * np.asarray(edges) / 2.0, np.array(normals))


def cylinder(scale: tuple[float, float, float], sides: int = CYLINDER_SIDES) -> Solid:
    """Return a cylinder along z around the origin: two diameters and the length (m)."""
    circle = _circle(sides)
    grid = np.stack([np.c_[circle, np.full(sides, z)] for z in (-1.0, 1.0)])
    stretch = np.asarray(scale) / 2.0
    normals = np.tile(_unit(np.c_[circle / stretch[:2], np.zeros(sides)]), (2, 1, 1))
    grid = grid * stretch
    return _joined(
        _surface(grid, normals),
        _disc(grid[0][::-1], np.array([0.0, 0.0, -1.0])),
        _disc(grid[1], np.array([0.0, 0.0, 1.0])),
    )


def sphere(diameters: tuple[float, float, float], rings: int = SPHERE_RINGS) -> Solid:
    """Return an ellipsoid around the origin with the given diameters (m)."""
    height = np.linspace(-math.pi / 2.0, math.pi / 2.0, rings + 1)[:, None]
    circle = _circle(2 * rings)
    unit = np.stack(
        [
            np.cos(height) * circle[:, 0],
            np.cos(height) * circle[:, 1],
            np.sin(height) * np.ones(2 * rings),
        ],
        axis=-1,
    )
    radii = np.asarray(diameters) / 2.0
    return _surface(unit * radii, _unit(unit / radii))


def tube(points: Floats, radius: float, sides: int = TUBE_SIDES) -> Solid:
    """Return a round tube with flat ends along a polyline of k points (m).

    Neighbours of a point must differ: a line that returns has no tangent at its turn. No scene has
    such a line.
    """
    tangent = _unit(np.gradient(points, axis=0))
    # A normal that is propagated along the line without twist, from any perpendicular start.
    u = np.empty_like(points)
    u[0] = _unit(np.cross(tangent[0], np.eye(3)[np.argmin(np.abs(tangent[0]))]))
    for i in range(1, len(points)):
        u[i] = _unit(u[i - 1] - tangent[i] * (u[i - 1] @ tangent[i]))
    v = np.cross(tangent, u)
    circle = _circle(sides)
    normals = u[:, None] * circle[:, :1] + v[:, None] * circle[:, 1:]
    grid = points[:, None] + radius * normals
    return _joined(
        _surface(grid, normals),
        _disc(grid[0][::-1], -tangent[0]),
        _disc(grid[-1], tangent[-1]),
    )


def arrow(points: Floats, scale: tuple[float, float, float]) -> Solid:
    """Return an arrow from points[0] to points[1]: shaft and head diameter, head length (m).

    An arrow shorter than its head keeps the head's proportions.
    """
    if len(points) != 2:
        raise InputError(f"an arrow has 2 points, got {len(points)}")
    tail, tip = points
    along = tip - tail
    length = float(np.linalg.norm(along))
    z = along / length
    head = min(scale[2], length)
    radius = scale[1] / 2.0 * head / scale[2]
    base = tip - z * head
    u = _unit(np.cross(z, np.eye(3)[np.argmin(np.abs(z))]))
    circle = _circle(TUBE_SIDES * 2)
    radial = circle[:, :1] * u + circle[:, 1:] * np.cross(z, u)
    rim = base + radius * radial
    cone = _surface(
        np.stack([rim, np.tile(tip, (len(rim), 1))]),
        np.tile(_unit(head * radial + radius * z), (2, 1, 1)),
    )
    parts = [cone, _disc(rim[::-1], -z)]
    if length > head * (1.0 + 1e-9):  # a shaft shorter than round-off has no direction
        parts.append(tube(np.stack([tail, base]), scale[0] / 2.0, TUBE_SIDES * 2))
    return _joined(*parts)


def _points(shape: Shape) -> Floats:
    points = np.asarray([] if shape.points is None else shape.points, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 3 or len(points) < 2:
        raise InputError(
            f"shape {shape.namespace}/{shape.id} ({shape.kind}): expected points of shape (k, 3) "
            f"with k of at least 2, got shape {points.shape}"
        )
    different = np.r_[True, np.any(np.diff(points, axis=0) != 0.0, axis=1)]
    if np.count_nonzero(different) < 2:
        raise InputError(
            f"shape {shape.namespace}/{shape.id} ({shape.kind}): all its points are equal, "
            "expected a length"
        )
    result: Floats = points[different]
    return result


def _circle(sides: int) -> Floats:
    angle = np.arange(sides) * (2.0 * math.pi / sides)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _unit(vectors: Floats) -> Floats:
    norms: Floats = np.linalg.norm(vectors, axis=-1, keepdims=True)
    result: Floats = vectors / norms
    return result


def _surface(grid: Floats, normals: Floats) -> Solid:
    """Join rings of points, shape (rings, sides, 3), by triangles; each ring is closed."""
    a, b = grid[:-1], grid[1:]
    na, nb = normals[:-1], normals[1:]

    def pairs(p: Floats, q: Floats) -> Floats:
        p_next, q_next = np.roll(p, -1, axis=1), np.roll(q, -1, axis=1)
        lower = np.stack([p, p_next, q_next], axis=-2)
        upper = np.stack([p, q_next, q], axis=-2)
        return np.concatenate([lower.reshape(-1, 3, 3), upper.reshape(-1, 3, 3)])

    return Solid(pairs(a, b), pairs(na, nb))


def _disc(ring: Floats, normal: Floats) -> Solid:
    center = np.tile(ring.mean(axis=0), (len(ring), 1))
    corners = np.stack([center, ring, np.roll(ring, -1, axis=0)], axis=1)
    return Solid(corners, np.broadcast_to(normal, corners.shape).copy())


def _joined(*solids: Solid) -> Solid:
    return Solid(
        np.concatenate([s.corners for s in solids]), np.concatenate([s.normals for s in solids])
    )
