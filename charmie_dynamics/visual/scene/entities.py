# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Floors, balls, boxes: what is in a world beside its robots."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np

from charmie_dynamics.errors import InputError, choices
from charmie_dynamics.visual.shapes.colors import FIXED, SINGLE
from charmie_dynamics.visual.shapes.shape import Floats, Kind, Shape

ENTITIES = "entities"  # namespace
PLANE_EDGE = 4.0  # m, of the square that stands for a plane
PLANE_THICKNESS = 0.01  # m
KINDS = ("plane", "sphere", "box", "cylinder", "capsule")


class RigidShape(Protocol):
    """A shape fixed to a link, as `World.contacts.shapes` has them."""

    @property
    def link(self) -> str:
        """The frame that it is in."""

    @property
    def kind(self) -> str:
        """One of `KINDS`."""

    @property
    def size(self) -> tuple[float, ...]:
        """As in a world file (m)."""

    @property
    def p_link_shape(self) -> Floats:
        """Its origin (3,) in the link (m)."""

    @property
    def R_link_shape(self) -> Floats:  # noqa: N802
        """Its axes (3, 3) in those of the link."""


def entity_parts(
    shapes: Iterable[RigidShape], fixed: Iterable[str] = (), *, plane_edge: float = PLANE_EDGE
) -> list[Shape]:
    """Return shapes as they look, each in the frame of its link.

    Parameters
    ----------
    shapes : iterable of RigidShape
        Such as those of `World.contacts.shapes` that belong to no robot.
    fixed : iterable of str
        Links that do not move, drawn in a paler colour.
    plane_edge : float, optional
        Of the square that a plane is drawn as (m), which lies below it; 0: planes are left out.

    Raises
    ------
    InputError
        For a shape of another kind.

    Examples
    --------
    >>> from charmie_dynamics.model.description.files import share_file
    >>> from charmie_dynamics.simulation import load_world
    >>> from charmie_dynamics.visual.scene import entity_parts
    >>> world = load_world(share_file("worlds", "bouncing_ball.yaml"))
    >>> parts = entity_parts(world.contacts.shapes, fixed=["ground"])
    >>> [(part.frame, part.kind, part.scale) for part in parts]
    [('ground', 'box', (4.0, 4.0, 0.01)), ('ball', 'sphere', (0.1, 0.1, 0.1))]
    """
    found: list[Shape] = []
    still = set(fixed)
    for shape in shapes:
        for kind, height, scale in _pieces(shape, plane_edge):
            p = np.asarray(shape.p_link_shape) + height * shape.R_link_shape[:, 2]
            found.append(
                Shape(
                    namespace=ENTITIES,
                    id=len(found),
                    kind=kind,
                    frame=shape.link,
                    position=p,
                    rotation=shape.R_link_shape,
                    scale=scale,
                    color=FIXED if shape.link in still else SINGLE,
                )
            )
    return found


Piece = tuple[Kind, float, tuple[float, float, float]]  # kind, height of its middle, scale


def _pieces(shape: RigidShape, plane_edge: float) -> list[Piece]:
    size = shape.size
    if shape.kind == "plane":
        flat = plane_edge, plane_edge, PLANE_THICKNESS
        return [("box", -0.5 * PLANE_THICKNESS, flat)] if plane_edge > 0.0 else []
    if shape.kind == "box":
        return [("box", 0.0, (size[0], size[1], size[2]))]
    if shape.kind not in KINDS:
        raise InputError(f"shape of '{shape.link}': unknown{choices(shape.kind, KINDS)}")
    wide = 2.0 * size[0]
    if shape.kind == "sphere":
        return [("sphere", 0.0, (wide, wide, wide))]
    body: Piece = "cylinder", 0.0, (wide, wide, size[1])
    if shape.kind == "cylinder":
        return [body]
    ends = [-0.5 * size[1], 0.5 * size[1]]
    return [body, *(("sphere", height, (wide, wide, wide)) for height in ends)]
