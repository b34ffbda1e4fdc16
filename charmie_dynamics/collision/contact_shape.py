# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Shapes fixed to links, and those of the entities of a world."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from charmie_dynamics.core.contact.detection.pairs import NONE, method_of
from charmie_dynamics.core.contact.detection.records import (
    BOX,
    CAPSULE,
    CYLINDER,
    MESH,
    PLANE,
    SPHERE,
)
from charmie_dynamics.errors import ModelFileError
from charmie_dynamics.model.description.mechanisms import MechanismSet
from charmie_dynamics.model.description.meshes import Polyhedron, find_mesh, read_mesh
from charmie_dynamics.model.description.robot import RobotTree
from charmie_dynamics.model.description.world import (
    Material,
    ShapeEntity,
    Surface,
    WorldDescription,
)
from charmie_dynamics.model.description.world.merging import name_in
from charmie_dynamics.numerics.jit import plain
from charmie_dynamics.numerics.vectors import Floats

KINDS = {
    "plane": PLANE,
    "sphere": SPHERE,
    "capsule": CAPSULE,
    "box": BOX,
    "cylinder": CYLINDER,
    "mesh": MESH,
}


@dataclass(frozen=True, eq=False)
class ContactShape:
    """A shape fixed to a link.

    Attributes
    ----------
    entity, link : str
    kind : str
        One of `KINDS`.
    size : tuple of float
        As in a world file (m); empty for a mesh.
    p_link_shape, R_link_shape : (3,), (3, 3) array
    material : Material or None
    u_shape_axle : (3,) array or None
        Axle of a wheel with rollers; None for other shapes.
    roller_angle : float
        From the axle to the axis of the roller at the floor, about the upward normal (rad).
    mesh : Polyhedron or None
        Of a mesh; the origin of the shape is the centre of its bounds.
    """

    entity: str
    link: str
    kind: str
    size: tuple[float, ...]
    p_link_shape: Floats
    R_link_shape: Floats
    material: Material | None = None
    u_shape_axle: Floats | None = None
    roller_angle: float = 0.0
    mesh: Polyhedron | None = None

    @property
    def half_size(self) -> tuple[float, float, float]:
        """The three numbers that the kernels read, see `core.contact.detection.records`."""
        if self.mesh is not None:
            x, y, z = self.mesh.half_size.tolist()
            return x, y, z
        size = self.size
        if self.kind == "box":
            return 0.5 * size[0], 0.5 * size[1], 0.5 * size[2]
        if self.kind in ("cylinder", "capsule"):
            return size[0], 0.5 * size[1], 0.0
        return (size[0], 0.0, 0.0) if size else (0.0, 0.0, 0.0)

    @property
    def half_thickness(self) -> float:
        """Half of the smallest thickness (m); inf of a plane."""
        if self.mesh is not None:
            return self.mesh.half_thickness
        if self.kind == "capsule":
            return self.size[0]
        return min((half for half in self.half_size if half > 0.0), default=math.inf)

    @property
    def corners(self) -> Floats:
        """Points (n, 3) of the surface that are farthest from the middle, in the shape's frame."""
        if self.mesh is not None:
            return self.mesh.vertices
        radius, half, _ = size = self.half_size
        signs = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
        if self.kind == "box":
            return signs * size
        if self.kind == "sphere":
            return radius * np.concatenate([np.eye(3), -np.eye(3)])
        rim = np.array([radius, radius, half])
        if self.kind == "cylinder":
            return np.concatenate([signs * rim * (1, 0, 1), signs * rim * (0, 1, 1)])
        ends = np.array([[0.0, 0.0, half + radius], [0.0, 0.0, -half - radius]])
        return np.concatenate([ends, signs * rim * (1, 0, 1), signs * rim * (0, 1, 1)])

    @property
    def reach(self) -> float:
        """Largest distance from the middle to a point that moves when the shape turns (m).

        A capsule is swept by a sphere along its axis, so that the ends of the axis count.
        """
        if self.mesh is not None:
            return float(np.linalg.norm(self.mesh.vertices, axis=1).max())
        if self.kind == "capsule":
            return self.half_size[1]
        return 0.0 if self.kind == "sphere" else math.hypot(*self.half_size)

    @property
    def surface(self) -> Surface:
        """The properties that may determine the stiffness of its contacts."""
        radius = {"plane": math.inf, "sphere": self.size[0] if self.size else 0.0}.get(self.kind)
        return Surface(self.entity, self.material, radius, self.link)


def shapes_of(description: WorldDescription) -> list[ContactShape]:
    """Return the shapes of all entities: single bodies, and collision elements of robots."""
    found = []
    for entity in description.entities:
        material = description.materials.get(entity.material)
        if isinstance(entity, ShapeEntity):
            own = entity.name, entity.name, entity.shape, entity.size
            middle = np.zeros(3) if entity.mesh is None else entity.mesh.middle
            shape = ContactShape(*own, middle, np.eye(3), material, mesh=entity.mesh)
            found.append(shape)
            continue
        folder = Path(entity.files[0]).parent if entity.files[0] else None
        found += shapes_of_robot(entity.tree, entity.mechanisms, entity.name, material, folder)
    return found


def shapes_of_robot(
    tree: RobotTree,
    mechanisms: MechanismSet,
    entity: str = "",
    material: Material | None = None,
    folder: Path | None = None,
) -> Iterator[ContactShape]:
    """Yield the collision elements of a robot.

    Parameters
    ----------
    tree : RobotTree
    mechanisms : MechanismSet
    entity : str
        Name of the robot in a world, before the names of its links; empty: of a robot alone.
    material : Material, optional
    folder : Path, optional
        Where relative paths of meshes begin.
    """
    for link in tree.links.values():
        name = name_in(entity, link.name) if entity else link.name
        axle, angle = _roller_of(tree, mechanisms, link.name)
        for collision in link.collisions:
            p, R = collision.p_link_collision, collision.R_link_collision
            mesh = None
            if collision.kind == "mesh":
                mesh = read_mesh(find_mesh(collision.mesh, folder), collision.size)
                p = p + R @ mesh.middle
            own_axle = None if axle is None else R.T @ axle
            yield ContactShape(
                entity, name, collision.kind, collision.size, p, R, material, own_axle, angle, mesh
            )


def _roller_of(tree: RobotTree, mechanisms: MechanismSet, link: str) -> tuple[Floats | None, float]:
    """Return the axle of a wheel with rollers, in its link, and the angle of these."""
    roller, joint = mechanisms.rollers.get(link), tree.joint_of(link)
    if roller is None or joint is None:
        return None, 0.0
    return joint.axis, roller.angle


def require_methods(shapes: Sequence[ContactShape], pairs: Iterable[Sequence[int]]) -> None:
    """Refuse pairs of shapes for which there is no method.

    Raises
    ------
    ModelFileError
    """
    for pair in pairs:
        low, high = sorted((shapes[k] for k in pair), key=lambda s: KINDS[s.kind])
        if plain(method_of)(KINDS[low.kind], KINDS[high.kind]) == NONE:
            raise ModelFileError(
                f"contact of '{low.link}' and '{high.link}': a {low.kind} and a {high.kind} "
                f"are not supported; a {high.kind} meets {', '.join(_partners(high.kind))}"
            )


def _partners(kind: str) -> list[str]:
    """Return the kinds that a kind can meet."""
    pairs = {other: sorted((KINDS[kind], KINDS[other])) for other in KINDS}
    return [other for other, pair in pairs.items() if plain(method_of)(*pair) != NONE]
