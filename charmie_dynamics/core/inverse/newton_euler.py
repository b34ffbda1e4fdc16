# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Step 6: recursive Newton-Euler inverse dynamics of the open tree (eq. 28 to 34).

All quantities are in the axes of their body. The recursion propagates the acceleration of each
body's origin A_i, which is at its joint. Gravity is not in the printed equations; it enters as an
upward acceleration of the ground.
"""

from __future__ import annotations

from typing import Any

from charmie_dynamics.core.arrays import (
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    Dynamics,
    Kinematics,
    Tree,
)
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import (
    Floats,
    Ints,
    Vector,
    add,
    cross,
    cross_add,
    dot,
    rotate,
    rotate_back,
    scale,
    store,
    subtract,
)


@compiled
def propagate_motion(
    tree: Tree,
    R_parent_body: Floats,
    p_parent_body: Floats,
    joint_velocity: Floats,
    joint_acceleration: Floats,
    w: Floats,
    dw: Floats,
    a: Floats,
) -> None:
    """Forward iterations: write angular velocity, angular and linear acceleration of each body.

    Parameters
    ----------
    tree : Tree
        n bodies.
    R_parent_body, p_parent_body : (n or more, 3, 3), (n or more, 3) array
        Pose of each body in its parent, from step 4.
    joint_velocity, joint_acceleration : (q,) array
        Of the coordinates.
    w, dw, a : (n, 3) array
        Output, body axes: angular velocity (rad/s), angular acceleration (rad/s^2) and linear
        acceleration of the origin less gravity (m/s^2).
    """
    for i in range(tree.parent.shape[0]):
        R = R_parent_body[i]
        parent = tree.parent[i]
        if parent < 0:
            w_i = (0.0, 0.0, 0.0)
            dw_i = (0.0, 0.0, 0.0)
            a_i = rotate_back(R, scale(-1.0, tree.gravity))
        else:
            w_p = w[parent]
            dw_p = dw[parent]
            r = p_parent_body[i]
            w_i = rotate_back(R, w_p)  # eq. 29
            dw_i = rotate_back(R, dw_p)  # eq. 30
            # eq. 31, taken to the joint of the next body
            a_i = rotate_back(R, acceleration_at(r, w_p, dw_p, a[parent]))
        c = tree.coordinate[i]
        if c >= 0:
            z = tree.axis[i]  # eq. 28, of any direction
            qd = tree.multiplier[i] * joint_velocity[c]
            qdd = tree.multiplier[i] * joint_acceleration[c]
            if tree.joint_type[i] == REVOLUTE:
                # eq. 30 with the angular velocity in the last term (printed: its derivative)
                dw_i = add(dw_i, add(scale(qdd, z), cross(w_i, scale(qd, z))))
                w_i = add(w_i, scale(qd, z))  # eq. 29
            elif tree.joint_type[i] == PRISMATIC:
                # eq. 31: relative and Coriolis acceleration
                a_i = add(a_i, add(scale(qdd, z), scale(2.0 * qd, cross(w_i, z))))
            else:
                v_rel, w_rel, dv_rel, dw_rel = relative_motion(
                    tree, i, R, joint_velocity, joint_acceleration
                )
                a_i = add(a_i, add(dv_rel, scale(2.0, cross(w_i, v_rel))))
                dw_i = add(dw_i, add(dw_rel, cross(w_i, w_rel)))
                w_i = add(w_i, w_rel)
        store(w[i], w_i)
        store(dw[i], dw_i)
        store(a[i], a_i)


@compiled
def relative_motion(
    tree: Tree, i: int, R: Any, joint_velocity: Floats, joint_acceleration: Floats
) -> tuple[Vector, Vector, Vector, Vector]:
    """Return how body `i` moves in its parent, behind a planar or floating joint.

    Velocity of its origin, angular velocity, and the derivatives of both as seen from the parent;
    body axes.
    """
    c = tree.coordinate[i]
    u, du = joint_velocity, joint_acceleration
    if tree.joint_type[i] == PLANAR:
        plane = tree.u_parent_plane[i]
        z = tree.axis[i]
        v = rotate_back(R, add(scale(u[c], plane[0]), scale(u[c + 1], plane[1])))
        dv = rotate_back(R, add(scale(du[c], plane[0]), scale(du[c + 1], plane[1])))
        return v, scale(u[c + 2], z), dv, scale(du[c + 2], z)
    v = (u[c], u[c + 1], u[c + 2])
    w = (u[c + 3], u[c + 4], u[c + 5])
    # the numbers of the velocity are in axes that turn
    dv = cross_add(w, v, (du[c], du[c + 1], du[c + 2]))
    return v, w, dv, (du[c + 3], du[c + 4], du[c + 5])


@compiled
def acceleration_at(r: Any, w: Any, dw: Any, a: Any) -> Vector:
    """Return a + dw x r + w x (w x r): Euler and centripetal terms added to that of the origin."""
    return cross_add(w, cross(w, r), cross_add(dw, r, a))


@compiled
def propagate_loads(
    tree: Tree,
    R_parent_body: Floats,
    p_parent_body: Floats,
    w: Floats,
    dw: Floats,
    a: Floats,
    force: Floats,
    torque: Floats,
) -> None:
    """Backward iterations: write the load that its parent applies on each body.

    Parameters
    ----------
    tree, R_parent_body, p_parent_body, w, dw, a
        As in and from `propagate_motion`.
    force, torque : (n, 3) array
        Output, body axes, at the body origin (N, N m). Those of the root support the robot.
    """
    for i in range(tree.parent.shape[0]):
        r = tree.p_body_com[i]
        w_i = w[i]
        a_com = acceleration_at(r, w_i, dw[i], a[i])  # eq. 32
        inertial = scale(tree.mass[i], a_com)
        momentum = rotate(tree.inertia[i], w_i)
        spin = cross_add(w_i, momentum, rotate(tree.inertia[i], dw[i]))
        # eq. 33 and 34, the body's own part, moved to the origin; not in the printed equations:
        # the external load reduces the load that the parent has to apply
        store(force[i], subtract(inertial, tree.external_force[i]))
        moment = cross_add(r, inertial, spin)
        store(torque[i], subtract(moment, tree.external_torque[i]))
    for k in range(tree.parent.shape[0] - 1, 0, -1):
        propagate_load(tree.parent[k], k, R_parent_body, p_parent_body, force, torque)


@compiled
def propagate_load(
    parent: int,
    k: int,
    R_parent_body: Floats,
    p_parent_body: Floats,
    force: Floats,
    torque: Floats,
) -> None:
    """Add the load of child `k` to that of body `parent`: a term of the sums in eq. 33, 34."""
    f = rotate(R_parent_body[k], force[k])
    t = cross_add(p_parent_body[k], f, rotate(R_parent_body[k], torque[k]))
    store(force[parent], add(force[parent], f))
    store(torque[parent], add(torque[parent], t))


@compiled
def project_on_coordinates(
    tree: Tree, R_parent_body: Floats, force: Floats, torque: Floats, generalized_force: Floats
) -> None:
    """Write the part of each joint's load along its axis, mimic joints added to their leader.

    Parameters
    ----------
    tree : Tree
        n bodies.
    R_parent_body : (n or more, 3, 3) array
        From step 4.
    force, torque : (n, 3) array
        Load on each body by its parent, body axes, at the body origin (N, N m).
    generalized_force : (q,) array
        Output (N or N m).
    """
    for c in range(generalized_force.shape[0]):
        generalized_force[c] = 0.0
    for i in range(tree.parent.shape[0]):
        c = tree.coordinate[i]
        if c >= 0:
            if tree.joint_type[i] == REVOLUTE:
                along = dot(tree.axis[i], torque[i])
            elif tree.joint_type[i] == PRISMATIC:
                along = dot(tree.axis[i], force[i])
            else:
                along = project_on_several(tree, i, R_parent_body, force, torque, generalized_force)
            generalized_force[c] += tree.multiplier[i] * along


@compiled
def project_on_several(
    tree: Tree,
    i: int,
    R_parent_body: Floats,
    force: Floats,
    torque: Floats,
    generalized_force: Floats,
) -> float:
    """Write all but the first part of the load of a planar or floating joint; return that."""
    c = tree.coordinate[i]
    if tree.joint_type[i] == PLANAR:
        pull = rotate(R_parent_body[i], force[i])
        generalized_force[c + 1] = dot(tree.u_parent_plane[i, 1], pull)
        generalized_force[c + 2] = dot(tree.axis[i], torque[i])
        return dot(tree.u_parent_plane[i, 0], pull)
    for k in range(1, 3):
        generalized_force[c + k] = force[i, k]
    for k in range(3):
        generalized_force[c + 3 + k] = torque[i, k]
    return force[i, 0]  # type: ignore[no-any-return]


@compiled
def subtract_known_loads(
    tree: Tree, is_loaded: Ints, kinematics: Kinematics, out: Dynamics
) -> None:
    """Write the loads that the preceding bodies have to supply, less the known loads.

    Springs and balance mechanisms are known loads: the multibody paper treats them like forces of
    succeeding bodies (section 5.2). The recursion is linear in them, so that they are summed up
    apart from the inertial loads and taken off.

    Parameters
    ----------
    tree : Tree
        n bodies.
    is_loaded : (n,) array of int
        0 for a body without known load, on itself or on its descendants.
    kinematics : Kinematics
        After step 4.
    out : Dynamics
        Reads the loads of the open tree. Adds to the known loads on each body those on its
        descendants. Writes the loads of the links.
    """
    n = tree.parent.shape[0]
    for k in range(n - 1, 0, -1):
        if is_loaded[k] != 0:
            propagate_load(
                tree.parent[k],
                k,
                kinematics.R_parent_frame,
                kinematics.p_parent_frame,
                out.load_force,
                out.load_torque,
            )
    for i in range(n):
        store(out.link_force[i], subtract(out.open_force[i], out.load_force[i]))
        store(out.link_torque[i], subtract(out.open_torque[i], out.load_torque[i]))
