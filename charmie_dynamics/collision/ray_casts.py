# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Distances along rays to convex shapes, in closed form."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.numerics.vectors import Floats

from .contact_shape import ContactShape

# where rays enter and leave a convex set, two arrays (n,); empty: enter > leave
Interval = tuple[Floats, Floats]


def ray_distances(shape: ContactShape, origin: Floats, rays: Floats) -> Floats:
    """Return the distances (n,) along rays to a shape (m); inf: no intersection.

    Parameters
    ----------
    shape : ContactShape
    origin : (3,) array
        In the frame of the shape; from within the shape the distance is zero.
    rays : (n, 3) array
        Unit vectors in the frame of the shape.
    """
    enter, leave = _INTERVALS[shape.kind](shape, origin, rays)
    hit = (enter <= leave) & (leave >= 0.0)
    distances: Floats = np.where(hit, np.maximum(enter, 0.0), np.inf)
    return distances


def _between_planes(normals: Floats, offsets: Floats, origin: Floats, rays: Floats) -> Interval:
    """Return the interval in which n.x <= offset for all normals (k, 3)."""
    speed, gap = rays @ normals.T, offsets - normals @ origin
    with np.errstate(divide="ignore", invalid="ignore"):
        t = gap / speed
    enter = np.where(speed < 0.0, t, -np.inf)
    # a ray parallel to a plane is inside of it everywhere or nowhere
    enter = np.where((speed == 0.0) & (gap < 0.0), np.inf, enter)
    leave = np.where(speed > 0.0, t, np.inf)
    return enter.max(axis=1), leave.min(axis=1)


def _round(radius: float, origin: Floats, rays: Floats) -> Interval:
    """Return the interval within a sphere (three columns) or a circle (two) about the origin."""
    a = np.einsum("ij,ij->i", rays, rays)
    b, c = rays @ origin, origin @ origin - radius**2
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(b * b - a * c)
        enter, leave = (-b - root) / a, (-b + root) / a
    along = a == 0.0  # parallel to the axis
    enter[along], leave[along] = (-np.inf, np.inf) if c <= 0.0 else (np.inf, -np.inf)
    missed = np.isnan(enter)
    enter[missed], leave[missed] = np.inf, -np.inf
    return enter, leave


def _plane(shape: ContactShape, origin: Floats, rays: Floats) -> Interval:
    return _between_planes(np.array([[0.0, 0.0, 1.0]]), np.zeros(1), origin, rays)


def _sphere(shape: ContactShape, origin: Floats, rays: Floats) -> Interval:
    return _round(shape.half_size[0], origin, rays)


def _box(shape: ContactShape, origin: Floats, rays: Floats) -> Interval:
    normals, sizes = np.vstack((np.eye(3), -np.eye(3))), np.array(shape.half_size)
    return _between_planes(normals, np.concatenate((sizes, sizes)), origin, rays)


def _mesh(shape: ContactShape, origin: Floats, rays: Floats) -> Interval:
    if shape.mesh is None:
        raise ValueError("a mesh has a polyhedron")
    return _between_planes(shape.mesh.normals, shape.mesh.offsets, origin, rays)


def _cylinder(shape: ContactShape, origin: Floats, rays: Floats) -> Interval:
    radius, half, _ = shape.half_size
    wall = _round(radius, origin[:2], rays[:, :2])
    ends = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]])
    between = _between_planes(ends, np.full(2, half), origin, rays)
    return np.maximum(wall[0], between[0]), np.minimum(wall[1], between[1])


def _capsule(shape: ContactShape, origin: Floats, rays: Floats) -> Interval:
    radius, half, _ = shape.half_size
    parts = [_cylinder(shape, origin, rays)]
    parts += [_round(radius, origin - [0.0, 0.0, z], rays) for z in (-half, half)]
    enter, leave = np.moveaxis(np.array(parts), 1, 0)
    empty = enter > leave
    enter[empty], leave[empty] = np.inf, -np.inf
    return enter.min(axis=0), leave.max(axis=0)


_INTERVALS = {
    "plane": _plane,
    "sphere": _sphere,
    "capsule": _capsule,
    "box": _box,
    "cylinder": _cylinder,
    "mesh": _mesh,
}
