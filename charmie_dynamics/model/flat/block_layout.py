# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Layout of a cycle's block of memory: the place of each array."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from charmie_dynamics.core.inverse.records import CycleRecord
from charmie_dynamics.errors import CharmieError, UnknownNameError, choices
from charmie_dynamics.numerics.blocks import Place, places_of
from charmie_dynamics.numerics.vectors import Ints

from .flat_robot import FlatRobot


class BlockLayout:
    """Places of all arrays of a cycle, and what the bodies and frames in them are called.

    Parameters
    ----------
    robot : FlatRobot
    base_body : str
        The body whose load is the base wrench.

    Attributes
    ----------
    places : dict
        By the names of the arrays, which are unique in `CycleRecord`.
    kinematics, dynamics : tuple of str
        Names of the results of steps 3 to 5 and of steps 6 and 7, those of mechanisms included.
    size : int
        Length of the block.
    frame_index : dict
        From names of frames to rows.
    base_body : int
    base_load : tuple of Place
        Of force and torque on that body.
    """

    def __init__(self, robot: FlatRobot, base_body: str) -> None:
        self.robot = robot
        self.frame_index = {name: i for i, name in enumerate(robot.frame_names)}
        self.base_body = self.frame_index[base_body]
        _, floats, _, self.size = places_of(CycleRecord, robot.sizes)
        self.places: dict[str, Place] = {}
        for path, place in floats.items():
            name = path.rpartition(".")[2]
            if name in self.places:
                raise CharmieError(f"arrays of a cycle: '{name}' twice, expected each name once")
            self.places[name] = place
        self.kinematics = _names_in(floats, "kinematics", "mechanism_kinematics")
        self.dynamics = _names_in(floats, "dynamics", "mechanism_dynamics")
        row, i = self.row_of, self.base_body
        self.base_load = row("link_force", i), row("link_torque", i)

    def row_of_frame(self, name: str) -> int:
        """Return which of the frames has a name.

        Raises
        ------
        UnknownNameError
            If there is no such frame.
        """
        row = self.frame_index.get(name)
        if row is None:
            raise UnknownNameError(f"frame '{name}' is unknown{choices(name, self.frame_index)}")
        return row

    def row_of(self, name: str, index: int) -> Place:
        """Return the place of one body's or frame's part of an array."""
        first, shape = self.places[name]
        return Place(first + index * math.prod(shape[1:]), shape[1:])

    def index(self, name: str) -> Ints:
        """Return the indices of an array's numbers in the block, in the array's shape."""
        first, shape = self.places[name]
        return first + np.arange(math.prod(shape)).reshape(shape)


def _names_in(paths: Iterable[str], *records: str) -> tuple[str, ...]:
    """Return the names of the arrays in some records of a cycle."""
    parts = [path.split(".") for path in paths]
    return tuple(part[-1] for part in parts if part[0] in records)
