# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Boxes about convex bodies, and whether two of them overlap, for any pair of shapes.

Unlike the kernels of contacts, these functions accept flat hulls and every pair of kinds. They are
for single queries.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from charmie_dynamics.model.description.world import BoundingVolume
from charmie_dynamics.model.description.world.named_poses import BOX, SPHERE
from charmie_dynamics.numerics.vectors import Floats

from .contact_shape import ContactShape

MOST_ITERATIONS = 100
TOLERANCE = 1e-9  # of distances, relative to the size of the bodies
AXIS = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class ConvexBody:
    """The sum of a convex hull, a disc and a ball, in world axes.

    Attributes
    ----------
    points : (n, 3) array
        Of the hull.
    radius : float
        Of the ball (m).
    rim : float
        Radius of the disc (m).
    axis : (3,) array
        Normal of the disc.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.collision.convex_bodies import ConvexBody
    >>> ball, point = ConvexBody(np.zeros((1, 3)), 0.5), ConvexBody(np.array([[0.0, 0.4, 0.0]]))
    >>> ball.overlaps(point)
    True
    """

    points: Floats
    radius: float = 0.0
    rim: float = 0.0
    axis: Floats = field(default_factory=lambda: AXIS)

    @classmethod
    def of_shape(cls, shape: ContactShape, p: Floats, R: Floats) -> ConvexBody:
        """Return a shape other than a plane whose link has a pose in the world."""
        p, R = p + R @ shape.p_link_shape, R @ shape.R_link_shape
        radius, half, _ = shape.half_size
        if shape.kind in ("box", "mesh"):
            return cls(p + shape.corners @ R.T)
        if shape.kind == "sphere":
            return cls(p[None], radius)
        ends = p + np.outer((half, -half), R[:, 2])
        if shape.kind == "capsule":
            return cls(ends, radius)
        return cls(ends, rim=radius, axis=R[:, 2])

    @classmethod
    def of_volume(cls, volume: BoundingVolume) -> ConvexBody:
        """Return a volume in world axes."""
        points = volume.points
        if volume.kind == SPHERE:
            return cls(points[:1], float(points[1, 0]))
        if volume.kind == BOX:
            return cls(np.array(list(itertools.product(*points.T))))
        return cls(points)

    def farthest(self, direction: Floats) -> Floats:
        """Return the point (3,) of hull and disc that is farthest along a direction (3,)."""
        point: Floats = self.points[np.argmax(self.points @ direction)]
        across = direction - self.axis * (self.axis @ direction)
        length = np.linalg.norm(across)
        # along the axis, the direction across it is rounding alone
        if self.rim and length > TOLERANCE * np.linalg.norm(direction):
            point = point + across * (self.rim / length)
        return point

    def extent(self, direction: Floats) -> float:
        """Return the largest coordinate along a unit vector (3,)."""
        return float(self.farthest(direction) @ direction) + self.radius

    def overlaps(self, other: ConvexBody) -> bool:
        """Return whether two bodies touch or overlap.

        The algorithm of Gilbert, Johnson and Keerthi (1988) finds the point of the difference of
        both that is nearest to the origin.
        """
        reach = self.radius + other.radius
        nearest = self.points[0] - other.points[0]
        simplex: list[Floats] = []
        scale = max(float(np.abs(np.concatenate([self.points, other.points])).max()), reach)
        for _ in range(MOST_ITERATIONS):
            distance = float(np.linalg.norm(nearest))
            if distance <= reach + TOLERANCE * scale:
                return True
            support = self.farthest(-nearest) - other.farthest(nearest)
            bound = float(support @ nearest) / distance
            if bound > reach + TOLERANCE * scale:
                return False
            if distance - bound <= TOLERANCE * scale:
                return True
            nearest, simplex = _nearest_of([*simplex, support])
        return bool(np.linalg.norm(nearest) <= reach + TOLERANCE * scale)


def box_about(bodies: Iterable[ConvexBody], p: Floats, R: Floats) -> Floats:
    """Return upper and lower corner (2, 3) of the box about bodies, in the axes of a pose."""
    everything = list(bodies)
    return np.array(
        [
            [sign * (max(body.extent(sign * u) for body in everything) - sign * u @ p) for u in R.T]
            for sign in (1.0, -1.0)
        ]
    )


def _nearest_of(points: list[Floats]) -> tuple[Floats, list[Floats]]:
    """Return the point of a simplex that is nearest to the origin, and the face of the point."""
    best, face = points[-1], points[-1:]
    for count in range(1, len(points) + 1):
        for chosen in itertools.combinations(points, count):
            corners = np.array(chosen)
            edges = (corners[1:] - corners[0]).T
            shares = np.linalg.lstsq(edges, -corners[0], rcond=None)[0]
            weights = np.array([1.0 - shares.sum(), *shares])
            if (weights < 0.0).any():
                continue
            point = weights @ corners
            if point @ point < best @ best:
                best, face = point, list(chosen)
    return best, face
