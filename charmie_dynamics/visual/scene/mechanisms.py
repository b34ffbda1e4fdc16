"""Linear actuators, springs and balance mechanisms, in the frames of their auxiliary bodies."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from charmie_dynamics.model.model import Model
from charmie_dynamics.model.state import State
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Ints

from .appearance import Rows
from .colors import NEUTRAL, STEEL
from .part import Loads
from .shapes import Floats, Kind, Shape, Vector

COIL_TURNS = 12
POINTS_A_TURN = 12
COIL_POINTS = COIL_TURNS * POINTS_A_TURN + 3
HOOK = 0.12  # of a spring's length, straight at either end
COIL_RADIUS = 0.014
WIRE = 0.004
TUBE = 0.85  # of an actuator's shortest length
TUBE_DIAMETER = 0.045
ROD_DIAMETER = 0.022


class Actuators:
    """Tube and rod of each linear actuator, the tube coloured by the share of the rated force."""

    def __init__(self, model: Model) -> None:
        parts = model.mechanisms.linear_actuators
        self._first = model.plan.places["member_length"].first
        self._coordinate = model.flat.mechanisms.actuators.coordinate
        shortest = np.array([part.limit.lower for part in parts])
        # without a shortest length the tube follows the length
        self._longest_tube = TUBE * np.where(shortest > 0.0, shortest, math.inf)
        self.shapes: Sequence[Shape] = [
            Shape(
                namespace="actuators",
                id=2 * k + i,
                kind="cylinder",
                frame=f"{part.name}_{piece}",
                scale=(diameter, diameter, 0.0),
                color=color,
            )
            for i, (piece, diameter, color) in enumerate(
                (("tube", TUBE_DIAMETER, NEUTRAL), ("rod", ROD_DIAMETER, STEEL))
            )
            for k, part in enumerate(parts)
        ]

    def attach(self, rows: Rows) -> None:
        """Take the rows: first the tubes, then the rods."""
        self._rows = rows

    def update(self, state: State, loads: Loads) -> None:
        """Let the tubes keep their length while the rods go in and out."""
        extend_actuators(
            state.block,
            self._first,
            self._coordinate,
            self._longest_tube,
            loads.effort_color,
            self._rows.position,
            self._rows.scale,
            self._rows.color,
        )


class Springs:
    """Coils whose turns stay the same while their length changes, coloured by tension."""

    def __init__(self, model: Model) -> None:
        frames = [f"{spring.name}_base" for spring in model.mechanisms.springs]
        frames += [f"{part.name}_spring_base" for part in model.mechanisms.balance_mechanisms]
        coil = unit_coil()
        self._first = model.plan.places["spring_length"].first
        self._rise = coil[:, 2].copy()
        self.shapes: Sequence[Shape] = [
            Shape(
                namespace="springs",
                id=s,
                kind="line_strip",
                frame=frame,
                scale=(WIRE, 0.0, 0.0),
                color=NEUTRAL,
                points=coil,
            )
            for s, frame in enumerate(frames)
        ]

    def attach(self, rows: Rows) -> None:
        """Take the rows of the coils."""
        self._color = rows.color
        self._points = rows.points.reshape(len(self.shapes), COIL_POINTS, 3)

    def update(self, state: State, loads: Loads) -> None:
        """Stretch the coils along z; across it they never change."""
        stretch_coils(
            state.block, self._first, self._rise, loads.tension_color, self._points, self._color
        )


class Balance:
    """Bar, upright and the slider on top of the upright: rigid parts in frames that move."""

    def __init__(self, model: Model) -> None:
        shapes: list[Shape] = []
        for part in model.mechanisms.balance_mechanisms:
            height = part.link_height
            pieces: tuple[tuple[Kind, str, Vector, tuple[float, float, float]], ...] = (
                (
                    "cylinder",
                    "bar",
                    (0.0, 0.0, 0.5 * part.bar_length),
                    (0.02, 0.02, part.bar_length),
                ),
                ("cylinder", "upright", (0.0, 0.0, 0.5 * height), (0.016, 0.016, height)),
                ("box", "upright", (0.0, 0.0, height), (0.05, 0.03, 0.02)),
            )
            shapes += [
                Shape(
                    namespace="balance",
                    id=len(shapes) + i,
                    kind=kind,
                    frame=f"{part.name}_{frame}",
                    position=position,
                    scale=scale,
                    color=STEEL,
                )
                for i, (kind, frame, position, scale) in enumerate(pieces)
            ]
        self.shapes: Sequence[Shape] = shapes

    def attach(self, rows: Rows) -> None:
        """Do nothing: the rows show the pieces already."""

    def update(self, state: State, loads: Loads) -> None:
        """Do nothing: the frames move, the pieces stay in them."""


def unit_coil() -> Floats:
    """Return the points of a coil of length 1 along z, with a straight hook at either end."""
    t = np.linspace(0.0, 1.0, COIL_POINTS - 2)
    angle = 2.0 * math.pi * COIL_TURNS * t
    radius = COIL_RADIUS * np.minimum(1.0, 12.0 * np.minimum(t, 1.0 - t))
    z = HOOK + (1.0 - 2.0 * HOOK) * t
    coil = np.column_stack((radius * np.cos(angle), radius * np.sin(angle), z))
    return np.vstack(([[0.0, 0.0, 0.0]], coil, [[0.0, 0.0, 1.0]]))


@compiled
def extend_actuators(
    block: Floats,
    first: int,
    coordinates: Ints,
    longest_tube: Floats,
    effort_color: Floats,
    position: Floats,
    scale: Floats,
    color: Floats,
) -> None:
    """Write how m linear actuators look.

    In one call: as operations of NumPy it takes three times as long in a node that has slept, when
    nothing of them is left in the processor's caches.

    Parameters
    ----------
    block : (b,) array
        All numbers of a state.
    first : int
        Where the lengths of the actuators begin there.
    coordinates : (m,) array of int
        Of the actuators.
    longest_tube : (m,) array
        m
    effort_color : (q, 4) array
        Of all coordinates.
    position, scale, color : (2 m, 3), (2 m, 3), (2 m, 4) array
        Output: m tubes, then m rods.
    """
    m = coordinates.shape[0]
    for k in range(m):
        length = block[first + k]
        tube = min(longest_tube[k], TUBE * length)
        # from the tip pin back into the middle of the tube
        rod = length - 0.5 * tube
        scale[k, 2] = tube
        position[k, 2] = 0.5 * tube
        scale[m + k, 2] = rod
        position[m + k, 2] = -0.5 * rod
        for x in range(4):
            color[k, x] = effort_color[coordinates[k], x]


@compiled
def stretch_coils(
    block: Floats, first: int, rise: Floats, tension_color: Floats, points: Floats, color: Floats
) -> None:
    """Write how s coils look, in one call as `extend_actuators`.

    Parameters
    ----------
    block : (b,) array
        All numbers of a state.
    first : int
        Where the lengths of the springs begin there.
    rise : (p,) array
        z of the points of a coil of length 1.
    tension_color : (s, 4) array
    points, color : (s, p, 3), (s, 4) array
        Output; x and y of the points stay.
    """
    for k in range(points.shape[0]):
        for j in range(rise.shape[0]):
            points[k, j, 2] = block[first + k] * rise[j]
        for x in range(4):
            color[k, x] = tension_color[k, x]
