# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Accelerations of the actuators at one state, under efforts.

A cycle of inverse dynamics without acceleration computes the efforts of all other loads: springs,
balance mechanisms, friction and external loads. The difference between the given efforts and these
accelerates the joints by M^-1 (`articulated_bodies`). The ratio of each linear actuator,
q' = (L / k) L' (step 3), converts between accelerations of joints and actuators; its inverse
converts the efforts.

If M^-1 has lost digits, a cycle computes the efforts for the resulting accelerations, and the
residual is solved for again (iterative refinement).
"""

from __future__ import annotations

from charmie_dynamics.core.arrays import (
    MASS_IS_SINGULAR,
    NOT_FINITE,
    OVERFLOW,
    REACHED,
    WRONG_SHAPE,
)
from charmie_dynamics.core.equations.kernels import TYPES, RobotAddresses
from charmie_dynamics.core.inverse.cycle import STATUSES, has_non_finite
from charmie_dynamics.core.inverse.external_power import external_power
from charmie_dynamics.core.inverse.friction import write_friction
from charmie_dynamics.core.inverse.linear_actuators import joints_from_actuators
from charmie_dynamics.core.inverse.records import CycleRecord, Robot, sizes_in
from charmie_dynamics.core.inverse.spring_damping import damping_power
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.blocks import first_numbers, floats_of, lay_out
from charmie_dynamics.numerics.branches import all_lanes
from charmie_dynamics.numerics.jit import compiled, compiled_for
from charmie_dynamics.numerics.vectors import Floats

from .articulated_bodies import write_bodies
from .records import ForwardResult, ForwardRoom
from .shared_coordinates import factorise_all, solve

REFINEMENTS = 2  # at the smallest D, the first leaves six digits


@compiled_for(*TYPES)
def run_forward(
    addresses: Address,
    position: Floats,
    velocity: Floats,
    effort: Floats,
    workspace: Floats,
    out: Floats,
) -> int:
    """Write the accelerations that result from efforts.

    Parameters
    ----------
    addresses, position, velocity, effort, workspace, out
        See `core.equations.kernels`. The inputs are position, velocity and effort of the
        actuators; the workspace is a `ForwardRoom`, the output a `ForwardResult`.

    Returns
    -------
    int
        As `run_cycle`, or MASS_IS_SINGULAR and the coordinate whose joint moves nothing.
    """
    at = first_numbers(RobotAddresses, addresses)
    sizes = sizes_in(at.ints)
    q = sizes.q
    if effort.shape[0] != q:
        return WRONG_SHAPE
    if has_non_finite(effort):
        return NOT_FINITE
    robot = lay_out(Robot, at.ints, at.floats, sizes)
    work = lay_out(ForwardRoom, at.ints, workspace, sizes)
    result = lay_out(ForwardResult, at.ints, out, sizes)
    for c in range(q):
        work.at_rest[c] = 0.0
        work.effort[c] = effort[c]
    cycle, motion = result.cycle, result.motion
    block, acceleration = floats_of(cycle), work.at_rest
    for k in range(1 + REFINEMENTS):
        status = call_at(
            at.run_cycle, at.ints, at.floats, position, velocity, acceleration, block, True
        )
        if status != REACHED:
            return status
        if k == 0:
            acceleration = cycle.inputs.acceleration
            found = begin(robot, cycle, work)
            if found >= 0:
                return MASS_IS_SINGULAR + STATUSES * found
        accelerate(robot, cycle, work)
        if not is_poor(work):
            break
    if has_non_finite(cycle.inputs.acceleration):
        return OVERFLOW
    # those of the joints, too
    joints_from_actuators(robot.tree, robot.mechanisms.actuators, cycle.inputs, cycle.kinematics)
    for c in range(q):
        motion.forward_acceleration[c] = cycle.inputs.acceleration[c]
    write_friction(robot, cycle, motion.friction_effort)
    motion.external_power[0] = external_power(robot, cycle.kinematics)
    motion.damping_power[0] = damping_power(robot, cycle)
    return REACHED


@compiled
def begin(robot: Robot, cycle: CycleRecord, work: ForwardRoom) -> int:
    """Factorise the equations for the accelerations.

    Parameters
    ----------
    robot : Robot
    cycle : CycleRecord
        After step 4.
    work : ForwardRoom
        With the efforts of the actuators.

    Returns
    -------
    int
        As `factorise_all`.
    """
    rotors = robot.mechanisms.rotors
    for c in range(work.effort.shape[0]):
        work.ratio[c] = 1.0
        work.rotor[c] = rotors.joint_rotor[c]
    actuators = robot.mechanisms.actuators
    for k in range(actuators.coordinate.shape[0]):
        c = actuators.coordinate[k]
        ratio = cycle.inputs.position[c] / cycle.kinematics.actuator_lever[k]
        work.ratio[c] = ratio
        work.rotor[c] = work.rotor[c] + rotors.actuator_rotor[k] / (ratio * ratio)
    write_bodies(robot, cycle.kinematics, work.bodies)
    return factorise_all(robot, work)


@compiled
def accelerate(robot: Robot, cycle: CycleRecord, work: ForwardRoom) -> None:
    """Add to the accelerations of the actuators those of the residual of the efforts.

    Parameters
    ----------
    robot : Robot
    cycle : CycleRecord
        After step 7 with some accelerations.
    work : ForwardRoom
        After `begin`.
    """
    column = work.column
    for c in range(column.shape[0]):
        column[c] = (work.effort[c] - cycle.dynamics.actuator_effort[c]) / work.ratio[c]
    solve(robot, work, column)
    for c in range(column.shape[0]):
        more = column[c] / work.ratio[c]
        cycle.inputs.acceleration[c] = cycle.inputs.acceleration[c] + more


@compiled
def is_poor(work: ForwardRoom) -> bool:
    """Return whether the accelerations of any sample need refinement."""
    return not all_lanes(work.bodies.is_poor[0] == 0.0)
