# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Workspace and results of the kernels of loops."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from charmie_dynamics.core.equations.records import (
    DerivativeTerms,
    EquationsRoom,
    EquationTerms,
    Spatial,
)
from charmie_dynamics.core.inverse.records import CycleRecord
from charmie_dynamics.numerics.branches import LANES
from charmie_dynamics.numerics.vectors import Floats

from .records import ForwardMotion


class Constraints(NamedTuple):
    """The constraints of the loop joints at one state, one row each; see `loop_constraints`."""

    error: Annotated[Floats, "r"]  # Phi (m, rad)
    size: Annotated[Floats, "r"]  # the largest that an element of the Jacobian can be
    point: Annotated[Floats, "r", 3]  # the second point, from the point at rest
    torque: Annotated[Floats, "r", 3]  # the unit wrench: first on second body, world axes
    force: Annotated[Floats, "r", 3]
    torque_rate: Annotated[Floats, "r", 3]
    force_rate: Annotated[Floats, "r", 3]
    jacobian: Annotated[Floats, "r", "q"]  # D: Phi' by rates of the joints
    jacobian_rate: Annotated[Floats, "r", "q"]


class ConstraintState(NamedTuple):
    """The constraints, and the motion of the bodies that determines them."""

    spatial: Spatial
    constraints: Constraints


class Factors(NamedTuple):
    """A factored matrix of up to `r` rows for the coordinates, see `orthogonal_factors`."""

    rows: Annotated[Floats, "r", "q"]
    reflections: Annotated[Floats, "q"]
    order: Annotated[Floats, "r"]


class SquareFactors(NamedTuple):
    """A factored matrix of up to `q` rows."""

    square_rows: Annotated[Floats, "q", "q"]
    square_reflections: Annotated[Floats, "q"]
    square_order: Annotated[Floats, "q"]


class LoopVectors(NamedTuple):
    """Workspace vectors."""

    in_rows: Annotated[Floats, "r"]
    of_rows: Annotated[Floats, "r"]
    chosen: Annotated[Floats, "q"]  # coordinates, some of them
    along: Annotated[Floats, "q"]
    across: Annotated[Floats, "q"]
    balance: Annotated[Floats, "q"]
    drives: Annotated[Floats, "q"]


class ClosedCycleRoom(NamedTuple):
    """Workspace of `run_closed_cycle`."""

    state: ConstraintState
    factors: Factors
    actuation: SquareFactors
    vectors: LoopVectors
    normal: Annotated[Floats, "r", "r"]
    normal_share: Annotated[Floats, "r"]
    effort_normal: Annotated[Floats, "q", "q"]
    effort_normal_share: Annotated[Floats, "q"]


class Position(NamedTuple):
    """The q + w numbers of a position, in one order for all: `floats_of` returns them."""

    first: Annotated[Floats, "q"]
    rest: Annotated[Floats, "w"]


class ClosureRoom(NamedTuple):
    """Workspace of `run_closure`."""

    cycle: CycleRecord
    state: ConstraintState
    factors: Factors
    vectors: LoopVectors
    row_size: Annotated[Floats, "r"]
    nearest: Position  # with the least error
    least: Annotated[Floats, "q", "q"]
    square: SquareFactors
    start: Position
    trial: Position
    trial_acceleration: Annotated[Floats, "q"]
    at_rest: Annotated[Floats, "q"]


class ConstrainedRoom(NamedTuple):
    """Workspace of `run_constrained_forward`."""

    equations: EquationsRoom
    terms: EquationTerms
    state: ConstraintState
    factors: Factors
    vectors: LoopVectors
    rest: Annotated[Floats, "q"]
    basis: Annotated[Floats, "q", "q"]  # Q2
    moved: Annotated[Floats, "q", "q"]  # M Q2
    reduced: Annotated[Floats, "q", "q"]
    massless: Annotated[Floats, "q", "q"]  # idle motions without inertia, by those of the basis
    normal: Annotated[Floats, "r", "r"]
    normal_share: Annotated[Floats, "r"]


class ForwardTerms(NamedTuple):
    """Results of `run_constrained_forward`."""

    motion: ForwardMotion
    multiplier_force: Annotated[Floats, "r"]  # lambda
    constraint_error: Annotated[Floats, "r"]  # Phi
    constraint_rate: Annotated[Floats, "r"]  # Phi'
    constraint_size: Annotated[Floats, "r"]
    constraint_rank: Annotated[Floats, 1]


class DirectionColumns(NamedTuple):
    """Derivatives along `LANES` directions, one lane each; see `closed_derivatives`."""

    position: Annotated[Floats, "q"]  # of the joints, as velocities
    velocity: Annotated[Floats, "q"]
    acceleration: Annotated[Floats, "q"]
    effort: Annotated[Floats, "q"]
    change: Annotated[Floats, "q"]  # of the coordinates, those that are passive alone
    turn: Annotated[Floats, "d", 3]  # of what a degree of freedom moves, as a spatial vector
    slide: Annotated[Floats, "d", 3]
    turn_rate: Annotated[Floats, "d", 3]  # of its velocity
    slide_rate: Annotated[Floats, "d", 3]
    turn_change: Annotated[Floats, "d", 3]  # of its acceleration
    slide_change: Annotated[Floats, "d", 3]
    rate: Annotated[Floats, "r"]  # of Phi'
    drift: Annotated[Floats, "r"]  # of Phi''
    sorted_rows: Annotated[Floats, "r"]
    torque: Annotated[Floats, "loop_joints", 3]  # of the load of the second body
    force: Annotated[Floats, "loop_joints", 3]


class ClosedDerivativesRoom(NamedTuple):
    """Workspace of `run_closed_derivatives`, behind the floats of `DirectionColumns`."""

    state: ConstraintState
    rows: Annotated[Floats, "r", "q"]  # factors of the columns of passive coordinates
    order: Annotated[Floats, "r"]
    passive_index: Annotated[Floats, "q"]
    independent_index: Annotated[Floats, "q"]
    closed_acceleration: Annotated[Floats, "q"]
    in_rows: Annotated[Floats, "r"]
    sorted_rows: Annotated[Floats, "r"]
    solved: Annotated[Floats, "q"]
    multiplier: Annotated[Floats, "r"]
    loop_torque: Annotated[Floats, "loop_joints", 3]  # load of the second body
    loop_force: Annotated[Floats, "loop_joints", 3]
    loop_effort: Annotated[Floats, "q"]  # of the joints
    ratio_rows: Annotated[Floats, "r", LANES]
    drift_by_velocity: Annotated[Floats, "r", "q"]  # of the joints
    # G, M G and (dtau/dv)^T G, group by group of their columns
    ratio: Annotated[Floats, "q", "q", LANES]
    mass_ratio: Annotated[Floats, "q", "q", LANES]
    velocity_ratio: Annotated[Floats, "q", "q", LANES]
    terms: DerivativeTerms
    equations: EquationsRoom
