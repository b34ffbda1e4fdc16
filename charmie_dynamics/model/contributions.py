# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""What each body adds to the equations of motion: which body makes a joint heavy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np

from charmie_dynamics.core.arrays import Dynamics
from charmie_dynamics.core.equations.structural import (
    Coefficients,
    carried_bodies,
    coriolis_matrix,
    structural_coefficients,
)
from charmie_dynamics.errors import InputError, UnknownNameError, choices
from charmie_dynamics.numerics.vectors import Floats

from .equations.constraints import loop_constraints, reduction
from .equations.equations_of_motion import equations
from .equations.evaluation import Inputs, of_each, rows_of
from .equations.reduction import independent_coordinates, without_idle_effort
from .flat.actuators import effort_units
from .flat.loop_cycles import Motion
from .flat.prepared_robot import PreparedRobot
from .inverse_dynamics import compute, kinematics
from .robots import without_loops

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
    axes. With loop joints the coordinates are those that are not passive. The velocities of idle
    motions enter `external_effort`.

    Attributes
    ----------
    body_names, velocity_names, effort_units : tuple of str
        Of the n bodies, of the v coordinates (see `Model.velocity_names`), and "N" or "N m" for
        each of these. If the robot has rotors, they are together a further body, the last, with the
        name ``rotors``.
    velocity : (v,) array
        Of these coordinates, for `centrifugal_effort` and `coriolis_effort`.
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


# the arrays of `Contributions`, from the velocity on
_Values = tuple[Floats, ...]


def contributions(robot: PreparedRobot, inputs: Inputs) -> Contributions:
    """Return what each body adds to the equations of motion; see `Model.contributions`."""
    rows, leading = rows_of(robot, inputs)
    found = of_each(rows, leading, lambda n, motion: _values_at(robot, motion))
    rotors, index = robot.flat.mechanisms.rotors, independent_coordinates(robot)
    has_rotors = rotors.joint_rotor.any() or rotors.actuator_rotor.any()
    names = (*robot.flat.body_names, *(ROTORS,) * bool(has_rotors))
    if leading:
        n, v = len(names), len(index)
        shapes = (v,), (n, v, v), (n, v, v), (n, v, v, v), (n, v), (n, v), (v,), (v,)
        columns = zip(*found, strict=True) if found else [()] * len(shapes)
        values = tuple(
            np.array(arrays, dtype=np.float64).reshape(*leading, *shape)
            for arrays, shape in zip(columns, shapes, strict=True)
        )
    else:
        (values,) = found
    velocity_names = tuple(robot.flat.velocity_names[k] for k in index)
    return Contributions(names, velocity_names, tuple(_units(robot)[k] for k in index), *values)


def _units(robot: PreparedRobot) -> tuple[str, ...]:
    """Return the unit of the effort of each coordinate."""
    freedoms = robot.flat.freedoms
    units = np.full(robot.flat.sizes.q, "N m")
    units[freedoms.freedom_coordinate[freedoms.freedom_turns == 0]] = "N"
    units[robot.flat.actuator_index] = effort_units(robot)
    return tuple(units.tolist())


def _values_at(robot: PreparedRobot, motion: Motion) -> _Values:
    """Return the contributions at one state, in the coordinates that are not passive."""
    position, velocity, _ = motion
    found = None
    if robot.flat.sizes.r:
        found = reduction(robot.flat, motion, loop_constraints(robot, motion))
    of_tree, springs = _values_of_tree(without_loops(robot), position, velocity)
    friction = equations(robot, (position, velocity, None)).friction_effort
    if found is None:
        return velocity, *of_tree, springs, friction
    # the coefficients of the drift G' u along motions of one independent coordinate each
    G = without_idle_effort(found, of_tree.inertia.sum(axis=0))
    drifts = []
    for column in G.T:
        along = position, np.ascontiguousarray(column), np.zeros_like(column)
        drifts.append(reduction(robot.flat, along, loop_constraints(robot, along)).drift)
    own, u = _reduced(of_tree, G, np.array(drifts)), velocity[found.index]
    # idle motions have velocities of their own, whose effort counts as external
    both = coriolis_matrix(of_tree, velocity) + of_tree.inertia @ found.drift
    external = own.external + both @ velocity @ G
    external -= (coriolis_matrix(own, u) @ u[:, None])[..., 0]
    if found.idle_motions.size:
        own = own._replace(external=external)
    return u, *own, G.T @ springs, friction


def _values_of_tree(
    robot: PreparedRobot, position: Floats, velocity: Floats
) -> tuple[Coefficients, Floats]:
    """Return the coefficients and the efforts (v,) of the springs of a robot without loop joints.

    A linear actuator of length L moves one joint q; with g = dq/dL and h = d^2q/dL^2, q' = g L' and
    q'' = g L'' + h L'^2. So an inertia of joints i and j becomes g_i M_ij g_j, and the centrifugal
    coefficient gets an addition from the loop, g_i (B_ij g_j^2 + M_ij h_j): a joint that turns
    unevenly under a steady actuator accelerates. For all other coordinates g = 1 and h = 0.
    """
    tree, mechanisms = robot.flat.tree, robot.flat.mechanisms
    state = compute(robot, (position, velocity, None), friction=False)
    R, p = state.kinematics.R_parent_frame, state.kinematics.p_parent_frame
    joints = structural_coefficients(carried_bodies(tree, R, p), len(velocity))
    rotors, coordinate = mechanisms.rotors, mechanisms.actuators.coordinate
    has_rotors = rotors.joint_rotor.any() or rotors.actuator_rotor.any()
    if has_rotors:
        joints = Coefficients(*(np.concatenate((x, np.zeros_like(x[:1]))) for x in joints))
        joints.inertia[-1] = np.diag(rotors.joint_rotor)
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
    return of_actuators, (dynamics.joint_effort - dynamics.generalized_force) * g


def _reduced(of_tree: Coefficients, G: Floats, drifts: Floats) -> Coefficients:
    """Return the coefficients of u, where v = G u and v' = G u' + G' u.

    Parameters
    ----------
    of_tree : Coefficients
        Of v.
    G : (v, u) array
    drifts : (u, v, v) array
        Of a motion of each column of G alone; G' u is the sum of their products with G u.
    """
    both = of_tree.coriolis + of_tree.coriolis.swapaxes(-1, -2)
    # [b, i, j, k] of the velocities of j and k; each product counts twice
    of_pairs = 0.5 * both
    diagonal = np.arange(len(G))
    of_pairs[..., diagonal, diagonal] = of_tree.centrifugal
    turned = np.einsum("ia,nijk,jb,kc->nabc", G, of_pairs, G, G, optimize=True)
    turned += np.einsum("ia,nij,bjk,kc->nabc", G, of_tree.inertia, drifts, G, optimize=True)
    every = np.arange(G.shape[1])
    return Coefficients(
        inertia=G.T @ of_tree.inertia @ G,
        centrifugal=turned[..., every, every],
        coriolis=np.triu(turned + turned.swapaxes(-1, -2), 1),
        gravity=of_tree.gravity @ G,
        external=of_tree.external @ G,
    )
