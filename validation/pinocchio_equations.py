# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The equations of motion as Pinocchio computes them, and how far this package's are from that.

Mimic joints are free in Pinocchio's model and folded into their leaders, as in
`pinocchio_reference`: with velocities v = F^T u its matrices X become F X F^T. Its matrix C of
`computeCoriolisMatrix` is not the one of Christoffel symbols, but C v is the same, and so is the
sum of C and its transpose: the rate of the mass matrix, for any C with d/dt M - 2 C skew.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from charmie_dynamics import Model

from .pinocchio_reference import Beyond, Reference, random_states, relative

TOLERANCE = 1e-10
# of accelerations: round-off times the condition of the mass matrix, of numbers that are scaled
FORWARD_TOLERANCE = 1e-8
LEAST = 1e-4  # of the mass matrix: what is smaller in all else is compared with that
POINT = np.array((0.3, -0.2, 0.5))  # m, in each link


@dataclass(frozen=True)
class EquationDifferences(Beyond):
    """Largest differences, each relative to the largest number of what is compared.

    Attributes
    ----------
    mass_matrix : float
        Against `crba`.
    coriolis_effort, mass_matrix_rate : float
        C v, and C + C^T, against `computeCoriolisMatrix`.
    gravity_effort : float
        Against `computeGeneralizedGravity`.
    jacobian : float
        Of a point of each link, against `computeFrameJacobian`.
    kinetic, gravitational : float
        Energies.
    by_position, by_velocity, by_acceleration : float
        Derivatives of the efforts, against `computeRNEADerivatives`.
    regressor : float
        Against `computeJointTorqueRegressor`, for the parameters of this package's links: links on
        fixed joints are one body with their parent there.
    """

    mass_matrix: float
    coriolis_effort: float
    mass_matrix_rate: float
    gravity_effort: float
    jacobian: float
    kinetic: float
    gravitational: float
    by_position: float
    by_velocity: float
    by_acceleration: float
    regressor: float


@dataclass(frozen=True)
class ForwardDifferences(Beyond):
    """As `EquationDifferences`: of accelerations and their derivatives by states and efforts."""

    acceleration: float
    by_position: float
    by_velocity: float
    by_effort: float


def compare_equations(model: Model, reference: Reference) -> EquationDifferences:
    """Return the largest differences over random states, of the robot without friction."""
    model = model.without_friction()
    largest = np.zeros(11)
    for state in random_states(len(model.joint_names)):
        theirs = _theirs(model, reference, state)
        # of parts that turn about their own axes, nothing but round-off depends on velocities
        least = LEAST * np.abs(theirs[0]).max(initial=0.0)
        pairs = zip(_ours(model, state), theirs, strict=True)
        largest = np.maximum(largest, [relative(*pair, least) for pair in pairs])
    return EquationDifferences(*largest.tolist())


def compare_forward(model: Model, reference: Reference) -> ForwardDifferences:
    """Return the largest differences over random states, under efforts of random accelerations.

    Pinocchio's articulated bodies know no mimic joints: of a robot that has some, the folded
    matrices are inverted.
    """
    model = model.without_friction()
    fixed = reference.with_fixed_root()
    solve = _by_mass_matrix if reference.followers else _by_articulated_bodies
    largest = np.zeros(4)
    for state in random_states(len(model.joint_names)):
        position, velocity, acceleration = state
        effort = model.compute(position, velocity, acceleration).actuator_effort
        found = model.forward(position, velocity, effort).acceleration
        ours = (found, *model.forward_derivatives(position, velocity, effort)[:3])
        q, v, _, fold = fixed.arrays(model.joint_names, state)
        theirs = solve(fixed, (q, v, effort), fold)
        pairs = zip(ours, theirs, strict=True)
        largest = np.maximum(largest, [relative(*pair) for pair in pairs])
    return ForwardDifferences(*largest.tolist())


