# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Accelerations of the actuators at one state, under efforts.

What the efforts are without acceleration, springs, balance mechanisms and loads from outside
included, is a cycle of inverse dynamics. What the given efforts have beyond it accelerates: of the
joints by M^-1 (`articulated_bodies`), and of the actuators through the ratio of each linear
actuator, q' = (L / k) L' (step 3), efforts by the same ratio the other way round.
"""

from __future__ import annotations

from charmie_dynamics.core.arrays import (
    MASS_IS_SINGULAR,
    NOT_FINITE,
    OVERFLOW,
    REACHED,
    WRONG_SHAPE,
)
from charmie_dynamics.core.equations.kernels import TYPES, InputArrays, RobotAddresses
from charmie_dynamics.core.inverse.cycle import STATUSES, outside
from charmie_dynamics.core.inverse.linear_actuators import joints_from_actuators
from charmie_dynamics.core.inverse.records import CycleRecord, Robot, sizes_in
from charmie_dynamics.numerics.addresses import call_at
from charmie_dynamics.numerics.blocks import lay_out
from charmie_dynamics.numerics.jit import compiled, compiled_for
from charmie_dynamics.numerics.vectors import Floats

from .articulated_bodies import write_bodies
from .friction import friction_effort
from .records import ForwardResult, ForwardRoom, FrictionLaws
from .shared_coordinates import factorise_all, solve


@compiled_for(*TYPES)
def run_forward(addresses: RobotAddresses, inputs: InputArrays, room: Floats, out: Floats) -> int:
    """Write the accelerations to which efforts lead.

    Parameters
    ----------
    addresses, inputs, room, out
        See `core.equations.kernels`. The inputs are position, velocity and effort of the
        actuators; the fourth address is that of the floats of a `FrictionLaws`; the room is a
        `ForwardRoom`, the output a `ForwardResult`.

    Returns
    -------
    int
        As `run_cycle`, or MASS_IS_SINGULAR and the coordinate whose joint moves nothing.
    """
    ints, floats, run_cycle, laws, _, _ = addresses
    position, velocity, effort = inputs
    sizes = sizes_in(ints)
    q = sizes.q
    if effort.shape[0] != q:
        return WRONG_SHAPE
    if outside(effort):
        return NOT_FINITE
    robot = lay_out(Robot, ints, floats, sizes)
    work = lay_out(ForwardRoom, ints, room, sizes)
    result = lay_out(ForwardResult, ints, out, sizes)
    friction = lay_out(FrictionLaws, ints, laws, sizes)
    for c in range(q):
        work.at_rest[c] = 0.0
    at_rest, block = room[:q], out[q:]  # they stand first
    status = call_at(run_cycle, ints, floats, position, velocity, at_rest, block, True)
    if status != REACHED:
        return status
    for c in range(q):
        work.column[c] = effort[c]
    cycle = result.cycle
    found = accelerate(robot, cycle, friction, work)
    if found >= 0:
        return MASS_IS_SINGULAR + STATUSES * found
    acceleration = cycle.inputs.acceleration
    if outside(acceleration):
        return OVERFLOW
    # those of the joints, too
    joints_from_actuators(robot.tree, robot.mechanisms.actuators, cycle.inputs, cycle.kinematics)
    for c in range(q):
        result.acceleration_found[c] = acceleration[c]
    return REACHED


@compiled
def accelerate(robot: Robot, cycle: CycleRecord, friction: FrictionLaws, work: ForwardRoom) -> int:
    """Write the accelerations of the actuators.

    Parameters
    ----------
    robot : Robot
    cycle : CycleRecord
        After step 7 without accelerations; those of the actuators are written.
    friction : FrictionLaws
    work : ForwardRoom
        The column holds the efforts of the actuators.

    Returns
    -------
    int
        As `factorise`.
    """
    kinematics, column, ratio = cycle.kinematics, work.column, work.ratio
    actuators = robot.mechanisms.actuators
    for c in range(column.shape[0]):
        lost = friction_effort(
            friction.viscous[c],
            friction.coulomb[c],
            friction.transition[c],
            cycle.inputs.velocity[c],
        )
        column[c] = column[c] - lost - cycle.dynamics.actuator_effort[c]
        ratio[c] = 1.0
    for k in range(actuators.coordinate.shape[0]):
        c = actuators.coordinate[k]
        ratio[c] = cycle.inputs.position[c] / kinematics.actuator_lever[k]
        column[c] = column[c] / ratio[c]
    write_bodies(robot, kinematics, work.bodies)
    found = factorise_all(robot, work)
    if found >= 0:
        return found
    solve(robot, work, column)
    for c in range(column.shape[0]):
        cycle.inputs.acceleration[c] = column[c] / ratio[c]
    return -1
