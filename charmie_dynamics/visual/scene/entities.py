# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Entities of a world, each in its own frame: single bodies, and the links of robots."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from charmie_dynamics.model.description.world import Entity, ShapeEntity
from charmie_dynamics.model.model import Model
from charmie_dynamics.visual.shapes.colors import NEUTRAL, SINGLE
from charmie_dynamics.visual.shapes.shape import Color, Kind, Shape

from .bodies import SolidBodies

NAMESPACE = "entities"
PLANE_SIZE, PLANE_THICKNESS = 20.0, 0.002  # m, drawn part of a plane
PLANE_COLOR: Color = (0.75, 0.76, 0.78, 0.6)
FIXED_COLOR: Color = NEUTRAL
FREE_COLOR: Color = SINGLE
Part = tuple[Kind, float, tuple[float, float, float]]  # kind, position along z, scale


def entity_shapes(model: Model, entities: Iterable[Entity], omitted: str = "") -> list[Shape]:
    """Return the shapes of the entities of a world, in the frames of the world's model.

    Parameters
    ----------
    model : Model
        Of the world.
    entities : iterable of Entity
    omitted : str
        Name of an entity that is not drawn; empty: all are drawn.
    """
    drawn = []
    for entity in entities:
        if isinstance(entity, ShapeEntity) and entity.name != omitted:
            color = FREE_COLOR if entity.moves == "free" else FIXED_COLOR
            color = PLANE_COLOR if entity.shape == "plane" else color
            drawn += [
                (entity.name, kind, (0.0, 0.0, z), scale, color, _url(entity))
                for kind, z, scale in _parts(entity.shape, entity.size)
            ]
    shapes = [
        Shape(NAMESPACE, k, kind, frame, position, scale=scale, color=color, mesh=mesh)
        for k, (frame, kind, position, scale, color, mesh) in enumerate(drawn)
    ]
    return shapes + [
        shape for shape in SolidBodies(model).shapes if not shape.frame.startswith(f"{omitted}/")
    ]


def _parts(shape: str, size: tuple[float, ...]) -> list[Part]:
    """Return the parts of which the shape of an entity is drawn."""
    if shape == "plane":
        return [("box", -0.5 * PLANE_THICKNESS, (PLANE_SIZE, PLANE_SIZE, PLANE_THICKNESS))]
    if shape == "sphere":
        return [("sphere", 0.0, _cube(2.0 * size[0]))]
    if shape == "box":
        return [("box", 0.0, (size[0], size[1], size[2]))]
    if shape == "mesh":
        return [("mesh", 0.0, (size[0], size[1], size[2]))]
    r, length = size
    parts: list[Part] = [("cylinder", 0.0, (2.0 * r, 2.0 * r, length))]
    if shape == "capsule":
        parts += [("sphere", sign * 0.5 * length, _cube(2.0 * r)) for sign in (-1.0, 1.0)]
    return parts


def _url(entity: ShapeEntity) -> str:
    return "" if entity.mesh is None else Path(entity.mesh.name).absolute().as_uri()


def _cube(edge: float) -> tuple[float, float, float]:
    return edge, edge, edge
