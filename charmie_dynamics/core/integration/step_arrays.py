# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Records of the fixed-step methods: state, laws and workspace of a robot, and its addresses."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from charmie_dynamics.core.contact.records import CONTACT_TOTALS
from charmie_dynamics.numerics.addresses import Address
from charmie_dynamics.numerics.vectors import Floats, Ints

# methods; PROBE: the rates at the state, and no step; TOUCH: the same, where contacts may begin and
# end
PROBE = 0
SEMI_IMPLICIT_EULER = 1
RUNGE_KUTTA = 2
ROSENBROCK = 3
TOUCH = 4

# rows of the laws (8, v): the largest effort; positions at which the stops begin, their stiffness
# (0: no stops) and damping, and the depth at which the damping is complete; stiffness and damping
# of the drives
LARGEST_EFFORT = 0
LOWER_STOP = 1
UPPER_STOP = 2
STOP_STIFFNESS = 3
STOP_DAMPING = 4
STOP_RAMP = 5
DRIVE_STIFFNESS = 6
DRIVE_DAMPING = 7
LAW_COUNT = 8

# entries of the totals: energies since the start (J), their powers at the stage (W), and sums of
# powers over the stages
WORK = 0
LOST = 1
WORK_POWER = 2
LOST_POWER = 3
WORK_SUM = 4
LOST_SUM = 5
TOTAL_COUNT = 6


class StepSizes(NamedTuple):
    """Sizes of the arrays."""

    p: int  # positions
    v: int  # velocities
    memory: int  # of the contacts, see `core.contact.records`
    r: int  # constraints of loop joints
    ranks: int  # 1 with loop joints, else 0
    forward_workspace: int  # floats of the records of `run_forward` or `run_constrained_forward`
    forward_out: int
    closure_workspace: int  # of `run_closure`, 0 without loop joints
    contact_workspace: int  # of `run_contact_loads`
    derivative_workspace: int  # of `run_derivatives`
    derivative_out: int
    factors: int  # v v with the Rosenbrock method, else 0
    motions: int  # v v with the Rosenbrock method and loop joints, else 0


class States(NamedTuple):
    """The integrated states except for the velocities, or their rates."""

    position: Annotated[Floats, "p"]
    memory: Annotated[Floats, "memory"]


class StepArrays(NamedTuple):
    """All arrays of a robot that moves in fixed steps."""

    sizes: Annotated[Ints, len(StepSizes._fields)]  # those of `StepSizes`
    position_entry: Annotated[Ints, "v"]  # index of a coordinate's position among the positions
    pivots: Annotated[Ints, "v"]
    motion_count: Annotated[Ints, 1]  # of the motions
    finished: Annotated[Ints, 1]  # number of finished steps of the last call
    laws: Annotated[Floats, LAW_COUNT, "v"]
    states: States
    velocity: Annotated[Floats, "v"]
    asked: Annotated[Floats, "v"]  # requested efforts of the actuators, without those of drives
    target_position: Annotated[Floats, "v"]  # of the drives, at the beginning of the step
    target_velocity: Annotated[Floats, "v"]
    target_acceleration: Annotated[Floats, "v"]
    acting: Annotated[Floats, "v"]  # efforts of actuators, drives included, within their limits
    resistance: Annotated[Floats, "v"]  # of friction and the damping of stops
    effort: Annotated[Floats, "v"]  # all efforts except friction, which `run_forward` adds
    acceleration: Annotated[Floats, "v"]
    stage: States
    stage_velocity: Annotated[Floats, "v"]
    rate: States
    rate_sum: States  # over the stages
    velocity_sum: Annotated[Floats, "v"]
    mean_velocity_sum: Annotated[Floats, "v"]  # of the stages of Runge-Kutta before the last
    mean_velocity: Annotated[Floats, "v"]  # in a step
    movable: Annotated[Floats, "v"]  # ones, see `run_closure`
    totals: Annotated[Floats, TOTAL_COUNT]
    contact_totals: Annotated[Floats, CONTACT_TOTALS]
    forward_workspace: Annotated[Floats, "forward_workspace"]
    forward_out: Annotated[Floats, "forward_out"]
    closure_workspace: Annotated[Floats, "closure_workspace"]
    contact_workspace: Annotated[Floats, "contact_workspace"]
    derivative_workspace: Annotated[Floats, "derivative_workspace"]
    derivative_out: Annotated[Floats, "derivative_out"]
    factors: Annotated[Floats, "factors"]
    motions: Annotated[Floats, "motions"]  # that the loops allow at the beginning of the step


class StepRow(NamedTuple):
    """The state at the beginning of a step, and its efforts, energies and powers."""

    states: States
    velocity: Annotated[Floats, "v"]
    acceleration: Annotated[Floats, "v"]
    acting: Annotated[Floats, "v"]
    energies: Annotated[Floats, 2]  # work and losses since the start (J)
    powers: Annotated[Floats, 2]  # of actuators and losses (W)
    contact_energy: Annotated[Floats, 1]  # stored in contacts (J)
    multiplier_force: Annotated[Floats, "r"]  # of loop joints, see `ForwardTerms`
    constraint_error: Annotated[Floats, "r"]
    constraint_rate: Annotated[Floats, "r"]
    constraint_size: Annotated[Floats, "r"]
    constraint_rank: Annotated[Floats, "ranks"]


class PlantAddresses(NamedTuple):
    """Addresses of the arrays of a robot and of the kernels of its steps; 0 for unused ones."""

    step_ints: Address  # the two blocks of a `StepArrays`
    step_floats: Address
    robot_ints: Address  # the two blocks of a `Robot`
    robot_floats: Address
    forward: Address  # blocks of `RobotAddresses`, for `run_forward` and `run_derivatives`
    derivatives: Address
    scene: Address  # block of `SceneAddresses`
    run_forward: Address  # or `run_constrained_forward`
    run_position_rate: Address
    run_normalisation: Address
    run_derivatives: Address
    run_contact_loads: Address
    run_free_motions: Address
    run_closure: Address
