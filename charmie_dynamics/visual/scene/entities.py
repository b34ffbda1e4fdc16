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
PLANE: Color = (0.75, 0.76, 0.78, 0.6)
FIXED: Color = NEUTRAL
FREE: Color = SINGLE
Solid = tuple[Kind, float, tuple[float, float, float]]


def entity_shapes(model: Model, entities: Iterable[Entity], but: str = "") -> list[Shape]:
    """Return the shapes of the entities of a world, in the frames of the world's model.

    Parameters
    ----------
    model : Model
        Of the world.
    entities : iterable of Entity
    but : str
        Name of an entity that is omitted.
    """
    drawn = []
    for entity in entities:
        if isinstance(entity, ShapeEntity) and entity.name != but:
            color = PLANE if entity.shape == "plane" else FREE if entity.moves == "free" else FIXED
            drawn += [
                (entity.name, kind, (0.0, 0.0, z), scale, color, _url(entity))
                for kind, z, scale in _solids(entity.shape, entity.size)
            ]
    shapes = [
        Shape(NAMESPACE, k, kind, frame, position, scale=scale, color=color, mesh=mesh)
        for k, (frame, kind, position, scale, color, mesh) in enumerate(drawn)
    ]
    return shapes + [
        shape for shape in SolidBodies(model).shapes if not shape.frame.startswith(f"{but}/")
    ]


def _solids(shape: str, size: tuple[float, ...]) -> list[Solid]:
    """Return the solids of a shape: kind, place along z, scale."""
    if shape == "plane":
        return [("box", -0.5 * PLANE_THICKNESS, (PLANE_SIZE, PLANE_SIZE, PLANE_THICKNESS))]
    if shape == "sphere":
        return [("sphere", 0.0, _cube(2.0 * size[0]))]
    if shape == "box":
        return [("box", 0.0, (size[0], size[1], size[2]))]
    if shape == "mesh":
        return [("mesh", 0.0, (size[0], size[1], size[2]))]
    r, length = size
    solids: list[Solid] = [("cylinder", 0.0, (2.0 * r, 2.0 * r, length))]
    if shape == "capsule":
        solids += [("sphere", sign * 0.5 * length, _cube(2.0 * r)) for sign in (-1.0, 1.0)]
    return solids


def _url(entity: ShapeEntity) -> str:
    return "" if entity.mesh is None else Path(entity.mesh.name).absolute().as_uri()


def _cube(edge: float) -> tuple[float, float, float]:
    return edge, edge, edge
