# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Spatial accelerations of the bodies and the forces that they take, in world axes."""

from __future__ import annotations

from charmie_dynamics.core.arrays import Kinematics, Tree
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import (
    add,
    cross,
    cross_add,
    rotate,
    scale,
    store,
    subtract,
)

from .records import Spatial, SpatialForces
from .spatial_motion import NOTHING, apply_inertia


@compiled
def spatial_forces(
    tree: Tree, kinematics: Kinematics, spatial: Spatial, out: SpatialForces
) -> None:
    """Write accelerations, and the force on each body by what is before it.

    Parameters
    ----------
    tree, kinematics : Tree, Kinematics
        n bodies, after step 4.
    spatial : Spatial
        With the inertias of the single bodies, not accumulated yet.
    out : SpatialForces
        Output.
    """
    n = tree.parent.shape[0]
    for i in range(n):
        parent = tree.parent[i]
        if parent < 0:
            acceleration = (NOTHING, scale(-1.0, tree.gravity))
        else:
            acceleration = (
                add(out.angular_acceleration[parent], NOTHING),
                add(out.linear_acceleration[parent], NOTHING),
            )
        dw, a = acceleration
        c = tree.coordinate[i]
        if c >= 0:
            s_angular, s_linear = spatial.joint_angular[i], spatial.joint_linear[i]
            r_angular, r_linear = spatial.rate_angular[i], spatial.rate_linear[i]
            w, v = spatial.angular_velocity[parent], spatial.linear_velocity[parent]
            # a x S + v x S', with those of the parent
            store(out.change_angular[i], cross_add(dw, s_angular, cross(w, r_angular)))
            turned = cross_add(w, r_linear, cross(v, r_angular))
            store(out.change_linear[i], cross_add(dw, s_linear, cross_add(a, s_angular, turned)))
            qd, qdd = kinematics.joint_velocity[c], kinematics.joint_acceleration[c]
            dw = add(dw, add(scale(qdd, s_angular), scale(qd, r_angular)))
            a = add(a, add(scale(qdd, s_linear), scale(qd, r_linear)))
        store(out.angular_acceleration[i], dw)
        store(out.linear_acceleration[i], a)
        write_force(tree, kinematics, spatial, i, out)
    for k in range(n - 1, 0, -1):
        parent = tree.parent[k]
        store(out.torque[parent], add(out.torque[parent], out.torque[k]))
        store(out.force[parent], add(out.force[parent], out.force[k]))


@compiled
def write_force(
    tree: Tree, kinematics: Kinematics, spatial: Spatial, i: int, out: SpatialForces
) -> None:
    """Write what body `i` alone takes: I a + v x* I v, less what acts on it from outside."""
    w, v = spatial.angular_velocity[i], spatial.linear_velocity[i]
    torque, force = apply_inertia(
        spatial, i, out.angular_acceleration[i], out.linear_acceleration[i]
    )
    angular_momentum, momentum = apply_inertia(spatial, i, w, v)
    torque = cross_add(w, angular_momentum, cross_add(v, momentum, torque))
    force = cross_add(w, momentum, force)
    R = kinematics.R_world_frame[i]
    pull = rotate(R, tree.external_force[i])
    r = subtract(kinematics.p_world_frame[i], spatial.reference)
    twist = cross_add(r, pull, rotate(R, tree.external_torque[i]))
    store(out.torque[i], subtract(torque, twist))
    store(out.force[i], subtract(force, pull))
