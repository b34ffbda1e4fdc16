# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What each body adds to the equations of motion: which body makes a joint heavy."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, cast

import numpy as np

from charmie_dynamics.core.arrays import Dynamics
from charmie_dynamics.core.equations.structural import (
    Coefficients,
    carried_bodies,
    structural_coefficients,
)
from charmie_dynamics.errors import InputError, UnknownNameError, choices
from charmie_dynamics.numerics.vectors import Floats

from .derivatives import require_no_loop_joints
from .equations.equations_of_motion import equations
from .equations.evaluation import Inputs, of_each, rows_of
from .flat.actuators import effort_units
from .flat.positions import zero_position
from .flat.prepared_robot import PreparedRobot
from .inverse_dynamics import compute, kinematics

# rows of a table that are no bodies
SPRINGS, FRICTION, ROTORS, ALL = "springs", "friction", "rotors", "all"
DIGITS = 5  # of the largest number in a column of a table
NOISE = 1e-10  # below it a column is round-off (N or N m)
COLUMNS = {
    "inertia": "inertia",
    "gravity": "gravity",
    "external": "external",
    "centrifugal": "centrifugal",
    "Coriolis": "coriolis",
    "friction": "friction",
}
INERTIA_UNITS = {"N": "kg", "N m": "kg m^2"}


class ContributionRow(NamedTuple):
    """What one body, all springs, all rotors, or all together add to the effort of one coordinate.

    Attributes
    ----------
    name : str
        The body; `springs` for all springs and balance mechanisms, `rotors` for all rotors,
        `friction` for all friction, `all` for the sum.
    inertia : float
        Effort for an acceleration of one of this coordinate alone (kg or kg m^2).
    gravity, external, centrifugal, coriolis : float
        Efforts (N or N m) that hold the weight, and loads from outside; and those of the velocity.
        Efforts of springs are included in gravity, since both act at rest.
    friction : float
        Effort (N or N m) that overcomes the friction.
    """

    name: str
    inertia: float
    gravity: float
    external: float
    centrifugal: float
    coriolis: float
    friction: float


@dataclass(frozen=True)
class ContributionTable:
    """The contributions in the effort of one coordinate; as a text it is a table.

    Attributes
    ----------
    coordinate, unit : str
        Its name, and the unit of its efforts.
    rows : tuple of ContributionRow
        Of the bodies that contribute, that with the largest inertia first; of the springs and of
        friction, where they do.
    total : ContributionRow
        Their sum.
    """

    coordinate: str
    unit: str
    rows: tuple[ContributionRow, ...]
    total: ContributionRow

    def __str__(self) -> str:
        """Return the table; columns that are zero throughout are left out."""
        lines = [
            [name] for name in (self.coordinate, *(row.name for row in self.rows), self.total.name)
        ]
        for heading, field in COLUMNS.items():
            values = [getattr(row, field) for row in (*self.rows, self.total)]
            largest = max(map(abs, values))
            if field != "inertia" and largest < NOISE:
                continue
            unit = INERTIA_UNITS[self.unit] if field == "inertia" else self.unit
            decimals = DIGITS - 1 - math.floor(math.log10(max(largest, NOISE)))
            # zero is added after rounding, so that no zero has a sign
            numbers = (round(value, decimals) + 0.0 for value in values)
            column = [f"{heading} / {unit}", *(f"{n:.{max(decimals, 0)}f}" for n in numbers)]
            for line, text in zip(lines, column, strict=True):
                line.append(text)
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(_aligned(line, widths)) for line in lines)


def _aligned(line: list[str], widths: list[int]) -> Iterator[str]:
    name, *numbers = line
    yield name.ljust(widths[0])
    yield from (text.rjust(width) for text, width in zip(numbers, widths[1:], strict=True))


