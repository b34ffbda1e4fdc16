# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Derivatives of the efforts by parameters of the robot's files, the basis of optimisation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.equations.loop_derivatives import (
    DIRECTIONS,
    JOINT_ACCELERATION,
    JOINT_POSITION,
    JOINT_VELOCITY,
    RATIO,
    SPRING_EFFORT,
    WIDTH,
    run_loop_derivatives,
)
from charmie_dynamics.core.equations.records import LoopRoom
from charmie_dynamics.core.inverse.records import Robot
from charmie_dynamics.model.flat.checks import refusal
from charmie_dynamics.model.flat.flatten import flatten
from charmie_dynamics.model.flat.prepared_robot import PreparedRobot
from charmie_dynamics.numerics.addresses import Blocks, address_of_block
from charmie_dynamics.numerics.blocks import float_count, places_of
from charmie_dynamics.numerics.jit import ready
from charmie_dynamics.numerics.vectors import Floats

from .equations_of_motion import equations
from .evaluation import duals_of, inputs_of_block
from .file_parameters import (
    SOURCE,
    FileParameter,
    block_derivative,
    file_parameters,
    parameter_named,
    part_of,
    rotors_part,
)
from .number_paths import GRAVITY, INERTIALS, ROTORS, is_of_friction, parsed
from .regressor import PARAMETERS, parameters_of, regressor
from .results import Derivatives
from .rotors import JointMotion, rotor_efforts


class ParameterDerivatives:
    """Derivatives of a robot's efforts by parameters of its files.

    Efforts are linear in gravity, rotors and friction; those by inertials follow from the
    regressor. The other parameters of the mechanisms file go through the loops and mechanisms as
    directions of duals (`core.equations.loop_derivatives`). The constructor finds how the flat
    arrays depend on each parameter; `of_states` uses it for all states.

    Parameters
    ----------
    robot : PreparedRobot
    names : sequence of str
        Of the parameters, see `file_parameters`.

    Raises
    ------
    UnknownNameError
        If there is no parameter of a name.
    InputError
        If a parameter cannot change by itself.
    """

    def __init__(self, robot: PreparedRobot, names: Sequence[str]) -> None:
        known = file_parameters(robot)
        chosen = [parameter_named(known, name) for name in names]
        self._robot = robot
        self._count = len(chosen)
        self._inertials = _columns(chosen, INERTIALS)
        self._gravity = _columns(chosen, GRAVITY)
        self._rotors = _columns(chosen, ROTORS)
        self._friction = [k for k, name in enumerate(names) if is_of_friction(parsed(name))]
        linear = {*self._inertials, *self._gravity, *self._rotors, *self._friction}
        self._loops = [k for k in range(self._count) if k not in linear]
        directions = [
            block_derivative(robot, name, parameter)
            for name, parameter in zip(names, chosen, strict=True)
        ]
        self._inertial_changes = np.array(
            [_parameter_direction(robot, directions[k]) for k in self._inertials]
        ).reshape(len(self._inertials), len(PARAMETERS) * robot.flat.sizes.n)
        self._robots_of_gravity = [
            _with_gravity(robot, part_of(directions[k], robot, "tree.gravity"))
            for k in self._gravity
        ]
        self._rotor_changes = [rotors_part(directions[k], robot) for k in self._rotors]
        self._robots_of_friction = [_with_friction(robot, directions[k]) for k in self._friction]
        self._duals = [
            _seeded(robot, [directions[k] for k in self._loops[first : first + DIRECTIONS]])
            for first in range(0, len(self._loops), DIRECTIONS)
        ]

    def of_states(
        self,
        inputs: tuple[Floats, Floats, Floats],
        joints: JointMotion,
        effort: Floats,
        tree: Derivatives,
    ) -> Floats:
        """Return the derivatives of the efforts of the actuators at N states.

        Parameters
        ----------
        inputs : (N, p) and two (N, v) arrays
            Position, velocity and acceleration of the actuators, of states that were computed.
        joints : JointMotion
            At these states.
        effort : (N, v) array
            Of the joints, springs included.
        tree : Derivatives
            Of the open tree at the states of the joints.

        Returns
        -------
        (N, v, k) array
            A column for each parameter.
        """
        robot = self._robot
        result = np.zeros((*effort.shape, self._count))
        if self._inertials:
            by_inertials = regressor(robot, inputs, workers=1)
            result[:, :, self._inertials] = by_inertials @ self._inertial_changes.T
        for k, other in zip(self._gravity, self._robots_of_gravity, strict=True):
            result[:, :, k] = equations(other, (inputs[0], None, None), workers=1).gravity_effort
        for k, rotors in zip(self._rotors, self._rotor_changes, strict=True):
            result[:, :, k] = rotor_efforts(robot.flat, rotors, inputs, joints)
        for k, other in zip(self._friction, self._robots_of_friction, strict=True):
            result[:, :, k] = equations(other, (*inputs[:2], None), workers=1).friction_effort
        for first, duals in enumerate(self._duals):
            columns = self._loops[first * DIRECTIONS : (first + 1) * DIRECTIONS]
            found = _along(robot, duals, inputs)
            along = found[:, :, :, 1 : 1 + len(columns)]
            # the formula of `core.equations.loop_derivatives`
            change = tree.effort_by_position @ along[:, JOINT_POSITION]
            change += tree.effort_by_velocity @ along[:, JOINT_VELOCITY]
            change += tree.effort_by_acceleration @ along[:, JOINT_ACCELERATION]
            change += along[:, SPRING_EFFORT]
            ratio = found[:, RATIO, :, :1]
            result[:, :, columns] = along[:, RATIO] * effort[:, :, None] + ratio * change
        return result


