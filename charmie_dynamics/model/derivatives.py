# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Derivatives of the efforts of a robot, and the efforts that accelerate rotors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from charmie_dynamics.core.equations.derivatives import run_derivatives
from charmie_dynamics.core.equations.records import DerivativeTerms, EquationsRoom
from charmie_dynamics.errors import UnsupportedError
from charmie_dynamics.numerics.vectors import Floats

from .equations.evaluation import Inputs, KernelCall, Rows, evaluate, rows_of
from .equations.parameter_derivatives import ParameterDerivatives
from .equations.reduction import reduced_columns
from .equations.results import Derivatives
from .equations.rotors import JointMotion, rotor_efforts
from .flat.friction_laws import add_joint_slopes
from .flat.prepared_robot import PreparedRobot
from .inverse_dynamics import compute, kinematics
from .robots import open_tree, without_friction
from .state import Arrays, State

DERIVATIVES = KernelCall(run_derivatives, DerivativeTerms, EquationsRoom, with_loops=True)


def require_no_loop_joints(robot: PreparedRobot, subject: str) -> None:
    """Refuse a computation that does not support loop joints.

    Raises
    ------
    UnsupportedError
        If there are any.
    """
    names = robot.flat.mechanism_names["loop_joints"]
    if names:
        raise UnsupportedError(
            f"{subject}: expected a robot without loop joints, got '{robot.tree.name}' with "
            f"{', '.join(names)}"
        )


def derivatives(
    robot: PreparedRobot,
    inputs: Inputs,
    parameters: Sequence[str] = (),
    friction: bool = True,
    workers: int | None = None,
) -> Derivatives:
    """Return the derivatives of the efforts; see `Model.derivatives`."""
    require_no_loop_joints(robot, "derivatives")
    if not friction:
        robot = without_friction(robot)
    block, places = evaluate(robot, DERIVATIVES, inputs, workers)
    if not parameters:
        return Derivatives(block, places)
    rows, leading = rows_of(robot, inputs)
    found = _by_parameter(robot, tuple(parameters), rows, compute(robot, rows, workers=workers))
    return Derivatives(block, places, found.reshape(*leading, *found.shape[1:]))


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
