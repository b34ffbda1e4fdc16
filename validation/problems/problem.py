# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""A problem: a robot, how it starts, for how long it moves, and what is known of that."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from charmie_dynamics import Model, load_model
from charmie_dynamics.numerics.vectors import Floats


@dataclass(frozen=True)
class Problem:
    """A robot that moves from a known start.

    Attributes
    ----------
    name, title : str
        Short name, as in the file of references, and what the report calls it.
    urdf, mechanisms : str
        Texts of the two files.
    position, velocity : mapping of str to float
        At the start, by the names of positions and velocities (m, rad, s); zero where not named.
    duration : float
        s.
    source : str
        Where the problem and its answer come from.
    effort : mapping of str to float
        Constant efforts of actuators (N, N m); zero where not named.
    answer : mapping of str to float
        Positions at the end that are published or follow from a formula.
    first_position, first_velocity : tuple of float
        Where the robot is one floating body: the numbers of its joint, in place of names.
    """

    name: str
    title: str
    urdf: str
    mechanisms: str
    position: Mapping[str, float]
    velocity: Mapping[str, float]
    duration: float
    source: str
    effort: Mapping[str, float] = field(default_factory=dict)
    answer: Mapping[str, float] = field(default_factory=dict)
    first_position: tuple[float, ...] = ()
    first_velocity: tuple[float, ...] = ()

    def model(self) -> Model:
        """Return the robot."""
        return write_model(self.urdf, self.mechanisms)

    def start(self, model: Model) -> tuple[Floats, Floats]:
        """Return position (p,) and velocity (v,) at the start."""
        if self.first_position:
            return np.array(self.first_position), np.array(self.first_velocity)
        return (
            named_values(self.position, model.position_names),
            named_values(self.velocity, model.velocity_names),
        )

    def constant_effort(self, model: Model) -> Floats:
        """Return the efforts (a,) of the actuators."""
        return named_values(self.effort, model.actuator_names)


def write_model(urdf: str, mechanisms: str) -> Model:
    """Return the robot of two texts."""
    with tempfile.TemporaryDirectory() as folder:
        paths = Path(folder, "robot.urdf"), Path(folder, "mechanisms.yaml")
        for path, text in zip(paths, (urdf, mechanisms), strict=True):
            path.write_text(text, encoding="utf-8")
        return load_model(urdf=paths[0], mechanisms=paths[1])


def named_values(values: Mapping[str, float], names: tuple[str, ...]) -> Floats:
    """Return values in the order of names, zero for those that have none.

    Raises
    ------
    KeyError
        If a value is named that is not among the names.
    """
    unknown = set(values) - set(names)
    if unknown:
        raise KeyError(f"{sorted(unknown)} are not among {names}")
    return np.array([values.get(name, 0.0) for name in names])
