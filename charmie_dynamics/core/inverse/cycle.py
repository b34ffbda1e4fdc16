# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""One cycle: the steps 3 to 7 in their order, on the arrays of step 2."""

from __future__ import annotations

import math

from charmie_dynamics.core.arrays import (
    ACTUATOR_COLLAPSED,
    NOT_FINITE,
    NOT_OF_LENGTH_ONE,
    OVERFLOW,
    REACHED,
    WRONG_SHAPE,
    Tree,
)
from charmie_dynamics.core.mechanisms.all_types import place_mechanisms
from charmie_dynamics.core.mechanisms.auxiliary_bodies import place_members
from charmie_dynamics.numerics.addresses import Address
from charmie_dynamics.numerics.blocks import lay_out
from charmie_dynamics.numerics.branches import all_lanes
from charmie_dynamics.numerics.jit import compiled, compiled_for
from charmie_dynamics.numerics.vectors import Floats

from .forward_kinematics import forward_kinematics
from .linear_actuators import joints_from_actuators
from .loops import close_loops
from .newton_euler import project_on_coordinates, propagate_loads, propagate_motion
from .records import CycleRecord, Robot, sizes_in
from .rotors import add_rotor_efforts

STATUSES = 16
ROUND_OFF = 1e-6  # tolerated error of the length of a quaternion; larger errors are rejected


@compiled
def run_kinematics(robot: Robot, cycle: CycleRecord) -> tuple[int, int]:
    """Run steps 3 to 5: actuators to joints, poses of all bodies and auxiliary bodies.

    Parameters
    ----------
    robot : Robot
    cycle : CycleRecord
        Inputs are read, results are written.

    Returns
    -------
    status, index : int
        REACHED, or the failure (a constant of `arrays`), and the index of its cause: an actuator,
        or a mechanism as in `place_mechanisms`.
    """
    tree = robot.tree
    actuators = robot.mechanisms.actuators
    out = cycle.kinematics
    status, index = joints_from_actuators(tree, actuators, cycle.inputs, out)  # step 3
    if status != REACHED:
        return status, index
    forward_kinematics(tree, out)  # step 4
    collapsed = place_members(actuators, out)  # step 5
    if collapsed >= 0:
        return ACTUATOR_COLLAPSED, collapsed
    return place_mechanisms(tree, robot.mechanisms.by_type, out, cycle.mechanism_kinematics)


@compiled
def run_dynamics(robot: Robot, cycle: CycleRecord) -> None:
    """Run steps 6 and 7: inverse dynamics of the tree, loops, actuator efforts.

    Parameters
    ----------
    robot : Robot
    cycle : CycleRecord
        Inputs and results of `run_kinematics` are read, results are written.
    """
    tree = robot.tree
    kinematics = cycle.kinematics
    out = cycle.dynamics
    propagate_motion(  # step 6
        tree,
        kinematics.R_parent_frame,
        kinematics.p_parent_frame,
        kinematics.joint_velocity,
        kinematics.joint_acceleration,
        out.angular_velocity,
        out.angular_acceleration,
        out.linear_acceleration,
    )
    propagate_loads(
        tree,
        kinematics.R_parent_frame,
        kinematics.p_parent_frame,
        out.angular_velocity,
        out.angular_acceleration,
        out.linear_acceleration,
        out.open_force,
        out.open_torque,
    )
    project_on_coordinates(
        tree, kinematics.R_parent_frame, out.open_force, out.open_torque, out.generalized_force
    )
    rotors = robot.mechanisms.rotors
    add_rotor_efforts(rotors, kinematics.joint_acceleration, out.generalized_force)
    close_loops(robot, cycle)  # step 7


@compiled
def has_non_finite(values: Floats) -> bool:
    """Return whether any value is infinite or not a number."""
    for k in range(values.shape[0]):
        if not all_lanes(abs(values[k]) < math.inf):
            return True
    return False


@compiled_for("int", "int", "inputs", "inputs", "inputs", "floats", "bool")
def run_cycle(
    ints: Address,
    floats: Address,
    position: Floats,
    velocity: Floats,
    acceleration: Floats,
    block: Floats,
    dynamics: bool,
) -> int:
    """Run the whole cycle on blocks of memory, see `numerics.blocks`.

    Parameters
    ----------
    ints, floats : Address
        Of the blocks of a `Robot`.
    position : (q + w,) array
    velocity, acceleration : (q,) array
        Of the actuators.
    block : (c,) array
        Output: the floats of a `CycleRecord`; may be longer.
    dynamics : bool
        False: steps 3 to 5 only.

    Returns
    -------
    int
        REACHED, or the failure (a constant of `arrays`) plus STATUSES times the index of its cause.
    """
    sizes = sizes_in(ints)
    q = sizes.q
    if position.shape[0] != q + sizes.w or velocity.shape[0] != q or acceleration.shape[0] != q:
        return WRONG_SHAPE
    robot = lay_out(Robot, ints, floats, sizes)
    cycle = lay_out(CycleRecord, ints, block, sizes)
    freedoms = robot.freedoms
    for c in range(q):
        cycle.inputs.position[c] = position[freedoms.position_entry[c]]
        cycle.inputs.velocity[c] = velocity[c]
        cycle.inputs.acceleration[c] = acceleration[c]
    for k in range(sizes.w):
        cycle.inputs.scalar[k] = position[freedoms.scalar_entry[k]]
    inputs = cycle.inputs
    if (
        has_non_finite(inputs.position)
        or has_non_finite(inputs.velocity)
        or has_non_finite(inputs.acceleration)
        or has_non_finite(inputs.scalar)
    ):
        return NOT_FINITE
    return run_steps(robot, cycle, dynamics)


@compiled
def find_unfit_quaternion(tree: Tree, cycle: CycleRecord) -> int:
    """Return the first floating joint whose quaternion is not of length one, or -1."""
    inputs = cycle.inputs
    if inputs.scalar.shape[0] > 0:
        for i in range(tree.parent.shape[0]):
            k = tree.scalar[i]
            if k >= 0:
                c = tree.coordinate[i] + 3
                square = inputs.scalar[k] * inputs.scalar[k]
                for j in range(3):
                    square = square + inputs.position[c + j] * inputs.position[c + j]
                if not all_lanes(abs(square - 1.0) < 2.0 * ROUND_OFF):
                    return int(k)
    return -1


@compiled
def run_steps(robot: Robot, cycle: CycleRecord, dynamics: bool) -> int:
    """Run the cycle on finite inputs in `cycle`; the status is OVERFLOW for infinite results."""
    kinematics = cycle.kinematics
    fault = find_unfit_quaternion(robot.tree, cycle)
    if fault >= 0:
        return NOT_OF_LENGTH_ONE + STATUSES * fault
    status, index = run_kinematics(robot, cycle)
    if status != REACHED:
        return status + STATUSES * index
    if has_non_finite(kinematics.joint_velocity) or has_non_finite(kinematics.joint_acceleration):
        return OVERFLOW
    if dynamics:
        run_dynamics(robot, cycle)
        loads = cycle.dynamics
        # the loads of the root sum up all loads
        if (
            has_non_finite(loads.actuator_effort)
            or has_non_finite(loads.link_force[0])
            or has_non_finite(loads.link_torque[0])
        ):
            return OVERFLOW
    return REACHED
