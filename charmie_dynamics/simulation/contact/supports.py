# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Places at which shapes may rest on each other at the start, and their loads.

One shape is above another if their bounds overlap as seen along gravity. A shape may rest on a
lower one, together with all shapes above itself; through a stack the loads add up.

Shapes that rest on each other touch at the corners of a rectangle: the intersection of their
contact areas. The area of a sphere is a point, that of a capsule or a lying cylinder a line. That
of a box, a mesh or an upright cylinder is a rectangle with the second moments of the corners of a
face or of the rim.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from charmie_dynamics.collision.contact_shape import ContactShape
from charmie_dynamics.model.description.world.merging import name_in
from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Floats, Ints

from .contact_scene import ContactScene

UPRIGHT = 0.7  # cosine of the tilt up to which a cylinder rests on its cap
# half of the square with the second moment of a circle's rim, by its radius
RIM = 0.5**0.5


class Resting(NamedTuple):
    """Two shapes that may rest on each other.

    Attributes
    ----------
    points : tuple of two (n, 3) arrays
        Where on each of the two, in the world (m).
    normal : (3,) array
    load : float
        On all points together (N).
    pressed_sides : (int, int)
        From how many sides each of the two may be pressed along the normal: 1 or 2.
    gap : float
        Between the two along the normal (m).
    """

    points: tuple[Floats, Floats]
    normal: Floats
    load: float
    pressed_sides: tuple[int, int]
    gap: float

    @property
    def shares(self) -> int:
        """How many points share the load."""
        return len(self.points[0])


class RestingShapes:
    """How the shapes of a scene may rest on each other.

    Parameters
    ----------
    model : Model
    scene : ContactScene
    places : (shapes, 3) array
        Positions of the shapes in the world (m).
    axes : (shapes, 3, 3) array
        Their axes in the world.
    """

    def __init__(self, model: Model, scene: ContactScene, places: Floats, axes: Floats) -> None:
        self._scene, self._places, self._axes = scene, places, axes
        gravity = np.asarray(model.mechanisms.gravity, dtype=float)
        size = float(np.linalg.norm(gravity))
        self._up = -gravity / size if size > 0.0 else np.array([0.0, 0.0, 1.0])
        self._shape_counts = Counter(shape.entity for shape in scene.shapes)
        weights = _weights(model, scene.shapes, size)
        rotation = self._rotation = _frame(self._up)
        self._extents = [
            _extent(shape, rotation @ p, rotation @ R)
            for shape, p, R in zip(scene.shapes, places, axes, strict=True)
        ]
        self._middles = np.reshape([extent.middle for extent in self._extents], (-1, 3))
        self._bounds = np.reshape([extent.bounds for extent in self._extents], (-1, 3))
        self._above = self._all_above()
        self._loads = {
            entity: weights[entity] + sum(weights[other] for other in self._above[entity])
            for entity in weights
        }

    def contact_of(self, i: int, j: int) -> Resting:
        """Return how two shapes may rest on each other.

        Parameters
        ----------
        i, j : int
            Numbers of the shapes, of which at least one can move and one is above the other, or is
            a plane.
        """
        for plane, other in ((i, j), (j, i)):
            if self._scene.shapes[plane].kind == "plane":
                return self._on_plane(plane, other, other == j)
        upper = i if self._middles[i, 2] > self._middles[j, 2] else j
        lower = i + j - upper
        rotation = self._rotation
        a, b = self._extents[upper], self._extents[lower]
        corners = _corners(a, b)
        points = {
            upper: _with_height(corners, a.middle[2] - a.bounds[2]) @ rotation,
            lower: _with_height(corners, b.middle[2] + b.bounds[2]) @ rotation,
        }
        # a shape that bears another one rests on a third one
        sides = {upper: self._pressed_sides(upper), lower: 2}
        # a fixed upper shape does not rest on the lower one, which may press against it
        load = self.load_on(upper if self._scene.moves[upper] else lower)
        gap = float(points[upper][0] @ self._up - points[lower][0] @ self._up)
        return Resting((points[i], points[j]), self._up, load, (sides[i], sides[j]), gap)

    def heights(self) -> Floats:
        """Return the height (m) of each shape (k,) above the lowest fixed one; 0 without any."""
        lowest = self._middles[:, 2] - self._bounds[:, 2]
        fixed = ~np.array(self._scene.moves, dtype=bool)
        if not fixed.any():
            return np.zeros(len(lowest))
        heights: Floats = np.maximum(0.0, lowest - lowest[fixed].min())
        return heights

    def are_stacked(self, i: Ints, j: Ints) -> npt.NDArray[np.bool_]:
        """Return of pairs (k,) without planes whether one shape is above the other."""
        gap = np.abs(self._middles[i] - self._middles[j]) - self._bounds[i] - self._bounds[j]
        stacked: npt.NDArray[np.bool_] = (gap[:, :2] < 0.0).all(axis=1)
        return stacked

    def _on_plane(self, plane: int, other: int, is_second: bool) -> Resting:
        """Return how a shape, the second of the pair or the first, may rest on a plane."""
        normal = self._axes[plane][:, 2]
        rotation = _frame(normal)
        shape = self._scene.shapes[other]
        extent = _extent(shape, rotation @ self._places[other], rotation @ self._axes[other])
        lowest = float(extent.middle[2] - extent.bounds[2])
        points = _with_height(_corners(extent, extent), lowest) @ rotation
        own = self._pressed_sides(other)
        gap = lowest - float(self._places[plane] @ normal)
        sides = (1, own) if is_second else (own, 1)
        return Resting((points, points), normal, self.load_on(other), sides, gap)

    def load_on(self, k: int) -> float:
        """Return the load (N) on a shape from its entity and those above; inf if it is fixed.

        The shapes of an entity share its load equally.
        """
        if not self._scene.moves[k]:
            return np.inf
        entity = self._scene.shapes[k].entity
        return self._loads[entity] / self._shape_counts[entity]

    def _pressed_sides(self, k: int) -> int:
        """Return 2 if other entities are above the shape's entity, else 1."""
        return 2 if self._above[self._scene.shapes[k].entity] else 1

    def _all_above(self) -> dict[str, set[str]]:
        """Return which movable entities are above each entity, directly or on others."""
        scene = self._scene
        above: dict[str, set[str]] = {shape.entity: set() for shape in scene.shapes}
        first, second, _ = scene.meeting_pairs()
        moves = np.array(scene.moves, dtype=bool)
        both = moves[first] & moves[second]
        first, second = first[both], second[both]
        stacked = self.are_stacked(first, second)
        for i, j in zip(first[stacked].tolist(), second[stacked].tolist(), strict=True):
            upper = i if self._middles[i, 2] > self._middles[j, 2] else j
            above[scene.shapes[i + j - upper].entity].add(scene.shapes[upper].entity)
        return {entity: _all_reached(entity, above) for entity in above}


