# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Contacts at one instant: forces as arrows, points, friction cones."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from charmie_dynamics.model.model import Model
from charmie_dynamics.numerics.vectors import Ints
from charmie_dynamics.visual.shapes.colors import CONTACT_POINT, MOMENT_POINT, friction_color
from charmie_dynamics.visual.shapes.part import size_of
from charmie_dynamics.visual.shapes.shape import Color, Floats, Shape

FORCES, POINTS, CONES = "contacts", "contact_points", "friction_cones"  # namespaces
# of the length of a force of that size; in shorter arrows the head is half of the length
SHAFT, HEAD_DIAMETER, HEAD_LENGTH = 0.1, 0.22, 0.3
LEAST_SHARE = 0.02  # relative to such a force: smaller ones are omitted
DISC_DIAMETER, DISC_THICKNESS = 0.2, 0.02  # of that length
MOST_SHARE = 5.0  # relative to such a force: larger ones, such as impacts, have this length
# a quarter of the weight of all moving bodies is drawn with this length (m) for CHARMIE's size
USUAL_SHARE, USUAL_LENGTH = 0.25, 0.3
CONE_OPACITY = 0.4
# of a cone's height: the shaft of the arrow; RViz warns of a diameter of zero
SHAFT_OF_CONE = 1e-3


class ContactRows(Protocol):
    """Points of contact at one instant, such as `simulation.ContactTable`."""

    @property
    def first(self) -> Ints:
        """Shapes of the points (c,), as indices into `moves`."""

    @property
    def second(self) -> Ints:
        """Their other shapes (c,)."""

    @property
    def point(self) -> Floats:
        """Positions (c, 3), in the frame of all vectors (m)."""

    @property
    def normal(self) -> Floats:
        """Of the first shape (c, 3), outward."""

    @property
    def normal_force(self) -> Floats:
        """Amounts (c,), at least zero (N)."""

    @property
    def friction_force(self) -> Floats:
        """On the first body (c, 3) (N)."""

    @property
    def friction_coefficient(self) -> Floats:
        """The largest friction relative to the normal force (c,); nan if unknown."""

    @property
    def moves(self) -> tuple[bool, ...]:
        """Whether each shape moves or is fixed."""


def contact_parts(
    table: ContactRows,
    *,
    frame: str,
    size: float,
    length: float,
    forces: bool = True,
    points: bool = True,
    cones: bool = True,
) -> list[Shape]:
    """Return forces, points and friction cones of contacts at one instant.

    Forces act on the moving body; if both move, on the second. Their arrows begin at the point of
    contact. A friction cone has its apex there, its axis along the normal and the half angle
    atan(mu). Its height is the length of the normal force, so that the tip of the arrow is within
    its upper disc while the friction is at most mu times the normal force. Its colour is that ratio
    of the friction, see `friction_color`.

    Parameters
    ----------
    table : ContactRows
        Such as `Plant.contacts`, or rows of `Run.contacts` of one time.
    frame : str
        The frame of the table's vectors, such as "world".
    size, length : float
        A force of that size (N) is drawn with that length (m), others in proportion up to
        `MOST_SHARE` of it; below `LEAST_SHARE`, force, point and cone are omitted. See
        `usual_force_scale`.
    forces, points, cones : bool, optional
        Requested shapes, in the namespaces `FORCES`, `POINTS` and `CONES`; the id of each shape
        is the row of the table.

    Examples
    --------
    >>> from charmie_dynamics.simulation import Plant, world_of
    >>> from charmie_dynamics.visual.scene import contact_parts
    >>> world = world_of('''
    ... contacts:
    ...   default: {normal: hooke, stiffness: 1.0e5, friction: coulomb, kinetic: 0.5}
    ... entities:
    ...   ground: {shape: plane}
    ...   ball: {shape: sphere, size: [0.05], mass: 1.0, pose: [0, 0, 0.0499, 0, 0, 0]}
    ... ''')
    >>> plant = Plant(world.model, world.position, contacts=world.contacts)
    >>> parts = contact_parts(plant.contacts, frame="world", size=10.0, length=0.1)
    >>> [(part.namespace, part.kind) for part in parts]
    [('contacts', 'arrow'), ('contact_points', 'cylinder'), ('friction_cones', 'arrow')]
    >>> [round(x, 6) for x in parts[2].scale[1:]]  # twice mu times the height, the height
    [0.1, 0.1]
    """
    # on the second body of a contact, unless only the first moves
    moves = np.array(table.moves, dtype=bool)
    sign = np.where(moves[table.first] & ~moves[table.second], -1.0, 1.0)[:, None]
    normal = sign * table.normal
    force = table.normal_force[:, None] * normal - sign * table.friction_force
    shares = table.normal_force / size
    seen = force * (MOST_SHARE / np.maximum(shares, MOST_SHARE))[:, None]
    names = []
    if forces:
        names += force_arrows(table.point, seen, frame=frame, size=size, length=length)
    heights = length * np.minimum(shares, MOST_SHARE)
    drawn = np.flatnonzero(shares >= LEAST_SHARE)
    if points:
        disc = DISC_DIAMETER * length, DISC_DIAMETER * length, DISC_THICKNESS * length
        names += [
            Shape(
                POINTS,
                k,
                "cylinder",
                frame,
                table.point[k],
                _with_z_along(normal[k]),
                disc,
                CONTACT_POINT,
            )
            for k in drawn.tolist()
        ]
    if cones:
        mu = table.friction_coefficient
        for k in drawn[mu[drawn] > 0.0]:  # not for nan
            share = np.linalg.norm(table.friction_force[k]) / (mu[k] * table.normal_force[k])
            names.append(
                friction_cone(
                    int(k),
                    table.point[k],
                    heights[k] * normal[k],
                    mu[k],
                    frame=frame,
                    color=friction_color(float(share), CONE_OPACITY),
                )
            )
    return names