@dataclass(frozen=True, eq=False)
class Contributions:
    """What each of n bodies adds to the equations of motion, in v coordinates of velocity.

    For body b the effort of coordinate i is the sum of ``inertia[b, i, j]`` times the acceleration
    of j, ``centrifugal[b, i, j]`` times the square of its velocity, ``coriolis[b, i, j, k]`` times
    the velocities of j and k (j < k; otherwise zero), ``gravity_effort[b, i]`` and
    ``external_effort[b, i]``: structural paper, eq. 23. The sum over the bodies,
    ``spring_effort[i]`` and ``friction_effort[i]`` is the effort of the robot. Units are SI: those
    of the efforts (N or N m) over those of the motion. The arrays of many states have their leading
    axes.

    Attributes
    ----------
    body_names, velocity_names, effort_units : tuple of str
        Of the n bodies, of the v coordinates (see `Model.velocity_names`), and "N" or "N m" for
        each of these. If the robot has rotors, they are together a further body, the last, with the
        name ``rotors``.
    velocity : (v,) array
        For `centrifugal_effort` and `coriolis_effort`.
    inertia, centrifugal : (n, v, v) array
    coriolis : (n, v, v, v) array
    gravity_effort, external_effort : (n, v) array
        Efforts that hold the weight of each body, and the loads from outside on it.
    spring_effort : (v,) array
        Efforts that springs and balance mechanisms ask for; where they help, of the other sign.
    friction_effort : (v,) array
        Efforts that overcome the friction at this velocity, zero at rest.

    Examples
    --------
    >>> from charmie_dynamics import load_model
    >>> model = load_model()
    >>> contributions = model.contributions(model.zero_position())
    >>> heaviest = contributions.table("torso_actuator").rows[0]
    >>> print(heaviest.name, round(heaviest.inertia, 1), "kg")
    upper_body 98.4 kg
    """

    body_names: tuple[str, ...]
    velocity_names: tuple[str, ...]
    effort_units: tuple[str, ...]
    velocity: Floats
    inertia: Floats
    centrifugal: Floats
    coriolis: Floats
    gravity_effort: Floats
    external_effort: Floats
    spring_effort: Floats
    friction_effort: Floats

    @property
    def centrifugal_effort(self) -> Floats:
        """Efforts (n, v) that go with the square of one velocity each (N or N m)."""
        square = self.velocity * self.velocity
        result: Floats = (self.centrifugal @ square[..., None, :, None])[..., 0]
        return result

    @property
    def coriolis_effort(self) -> Floats:
        """Efforts (n, v) that go with the product of two velocities each (N or N m)."""
        v = self.velocity[..., None, :, None]
        by_velocity = (self.coriolis @ v[..., None, :, :])[..., 0]
        result: Floats = (by_velocity @ v)[..., 0]
        return result

    def table(self, coordinate: str) -> ContributionTable:
        """Return the contributions in the effort of one coordinate: which bodies make it heavy.

        Parameters
        ----------
        coordinate : str
            One of `velocity_names`.

        Returns
        -------
        ContributionTable
            ``print`` shows it as a table.

        Raises
        ------
        UnknownNameError
            If there is no such coordinate.
        InputError
            If the contributions are those of many states.

        Examples
        --------
        >>> from charmie_dynamics import load_model
        >>> model = load_model()
        >>> print(model.contributions(model.zero_position()).table("neck_tilt_joint"))
        neck_tilt_joint  inertia / kg m^2  gravity / N m
        head                     0.015751        0.17929
        all                      0.015751        0.17929
        """
        if self.velocity.ndim != 1:
            raise InputError(f"table: expected one state, got {self.velocity.shape[:-1]}")
        if coordinate not in self.velocity_names:
            raise UnknownNameError(
                f"actuator '{coordinate}' is unknown{choices(coordinate, self.velocity_names)}"
            )
        i = self.velocity_names.index(coordinate)
        columns = np.stack(
            [
                self.inertia[:, i, i],
                self.gravity_effort[:, i],
                self.external_effort[:, i],
                self.centrifugal_effort[:, i],
                self.coriolis_effort[:, i],
                np.zeros(len(self.inertia)),
            ],
            axis=1,
        )
        springs = np.array([0.0, self.spring_effort[i], 0.0, 0.0, 0.0, 0.0])
        friction = np.array([0.0, 0.0, 0.0, 0.0, 0.0, self.friction_effort[i]])
        order = np.argsort(-columns[:, 0], kind="stable")
        rows = [_row(self.body_names[b], columns[b]) for b in order if columns[b].any()]
        others = (SPRINGS, springs), (FRICTION, friction)
        rows += [_row(name, values) for name, values in others if values.any()]
        total = _row(ALL, columns.sum(axis=0) + springs + friction)
        return ContributionTable(coordinate, self.effort_units[i], tuple(rows), total)