class _Extent(NamedTuple):
    """The extent of a shape in axes of which z is the normal of a contact.

    Attributes
    ----------
    middle : (3,) array
        Of its bounds (m).
    bounds : (3,) array
        Half of their edges (m).
    area : (2,) array
        Half of the edges of its contact area along x and y (m), about the middle.
    """

    middle: Floats
    bounds: Floats
    area: Floats


def _extent(shape: ContactShape, place: Floats, R: Floats) -> _Extent:
    """Return the extent of a shape at a place (3,) with axes R (3, 3)."""
    half = np.array(shape.half_size)
    if shape.mesh is not None:
        corners = shape.mesh.vertices @ R.T
        low, high = corners.min(axis=0), corners.max(axis=0)
        # the supporting face, with its normal up or down
        steepest = int(np.abs(shape.mesh.normals @ R[2]).argmax())
        area = corners[list(shape.mesh.loops[steepest])].std(axis=0)[:2]
        return _Extent(place + 0.5 * (low + high), 0.5 * (high - low), area)
    if shape.kind == "box":
        upright = int(np.abs(R[2]).argmax())  # its axis along the normal
        flat = np.where(np.arange(3) == upright, 0.0, half)
        return _Extent(place, np.abs(R) @ half, np.sqrt(R[:2] ** 2 @ flat**2))
    axis = np.abs(R[:, 2])
    if shape.kind == "sphere":
        return _Extent(place, np.full(3, half[0]), np.zeros(2))
    if shape.kind == "capsule":
        return _Extent(place, half[0] + half[1] * axis, half[1] * axis[:2])
    across = np.sqrt(np.maximum(0.0, 1.0 - axis**2))
    bounds = half[0] * across + half[1] * axis
    area = np.full(2, RIM * half[0]) if axis[2] > UPRIGHT else half[1] * axis[:2]
    return _Extent(place, bounds, area)


def _with_height(corners: Floats, height: float) -> Floats:
    """Return corners (n, 2) at a height, (n, 3)."""
    return np.column_stack([corners, np.full(len(corners), height)])


def _corners(a: _Extent, b: _Extent) -> Floats:
    """Return the distinct corners (n, 2) of the intersection of two contact areas."""
    low = np.maximum(a.middle[:2] - a.area, b.middle[:2] - b.area)
    high = np.minimum(a.middle[:2] + a.area, b.middle[:2] + b.area)
    middle = 0.5 * (low + high)
    half = np.maximum(0.0, high - middle)
    wide = [(-half[k], half[k]) if half[k] > 1e-3 * a.bounds[k] else (0.0,) for k in range(2)]
    return np.array([[middle[0] + x, middle[1] + y] for x in wide[0] for y in wide[1]])


def _frame(normal: Floats) -> Floats:
    """Return a rotation into axes of which z is the normal."""
    other = np.eye(3)[int(np.abs(normal).argmin())]
    x = np.cross(other, normal)
    x /= np.linalg.norm(x)
    return np.array([x, np.cross(normal, x), normal])


def _all_reached(start: str, above: dict[str, set[str]]) -> set[str]:
    """Return the entities above one, directly or on others, from those directly above each."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for name in above[waiting.pop()] - found - {start}:
            found.add(name)
            waiting.append(name)
    return found


def _weights(model: Model, shapes: Sequence[ContactShape], gravity: float) -> dict[str, float]:
    """Return the weight of each entity that has shapes (N)."""
    names, masses = model.flat.body_names, model.flat.tree.mass
    return {
        entity: gravity
        * sum(
            float(mass)
            for name, mass in zip(names, masses, strict=True)
            if name == entity or name.startswith(name_in(entity, ""))
        )
        for entity in dict.fromkeys(shape.entity for shape in shapes)
    }
