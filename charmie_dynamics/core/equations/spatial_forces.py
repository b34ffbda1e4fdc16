# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Spatial accelerations of the bodies and the forces for them, in world axes."""

from __future__ import annotations

from charmie_dynamics.core.arrays import Kinematics, Tree
from charmie_dynamics.core.inverse.records import Robot
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import (
    Vector,
    add,
    cross,
    cross_add,
    rotate,
    scale,
    store,
    subtract,
)

from .records import Spatial, SpatialForces
from .spatial_motion import NOTHING, apply_inertia, velocity_of


@compiled
def spatial_forces(
    robot: Robot, kinematics: Kinematics, spatial: Spatial, out: SpatialForces
) -> None:
    """Write accelerations, and the force of its parent on each body.

    Parameters
    ----------
    robot : Robot
    kinematics : Kinematics
        After step 4.
    spatial : Spatial
        With the inertias of the single bodies, not accumulated yet.
    out : SpatialForces
        Output.
    """
    tree, freedoms = robot.tree, robot.freedoms
    for d in range(freedoms.freedom_body.shape[0]):
        s_angular, s_linear = spatial.joint_angular[d], spatial.joint_linear[d]
        r_angular, r_linear = spatial.rate_angular[d], spatial.rate_linear[d]
        carrier, before = freedoms.freedom_carrier[d], freedoms.freedom_before[d]
        w, v = velocity_of(carrier, spatial)
        dw, a = acceleration_of(tree, carrier, out)
        # a x S + v x S', with those of the carrier
        store(out.change_angular[d], cross_add(dw, s_angular, cross(w, r_angular)))
        turned = cross_add(w, r_linear, cross(v, r_angular))
        store(out.change_linear[d], cross_add(dw, s_linear, cross_add(a, s_angular, turned)))
        dw, a = acceleration_of(tree, before, out)
        c = freedoms.freedom_coordinate[d]
        qd, qdd = kinematics.joint_velocity[c], kinematics.joint_acceleration[c]
        dw = add(dw, add(scale(qdd, s_angular), scale(qd, r_angular)))
        store(out.angular_acceleration[d], dw)
        store(out.linear_acceleration[d], add(a, add(scale(qdd, s_linear), scale(qd, r_linear))))
    n = tree.parent.shape[0]
    for i in range(n):
        write_force(robot, kinematics, spatial, i, out)
    for k in range(n - 1, 0, -1):
        parent = tree.parent[k]
        store(out.torque[parent], add(out.torque[parent], out.torque[k]))
        store(out.force[parent], add(out.force[parent], out.force[k]))


@compiled
def acceleration_of(tree: Tree, d: int, out: SpatialForces) -> tuple[Vector, Vector]:
    """Return the acceleration, less gravity, of the body behind freedom `d`; -1: of the root.

    Gravity enters as an upward acceleration of the ground.
    """
    if d < 0:
        return NOTHING, scale(-1.0, tree.gravity)
    w, v = out.angular_acceleration[d], out.linear_acceleration[d]
    return (w[0], w[1], w[2]), (v[0], v[1], v[2])


@compiled
def write_force(
    robot: Robot, kinematics: Kinematics, spatial: Spatial, i: int, out: SpatialForces
) -> None:
    """Write the spatial force on body `i` alone: I a + v x* I v, less its external load."""
    tree = robot.tree
    last = robot.freedoms.last_freedom[i]
    w, v = velocity_of(last, spatial)
    dw, a = acceleration_of(tree, last, out)
    torque, force = apply_inertia(spatial, i, dw, a)
    angular_momentum, momentum = apply_inertia(spatial, i, w, v)
    torque = cross_add(w, angular_momentum, cross_add(v, momentum, torque))
    force = cross_add(w, momentum, force)
    R = kinematics.R_world_frame[i]
    pull = rotate(R, tree.external_force[i])
    r = subtract(kinematics.p_world_frame[i], spatial.reference)
    twist = cross_add(r, pull, rotate(R, tree.external_torque[i]))
    store(out.torque[i], subtract(torque, twist))
    store(out.force[i], subtract(force, pull))
