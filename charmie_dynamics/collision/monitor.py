# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A robot among the fixed shapes of a world file."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TypeGuard

import numpy as np

from charmie_dynamics.errors import UnknownNameError, choices
from charmie_dynamics.model.description.world import (
    Entity,
    RobotEntity,
    ShapeEntity,
    WorldDescription,
)
from charmie_dynamics.model.description.world.entities import separable_links
from charmie_dynamics.model.description.world.merging import name_in
from charmie_dynamics.model.description.world.placement import EntityPose
from charmie_dynamics.model.model import Model
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.vectors import Floats

from .clearance import Clearance, ShapeDistances
from .contact_shape import ContactShape, shapes_of, shapes_of_robot

GROUPS = ("self", "surroundings")
TOUCHING = 1e-3  # m, at the start: such pairs are not monitored
ALONG = 1e-9  # of the component of an axis along a normal


class CollisionMonitor:
    """Distances of a robot's shapes from each other, and from the fixed shapes of a world file.

    A robot in the file with the name of the model defines the pose of the model's root, the pairs
    of its links that can touch (`self`) and the start; without one the root is at the origin, and
    all links that no joint connects can touch. Pairs that touch at the start, such as wheels and
    floor, are not monitored, nor are links that can only move along a plane. If the root can move
    freely, only the robot itself is monitored, because its pose is unknown.

    Parameters
    ----------
    model : Model
    world : WorldDescription
    urdf : str
        Path of the model's file, where relative paths of its meshes begin.

    Attributes
    ----------
    distances : ShapeDistances
        Of the two `GROUPS` of pairs, in the frame of the model's root.
    touching : tuple of str
        The pairs of links that touch at the start, or move along a plane.
    ignored : tuple of str
        The entities of the file that are not monitored, because they move or are other robots.

    Raises
    ------
    ModelFileError
        If there is no method for a pair.
    UnknownNameError
        If the start names an unknown coordinate, or the file's robot has other links.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.collision.monitor import CollisionMonitor
    >>> from charmie_dynamics.model.description.world import parse_world
    >>> text = "entities: {wall: {shape: plane, pose: [2, 0, 0, 0, -1.5708, 0]}}"
    >>> model = load_model("charmie_wheeled")
    >>> monitor = CollisionMonitor(model, parse_world(text, "wall.yaml"))
    >>> monitor.at(model.compute(model.zero_position()))[1].second
    'wall'
    """

    def __init__(self, model: Model, world: WorldDescription, urdf: str = "") -> None:
        own = next((e for e in world.entities if _is_robot(e, model.name)), None)
        tree, pose = (own.tree, own.pose) if own else (model.tree, EntityPose.of((0.0,) * 6))
        prefix = name_in(own.name if own else model.name, "")
        can_meet = own.self_pairs if own else separable_links(model.name, tree)
        shapes = [*shapes_of_robot(tree, model.mechanisms, folder=Path(urdf).parent)]
        count = len(shapes)
        floats = any(joint.type == "floating" for joint in model.tree.joints)
        for entity in () if floats or (own and own.moves == "free") else world.entities:
            if isinstance(entity, ShapeEntity) and entity.moves == "fixed":
                (shape,) = shapes_of(replace(world, entities=(entity,)))
                shapes.append(_placed(shape, entity.pose, pose))
        monitored = {prefix[:-1], *(shape.entity for shape in shapes[count:])}
        self.ignored = tuple(e.name for e in world.entities if e.name not in monitored)
        rows = [model.layout.row_of_frame(shape.link) for shape in shapes[:count]]
        moved_by = [*model.flat.freedoms.last_freedom[rows].tolist(), *[-1] * (len(shapes) - count)]
        bodies = np.full(len(shapes), len(model.frame_names), dtype=np.int64)
        bodies[:count] = rows
        pairs = [
            (i, j)
            for i, j in combinations(range(len(shapes)), 2)
            if moved_by[i] != moved_by[j]
            and (j >= count or frozenset(prefix + shapes[k].link for k in (i, j)) in can_meet)
        ]
        start = model.kinematics(_start(model, own))
        every = ShapeDistances(shapes, bodies, [[pair] for pair in pairs])
        distance = every.nearest(start).distance
        touching = {pair for pair, gap in zip(pairs, distance, strict=True) if gap <= TOUCHING}
        touching |= {
            (i, j)
            for i, j in pairs
            if shapes[j].kind == "plane" and _slides(start, rows[i], shapes[j].R_link_shape[:, 2])
        }
        names = (f"{shapes[i].link} and {shapes[j].link}" for i, j in sorted(touching))
        self.touching = tuple(dict.fromkeys(names))
        groups = [
            [(i, j) for i, j in pairs if (j < count) == is_own and (i, j) not in touching]
            for is_own in (True, False)
        ]
        self.distances = ShapeDistances(shapes, bodies, groups)

    def at(self, state: State) -> tuple[Clearance, ...]:
        """Return the nearest pair of each of the `GROUPS` at one state."""
        found = self.distances.nearest(state)
        return tuple(Clearance(*(part[k] for part in found)) for k in range(len(GROUPS)))


def _is_robot(entity: Entity, name: str) -> TypeGuard[RobotEntity]:
    return isinstance(entity, RobotEntity) and entity.tree.name == name


def _placed(shape: ContactShape, pose: EntityPose, root: EntityPose) -> ContactShape:
    """Return the shape of an entity in the frame of a robot's root."""
    R = root.R_world_body.T @ pose.R_world_body
    p = root.R_world_body.T @ (pose.p_world_body - root.p_world_body)
    return replace(
        shape, p_link_shape=p + R @ shape.p_link_shape, R_link_shape=R @ shape.R_link_shape
    )


def _slides(state: State, body: int, normal: Floats) -> bool:
    """Return whether a body can only move along a plane, so that its height is constant."""
    freedoms = state.robot.freedoms
    d = int(freedoms.last_freedom[body])
    while d >= 0:
        R = state.kinematics.R_world_frame[freedoms.freedom_frame[d]]
        along = abs(normal @ R @ freedoms.freedom_axis[d])
        if abs(along - freedoms.freedom_turns[d]) > ALONG:
            return False
        d = int(freedoms.freedom_before[d])
    return True


def _start(model: Model, robot: RobotEntity | None) -> Floats:
    """Return the position (p,) of a robot at the start."""
    position = model.zero_position()
    rows = {name: k for k, name in enumerate(model.position_names)}
    for name, value in {**model.mechanisms.rest_pose, **(robot.position if robot else {})}.items():
        if name not in rows:
            raise UnknownNameError(
                f"position of '{model.name}': '{name}' is unknown{choices(name, rows)}"
            )
        position[rows[name]] = value
    return model.assemble(position).position
