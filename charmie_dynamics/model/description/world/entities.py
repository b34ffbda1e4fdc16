# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Entities of a world: robots and single shapes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Literal

import numpy as np

from charmie_dynamics.numerics.vectors import Floats

from ..mechanisms import MechanismSet
from ..meshes import Polyhedron
from ..robot import Inertial, RobotTree
from .placement import AT_ORIGIN, EntityPlacement, EntityPose

Moves = Literal["free", "fixed"]
# numbers of a size: none, radius, edges, radius and length, radius and length between the centres,
# factors
SHAPES = {"plane": 0, "sphere": 1, "box": 3, "cylinder": 2, "capsule": 2, "mesh": 3}


@dataclass(frozen=True, eq=False)
class ShapeEntity:
    """A single rigid body of one shape.

    Attributes
    ----------
    name : str
    shape : str
        One of `SHAPES`.
    size : tuple of float
        In metres: edges of a box, radius of a sphere, radius and length of a cylinder, radius of a
        capsule and the length between the centres of its ends; factors of a mesh along its axes.
    mass : float
        In kg, spread evenly.
    pose : EntityPose
        At the start.
    twist : (6,) array
        Linear, then angular velocity at the start, in world axes.
    moves : str
        "free" or "fixed".
    material : str
        Name of its material, empty: none.
    mesh : Polyhedron or None
        If it is one.
    placement : EntityPlacement
        How the pose is defined.
    """

    name: str
    shape: str
    size: tuple[float, ...]
    mass: float
    pose: EntityPose
    twist: Floats
    moves: Moves
    material: str = ""
    mesh: Polyhedron | None = None
    placement: EntityPlacement = AT_ORIGIN

    def inertial(self) -> Inertial:
        """Return mass, centre and moments of inertia of the solid."""
        if self.mesh is not None:
            return Inertial(self.mass, self.mesh.centroid, self.mass * self.mesh.squares)
        return Inertial(
            self.mass, np.zeros(3), self.mass * np.diag(moments_by_mass(self.shape, self.size))
        )


@dataclass(frozen=True, eq=False)
class RobotEntity:
    """A robot with its mechanisms.

    Attributes
    ----------
    name : str
    tree, mechanisms : RobotTree, MechanismSet
    pose : EntityPose
        Of its root at the start.
    twist : (6,) array
        As of a `ShapeEntity`; zero unless it moves freely.
    moves : str
        "free": its root can move; "fixed": it cannot.
    position : mapping of str to float
        Of some of its coordinates at the start, by their names; the others are in the rest pose.
    material : str
    files : tuple of str
        Paths of its URDF and its mechanisms file; empty: none.
    self_pairs : frozenset
        Pairs of its links that can touch each other, by their names in the world.
    placement : EntityPlacement
        How the pose is defined.
    solid : tuple of str or None
        The only links of `tree` with shapes; None: no link lost its shapes.
    """

    name: str
    tree: RobotTree
    mechanisms: MechanismSet
    pose: EntityPose
    twist: Floats
    moves: Moves
    position: Mapping[str, float] = field(default_factory=dict)
    material: str = ""
    files: tuple[str, str] = ("", "")
    self_pairs: frozenset[frozenset[str]] = frozenset()
    placement: EntityPlacement = AT_ORIGIN
    solid: tuple[str, ...] | None = None


Entity = ShapeEntity | RobotEntity


def with_solid_links(tree: RobotTree, solid: Collection[str] | None) -> RobotTree:
    """Return a robot with the shapes of some links alone; None: unchanged."""
    if solid is None:
        return tree
    links = {
        name: link if name in solid else replace(link, collisions=())
        for name, link in tree.links.items()
    }
    return replace(tree, links=links)


def separable_links(entity: str, tree: RobotTree) -> frozenset[frozenset[str]]:
    """Return the pairs of solid links that no joint connects, by their names in the world."""
    solid = [link.name for link in tree.links.values() if link.collisions]
    joined = {frozenset((joint.parent, joint.child)) for joint in tree.joints}
    pairs = (pair for pair in combinations(solid, 2) if frozenset(pair) not in joined)
    return frozenset(frozenset(f"{entity}/{link}" for link in pair) for pair in pairs)


def moments_by_mass(shape: str, size: tuple[float, ...]) -> tuple[float, float, float]:
    """Return the moments of inertia of a solid by its mass, about its own axes (m^2)."""
    if shape == "sphere":
        value = 0.4 * size[0] ** 2
        return value, value, value
    if shape == "box":
        x, y, z = (edge**2 / 12.0 for edge in size)
        return y + z, x + z, x + y
    if shape == "cylinder":
        r, length = size
        across = r**2 / 4.0 + length**2 / 12.0
        return across, across, 0.5 * r**2
    if shape == "capsule":
        return _capsule(*size)
    return 0.0, 0.0, 0.0  # a plane does not move


def _capsule(r: float, length: float) -> tuple[float, float, float]:
    """Return the same of a capsule: a cylinder and two half spheres at its ends."""
    volumes = np.array([length, 4.0 / 3.0 * r])  # by pi r^2
    middle, ends = volumes / volumes.sum()
    # the centre of a half sphere is 3/8 r beyond the end of the cylinder
    half = 0.5 * length
    about_own = 0.4 * r**2 - (0.375 * r) ** 2
    across = middle * (r**2 / 4.0 + length**2 / 12.0)
    across += ends * (about_own + (half + 0.375 * r) ** 2)
    return across, across, middle * 0.5 * r**2 + ends * 0.4 * r**2
