# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Regressor: the efforts as a linear function of the inertial parameters.

Of each body these are ten: its mass m, m times the centre of mass c, and its inertia about the
origin, in its own axes: m, m cx, m cy, m cz, xx, xy, yy, xz, yz, zz. With the acceleration a of the
origin, less gravity, the body takes the load (`core.inverse.newton_euler`)

    force  = m a + w' x mc + w x (w x mc)
    torque = mc x a + I w' + w x I w

and a joint before it, whose axis at the body's origin is S, supplies S . (torque; force).
"""

from __future__ import annotations

from charmie_dynamics.core.arrays import OVERFLOW, REACHED, Freedoms
from charmie_dynamics.core.inverse.newton_euler import propagate_motion
from charmie_dynamics.core.inverse.records import Robot, sizes_in
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.blocks import first_numbers, lay_out
from charmie_dynamics.numerics.jit import compiled, compiled_for
from charmie_dynamics.numerics.vectors import (
    Floats,
    add,
    cross,
    cross_add,
    dot,
    rotate,
    scale,
    store,
    subtract,
)

from .kernels import TYPES, RobotAddresses
from .records import RegressorRoom, RegressorTerms
from .transmission import write_transmission

# (rad/s)^2 and the like: with it the products of the columns are far from overflow
LARGEST = 1e200


@compiled_for(*TYPES)
def run_regressor(
    addresses: Address,
    position: Floats,
    velocity: Floats,
    acceleration: Floats,
    workspace: Floats,
    out: Floats,
) -> int:
    """Write the regressor in the coordinates of the actuators.

    Parameters
    ----------
    addresses, position, velocity, acceleration, workspace, out
        See `kernels`: the workspace is a `RegressorRoom`, the output a `RegressorTerms`.

    Returns
    -------
    int
        As `run_cycle`.
    """
    at = first_numbers(RobotAddresses, addresses)
    status = call_at(
        at.run_cycle, at.ints, at.floats, position, velocity, acceleration, workspace, False
    )
    if status != REACHED:
        return status
    sizes = sizes_in(at.ints)
    robot = lay_out(Robot, at.ints, at.floats, sizes)
    work = lay_out(RegressorRoom, at.ints, workspace, sizes)
    terms = lay_out(RegressorTerms, at.ints, out, sizes)
    tree = robot.tree
    kinematics = work.cycle.kinematics
    motion = work.cycle.dynamics
    propagate_motion(
        tree,
        kinematics.R_parent_frame,
        kinematics.p_parent_frame,
        kinematics.joint_velocity,
        kinematics.joint_acceleration,
        motion.angular_velocity,
        motion.angular_acceleration,
        motion.linear_acceleration,
    )
    write_transmission(robot, work.cycle, work.transmission)
    for k in range(out.shape[0]):
        out[k] = 0.0
    for i in range(1, tree.parent.shape[0]):
        if not write_loads(work, i) < LARGEST:
            return OVERFLOW
        add_body(robot.freedoms, work, i, terms.regressor)
    return REACHED


@compiled
def add_body(freedoms: Freedoms, work: RegressorRoom, i: int, regressor: Floats) -> None:
    """Add the ten columns of body `i`, in the rows of the joints before it."""
    kinematics = work.cycle.kinematics
    d = freedoms.last_freedom[i]
    while d >= 0:
        c = freedoms.freedom_coordinate[d]
        axis = rotate(kinematics.R_world_frame[freedoms.freedom_frame[d]], freedoms.freedom_axis[d])
        s = scale(freedoms.freedom_multiplier[d] * work.transmission.ratio[c], axis)
        v = s
        row = regressor[c, i]
        if freedoms.freedom_turns[d] == 1:
            p_world_hinge = kinematics.p_world_frame[freedoms.freedom_body[d]]
            v = cross(s, subtract(kinematics.p_world_frame[i], p_world_hinge))
            for k in range(9):
                row[1 + k] += dot(s, work.loads[4 + k])
        for k in range(4):
            row[k] += dot(v, work.loads[k])
        d = freedoms.freedom_before[d]


@compiled
def write_loads(work: RegressorRoom, i: int) -> float:
    """Write the loads of body `i` for each parameter alone at one, in world axes.

    They are turned once for a body, instead of the axis of each joint before it.

    Returns
    -------
    float
        The sum of the squares that they are made of, and of the same size.
    """
    R = work.cycle.kinematics.R_world_frame[i]
    velocity = work.cycle.dynamics.angular_velocity[i]
    acceleration = work.cycle.dynamics.angular_acceleration[i]
    w, dw = rotate(R, velocity), rotate(R, acceleration)
    a = rotate(R, work.cycle.dynamics.linear_acceleration[i])
    store(work.loads[0], a)
    n = 7
    for j in range(3):
        # mc along an axis e: w' x e + w x (w x e), and e x a
        e = R[0, j], R[1, j], R[2, j]
        we = cross(w, e)
        store(work.loads[1 + j], cross_add(w, we, cross(dw, e)))
        store(work.loads[4 + j], cross(e, a))
        for k in range(j + 1):
            # an inertia e f^T + f e^T, or e e^T: e (f . w') + (w x e) (f . w) + ...
            torque = add(scale(acceleration[k], e), scale(velocity[k], we))
            if k < j:
                f = R[0, k], R[1, k], R[2, k]
                other = add(scale(acceleration[j], f), scale(velocity[j], cross(w, f)))
                torque = add(torque, other)
            store(work.loads[n], torque)
            n += 1
    return dot(a, a) + dot(dw, dw) + dot(w, w)
