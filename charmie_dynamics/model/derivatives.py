# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Derivatives of the efforts of a robot, and the efforts that accelerate rotors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from charmie_dynamics.core.equations.derivatives import run_derivatives, run_derivatives_batch
from charmie_dynamics.core.equations.records import DerivativeTerms, EquationsRoom
from charmie_dynamics.core.forward.closed_derivatives import run_closed_derivatives, run_kept_cycle
from charmie_dynamics.core.forward.loop_constraints import run_loop_constraints
from charmie_dynamics.core.forward.loop_records import (
    ClosedDerivativesRoom,
    DirectionColumns,
)
from charmie_dynamics.numerics.vectors import Floats

from .equations.constraints import loop_constraints, reduction
from .equations.equations_of_motion import EQUATIONS
from .equations.evaluation import Inputs, KernelCall, Rows, evaluate, of_each, rows_of
from .equations.file_parameters import block_derivative, file_parameters, parameter_named
from .equations.loop_derivatives import LoopDerivatives
from .equations.parameter_derivatives import ParameterDerivatives
from .equations.reduction import idle_response, independent_coordinates, reduced_columns
from .equations.results import Derivatives, Equations
from .equations.rotors import JointMotion, rotor_efforts
from .flat.friction_laws import add_joint_slopes
from .flat.loop_cycles import Motion
from .flat.prepared_robot import PreparedRobot
from .inverse_dynamics import compute, kinematics
from .robots import open_tree, without_friction, without_loops
from .state import Arrays, State

DERIVATIVES = KernelCall(
    run_derivatives,
    DerivativeTerms,
    EquationsRoom,
    with_loops=True,
    batch=run_derivatives_batch,
)
CLOSED_DERIVATIVES = KernelCall(
    run_closed_derivatives,
    DerivativeTerms,
    ClosedDerivativesRoom,
    with_loops=True,
    calls=(run_loop_constraints,),
    in_lanes=DirectionColumns,
    derivatives=replace(DERIVATIVES, cycle=run_kept_cycle),
    is_reduced=True,
)


def derivatives(
    robot: PreparedRobot,
    inputs: Inputs,
    parameters: Sequence[str] = (),
    friction: bool = True,
    workers: int | None = None,
) -> Derivatives:
    """Return the derivatives of the efforts; see `Model.derivatives`."""
    if not friction:
        robot = without_friction(robot)
    if robot.flat.sizes.r:
        return _with_loops(robot, inputs, tuple(parameters), workers)
    block, places = evaluate(robot, DERIVATIVES, inputs, workers)
    if not parameters:
        return Derivatives(block, places)
    rows, leading = rows_of(robot, inputs)
    found = _by_parameter(robot, tuple(parameters), rows, compute(robot, rows, workers=workers))
    return Derivatives(block, places, found.reshape(*leading, *found.shape[1:]))


def _with_loops(
    robot: PreparedRobot, inputs: Inputs, parameters: tuple[str, ...], workers: int | None
) -> Derivatives:
    """Return the derivatives for the coordinates that are not passive."""
    block, places = evaluate(robot, CLOSED_DERIVATIVES, inputs, workers)
    if not block.size:
        return Derivatives(block, places)
    if block.ndim == 1 and not parameters and block[0] == block[0]:
        return Derivatives(block, places)
    # NaN: the constraints have to be examined
    doubted = np.isnan(block[..., 0]).ravel()
    if not (parameters or doubted.any()):
        return Derivatives(block, places)
    numbers = robot.cache[NumbersOf(parameters)] if parameters else None
    rows, leading = rows_of(robot, inputs)
    count = len(independent_coordinates(robot))
    by_number = np.zeros((len(rows[0]), count, len(parameters)))
    blocks = block.reshape(-1, block.shape[-1])

    def compute_at(n: int, motion: Motion) -> None:
        if not (doubted[n] or parameters):
            return
        found = reduction(robot.flat, motion, loop_constraints(robot, motion))
        position, velocity, acceleration = motion
        # that of passive coordinates follows from the others
        terms = Equations(*evaluate(robot, EQUATIONS, motion))
        a = found.ratio @ acceleration[found.index] + found.drift @ velocity
        a += idle_response(found, terms.mass_matrix, terms.effort(velocity, a)[:, None])[:, 0]
        motion = position, velocity, a
        tree = Derivatives(*evaluate(robot, DERIVATIVES, motion))
        loops = LoopDerivatives(robot, motion, found, tree, terms.effort(velocity, a))
        if numbers is not None:
            of_tree = _of_open_loops(robot, parameters, (position[None], velocity[None], a[None]))
            by_number[n] = loops.by_numbers(parameters, numbers, of_tree)
        if doubted[n]:
            blocks[n] = np.concatenate([term.ravel() for term in loops.by_state()])

    of_each(rows, leading, compute_at)
    return Derivatives(block, places, by_number.reshape(*leading, *by_number.shape[1:]))


@dataclass(frozen=True)
class NumbersOf:
    """A key of the cache: returns how a robot's numbers (n, k) change with some parameters."""

    names: tuple[str, ...]

    def __call__(self, robot: PreparedRobot) -> Floats:
        """Return a column for each parameter."""
        known = file_parameters(robot)
        columns = [block_derivative(robot, n, parameter_named(known, n)) for n in self.names]
        return np.array(columns).T


def _of_open_loops(robot: PreparedRobot, names: tuple[str, ...], row: Rows) -> Floats:
    """Return the derivatives (v, k) of the efforts of all coordinates with all loops open."""
    tree = without_loops(robot)
    known = [name for name in names if name in file_parameters(tree)]
    found = np.zeros((robot.flat.sizes.q, len(names)))
    if known:
        columns = [names.index(name) for name in known]
        found[:, columns] = _by_parameter(tree, tuple(known), row, compute(tree, row))[0]
    return found


@dataclass(frozen=True)
class DerivativesBy:
    """A key of the cache: returns the derivatives of a robot by some parameters."""

    names: tuple[str, ...]

    def __call__(self, robot: PreparedRobot) -> ParameterDerivatives:
        """Return the derivatives, ready for one robot."""
        return ParameterDerivatives(robot, self.names)


def _by_parameter(
    robot: PreparedRobot, names: tuple[str, ...], rows: Rows, states: State
) -> Floats:
    """Return the derivatives (N, v, k) of the efforts of some states by parameters."""
    by_parameters = robot.cache[DerivativesBy(names)]
    effort = Arrays(states, ("joint_effort",)).joint_effort
    joints = states.joint_position, states.joint_velocity, states.joint_acceleration
    of_tree = derivatives(robot.cache[open_tree], joints, workers=1)
    add_joint_slopes(robot.flat.mechanisms.friction, joints[1], of_tree.effort_by_velocity)
    found: Floats = by_parameters.of_states(rows, joint_motion(states), effort, of_tree)
    return found


def rotor_effort(robot: PreparedRobot, inputs: Inputs) -> Floats:
    """Return the efforts that accelerate the rotors of motors; see `Model.rotor_effort`."""
    rows, leading = rows_of(robot, inputs)
    rotors = robot.flat.mechanisms.rotors
    found = rotor_efforts(robot.flat, rotors, rows, joint_motion(kinematics(robot, rows)))
    return reduced_columns(robot, inputs, found.reshape(*leading, found.shape[1], 1))[..., 0]


def joint_motion(states: State) -> JointMotion:
    """Return the motion that the efforts of rotors depend on."""
    lever = Arrays(states, ("actuator_lever",)).actuator_lever
    return JointMotion(states.joint_acceleration, lever)