def _row(name: str, values: Floats) -> ContributionRow:
    return ContributionRow(name, *values.tolist())


def contributions(robot: PreparedRobot, inputs: Inputs) -> Contributions:
    """Return what each body adds to the equations of motion; see `Model.contributions`."""
    require_no_loop_joints(robot, "contributions")
    rows, leading = rows_of(robot, inputs)
    found = of_each(rows, leading, lambda n, motion: _contributions_at(robot, *motion[:2]))
    if not leading:
        return found[0]
    rest = np.zeros(robot.flat.sizes.q)
    return _joined(found or [_contributions_at(robot, zero_position(robot), rest)], leading)


def _joined(found: Sequence[Contributions], leading: tuple[int, ...]) -> Contributions:
    """Return contributions at many states as arrays with leading axes."""
    arrays: dict[str, Any] = {}
    for field in fields(Contributions):
        values = [getattr(each, field.name) for each in found]
        if isinstance(values[0], np.ndarray):
            rows = np.array(values)[: math.prod(leading)]
            arrays[field.name] = rows.reshape(*leading, *values[0].shape)
    return replace(found[0], **arrays)


def _units(robot: PreparedRobot) -> tuple[str, ...]:
    """Return the unit of the effort of each coordinate."""
    freedoms = robot.flat.freedoms
    units = np.full(robot.flat.sizes.q, "N m")
    units[freedoms.freedom_coordinate[freedoms.freedom_turns == 0]] = "N"
    units[robot.flat.actuator_index] = effort_units(robot)
    return tuple(units.tolist())


def _contributions_at(robot: PreparedRobot, position: Floats, velocity: Floats) -> Contributions:
    """Return the contributions at one state, in the coordinates of velocity of the robot.

    A linear actuator of length L moves one joint q; with g = dq/dL and h = d^2q/dL^2, q' = g L' and
    q'' = g L'' + h L'^2. So an inertia of joints i and j becomes g_i M_ij g_j, and the centrifugal
    coefficient gets an addition from the loop, g_i (B_ij g_j^2 + M_ij h_j): a joint that turns
    unevenly under a steady actuator accelerates. For all other coordinates g = 1 and h = 0.
    """
    tree, mechanisms = robot.flat.tree, robot.flat.mechanisms
    state = compute(robot, (position, velocity, None), friction=False)
    R, p = state.kinematics.R_parent_frame, state.kinematics.p_parent_frame
    joints = structural_coefficients(carried_bodies(tree, R, p), len(velocity))
    names = robot.flat.body_names
    rotors, coordinate = mechanisms.rotors, mechanisms.actuators.coordinate
    has_rotors = rotors.joint_rotor.any() or rotors.actuator_rotor.any()
    if has_rotors:
        joints = Coefficients(*(np.concatenate((x, np.zeros_like(x[:1]))) for x in joints))
        joints.inertia[-1] = np.diag(rotors.joint_rotor)
        names = *names, ROTORS
    # with a velocity of one and no acceleration, joint velocities are g and joint accelerations h
    unit = kinematics(robot, (position, np.ones(len(velocity)), None))
    g, h = unit.joint_velocity, unit.joint_acceleration
    of_actuators = Coefficients(
        inertia=joints.inertia * np.outer(g, g),
        centrifugal=(joints.centrifugal * (g * g) + joints.inertia * h) * g[:, None],
        coriolis=joints.coriolis * np.multiply.outer(g, np.outer(g, g)),
        gravity=joints.gravity * g,
        external=joints.external * g,
    )
    if has_rotors:
        of_actuators.inertia[-1, coordinate, coordinate] += rotors.actuator_rotor
    dynamics = cast(Dynamics, state.dynamics)
    return Contributions(
        names,
        robot.flat.velocity_names,
        _units(robot),
        state.velocity,
        *of_actuators,
        spring_effort=(dynamics.joint_effort - dynamics.generalized_force) * g,
        friction_effort=equations(robot, (position, velocity, None)).friction_effort,
    )
