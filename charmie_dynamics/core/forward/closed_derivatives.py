# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Derivatives of the efforts of robots with loop joints, by their independent coordinates.

With the motion v = G u of all coordinates by the independent ones, and multipliers lambda for which
passive joints have no effort, the efforts of the independent coordinates are those of

    tau(q, v, a) + D^T lambda

where tau is that of the open tree. Along a motion dq = G dx that keeps the loops closed,

    G^T (dtau/dq dq + dtau/dv dv + M da + dD^T lambda)

since G^T D^T = 0. The changes of passive coordinates follow from the constraints (implicit function
theorem): D dv + d(D v) = 0, D da + d(D a + D' v) = 0 with v and a held.

All d are exact. With the displacement (spatial vector) eta of a body and a joint's axis S, of the
carrier c, dS = eta_c x S, and body by body from the root

    dV = dV_before + S dv + dS v
    dA = dA_before + S da + dS a + S' dv + (dV_c x S + V_c x dS) v

The axes of a floating joint turn with the body itself: the difference is added behind its last
freedom. With F and F' of `loop_constraints`, of which u turns with the first body and q moves with
the second one, Phi' = F . (V_2 - V_1) and Phi'' = F . (A_2 - A_1) + F' . (V_2 - V_1) are
differentiated row by row, for `LANES` directions at once.
"""

from __future__ import annotations

import math
from typing import Any

from charmie_dynamics.core.arrays import NOT_FINITE, REACHED
from charmie_dynamics.core.equations.kernels import TYPES, RobotAddresses
from charmie_dynamics.core.equations.records import EquationsRoom, Spatial
from charmie_dynamics.core.equations.spatial_forces import acceleration_of
from charmie_dynamics.core.equations.spatial_motion import NOTHING, velocity_of
from charmie_dynamics.core.inverse.cycle import has_non_finite
from charmie_dynamics.core.inverse.records import CycleRecord, Robot, sizes_in
from charmie_dynamics.core.mechanisms.loop_joints import AXIS, DISTANCE, ORIENTATION
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.blocks import first_numbers, float_count, floats_of, lay_out
from charmie_dynamics.numerics.branches import LANES, all_lanes, as_lanes
from charmie_dynamics.numerics.jit import compiled, compiled_apart, compiled_for
from charmie_dynamics.numerics.vectors import (
    Floats,
    Vector,
    add,
    cross,
    cross_add,
    dot,
    scale,
    store,
    subtract,
)

from .loop_constraints import CLOSED, STILL, dependence_of
from .loop_records import ClosedDerivativesRoom, DirectionColumns
from .orthogonal_factors import swap_rows

# of a row that is relative to its size: with smaller pivots a position is close to a singular one
SMALL_PIVOT = 1e-4


@compiled_for(*TYPES)
def run_closed_derivatives(
    addresses: Address,
    position: Floats,
    velocity: Floats,
    acceleration: Floats,
    workspace: Floats,
    out: Floats,
) -> int:
    """Write the derivatives of the efforts of the independent coordinates.

    Parameters
    ----------
    addresses, position, velocity, acceleration, workspace, out
        See `core.equations.kernels`: accelerations of passive joints do not count. The workspace is
        that of `DirectionColumns`, `LANES` floats each, that of a `ClosedDerivativesRoom` and the
        rest of that of `run_derivatives`. The output is a `DerivativeTerms` of the k independent
        coordinates, 3 k^2 numbers. The first one is NaN, and the others do not count, at states
        whose constraints have to be examined: loops are open, or passive joints not clearly
        determined.

    Returns
    -------
    int
        As `run_cycle`.
    """
    at = first_numbers(RobotAddresses, addresses)
    sizes = sizes_in(at.ints)
    robot = lay_out(Robot, at.ints, at.floats, sizes)
    first = LANES * float_count(DirectionColumns, sizes)
    columns = lay_out(DirectionColumns, at.ints, as_lanes(workspace[:first]), sizes)
    room = workspace[first:]
    work = lay_out(ClosedDerivativesRoom, at.ints, room, sizes)
    before = float_count(ClosedDerivativesRoom, sizes) - float_count(EquationsRoom, sizes)
    equations = room[before:]
    status = call_at(
        at.run_cycle, at.ints, at.floats, position, velocity, acceleration, equations, False
    )
    if status != REACHED:
        return status
    call_at(at.run_loop_constraints, at.ints, at.floats, equations, floats_of(work.state))
    passive = sort_coordinates(robot, work)
    count = sizes.q - passive
    for k in range(3 * count * count):
        out[k] = math.nan if k == 0 else 0.0
    if not factor_passive(robot, work, passive):
        return REACHED
    for c in range(sizes.q):
        work.closed_acceleration[c] = acceleration[c]
    close_rows(work, passive, work.in_rows, work.sorted_rows, work.closed_acceleration)
    status = call_at(
        at.run_derivatives, at.of_derivatives, position, velocity,
        floats_of(work.closed_acceleration), equations, floats_of(work.terms),
    )  # fmt: skip
    if status != REACHED:
        return status
    write_loop_loads(robot, work, passive)
    for group in range((count + LANES - 1) // LANES):
        if not write_ratio(robot, work, columns, passive, group):
            return REACHED
    write_drift_by_velocity(robot, work)
    if count > 0:
        out[0] = 0.0
    by_velocity, by_position = out[count * count :], out[2 * count * count :]
    for group in range((count + LANES - 1) // LANES):
        ratio = as_lanes(work.ratio[group])
        project(work.mass_ratio, ratio, work, count, group, out)
        project(work.velocity_ratio, ratio, work, count, group, by_velocity)
        accelerate_by_velocity(robot, work, columns, passive, group)
        project(work.mass_ratio, columns.change, work, count, group, by_velocity)
        move_by_position(robot, work, columns, passive, group)
        project(work.velocity_ratio, columns.change, work, count, group, by_position)
        accelerate_by_position(robot, work, columns, passive)
        project(work.mass_ratio, columns.change, work, count, group, by_position)
        add_loop_loads(robot, work, columns, group)
        project(work.ratio, columns.effort, work, count, group, by_position)
    return REACHED


@compiled_for("int", "int", "inputs", "inputs", "inputs", "floats", "bool")
def run_kept_cycle(
    ints: Address,
    floats: Address,
    position: Floats,
    velocity: Floats,
    acceleration: Floats,
    block: Floats,
    dynamics: bool,
) -> int:
    """Change the accelerations of passive coordinates in a block after `run_cycle`, as it does."""
    sizes = sizes_in(ints)
    is_passive = lay_out(Robot, ints, floats, sizes).mechanisms.by_type.loop_joints.is_passive
    cycle = lay_out(CycleRecord, ints, block, sizes)
    for c in range(sizes.q):
        if is_passive[c] != 0:  # passive joints have no linear actuators
            cycle.inputs.acceleration[c] = acceleration[c]
            cycle.kinematics.joint_acceleration[c] = acceleration[c]
    return NOT_FINITE if has_non_finite(acceleration) else REACHED


@compiled
def sort_coordinates(robot: Robot, work: ClosedDerivativesRoom) -> int:
    """Write the coordinates that are passive, and the others; return the number of the passive."""
    joints = robot.mechanisms.by_type.loop_joints
    passive, independent = 0, 0
    for c in range(joints.is_passive.shape[0]):
        if joints.is_passive[c] == 0:
            work.independent_index[independent] = c
            independent += 1
            continue
        # those of few loops first: eliminated first, they leave zeros in the rows of the others
        k = passive
        while k > 0 and joints.loop_count[int(work.passive_index[k - 1])] > joints.loop_count[c]:
            work.passive_index[k] = work.passive_index[k - 1]
            k -= 1
        work.passive_index[k] = c
        passive += 1
    return passive


@compiled_apart
def factor_passive(robot: Robot, work: ClosedDerivativesRoom, passive: int) -> bool:
    """Factor D by the passive coordinates, each row by its size, with partial pivoting.

    The right side for the accelerations of passive coordinates is written into ``in_rows``.

    Returns
    -------
    bool
        Whether the loops are closed, with their velocities, and determine the passive coordinates.
    """
    constraints, rows = work.state.constraints, work.rows
    kinematics, velocity = work.equations.cycle.kinematics, work.equations.cycle.inputs.velocity
    is_passive = robot.mechanisms.by_type.loop_joints.is_passive
    count, q = constraints.error.shape[0], velocity.shape[0]
    speed = STILL
    for c in range(q):
        speed = max(speed, abs(velocity[c]))
        work.solved[c] = kinematics.joint_acceleration[c] if is_passive[c] == 0 else 0.0
    for r in range(count):
        rate, drift, driven = 0.0, 0.0, 0.0
        for c in range(q):
            if constraints.jacobian[r, c] != 0.0:
                rate += constraints.jacobian[r, c] * kinematics.joint_velocity[c]
                driven += constraints.jacobian[r, c] * work.solved[c]
            if constraints.jacobian_rate[r, c] != 0.0:
                drift += constraints.jacobian_rate[r, c] * kinematics.joint_velocity[c]
        work.in_rows[r] = drift + driven
        size = constraints.size[r]
        if not (abs(constraints.error[r]) <= CLOSED * size and abs(rate) <= CLOSED * speed * size):
            return False
        work.order[r] = r
        share = 1.0 / size
        for k in range(passive):
            rows[r, k] = constraints.jacobian[r, int(work.passive_index[k])] * share
    for k in range(passive):
        best, largest = k, 0.0
        for i in range(k, count):
            if abs(rows[i, k]) > largest:
                best, largest = i, abs(rows[i, k])
        if not largest > SMALL_PIVOT:
            return False
        swap_rows(rows, k, best, passive)
        work.order[k], work.order[best] = work.order[best], work.order[k]
        per_pivot = 1.0 / rows[k, k]
        for i in range(k + 1, count):
            if rows[i, k] != 0.0:
                share = rows[i, k] * per_pivot
                rows[i, k] = share
                for j in range(k + 1, passive):
                    rows[i, j] -= share * rows[k, j]
    return True


@compiled_apart
def close_rows(
    work: ClosedDerivativesRoom, passive: int, rows: Any, sorted_rows: Any, out: Any
) -> bool:
    """Write the motion of the passive coordinates that removes errors of all rows.

    Parameters
    ----------
    work : ClosedDerivativesRoom
        After `factor_passive`.
    passive : int
    rows : (r,) array of numbers or lanes
        The errors.
    sorted_rows : (r,) array of the same kind
        Workspace.
    out : (q,) array of the same kind
        Output; those of passive coordinates alone are written.

    Returns
    -------
    bool
        Whether rows that depend on the others are zero, too.
    """
    factors, size = work.rows, work.state.constraints.size
    count = rows.shape[0]
    for k in range(count):
        r = int(work.order[k])
        sorted_rows[k] = rows[r] * (-1.0 / size[r])
    for k in range(passive):
        value = sorted_rows[k]
        for i in range(k + 1, count):
            if factors[i, k] != 0.0:
                sorted_rows[i] = sorted_rows[i] - factors[i, k] * value
    agrees = True
    tolerance = dependence_of(work.state.constraints) if count > passive else 0.0
    for k in range(passive, count):
        if not all_lanes(abs(sorted_rows[k]) < tolerance):
            agrees = False
    for k in range(passive - 1, -1, -1):
        value = sorted_rows[k] / factors[k, k]
        out[int(work.passive_index[k])] = value
        for i in range(k):
            if factors[i, k] != 0.0:
                sorted_rows[i] = sorted_rows[i] - factors[i, k] * value
    return agrees


@compiled_apart
def write_loop_loads(robot: Robot, work: ClosedDerivativesRoom, passive: int) -> None:
    """Write the multipliers, and the loads and efforts of the loop joints.

    Rows that depend on the others get no multiplier. Which of the possible ones act does not
    matter: their difference has no effort, at this position or another one.
    """
    rows, order, x = work.rows, work.order, work.solved
    constraints, joints = work.state.constraints, robot.mechanisms.by_type.loop_joints
    for k in range(passive):
        x[k] = -work.equations.effort[int(work.passive_index[k])]
    for k in range(passive):
        x[k] /= rows[k, k]
        for i in range(k + 1, passive):
            x[i] -= rows[k, i] * x[k]
    for k in range(passive - 1, -1, -1):
        for i in range(k):
            x[i] -= rows[k, i] * x[k]
    for r in range(order.shape[0]):
        work.multiplier[r] = 0.0
    for k in range(passive):
        row = int(order[k])
        work.multiplier[row] = x[k] / constraints.size[row]
    for k in range(joints.first_body.shape[0]):
        store(work.loop_torque[k], (0.0, 0.0, 0.0))
        store(work.loop_force[k], (0.0, 0.0, 0.0))
    for c in range(work.loop_effort.shape[0]):
        work.loop_effort[c] = 0.0
    for r in range(order.shape[0]):
        k, share = joints.row_joint[r], work.multiplier[r]
        torque, force = scale(share, constraints.torque[r]), scale(share, constraints.force[r])
        store(work.loop_torque[k], add(work.loop_torque[k], torque))
        store(work.loop_force[k], add(work.loop_force[k], force))
        for a in range(robot.mechanisms.actuators.coordinate.shape[0]):
            c = robot.mechanisms.actuators.coordinate[a]
            work.loop_effort[c] += share * constraints.jacobian[r, c]


@compiled_apart
def write_ratio(
    robot: Robot,
    work: ClosedDerivativesRoom,
    columns: DirectionColumns,
    passive: int,
    group: int,
) -> bool:
    """Write `LANES` columns of G; return whether all rows agree about them."""
    constraints, q = work.state.constraints, work.closed_acceleration.shape[0]
    ratio = as_lanes(work.ratio[group])
    for c in range(q):
        ratio[c] = 0.0
    for lane in range(LANES):
        k = group * LANES + lane
        c = int(work.independent_index[k]) if k < q - passive else -1
        if c >= 0:
            work.ratio[group, c, lane] = 1.0
        for r in range(constraints.error.shape[0]):
            value = constraints.jacobian[r, c] * ratio_of(robot, work, c) if c >= 0 else 0.0
            work.ratio_rows[r, lane] = value
    agrees = close_rows(work, passive, as_lanes(work.ratio_rows), columns.sorted_rows, ratio)
    M, D = work.terms.effort_by_acceleration, work.terms.effort_by_velocity
    mass_ratio = as_lanes(work.mass_ratio[group])
    velocity_ratio = as_lanes(work.velocity_ratio[group])
    for c in range(q):
        inertia, slope = M[c, 0] * ratio[0], D[0, c] * ratio[0]
        for i in range(1, q):
            if M[c, i] != 0.0:  # not between branches
                inertia = inertia + M[c, i] * ratio[i]
            if D[i, c] != 0.0:
                slope = slope + D[i, c] * ratio[i]
        mass_ratio[c], velocity_ratio[c] = inertia, slope
    return agrees


@compiled
def ratio_of(robot: Robot, work: ClosedDerivativesRoom, c: int) -> float:
    """Return the ratio of the velocity of a joint and that of its actuator."""
    has_ratios = robot.mechanisms.actuators.coordinate.shape[0] > 0
    return work.equations.transmission.ratio[c] if has_ratios else 1.0


@compiled_apart
def project(
    left: Floats, right: Any, work: ClosedDerivativesRoom, count: int, group: int, out: Floats
) -> None:
    """Add the products of columns, given as `ClosedDerivativesRoom.ratio`, and one of lanes.

    Parameters
    ----------
    left : (q, q, LANES) array
    right : (q,) array of lanes
    work : ClosedDerivativesRoom
        Row 0 of ``ratio_rows`` is written.
    count, group : int
    out : array
        Output: `LANES` columns of a (count, count) matrix.
    """
    projected = as_lanes(work.ratio_rows)
    for k in range(count):
        total = left[k // LANES, 0, k % LANES] * right[0]
        for c in range(1, right.shape[0]):
            total = total + left[k // LANES, c, k % LANES] * right[c]
        projected[0] = total
        for lane in range(min(LANES, count - group * LANES)):
            out[k * count + group * LANES + lane] += work.ratio_rows[0, lane]


@compiled_apart
def write_drift_by_velocity(robot: Robot, work: ClosedDerivativesRoom) -> None:
    """Write the derivatives of Phi'' by the velocities of the joints.

    A joint with the axis S before the second body changes V_2 by S, and A_2 by 2 S' - V_2 x S. The
    sum of F . S' + F' . S is D'.
    """
    joints, freedoms = robot.mechanisms.by_type.loop_joints, robot.freedoms
    constraints, spatial = work.state.constraints, work.equations.spatial
    out = work.drift_by_velocity
    for r in range(joints.row_joint.shape[0]):
        for c in range(out.shape[1]):
            out[r, c] = 2.0 * constraints.jacobian_rate[r, c]
        k, form = joints.row_joint[r], joints.row_form[r]
        common = freedoms.last_freedom[joints.common_body[k]]
        first = freedoms.last_freedom[joints.first_body[k]]
        second = freedoms.last_freedom[joints.second_body[k]]
        w_first, v_first = velocity_of(first, spatial)
        w_second, v_second = velocity_of(second, spatial)
        w, v = subtract(w_second, w_first), subtract(v_second, v_first)
        torque, force = constraints.torque[r], constraints.force[r]
        q = constraints.point[r]
        turns = form == ORIENTATION or form == AXIS
        # by the velocities of the ends of the row: u' turns with the first body
        x = w if turns else cross_add(w, q, v)
        turned = cross(torque if turns else force, x)
        pull, p_pull = NOTHING, NOTHING
        if form == DISTANCE:
            turned = NOTHING
            length = joints.row_length[r] + constraints.error[r]
            per_length = 1.0 / length if length > 0.0 else 0.0
            pull = scale(per_length, subtract(x, scale(dot(force, x), force)))
            p_pull = cross(subtract(q, scale(length, force)), pull)
        for end in range(2):
            d = second if end == 0 else first
            w, v = (w_second, v_second) if end == 0 else (w_first, v_first)
            # V x* F - F'
            a = subtract(cross_add(w, torque, cross(v, force)), constraints.torque_rate[r])
            b = subtract(cross(w, force), constraints.force_rate[r])
            if end == 1:
                a, b = add(subtract(a, turned), p_pull), add(b, pull)
            elif not turns:
                moved = add(pull, cross(force, subtract(w_second, w_first)))
                a, b = add(a, cross(q, moved)), add(b, moved)
            sign = 1.0 if end == 0 else -1.0
            while d != common:
                c = freedoms.freedom_coordinate[d]
                s, l = spatial.joint_angular[d], spatial.joint_linear[d]  # noqa: E741
                change = dot(a, s) + dot(b, l)
                if freedoms.floating_body[c] >= 0:  # the axes turn with their body
                    own_w, own_v = own_velocity(robot, spatial, d)
                    change -= dot(torque, cross(own_w, s))
                    change -= dot(force, cross_add(own_w, l, cross(own_v, s)))
                out[r, c] += sign * change
                d = freedoms.freedom_before[d]


@compiled
def own_velocity(robot: Robot, spatial: Spatial, d: int) -> tuple[Vector, Vector]:
    """Return the velocity of a floating joint alone, of which `d` is a degree of freedom."""
    freedoms = robot.freedoms
    w, v = velocity_of(freedoms.freedom_carrier[d], spatial)
    own_w, own_v = velocity_of(freedoms.last_freedom[freedoms.freedom_body[d]], spatial)
    return subtract(own_w, w), subtract(own_v, v)


@compiled_apart
def add_products(matrix: Floats, x: Any, out: Any) -> None:
    """Add the products of the rows of a matrix, in which there are many zeros, and a column."""
    for r in range(out.shape[0]):
        total = out[r]
        for c in range(x.shape[0]):
            if matrix[r, c] != 0.0:
                total = total + matrix[r, c] * x[c]
        out[r] = total


@compiled_apart
def accelerate_by_velocity(
    robot: Robot,
    work: ClosedDerivativesRoom,
    columns: DirectionColumns,
    passive: int,
    group: int,
) -> None:
    """Write the changes of passive accelerations by some independent velocities."""
    ratio, jacobian = as_lanes(work.ratio[group]), work.state.constraints.jacobian
    has_ratios = robot.mechanisms.actuators.coordinate.shape[0] > 0
    for r in range(columns.drift.shape[0]):
        columns.drift[r] = 0.0
    for c in range(columns.change.shape[0]):
        columns.change[c] = 0.0
        columns.velocity[c] = ratio_of(robot, work, c) * ratio[c]
        if has_ratios:
            faster = 2.0 * work.equations.transmission.ratio_rate[c]
            columns.acceleration[c] = faster * ratio[c]
    add_products(work.drift_by_velocity, columns.velocity, columns.drift)
    if has_ratios:
        add_products(jacobian, columns.acceleration, columns.drift)
    close_rows(work, passive, columns.drift, columns.sorted_rows, columns.change)


@compiled_apart
def move_by_position(
    robot: Robot,
    work: ClosedDerivativesRoom,
    columns: DirectionColumns,
    passive: int,
    group: int,
) -> None:
    """Write the changes of passive velocities, and of Phi'', by some independent positions."""
    equations, ratio = work.equations, as_lanes(work.ratio[group])
    has_ratios = robot.mechanisms.actuators.coordinate.shape[0] > 0
    for c in range(columns.change.shape[0]):
        columns.position[c] = ratio_of(robot, work, c) * ratio[c]
        columns.velocity[c] = 0.0
        columns.acceleration[c] = 0.0
        if has_ratios:
            columns.velocity[c] = equations.velocity_by_position[c] * ratio[c]
            columns.acceleration[c] = equations.acceleration_by_position[c] * ratio[c]
        columns.change[c] = 0.0
    differentiate_motion(robot, work, columns)
    differentiate_constraints(robot, work, columns)
    close_rows(work, passive, columns.rate, columns.sorted_rows, columns.change)


@compiled_apart
def accelerate_by_position(
    robot: Robot, work: ClosedDerivativesRoom, columns: DirectionColumns, passive: int
) -> None:
    """Write the changes of passive accelerations, after `move_by_position`."""
    add_products(work.drift_by_velocity, columns.change, columns.drift)
    close_rows(work, passive, columns.drift, columns.sorted_rows, columns.change)


@compiled_apart
def differentiate_motion(
    robot: Robot, work: ClosedDerivativesRoom, columns: DirectionColumns
) -> None:
    """Write displacements of the bodies, and changes of their velocities and accelerations."""
    freedoms, kinematics = robot.freedoms, work.equations.cycle.kinematics
    spatial = work.equations.spatial
    for k in range(3):
        columns.turn[0, k] = columns.slide[0, k] = 0.0
        columns.turn_rate[0, k] = columns.slide_rate[0, k] = 0.0
        columns.turn_change[0, k] = columns.slide_change[0, k] = 0.0
    for d in range(freedoms.freedom_body.shape[0]):
        c, before = freedoms.freedom_coordinate[d], freedoms.freedom_before[d]
        carrier = freedoms.freedom_carrier[d]
        qd, qdd = kinematics.joint_velocity[c], kinematics.joint_acceleration[c]
        s, l = spatial.joint_angular[d], spatial.joint_linear[d]  # noqa: E741
        r_s, r_l = spatial.rate_angular[d], spatial.rate_linear[d]
        w, v = velocity_of(carrier, spatial)
        t, x = columns_behind(columns.turn, carrier), columns_behind(columns.slide, carrier)
        ds, dl = cross(t, s), cross_add(t, l, cross(x, s))
        dw = columns_behind(columns.turn_rate, carrier)
        dv = columns_behind(columns.slide_rate, carrier)
        # dV_c x S + V_c x dS
        dr_s = cross_add(dw, s, cross(w, ds))
        dr_l = cross_add(dw, l, cross_add(dv, s, cross_add(w, dl, cross(v, ds))))
        p, p_rate, p_change = columns.position[c], columns.velocity[c], columns.acceleration[c]
        store(columns.turn[d], add(columns_behind(columns.turn, before), scale(p, s)))
        store(columns.slide[d], add(columns_behind(columns.slide, before), scale(p, l)))
        a = add(columns_behind(columns.turn_rate, before), scale(p_rate, s))
        b = add(columns_behind(columns.slide_rate, before), scale(p_rate, l))
        store(columns.turn_rate[d], add(a, scale(qd, ds)))
        store(columns.slide_rate[d], add(b, scale(qd, dl)))
        a = add(columns_behind(columns.turn_change, before), scale(p_change, s))
        b = add(columns_behind(columns.slide_change, before), scale(p_change, l))
        a, b = add(a, scale(p_rate, r_s)), add(b, scale(p_rate, r_l))
        a, b = add(a, scale(qdd, ds)), add(b, scale(qdd, dl))
        store(columns.turn_change[d], add(a, scale(qd, dr_s)))
        store(columns.slide_change[d], add(b, scale(qd, dr_l)))
        if freedoms.floating_body[c] >= 0 and freedoms.last_freedom[freedoms.freedom_body[d]] == d:
            turn_floating(robot, work, columns, d)


@compiled
def columns_behind(array: Any, d: int) -> Any:
    """Return a vector behind degree of freedom `d`, zero for -1; the first row is not undefined."""
    return scale(1.0 if d >= 0 else 0.0, array[max(d, 0)])


@compiled_apart
def turn_floating(
    robot: Robot, work: ClosedDerivativesRoom, columns: DirectionColumns, d: int
) -> None:
    """Add that the axes of a floating joint turn with its body, behind its last freedom `d`."""
    carrier = robot.freedoms.freedom_carrier[d]
    spatial, forces = work.equations.spatial, work.equations.forces
    w, v = velocity_of(carrier, spatial)
    # of the joint alone: velocity, S u' and displacement
    own_w, own_v = own_velocity(robot, spatial, d)
    a, b = acceleration_of(robot.tree, carrier, forces)
    own_a, own_b = acceleration_of(robot.tree, d, forces)
    own_a = subtract(subtract(own_a, a), cross(w, own_w))
    own_b = subtract(subtract(own_b, b), cross_add(w, own_v, cross(v, own_w)))
    t = subtract(columns.turn[d], columns_behind(columns.turn, carrier))
    x = subtract(columns.slide[d], columns_behind(columns.slide, carrier))
    dw, dv = cross(t, own_w), cross_add(t, own_v, cross(x, own_w))
    store(columns.turn_rate[d], add(columns.turn_rate[d], dw))
    store(columns.slide_rate[d], add(columns.slide_rate[d], dv))
    a = cross_add(t, own_a, cross(w, dw))
    b = cross_add(t, own_b, cross_add(x, own_a, cross_add(w, dv, cross(v, dw))))
    store(columns.turn_change[d], add(columns.turn_change[d], a))
    store(columns.slide_change[d], add(columns.slide_change[d], b))


@compiled_apart
def differentiate_constraints(
    robot: Robot, work: ClosedDerivativesRoom, columns: DirectionColumns
) -> None:
    """Write the changes of Phi' and Phi'', and those of the loads of the loop joints."""
    joints, freedoms = robot.mechanisms.by_type.loop_joints, robot.freedoms
    constraints = work.state.constraints
    spatial, forces = work.equations.spatial, work.equations.forces
    for k in range(joints.first_body.shape[0]):
        for j in range(3):
            columns.torque[k, j] = columns.force[k, j] = 0.0
    rows, r = joints.row_joint.shape[0], 0
    while r < rows:  # the rows of one loop joint follow each other
        k = joints.row_joint[r]
        first = freedoms.last_freedom[joints.first_body[k]]
        second = freedoms.last_freedom[joints.second_body[k]]
        w_first, v_first = velocity_of(first, spatial)
        w_second, v_second = velocity_of(second, spatial)
        a_first, b_first = acceleration_of(robot.tree, first, forces)
        a_second, b_second = acceleration_of(robot.tree, second, forces)
        w, v = subtract(w_second, w_first), subtract(v_second, v_first)
        a, b = subtract(a_second, a_first), subtract(b_second, b_first)
        t_first, t_second = (
            columns_behind(columns.turn, first),
            columns_behind(columns.turn, second),
        )
        dw_first = columns_behind(columns.turn_rate, first)
        dw_second = columns_behind(columns.turn_rate, second)
        dv_first = columns_behind(columns.slide_rate, first)
        dv_second = columns_behind(columns.slide_rate, second)
        dw, dv = subtract(dw_second, dw_first), subtract(dv_second, dv_first)
        da = columns_behind(columns.turn_change, second)
        da = subtract(da, columns_behind(columns.turn_change, first))
        db = columns_behind(columns.slide_change, second)
        db = subtract(db, columns_behind(columns.slide_change, first))
        # motion of the second point, and relative to the first body
        q = constraints.point[r]
        q_rate = cross_add(w_second, q, v_second)
        dq = cross_add(t_second, q, columns_behind(columns.slide, second))
        dq_rate = cross_add(dw_second, q, cross_add(w_second, dq, dv_second))
        x, dx = cross_add(w, q, v), cross_add(dw, q, cross_add(w, dq, dv))
        y = cross_add(a, q, cross_add(w, q_rate, b))
        dy = cross_add(da, q, cross_add(a, dq, cross_add(dw, q_rate, cross_add(w, dq_rate, db))))
        while r < rows and joints.row_joint[r] == k:
            form, share = joints.row_form[r], work.multiplier[r]
            if form == ORIENTATION or form == AXIS:
                u, rate = constraints.torque[r], constraints.torque_rate[r]
                du = cross(t_first, u)
                ddu = cross_add(dw_first, u, cross(w_first, du))
                columns.rate[r] = dot(du, w) + dot(u, dw)
                columns.drift[r] = dot(du, a) + dot(u, da) + dot(ddu, w) + dot(rate, dw)
                store(columns.torque[k], add(columns.torque[k], scale(share, du)))
                r += 1
                continue
            u, rate = constraints.force[r], constraints.force_rate[r]
            du = cross(t_first, u)
            ddu = cross_add(dw_first, u, cross(w_first, du))
            if form == DISTANCE:
                length = joints.row_length[r] + constraints.error[r]
                per_length = 1.0 / length if length > 0.0 else 0.0
                p = subtract(q, scale(length, u))
                dp = cross_add(t_first, p, columns_behind(columns.slide, first))
                dp_rate = cross_add(dw_first, p, cross_add(w_first, dp, dv_first))
                d_rate = subtract(q_rate, cross_add(w_first, p, v_first))
                dd, dd_rate = subtract(dq, dp), subtract(dq_rate, dp_rate)
                change = dot(u, dd)
                du = scale(per_length, subtract(dd, scale(change, u)))
                along = dot(du, d_rate) + dot(u, dd_rate)
                ddu = subtract(dd_rate, add(scale(dot(u, d_rate), du), scale(along, u)))
                ddu = scale(per_length, subtract(ddu, scale(change, rate)))
            columns.rate[r] = dot(du, x) + dot(u, dx)
            columns.drift[r] = dot(du, y) + dot(u, dy) + dot(ddu, x) + dot(rate, dx)
            torque = cross_add(dq, u, cross(q, du))
            store(columns.torque[k], add(columns.torque[k], scale(share, torque)))
            store(columns.force[k], add(columns.force[k], scale(share, du)))
            r += 1


@compiled_apart
def add_loop_loads(
    robot: Robot, work: ClosedDerivativesRoom, columns: DirectionColumns, group: int
) -> None:
    """Write (dtau/dq + dD^T lambda) dq, lambda held, after `move_by_position`."""
    joints, freedoms = robot.mechanisms.by_type.loop_joints, robot.freedoms
    spatial, ratio = work.equations.spatial, as_lanes(work.ratio[group])
    effort, matrix = columns.effort, work.terms.effort_by_position
    for i in range(effort.shape[0]):
        total = matrix[i, 0] * ratio[0]
        for j in range(1, effort.shape[0]):
            total = total + matrix[i, j] * ratio[j]
        effort[i] = total
    for k in range(robot.mechanisms.actuators.coordinate.shape[0]):
        c = robot.mechanisms.actuators.coordinate[k]
        effort[c] = effort[c] + work.equations.ratio_by_position[c] * work.loop_effort[c] * ratio[c]
    for k in range(joints.first_body.shape[0]):
        torque, force = work.loop_torque[k], work.loop_force[k]
        d_torque, d_force = columns.torque[k], columns.force[k]
        common = freedoms.last_freedom[joints.common_body[k]]
        for end in range(2):
            body = joints.second_body[k] if end == 0 else joints.first_body[k]
            sign = 1.0 if end == 0 else -1.0
            d = freedoms.last_freedom[body]
            while d != common:
                c, carrier = freedoms.freedom_coordinate[d], freedoms.freedom_carrier[d]
                if freedoms.floating_body[c] >= 0:  # axes of the body
                    carrier = freedoms.last_freedom[freedoms.freedom_body[d]]
                s, l = spatial.joint_angular[d], spatial.joint_linear[d]  # noqa: E741
                t, x = columns_behind(columns.turn, carrier), columns_behind(columns.slide, carrier)
                change = dot(s, d_torque) + dot(l, d_force) + dot(cross(t, s), torque)
                change = change + dot(cross_add(t, l, cross(x, s)), force)
                factor = sign * ratio_of(robot, work, c)
                effort[c] = effort[c] + factor * change
                d = freedoms.freedom_before[d]
