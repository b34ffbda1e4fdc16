# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Contributions of loops and mechanisms to the derivatives of the efforts.

Steps 3 to 5 and the loads of mechanisms run on duals (`numerics.derivatives`), along seven
directions at once: of the positions of actuators, or of any numbers of the robot's blocks. So the
kernels of a mechanism need not define derivatives.

With the ratio g = dq/dL of a joint and its actuator, the efforts of the actuators are
g (tau(q, q', q'') + s), where tau is that of the open tree and s holds the mechanisms. Along a
direction x therefore

    d effort/dx = dg/dx (tau + s) + g (dtau/dq dq/dx + dtau/dq' dq'/dx + M dq''/dx + ds/dx)
"""

from __future__ import annotations

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.inverse.cycle import STATUSES, run_kinematics
from charmie_dynamics.core.inverse.floating_joints import pose_of, pose_rate
from charmie_dynamics.core.inverse.records import Robot, sizes_in
from charmie_dynamics.core.inverse.spring_damping import add_damping_by_velocity
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.blocks import lay_out
from charmie_dynamics.numerics.derivatives import as_duals
from charmie_dynamics.numerics.jit import compiled, compiled_for
from charmie_dynamics.numerics.vectors import Floats

from .kernels import RobotAddresses
from .known_efforts import write_spring_efforts
from .records import DerivativeTerms, EquationsRoom, LoopRoom
from .transmission import add_actuator_rotors, write_transmission

DIRECTIONS = 7
WIDTH = 1 + DIRECTIONS  # of a dual
# the arrays of (q,) duals that `run_loop_derivatives` writes, in their order
JOINT_POSITION, JOINT_VELOCITY, JOINT_ACCELERATION, RATIO, SPRING_EFFORT = range(5)


@compiled_for("int", "int", "floats", "floats")
def run_loop_derivatives(ints: Address, duals: Address, workspace: Floats, out: Floats) -> int:
    """Write the joints' motion, ratios and spring efforts with derivatives in seven directions.

    Parameters
    ----------
    ints, duals : Address
        Of the ints of a `Robot` and of its floats as duals, (8 k,).
    workspace : (8 m,) array
        The floats of a `LoopRoom` as duals. Positions, velocities and accelerations of the
        actuators, with which it begins, are read.
    out : (5 q 8,) array
        Output: five arrays of duals, see above, in coordinates of the joints.

    Returns
    -------
    int
        As `run_cycle`.
    """
    sizes = sizes_in(ints)
    robot = lay_out(Robot, ints, as_duals(duals), sizes)
    work = lay_out(LoopRoom, ints, as_duals(workspace), sizes)
    cycle = work.cycle
    status, index = run_kinematics(robot, cycle)
    if status != REACHED:
        return status + STATUSES * index
    write_spring_efforts(robot, cycle, work.spring_effort)
    q = sizes.q
    kinematics = cycle.kinematics
    found = as_duals(out)
    for c in range(q):
        found[JOINT_POSITION * q + c] = kinematics.joint_position[c]
        found[JOINT_VELOCITY * q + c] = kinematics.joint_velocity[c]
        found[JOINT_ACCELERATION * q + c] = kinematics.joint_acceleration[c]
        found[RATIO * q + c] = 1.0
        found[SPRING_EFFORT * q + c] = work.spring_effort[c]
    actuators = robot.mechanisms.actuators
    for k in range(actuators.coordinate.shape[0]):
        c = actuators.coordinate[k]
        found[RATIO * q + c] = cycle.inputs.position[c] / kinematics.actuator_lever[k]
    return REACHED


@compiled
def add_loops(
    robot: Robot,
    at: RobotAddresses,
    work: EquationsRoom,
    workspace: Floats,
    terms: DerivativeTerms,
) -> int:
    """Turn the derivatives of the open tree into those of the robot, in coordinates of actuators.

    Parameters
    ----------
    robot : Robot
    at : RobotAddresses
    work : EquationsRoom
        With the efforts of the open tree.
    workspace : array
        For a `LoopRoom` of duals, and after it for their output.
    terms : DerivativeTerms
        Of the open tree, in coordinates of the joints; they are changed.

    Returns
    -------
    int
        As `run_cycle`.
    """
    q = terms.effort_by_position.shape[0]
    write_transmission(robot, work.cycle, work.transmission)
    count = find_moved(robot, work)
    for first in range(0, count, DIRECTIONS):
        status = differentiate_loops(
            robot, at, work, first, min(count - first, DIRECTIONS), workspace
        )
        if status != REACHED:
            return status
    ratio, ratio_rate = work.transmission.ratio, work.transmission.ratio_rate
    M, D = terms.effort_by_acceleration, terms.effort_by_velocity
    Q = terms.effort_by_position
    for i in range(q):
        for j in range(q):
            # D of the open tree: `spring_by_position` includes how the dampers follow the velocity
            along = Q[i, j] * ratio[j] + D[i, j] * work.velocity_by_position[j]
            along += M[i, j] * work.acceleration_by_position[j] + work.spring_by_position[i, j]
            Q[i, j] = ratio[i] * along
        Q[i, i] += work.ratio_by_position[i] * work.effort[i]
    # only the loads of dampers depend on velocities
    add_damping_by_velocity(robot, work.cycle, work.unit_velocity, work.length_gradient, D)
    for i in range(q):
        for j in range(q):
            D[i, j] = ratio[i] * (D[i, j] * ratio[j] + 2.0 * M[i, j] * ratio_rate[j])
            M[i, j] *= ratio[i] * ratio[j]
    add_actuator_rotors(robot.mechanisms, M)
    return REACHED


@compiled
def find_moved(robot: Robot, work: EquationsRoom) -> int:
    """Write the coordinates that the loops and mechanisms may depend on, and return their number.

    These are the joints of linear actuators, of loaded bodies and of their ancestors.
    """
    q = work.moved.shape[0]
    for c in range(q):
        work.ratio_by_position[c] = 0.0
        work.velocity_by_position[c] = 0.0
        work.acceleration_by_position[c] = 0.0
        for row in range(q):
            work.spring_by_position[row, c] = 0.0
    freedoms = robot.freedoms
    count = 0
    for c in range(q):
        is_moved = False
        for d in range(freedoms.freedom_body.shape[0]):
            is_loaded = robot.mechanisms.is_loaded[freedoms.freedom_body[d]] != 0
            if freedoms.freedom_coordinate[d] == c and is_loaded:
                is_moved = True
        for k in range(robot.mechanisms.actuators.coordinate.shape[0]):
            if robot.mechanisms.actuators.coordinate[k] == c:
                is_moved = True
        if is_moved:
            work.moved[count] = c
            count += 1
    return count


@compiled
def differentiate_loops(
    robot: Robot,
    at: RobotAddresses,
    work: EquationsRoom,
    first: int,
    count: int,
    workspace: Floats,
) -> int:
    """Write the derivatives by the positions of some actuators, from number `first` of `moved`."""
    inputs = work.cycle.inputs
    q = inputs.position.shape[0]
    out = workspace[workspace.shape[0] - 5 * q * WIDTH :]
    scalars = inputs.scalar.shape[0]
    for k in range((3 * q + scalars) * WIDTH):
        workspace[k] = 0.0
    for c in range(q):
        workspace[c * WIDTH] = inputs.position[c]
        workspace[(q + c) * WIDTH] = inputs.velocity[c]
        workspace[(2 * q + c) * WIDTH] = inputs.acceleration[c]
    for k in range(scalars):
        workspace[(3 * q + k) * WIDTH] = inputs.scalar[k]
    for k in range(count):
        seed_position(robot, work, int(work.moved[first + k]), workspace[1 + k :])
    status = call_at(at.run_loop_derivatives, at.ints, at.duals, workspace, out)
    if status != REACHED:
        return status
    for k in range(count):
        c = int(work.moved[first + k])
        along = 1 + k
        work.ratio_by_position[c] = out[(RATIO * q + c) * WIDTH + along]
        work.velocity_by_position[c] = out[(JOINT_VELOCITY * q + c) * WIDTH + along]
        work.acceleration_by_position[c] = out[(JOINT_ACCELERATION * q + c) * WIDTH + along]
        for row in range(q):
            work.spring_by_position[row, c] = out[(SPRING_EFFORT * q + row) * WIDTH + along]
    if first == 0:
        for c in range(q):
            work.effort[c] += out[(SPRING_EFFORT * q + c) * WIDTH]
    return REACHED


@compiled
def seed_position(robot: Robot, work: EquationsRoom, c: int, parts: Floats) -> None:
    """Write how the positions change along coordinate `c`.

    Parameters
    ----------
    robot : Robot
    work : EquationsRoom
        After step 3.
    c : int
        Of a floating joint: what its body moves along or about the axis.
    parts : array
        Output: one direction of the duals of the inputs, WIDTH apart.
    """
    i = robot.freedoms.floating_body[c]
    if i < 0:
        parts[c * WIDTH] = 1.0
        return
    first = robot.tree.coordinate[i]
    q = work.moved.shape[0]
    axis = c - first
    v = (1.0 * (axis == 0), 1.0 * (axis == 1), 1.0 * (axis == 2))
    w = (1.0 * (axis == 3), 1.0 * (axis == 4), 1.0 * (axis == 5))
    rate = pose_rate(pose_of(robot.tree, i, work.cycle.kinematics), v, w)
    for k in range(6):
        parts[(first + k) * WIDTH] = rate[k]
    parts[(3 * q + robot.tree.scalar[i]) * WIDTH] = rate[6]
