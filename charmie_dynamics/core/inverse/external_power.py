# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Power of the loads from outside."""

from __future__ import annotations

from charmie_dynamics.core.arrays import Kinematics
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import add, cross, dot, rotate, scale, subtract

from .records import Robot


@compiled
def external_power(robot: Robot, kinematics: Kinematics) -> float:
    """Return the power (W) of the wrenches on the bodies, after step 4."""
    tree, freedoms, power = robot.tree, robot.freedoms, 0.0
    for i in range(tree.parent.shape[0]):
        f = rotate(kinematics.R_world_frame[i], tree.external_force[i])
        t = rotate(kinematics.R_world_frame[i], tree.external_torque[i])
        if dot(f, f) + dot(t, t) > 0.0:
            p = kinematics.p_world_frame[i]
            w, v = scale(0.0, f), scale(0.0, f)  # angular velocity; that of the body's origin
            d = freedoms.last_freedom[i]
            while d >= 0:
                R = kinematics.R_world_frame[freedoms.freedom_frame[d]]
                speed = kinematics.joint_velocity[freedoms.freedom_coordinate[d]]
                z = scale(
                    speed * freedoms.freedom_multiplier[d], rotate(R, freedoms.freedom_axis[d])
                )
                if freedoms.freedom_turns[d] == 1:
                    w = add(w, z)
                    origin = kinematics.p_world_frame[freedoms.freedom_body[d]]
                    v = add(v, cross(z, subtract(p, origin)))
                else:
                    v = add(v, z)
                d = freedoms.freedom_before[d]
            power += dot(f, v) + dot(t, w)
    return power