def usual_force_scale(model: Model) -> tuple[float, float]:
    """Return default size (N) and length (m) of contact forces for a model.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> from charmie_dynamics.visual.scene import usual_force_scale
    >>> [round(x, 2) for x in usual_force_scale(load_model("athena"))]
    [15.76, 0.07]
    """
    gravity = float(np.linalg.norm(model.flat.tree.gravity))
    weight = model.total_mass * gravity
    return (USUAL_SHARE * weight or 1.0), USUAL_LENGTH * size_of(model)


def friction_cone(
    number: int, apex: Floats, axis: Floats, coefficient: float, *, frame: str, color: Color
) -> Shape:
    """Return a cone with the half angle atan(coefficient) about an axis (3,) from its apex (m).

    It is an arrow without shaft that points at the apex: RViz, browsers and pictures can draw it,
    unlike cones.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.visual.scene.contacts import friction_cone
    >>> up, red = np.array([0.0, 0.0, 0.2]), (1.0, 0.0, 0.0, 0.5)
    >>> cone = friction_cone(0, np.zeros(3), up, 0.5, frame="world", color=red)
    >>> cone.points.tolist()
    [[0.0, 0.0, 0.2], [0.0, 0.0, 0.0]]
    >>> [round(x, 6) for x in cone.scale[1:]]
    [0.2, 0.2]
    """
    height = float(np.linalg.norm(axis))
    scale = (SHAFT_OF_CONE * height, 2.0 * float(coefficient) * height, height)
    ends = np.array([apex + axis, apex])
    return Shape(CONES, number, "arrow", frame, scale=scale, color=color, points=ends)


def force_arrows(
    points: Floats,
    forces: Floats,
    *,
    frame: str,
    size: float,
    length: float,
    color: Color = MOMENT_POINT,
) -> list[Shape]:
    """Return arrows from points (k, 3) along forces (k, 3), for pictures of one state.

    Parameters
    ----------
    points, forces : (k, 3) array
        In the axes of the frame (m, N).
    frame : str
        Frame of the robot, such as its world.
    size : float
        Force (N) whose arrow has the length; others are in proportion.
    length : float
        In m.
    color : (float, float, float, float)

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.visual.scene import force_arrows
    >>> force = np.array([[0.0, 0.0, 20.0], [0.0, 0.0, 0.1]])
    >>> arrows = force_arrows(np.zeros((2, 3)), force, frame="world", size=20.0, length=0.1)
    >>> len(arrows), arrows[0].points[1]
    (1, array([0. , 0. , 0.1]))
    """
    arrows = []
    for k, (point, force) in enumerate(zip(points, forces, strict=True)):
        share = float(np.linalg.norm(force)) / size
        if share < LEAST_SHARE:
            continue
        tip = point + (length / size) * force
        head = length * min(HEAD_LENGTH, 0.5 * share)
        scale = head * SHAFT / HEAD_LENGTH, head * HEAD_DIAMETER / HEAD_LENGTH, head
        ends = np.array([point, tip])
        arrows.append(Shape(FORCES, k, "arrow", frame, scale=scale, color=color, points=ends))
    return arrows


def _with_z_along(direction: Floats) -> Floats:
    """Return a rotation whose third column is a unit vector."""
    x = np.eye(3)[np.argmin(np.abs(direction))]
    y = np.cross(direction, x)
    y /= np.linalg.norm(y)
    return np.column_stack((np.cross(y, direction), y, direction))