def _by_articulated_bodies(
    reference: Reference, given: tuple[np.ndarray, ...], fold: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return accelerations and their derivatives by positions, velocities and efforts."""
    q, v, effort = given
    robot, data = reference.model, reference.data
    tau = fold.T @ effort
    acceleration = fold @ pin.aba(robot, data, q, v, tau)
    pin.computeABADerivatives(robot, data, q, v, tau)
    columns = data.ddq_dq, data.ddq_dv, _symmetric(data.Minv)
    return acceleration, *(fold @ column @ fold.T for column in columns)


def _by_mass_matrix(
    reference: Reference, given: tuple[np.ndarray, ...], fold: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return the same from inverse dynamics and its derivatives."""
    q, v, effort = given
    robot, data = reference.model, reference.data
    inverse = np.linalg.inv(fold @ _symmetric(pin.crba(robot, data, q)) @ fold.T)
    rest = effort - fold @ pin.nonLinearEffects(robot, data, q, v)
    acceleration = inverse @ rest
    by_q, by_v, _ = pin.computeRNEADerivatives(robot, data, q, v, fold.T @ acceleration)
    return (acceleration, -inverse @ fold @ by_q @ fold.T, -inverse @ fold @ by_v @ fold.T, inverse)


def _ours(model: Model, state: np.ndarray) -> tuple[np.ndarray, ...]:
    position, velocity, acceleration = state
    terms = model.equations(position, velocity)
    energy = model.energy(position, velocity)
    derivatives = model.derivatives(position, velocity, acceleration)
    C = terms.coriolis_matrix
    return (
        terms.mass_matrix,
        C @ velocity,
        C + C.T,
        terms.gravity_effort,
        np.array([model.jacobian(position, name, POINT) for name in model.frame_names]),
        np.array(energy.kinetic),
        np.array(energy.gravitational),
        derivatives.effort_by_position,
        derivatives.effort_by_velocity,
        derivatives.effort_by_acceleration,
        model.regressor(position, velocity, acceleration),
    )


def _theirs(model: Model, reference: Reference, state: np.ndarray) -> tuple[np.ndarray, ...]:
    robot, data = reference.model, reference.data
    q, v, a, fold = reference.arrays(model.joint_names, state)
    mass_matrix = _symmetric(pin.crba(robot, data, q))
    C = pin.computeCoriolisMatrix(robot, data, q, v).copy()
    gravity = pin.computeGeneralizedGravity(robot, data, q).copy()
    jacobians = []
    for name in model.frame_names:
        i = robot.getFrameId(name, pin.FrameType.BODY)
        jacobian = pin.computeFrameJacobian(robot, data, q, i, pin.LOCAL_WORLD_ALIGNED)
        pin.updateFramePlacement(robot, data, i)
        arm = pin.skew(data.oMf[i].rotation @ POINT)
        linear = jacobian[:3] - arm @ jacobian[3:]
        jacobians.append(np.vstack([linear, jacobian[3:]]) @ fold.T)
    kinetic = pin.computeKineticEnergy(robot, data, q, v)
    gravitational = pin.computePotentialEnergy(robot, data, q)
    by_q, by_v, by_a = pin.computeRNEADerivatives(robot, data, q, v, a)
    return (
        fold @ mass_matrix @ fold.T,
        fold @ (C @ v),
        fold @ (C + C.T) @ fold.T,
        fold @ gravity,
        np.array(jacobians),
        np.array(kinetic),
        np.array(gravitational),
        fold @ by_q @ fold.T,
        fold @ by_v @ fold.T,
        fold @ _symmetric(by_a) @ fold.T,
        fold @ _regressor(model, reference, (q, v, a)),
    )


def _regressor(model: Model, reference: Reference, state: tuple[np.ndarray, ...]) -> np.ndarray:
    """Return the regressor (nv, 10 n) for the parameters of n links."""
    of_bodies = pin.computeJointTorqueRegressor(reference.model, reference.data, *state)
    columns = []
    for name in model.frame_names:
        frame = reference.model.frames[reference.model.getFrameId(name, pin.FrameType.BODY)]
        first = 10 * (frame.parentJoint - 1)
        columns.append(of_bodies[:, first : first + 10] @ _moved(frame.placement))
    return np.hstack(columns)


def _moved(placement: pin.SE3) -> np.ndarray:
    """Return the matrix (10, 10) that takes inertial parameters to another frame."""

    def parameters(values: np.ndarray) -> np.ndarray:
        moved = pin.Inertia.FromDynamicParameters(values).se3Action(placement)
        return moved.toDynamicParameters()

    unit = np.eye(10)
    of_mass = parameters(unit[0])  # without a mass there is no centre
    others = [parameters(unit[0] + one) - of_mass for one in unit[1:]]
    return np.array([of_mass, *others]).T


def _symmetric(matrix: np.ndarray) -> np.ndarray:
    """Return a matrix of which only the upper half is written."""
    return np.triu(matrix) + np.triu(matrix, 1).T
