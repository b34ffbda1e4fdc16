# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The first collision along a path, by conservative advancement.

The distance of two shapes shrinks no faster than the sum, over the joints between them, of the rate
of each joint times its *lever*: the longest distance of a point of the shapes from the joint in any
pose. After a time in which no pair can approach by its distance plus `DEPTH`, the distances are
computed again. No overlap deeper than `DEPTH` is therefore missed (Mirtich, *Impulse-based Dynamic
Simulation of Rigid Body Systems*, 1996, section 2.3).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from charmie_dynamics.model.flat.flat_robot import FlatRobot
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.vectors import Floats, Ints

from .clearance import ShapeDistances
from .contact_shape import ContactShape

DEPTH = 2e-3  # m
SLOWEST = 1e-9  # m/s; slower pairs do not approach


class PathCollision(NamedTuple):
    """The first overlap along a path.

    Attributes
    ----------
    time : float
        Of the path (s).
    first, second : str
        The links.
    """

    time: float
    first: str
    second: str

    def __str__(self) -> str:
        return f"collision of '{self.first}' and '{self.second}' at {self.time:.3g} s"


def first_collision(
    distances: ShapeDistances,
    state_at: Callable[[float], State],
    time: Floats,
    rates: Floats,
    extension: Floats,
) -> PathCollision | None:
    """Return the first collision along a path; no overlap deeper than `DEPTH` is missed.

    Parameters
    ----------
    distances : ShapeDistances
    state_at : callable
        Time (s) to the state of the robot.
    time : (k,) array
        Increasing (s).
    rates : (k - 1, v) array
        Bounds of the rates of the joints between two times (rad/s, m/s).
    extension : (v,) array
        Bounds of the joint positions (rad, m).

    Returns
    -------
    PathCollision or None
    """
    if not len(distances.pairs):
        return None
    now, interval = float(time[0]), 0
    state = state_at(now)
    levers, coordinate = pair_levers(distances, state.robot, extension)
    while True:
        speed = levers @ rates[interval, coordinate]
        inverse_speed = 1.0 / np.maximum(speed, SLOWEST)
        nearest_pair, results = distances.first_of(state, inverse_speed, DEPTH)
        gap, pair = results[nearest_pair >= 0, 0], nearest_pair[nearest_pair >= 0]
        if (gap <= 0.0).any():
            i, j = distances.pairs[pair[gap.argmin()]]
            return PathCollision(now, distances.shapes[i].link, distances.shapes[j].link)
        if now >= time[-1]:
            return None
        safe = float(((gap + DEPTH) * inverse_speed[pair]).min())
        now = min(now + safe, float(time[interval + 1]))
        # the last time begins no interval: the last check uses the rates of the interval before it
        interval = min(int(np.searchsorted(time, now, side="right")), len(rates)) - 1
        state = state_at(now)


def pair_levers(
    distances: ShapeDistances, robot: FlatRobot, extension: Floats
) -> tuple[Floats, Ints]:
    """Return the levers (k, d) of the pairs about all degrees of freedom, and their coordinates.

    Parameters
    ----------
    distances : ShapeDistances
    robot : FlatRobot
    extension : (v,) array
        Bounds of the joint positions (rad, m).
    """
    tree, freedoms = robot.tree, robot.freedoms
    coordinate = freedoms.freedom_coordinate
    reach = np.abs(freedoms.freedom_multiplier) * extension[coordinate]
    offset = np.abs(tree.offset[freedoms.freedom_body])
    travel = np.where(freedoms.freedom_turns > 0, 0.0, reach + offset)
    levers = np.array(
        [
            levers_of_shape(robot, shape, body, travel)
            for shape, body in zip(distances.shapes, distances.bodies.tolist(), strict=True)
        ]
    )
    first, second = levers[distances.pairs[:, 0]], levers[distances.pairs[:, 1]]
    # a joint that moves both shapes or neither does not change their distance
    return np.where((first > 0.0) == (second > 0.0), 0.0, first + second), coordinate


def levers_of_shape(robot: FlatRobot, shape: ContactShape, body: int, travel: Floats) -> Floats:
    """Return the levers (d,) of a shape about all degrees of freedom; 0: it is not moved.

    Parameters
    ----------
    robot : FlatRobot
    shape : ContactShape
    body : int
        Body of the shape; the number of bodies for a shape at rest.
    travel : (d,) array
        Longest travel of each sliding degree of freedom (m), 0 for turning ones.
    """
    tree, freedoms = robot.tree, robot.freedoms
    ratio, turns = np.abs(freedoms.freedom_multiplier), freedoms.freedom_turns > 0
    levers = np.zeros(len(turns))
    length = np.linalg.norm(shape.p_link_shape) + shape.reach  # from the frame of `body`
    while 0 <= body < len(tree.parent):
        own = freedoms.freedom_body == body
        # before the travel is added: a joint turns what follows it about its moved frame
        levers[own] = ratio[own] * np.where(turns[own], length, 1.0)
        length += np.linalg.norm(tree.p_parent_joint[body]) + travel[own].sum()
        body = int(tree.parent[body])
    return levers
