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

from typing import Any

from charmie_dynamics.core.arrays import OVERFLOW, REACHED, Freedoms, Kinematics
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
    rotate_back,
    scale,
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
        See `kernels`: the workspace is a `RegressorRoom`, the output a `RegressorTerms`, in
        which there are zeros.

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
    for i in range(1, tree.parent.shape[0]):
        a, dw, w = (
            motion.linear_acceleration[i],
            motion.angular_acceleration[i],
            motion.angular_velocity[i],
        )
        # what the columns are made of, and of the same size
        if not dot(a, a) + dot(dw, dw) + dot(w, w) < LARGEST:
            return OVERFLOW
        add_body(robot.freedoms, work, i, terms.regressor)
    return REACHED


@compiled
def add_body(freedoms: Freedoms, work: RegressorRoom, i: int, regressor: Floats) -> None:
    """Add the ten columns of body `i`, in the rows of the joints before it."""
    kinematics = work.cycle.kinematics
    motion = work.cycle.dynamics
    w = motion.angular_velocity[i]
    dw = motion.angular_acceleration[i]
    a = motion.linear_acceleration[i]
    R = kinematics.R_world_frame[i]
    d = freedoms.last_freedom[i]
    while d >= 0:
        c = freedoms.freedom_coordinate[d]
        angular, linear = axis_at(freedoms, kinematics, d, i)
        s_angular = rotate_back(R, angular)
        s_linear = rotate_back(R, linear)
        ratio = freedoms.freedom_multiplier[d] * work.transmission.ratio[c]
        add_row(scale(ratio, s_angular), scale(ratio, s_linear), w, dw, a, regressor[c, i])
        d = freedoms.freedom_before[d]


@compiled
def axis_at(freedoms: Freedoms, kinematics: Kinematics, d: int, i: int) -> tuple[Any, Any]:
    """Return the axis of degree of freedom `d` at the origin of body `i`, world axes."""
    z = rotate(kinematics.R_world_frame[freedoms.freedom_frame[d]], freedoms.freedom_axis[d])
    if freedoms.freedom_turns[d] == 1:
        origin = kinematics.p_world_frame[freedoms.freedom_body[d]]
        arm = subtract(kinematics.p_world_frame[i], origin)
        return z, cross(z, arm)
    return (0.0, 0.0, 0.0), z


@compiled
def add_row(s: Any, v: Any, w: Any, dw: Any, a: Any, row: Floats) -> None:
    """Add S . (torque; force) for each parameter alone at one.

    Parameters
    ----------
    s, v : (3,) tuple
        Angular and linear part of S, body axes.
    w, dw, a : (3,) array
        Of the body, its axes, see above.
    row : (10,) array
        Output.
    """
    row[0] += dot(v, a)
    # the mc in front: v . (w' x mc) = mc . (v x w'), v . (w x (w x mc)) = mc . ((v x w) x w),
    # s . (mc x a) = mc . (a x s)
    turned = cross(v, w)
    moment = add(cross_add(v, dw, cross(turned, w)), cross(a, s))
    row[1] += moment[0]
    row[2] += moment[1]
    row[3] += moment[2]
    # s . (I w') + (s x w) . I w
    u = cross(s, w)
    row[4] += s[0] * dw[0] + u[0] * w[0]
    row[5] += s[0] * dw[1] + s[1] * dw[0] + u[0] * w[1] + u[1] * w[0]
    row[6] += s[1] * dw[1] + u[1] * w[1]
    row[7] += s[0] * dw[2] + s[2] * dw[0] + u[0] * w[2] + u[2] * w[0]
    row[8] += s[1] * dw[2] + s[2] * dw[1] + u[1] * w[2] + u[2] * w[1]
    row[9] += s[2] * dw[2] + u[2] * w[2]
