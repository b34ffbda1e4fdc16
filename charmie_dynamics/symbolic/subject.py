# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The robot that generated code belongs to: names, units and symbols."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from .parameters import SymbolicParameter


class ActuatorRow(NamedTuple):
    """A linear actuator: its place in the coordinates and among the actuators, and its share."""

    name: str
    coordinate: int
    actuator: int
    share: float  # of the effort of its joint


class Subject(NamedTuple):
    """The subject of generated code."""

    robot: str
    method: str
    joints: Sequence[str]  # of the velocities
    units: Sequence[str]
    position_joints: Sequence[str]
    position_units: Sequence[str]
    position: Sequence[Any]  # symbols
    velocity: Sequence[Any]
    parameters: Sequence[SymbolicParameter]
    rows: Sequence[str]  # the loop joint of each constraint
    actuated: Sequence[int]  # coordinates with an actuator
    linear_actuators: Sequence[ActuatorRow] = ()

    @property
    def name(self) -> str:
        """Beginning of the names of the functions in the code."""
        return re.sub(r"\W", "_", self.robot, flags=re.ASCII).lstrip("0123456789")

    @property
    def function(self) -> str:
        """Name of the function in the code."""
        return f"{self.name}_equations"

    @property
    def passive(self) -> list[int]:
        """Coordinates without actuator."""
        return [c for c in range(len(self.joints)) if c not in self.actuated]

    @property
    def coordinates(self) -> list[str]:
        """One line per coordinate."""
        q = list(zip(self.position, self.position_joints, self.position_units, strict=True))
        v = list(zip(self.velocity, self.joints, self.units, strict=True))
        if [each[1:] for each in q] != [each[1:] for each in v]:
            positions = [f"{symbol}: {quoted(joint)} ({unit})" for symbol, joint, unit in q]
            return positions + [f"{s}: {quoted(joint)} ({unit}/s)" for s, joint, unit in v]
        both = zip(q, v, strict=True)
        return [
            f"{symbol}, {rate}: {quoted(joint)} ({unit}, {unit}/s)"
            for (symbol, joint, unit), (rate, *_) in both
        ]

    @property
    def values(self) -> list[str]:
        """One line per parameter."""
        return [f"{each.symbol}: {quoted(each.name)}" for each in self.parameters]

    @property
    def driven(self) -> list[str]:
        """One line per linear actuator."""
        return [
            f"{quoted(each.name)}, on {quoted(self.joints[each.coordinate])}"
            for each in self.linear_actuators
        ]

    @property
    def efforts(self) -> str:
        """The joints whose actuators have efforts."""
        return ", ".join(quoted(self.joints[c]) for c in self.actuated) or "none"


def quoted(name: str) -> str:
    """Return a name of a URDF without characters that end a comment or a text."""
    return re.sub(r"[^\w .:/+-]", "_", name)
