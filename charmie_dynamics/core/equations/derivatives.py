# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Derivatives of the efforts by positions, velocities and accelerations.

Of the tree they follow in closed form from the spatial vectors of the equations of motion. With
S'_j = v_parent x S_j and S''_j = a_parent x S_j + v_parent x S'_j of the joint of body j, the
accelerations less gravity, and B_j and F_j the composite drift and the force on body j, a change of
joint j changes the effort of joint i = j, or of a joint i before it, by

    S_i . (S_j x* F_j + I_j S''_j + B_j S'_j)

and, the other way round, a change of joint i that of joint j by S_j . (I_j S''_i + B_j S'_i): what
is behind i turns with it, and meets other velocities and accelerations of its parent. (The same
quantities as in Singh, Russo and Wensing, Efficient Analytical Derivatives of Rigid-Body Dynamics
Using Spatial Vector Algebra, IEEE RA-L 7 (2022) 1776, here at one point at rest for all bodies.)
Without floating joints (`mass_matrix`) the derivative by velocities is twice the Coriolis matrix
plus the slopes of friction and dampers. The derivative by accelerations is the mass matrix.
"""

from __future__ import annotations

from charmie_dynamics.core.arrays import OVERFLOW, REACHED, Freedoms
from charmie_dynamics.core.inverse.batch import copy_lanes, fill_block
from charmie_dynamics.core.inverse.cycle import has_non_finite
from charmie_dynamics.core.inverse.friction import (
    AT_ACTUATOR,
    AT_JOINT,
    add_friction,
    add_friction_slopes,
)
from charmie_dynamics.core.inverse.records import Robot, sizes_in
from charmie_dynamics.core.inverse.rotors import add_rotor_efforts
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.blocks import first_numbers, float_count, lay_out
from charmie_dynamics.numerics.branches import LANES, as_lanes
from charmie_dynamics.numerics.jit import compiled, compiled_for
from charmie_dynamics.numerics.vectors import (
    Floats,
    add,
    cross,
    cross_add,
    dot,
    rotate,
    rotate_back,
    scale,
    subtract,
)

from .kernels import TYPES, RobotAddresses
from .loop_derivatives import add_loops
from .mass_matrix import turn_with_floating_bodies
from .records import DerivativeTerms, EquationsRoom, Spatial, SpatialForces, TreeMatrices
from .spatial_motion import apply_inertia
from .tree import write_tree


@compiled_for(*TYPES)
def run_derivatives(
    addresses: Address,
    position: Floats,
    velocity: Floats,
    acceleration: Floats,
    workspace: Floats,
    out: Floats,
) -> int:
    """Write the derivatives of the efforts in the coordinates of the actuators.

    Parameters
    ----------
    addresses, position, velocity, acceleration, workspace, out
        See `kernels`: the workspace is an `EquationsRoom`, behind it eight times a `LoopRoom` and
        40 q numbers; the output is a `DerivativeTerms`.

    Returns
    -------
    int
        As `run_cycle`.
    """
    at = first_numbers(RobotAddresses, addresses)
    status = call_at(at.run_tree, addresses, position, velocity, acceleration, workspace, out, True)
    if status != REACHED:
        return status
    sizes = sizes_in(at.ints)
    robot = lay_out(Robot, at.ints, at.floats, sizes)
    work = lay_out(EquationsRoom, at.ints, workspace, sizes)
    terms = lay_out(DerivativeTerms, at.ints, out, sizes)
    write_derivatives(robot, work, terms)
    friction, by_velocity = robot.mechanisms.friction, terms.effort_by_velocity
    kinematics = work.cycle.kinematics
    joint_velocity = kinematics.joint_velocity
    has_loops = sizes.a > 0 or robot.mechanisms.is_loaded[0] != 0
    if has_loops or sizes.r > 0:  # loop joints: `run_closed_derivatives` reads the efforts
        write_efforts(robot.freedoms, work.spatial, work.forces, work.effort)
        rotors = robot.mechanisms.rotors
        add_rotor_efforts(rotors, kinematics.joint_acceleration, work.effort)
        add_friction(friction, AT_JOINT, joint_velocity, work.effort)
    if has_loops:
        rest = workspace[float_count(EquationsRoom, sizes) :]
        status = add_loops(robot, at, work, rest, terms)
        if status != REACHED:
            return status
    add_friction_slopes(friction, AT_ACTUATOR, work.cycle.inputs.velocity, by_velocity)
    return OVERFLOW if has_non_finite(out) else REACHED


@compiled
def write_derivatives(robot: Robot, work: EquationsRoom, terms: DerivativeTerms) -> None:
    """Write the derivatives of the open tree, friction of its joints included, after `run_tree`."""
    kinematics, by_velocity = work.cycle.kinematics, terms.effort_by_velocity
    for i in range(by_velocity.shape[0]):
        for j in range(by_velocity.shape[0]):
            by_velocity[i, j] = 2.0 * by_velocity[i, j]  # from the Coriolis matrix
    turn_with_floating_bodies(robot.tree, kinematics, terms.effort_by_acceleration, by_velocity)
    write_by_position(robot.freedoms, work.spatial, work.forces, terms.effort_by_position)
    add_friction_slopes(robot.mechanisms.friction, AT_JOINT, kinematics.joint_velocity, by_velocity)


@compiled_for(*("int", "int", "int"), *("floats2",) * 5, nogil=True)
def run_derivatives_batch(
    ints: Address,
    floats: Address,
    run_lanes: Address,
    position: Floats,
    velocity: Floats,
    acceleration: Floats,
    out: Floats,
    block: Floats,
) -> int:
    """Write the derivatives of many states of a robot without mechanisms, several at once.

    Parameters
    ----------
    ints, floats, run_lanes, position, velocity, acceleration
        As of `core.inverse.batch.run_batch`.
    out : (N, k) array
        Output: a `DerivativeTerms` in each row.
    block : (m, LANES) array
        Workspace for an `EquationsRoom` and a `DerivativeTerms`; from `room_for`.

    Returns
    -------
    int
        As `run_batch`.
    """
    sizes = sizes_in(ints)
    robot = lay_out(Robot, ints, floats, sizes)
    room = float_count(EquationsRoom, sizes)
    work = lay_out(EquationsRoom, ints, as_lanes(block), sizes)
    results = block[room:]
    terms = lay_out(DerivativeTerms, ints, as_lanes(results), sizes)
    matrices = lay_out(TreeMatrices, ints, as_lanes(results), sizes)
    for first in range(0, out.shape[0], LANES):
        fill_block(robot, position, velocity, acceleration, first, block, True)
        if call_at(run_lanes, ints, floats, block, False) != REACHED:
            return first
        write_tree(robot, work, matrices, True)
        write_derivatives(robot, work, terms)
        add_friction_slopes(
            robot.mechanisms.friction,
            AT_ACTUATOR,
            work.cycle.inputs.velocity,
            terms.effort_by_velocity,
        )
        if has_non_finite(as_lanes(results)):
            return first
        copy_lanes(results, first, out)
    return -1


@compiled
def write_efforts(
    freedoms: Freedoms, spatial: Spatial, forces: SpatialForces, effort: Floats
) -> None:
    """Write the efforts (q,) of the open tree: S_j . F_j."""
    for c in range(effort.shape[0]):
        effort[c] = 0.0
    for j in range(freedoms.freedom_body.shape[0]):
        body = freedoms.freedom_body[j]
        effort[freedoms.freedom_coordinate[j]] += dot(
            spatial.joint_angular[j], forces.torque[body]
        ) + dot(spatial.joint_linear[j], forces.force[body])


@compiled
def write_by_position(
    freedoms: Freedoms, spatial: Spatial, forces: SpatialForces, by_position: Floats
) -> None:
    """Write the derivatives of the efforts of the open tree by the positions of its joints.

    Parameters
    ----------
    freedoms : Freedoms
    spatial, forces : Spatial, SpatialForces
        Of the state.
    by_position : (q, q) array
        Output, in the coordinates of the joints; mimic joints are added to their leaders.
    """
    for row in range(by_position.shape[0]):
        for column in range(by_position.shape[0]):
            by_position[row, column] = 0.0
    for j in range(freedoms.freedom_body.shape[0]):
        add_changes(freedoms, spatial, forces, j, by_position)


@compiled
def add_changes(
    freedoms: Freedoms, spatial: Spatial, forces: SpatialForces, j: int, by_position: Floats
) -> None:
    """Add what degree of freedom `j` makes with itself and with each one before it."""
    body = freedoms.freedom_body[j]
    force, torque = forces.force[body], forces.torque[body]
    s_angular, s_linear = spatial.joint_angular[j], spatial.joint_linear[j]
    p_angular, p_linear = apply_inertia(spatial, body, s_angular, s_linear)
    # S_j x* F_j + I_j S''_j + B_j S'_j
    f_angular, f_linear = apply_inertia(
        spatial, body, forces.change_angular[j], forces.change_linear[j]
    )
    turned = cross_add(s_angular, torque, cross(s_linear, force))
    rate = spatial.rate_angular[j]
    f_angular = add(f_angular, add(turned, rotate(spatial.drift[body], rate)))
    dragged = scale(2.0, cross(spatial.momentum[body], rate))
    f_linear = add(f_linear, subtract(cross(s_angular, force), dragged))
    # B_j^T S_j, whose linear part is zero
    t_angular = add(
        rotate_back(spatial.drift[body], s_angular),
        scale(2.0, cross(spatial.momentum[body], s_linear)),
    )
    column = freedoms.freedom_coordinate[j]
    by_position[column, column] += dot(s_angular, f_angular) + dot(s_linear, f_linear)
    i = freedoms.freedom_before[j]
    while i >= 0:
        row = freedoms.freedom_coordinate[i]
        a, v = spatial.joint_angular[i], spatial.joint_linear[i]
        by_position[row, column] += dot(a, f_angular) + dot(v, f_linear)
        by_position[column, row] += (
            dot(forces.change_angular[i], p_angular)
            + dot(forces.change_linear[i], p_linear)
            + dot(spatial.rate_angular[i], t_angular)
        )
        if freedoms.freedom_carrier[i] == freedoms.freedom_carrier[j]:
            # of one floating joint: S_i turns with the body, too, without S_j x* F_j
            by_position[row, column] -= dot(a, turned) + dot(v, cross(s_angular, force))
        i = freedoms.freedom_before[i]
