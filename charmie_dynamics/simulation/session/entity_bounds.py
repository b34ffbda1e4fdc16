# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Boxes about entities, and entities that overlap a volume, from their shapes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from charmie_dynamics.collision.contact_shape import ContactShape, shapes_of_robot
from charmie_dynamics.collision.convex_bodies import ConvexBody, box_about
from charmie_dynamics.errors import UnsupportedError
from charmie_dynamics.model.description.world import BoundingVolume
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.vectors import Floats

from .session import Session
from .simulated_system import SimulatedSystem


def entity_box(session: Session, entity: str) -> Floats | None:
    """Return upper and lower corner (2, 3) of the box about an entity, in the axes of its frame.

    None: the entity is a plane, which has no end.

    Raises
    ------
    UnsupportedError
        If the entity has no shapes.
    """
    shapes = _shapes_of(session.system, [entity])
    if not shapes:
        raise UnsupportedError(f"'{entity}': expected shapes (collision elements), it has none")
    if any(shape.kind == "plane" for shape in shapes):
        return None
    state = session.model.kinematics(session.position)
    frame = state.frame(session.system.frame_of(entity))
    return box_about((_body(shape, state) for shape in shapes), *frame)


def overlapping(session: Session, names: Sequence[str], volume: BoundingVolume) -> list[str]:
    """Return the entities that touch or overlap a volume in world axes.

    The origin of its frame represents an entity without shapes.
    """
    system, state = session.system, session.model.kinematics(session.position)
    requested = ConvexBody.of_volume(volume)
    shapes = _shapes_of(system, names)
    found = {shape.entity for shape in shapes if _overlaps(shape, state, requested)}
    for name in set(names) - {shape.entity for shape in shapes}:
        origin, _ = state.frame(system.frame_of(name))
        if requested.overlaps(ConvexBody(origin[None])):
            found.add(name)
    return [name for name in names if name in found]


def _overlaps(shape: ContactShape, state: State, body: ConvexBody) -> bool:
    if shape.kind != "plane":
        return body.overlaps(_body(shape, state))
    p, R = state.frame(shape.link)
    normal = (R @ shape.R_link_shape)[:, 2]
    return -body.extent(-normal) <= float(normal @ (p + R @ shape.p_link_shape))


def _body(shape: ContactShape, state: State) -> ConvexBody:
    p, R = state.frame(shape.link)
    return ConvexBody.of_shape(shape, p, R)


def _shapes_of(system: SimulatedSystem, names: Iterable[str]) -> list[ContactShape]:
    chosen = set(names)
    if system.contacts is not None:
        return [shape for shape in system.contacts.shapes if shape.entity in chosen]
    return [
        replace(shape, entity=robot.name)
        for robot in system.robots
        if robot.name in chosen
        for shape in shapes_of_robot(robot.model.tree, robot.model.mechanisms)
    ]
