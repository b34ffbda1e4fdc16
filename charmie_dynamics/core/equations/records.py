# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Workspace and results of the kernels of the equations of motion."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from charmie_dynamics.core.inverse.records import CycleRecord
from charmie_dynamics.numerics.vectors import Floats


class Spatial(NamedTuple):
    """Motion and composite inertias of the bodies as spatial vectors.

    All are in world axes and at one point at rest (`spatial_motion`), so that those of several
    bodies can be added without transformation. A spatial vector is stored in two arrays: of a
    motion the angular and the linear part, of a force the torque and the force.
    """

    reference: Annotated[Floats, 3]  # the point, in the world
    # of a degree of freedom
    joint_angular: Annotated[Floats, "d", 3]  # S: what a rate of 1 of its coordinate adds
    joint_linear: Annotated[Floats, "d", 3]
    angular_velocity: Annotated[Floats, "d", 3]  # v, of what it moves
    linear_velocity: Annotated[Floats, "d", 3]
    rate_angular: Annotated[Floats, "d", 3]  # v_carrier x S, see `spatial_motion`
    rate_linear: Annotated[Floats, "d", 3]
    # first of a body, then of a body and all its descendants
    mass: Annotated[Floats, "n"]
    first_moment: Annotated[Floats, "n", 3]  # mass times centre of mass
    inertia: Annotated[Floats, "n", 3, 3]  # about the point
    momentum: Annotated[Floats, "n", 3]
    drift: Annotated[Floats, "n", 3, 3]  # see `spatial_inertias`


class SpatialForces(NamedTuple):
    """Accelerations of the bodies, and the forces for them; as `Spatial`."""

    # of a degree of freedom
    angular_acceleration: Annotated[Floats, "d", 3]  # a of what it moves, less gravity
    linear_acceleration: Annotated[Floats, "d", 3]
    change_angular: Annotated[Floats, "d", 3]  # a_carrier x S + v_carrier x (v_carrier x S)
    change_linear: Annotated[Floats, "d", 3]
    # of a body and all its descendants: the load that its parent has to apply
    torque: Annotated[Floats, "n", 3]
    force: Annotated[Floats, "n", 3]


class Transmission(NamedTuple):
    """How the joints move with the actuators: q' = ratio L', see `transmission`."""

    ratio: Annotated[Floats, "q"]  # dq/dL
    ratio_rate: Annotated[Floats, "q"]  # its time derivative


class EquationTerms(NamedTuple):
    """The terms of the equations of motion, in the coordinates of the actuators.

    effort = mass_matrix a + coriolis_matrix v + gravity_effort + spring_effort + external_effort
    + friction_effort
    """

    mass_matrix: Annotated[Floats, "q", "q"]
    coriolis_matrix: Annotated[Floats, "q", "q"]
    gravity_effort: Annotated[Floats, "q"]
    spring_effort: Annotated[Floats, "q"]
    external_effort: Annotated[Floats, "q"]
    friction_effort: Annotated[Floats, "q"]


class EnergyTerms(NamedTuple):
    """The energies at a state."""

    energy: Annotated[Floats, 3]  # kinetic, gravitational, elastic (J)


class DerivativeTerms(NamedTuple):
    """Derivatives of the efforts of the actuators by their positions, velocities, accelerations."""

    effort_by_acceleration: Annotated[Floats, "q", "q"]  # in the places of M and C
    effort_by_velocity: Annotated[Floats, "q", "q"]
    effort_by_position: Annotated[Floats, "q", "q"]


class TreeMatrices(NamedTuple):
    """The common beginning of `EquationTerms` and `DerivativeTerms`, see `run_tree`."""

    mass_matrix: Annotated[Floats, "q", "q"]
    coriolis_matrix: Annotated[Floats, "q", "q"]


class EquationsRoom(NamedTuple):
    """Workspace of `run_equations` and `run_derivatives`."""

    cycle: CycleRecord
    spatial: Spatial
    forces: SpatialForces
    transmission: Transmission
    effort: Annotated[Floats, "q"]  # of the open tree, then with springs and friction of joints
    moved: Annotated[Floats, "q"]  # coordinates that the loops and mechanisms depend on
    spring_by_position: Annotated[Floats, "q", "q"]  # joint efforts by positions of actuators
    ratio_by_position: Annotated[Floats, "q"]  # each by its own actuator alone
    velocity_by_position: Annotated[Floats, "q"]  # of the joint
    acceleration_by_position: Annotated[Floats, "q"]
    length_gradient: Annotated[Floats, "q"]  # of a damped spring by the positions of the joints
    unit_velocity: Annotated[Floats, "q"]  # of one joint


class JacobianRoom(NamedTuple):
    """Workspace of `run_jacobian`."""

    cycle: CycleRecord
    next_body: Annotated[Floats, "n"]  # of each body before the one with the point


class JacobianTerms(NamedTuple):
    """Result of `run_jacobian_rows` for one position."""

    jacobian: Annotated[Floats, 6, "q"]


class LoopRoom(NamedTuple):
    """Workspace of `run_loop_derivatives`, as duals."""

    cycle: CycleRecord
    spring_effort: Annotated[Floats, "q"]


class RegressorRoom(NamedTuple):
    """Workspace of `run_regressor`."""

    cycle: CycleRecord
    transmission: Transmission
    # on a body: forces of m, mx, my, mz; torques of mx, my, mz, xx, xy, yy, xz, yz, zz
    loads: Annotated[Floats, 13, 3]


class RegressorTerms(NamedTuple):
    """Efforts of the actuators by the ten inertial parameters of each body, see `regressor`."""

    regressor: Annotated[Floats, "q", "n", 10]