def _columns(parameters: Sequence[FileParameter], section: str) -> list[int]:
    return [k for k, each in enumerate(parameters) if each.section == section]


def _parameter_direction(robot: PreparedRobot, direction: Floats) -> Floats:
    """Return how the inertial parameters (10 n,) change along a direction of the flat arrays.

    They are polynomials of degree 3 in it, so that the differences are exact. A payload adds to
    them, whatever they are.
    """
    unloaded = flatten(robot.tree, robot.mechanisms, SOURCE).tree
    parts = [
        part_of(direction, robot, f"tree.{name}") for name in ("mass", "p_body_com", "inertia")
    ]
    own = (unloaded.mass, unloaded.p_body_com, unloaded.inertia)

    def at(step: float) -> Floats:
        mass, com, inertia = (array + step * part for array, part in zip(own, parts, strict=True))
        return parameters_of(mass, com, inertia).ravel()

    result: Floats = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / 12.0
    return result


def _with_gravity(robot: PreparedRobot, gravity: Floats) -> PreparedRobot:
    """Return the same robot under another gravity; efforts are linear in it."""
    return _with_parts(robot, {"tree.gravity": gravity})


def _with_friction(robot: PreparedRobot, direction: Floats) -> PreparedRobot:
    """Return the same robot with the friction of a direction; efforts are linear in it."""
    names = ("mechanisms.friction.viscous", "mechanisms.friction.coulomb")
    return _with_parts(robot, {name: part_of(direction, robot, name) for name in names})


def _with_parts(robot: PreparedRobot, parts: Mapping[str, Floats]) -> PreparedRobot:
    """Return the same robot with other values in some arrays of its block."""
    flat = robot.flat
    floats = flat.blocks.floats.copy()
    places = places_of(Robot, flat.sizes)[1]
    for name, values in parts.items():
        first = places[name].first
        floats[first : first + values.size] = values.ravel()
    return robot.with_flat(replace(flat, blocks=Blocks(flat.blocks.ints, floats)))


def _seeded(robot: PreparedRobot, directions: Sequence[Floats]) -> Floats:
    """Return the floats of a robot as duals, with up to seven directions."""
    duals = duals_of(robot.flat).reshape(-1, WIDTH)
    for k, direction in enumerate(directions):
        duals[:, 1 + k] = direction
    return duals.ravel()


def _along(robot: PreparedRobot, duals: Floats, inputs: tuple[Floats, Floats, Floats]) -> Floats:
    """Return what `run_loop_derivatives` writes for N states, as (N, 5, q, 8) array."""
    flat = robot.flat
    sizes = flat.sizes
    workspace = np.zeros(WIDTH * float_count(LoopRoom, sizes))
    result = np.empty((len(inputs[0]), 5 * sizes.q * WIDTH))
    run, ints = ready(run_loop_derivatives), flat.blocks.addresses[0]
    floats = address_of_block(duals)
    for sample, out in zip(zip(*inputs, strict=True), result, strict=True):
        own = inputs_of_block(flat, *sample)
        workspace[: WIDTH * len(own) : WIDTH] = own
        status = run(ints, floats, workspace, out)
        if status != REACHED:
            raise refusal(robot, status, sample)
    return result.reshape(len(result), 5, sizes.q, WIDTH)
