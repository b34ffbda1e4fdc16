# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Spatial velocities and composite inertias of the bodies, in world axes.

Their point of reference is at rest. Its position affects the results by round-off only. It is near
the masses (`centre_of_bodies`), so that the numbers stay small however far the robot has driven
from its static links. (Featherstone, Rigid Body Dynamics Algorithms, 2008, chapters 2 and 6.)
"""

from __future__ import annotations

from typing import Any

from charmie_dynamics.core.arrays import Kinematics, Tree
from charmie_dynamics.core.inverse.records import Robot
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import (
    Floats,
    Vector,
    add,
    cross,
    cross_add,
    dot,
    rotate,
    scale,
    store,
    subtract,
)

from .records import Spatial

NOTHING = (0.0, 0.0, 0.0)
Inertia = tuple[float, float, float, float, float, float]  # xx, xy, xz, yy, yz, zz


@compiled
def centre_of_bodies(tree: Tree, kinematics: Kinematics) -> Vector:
    """Return the mean of the origins of the bodies in the world (m), weighted by their masses.

    If no body has a mass, it is the origin of the world.
    """
    total, mass = NOTHING, 0.0
    for i in range(tree.parent.shape[0]):
        total = add(total, scale(tree.mass[i], kinematics.p_world_frame[i]))
        mass += tree.mass[i]
    return scale(1.0 / mass, total) if mass > 0.0 else total


@compiled
def spatial_motion(robot: Robot, kinematics: Kinematics, out: Spatial) -> None:
    """Write the axes S of the joints, the velocities of the bodies and how the axes change.

    An axis moves with its carrier, and its time derivative is S' = v_carrier x S. The carrier of a
    revolute or prismatic joint is the body or freedom before it. The six axes of a floating joint
    turn with the body itself. With the freedom before the joint as their carrier, the sum S' q' is
    correct; `floating_joints` adds the difference for the single axes where it matters.

    Parameters
    ----------
    robot : Robot
    kinematics : Kinematics
        After step 4.
    out : Spatial
        Output: all down to ``rate_linear``. The axis of a mimic joint has its multiplier in it.
    """
    tree, freedoms = robot.tree, robot.freedoms
    reference = centre_of_bodies(tree, kinematics)
    store(out.reference, reference)
    for d in range(freedoms.freedom_body.shape[0]):
        s_angular, s_linear = axis_of(robot, kinematics, d, reference)
        w, v = velocity_of(freedoms.freedom_carrier[d], out)
        r_angular, r_linear = cross(w, s_angular), cross_add(w, s_linear, cross(v, s_angular))
        w, v = velocity_of(freedoms.freedom_before[d], out)
        qd = kinematics.joint_velocity[freedoms.freedom_coordinate[d]]
        store(out.joint_angular[d], s_angular)
        store(out.joint_linear[d], s_linear)
        store(out.rate_angular[d], r_angular)
        store(out.rate_linear[d], r_linear)
        store(out.angular_velocity[d], add(w, scale(qd, s_angular)))
        store(out.linear_velocity[d], add(v, scale(qd, s_linear)))


@compiled
def axis_of(
    robot: Robot, kinematics: Kinematics, d: int, reference: Vector
) -> tuple[Vector, Vector]:
    """Return S of degree of freedom `d` at a point of the world: angular and linear part."""
    freedoms = robot.freedoms
    R = kinematics.R_world_frame[freedoms.freedom_frame[d]]
    z = scale(freedoms.freedom_multiplier[d], rotate(R, freedoms.freedom_axis[d]))
    if freedoms.freedom_turns[d] == 1:
        p = kinematics.p_world_frame[freedoms.freedom_body[d]]
        return z, cross(subtract(p, reference), z)
    return scale(0.0, z), z


@compiled
def velocity_of(d: int, spatial: Spatial) -> tuple[Vector, Vector]:
    """Return the velocity behind degree of freedom `d`, zero for -1."""
    if d < 0:
        return NOTHING, NOTHING
    w, v = spatial.angular_velocity[d], spatial.linear_velocity[d]
    return (w[0], w[1], w[2]), (v[0], v[1], v[2])


@compiled
def spatial_inertias(robot: Robot, kinematics: Kinematics, out: Spatial) -> None:
    """Write the inertia of each body, its momentum and its drift.

    The drift is the only part that is not zero in rotation of the matrix

        B = (v x*) I - I (v x) + (I v) x*-bar

    of Echeandia and Wensing (Numerical Methods to Compute the Coriolis Matrix and Christoffel
    Symbols for Rigid-Body Systems, J. Comput. Nonlinear Dynam. 16 (2021) 091004), there with a
    factor 1/2. At a point at rest, of its four blocks the upper right and the lower right vanish,
    and the lower left is -2 [momentum]x; the upper left is, with the inertia J about the centre of
    mass c, its velocity u and S = tr(J)/2 - J,

        -2 [w]x S + 2 m ((c . u) 1 - u c^T)

    Parameters
    ----------
    robot, kinematics
        As for `spatial_motion`.
    out : Spatial
        After it. Output: the rest.
    """
    for i in range(robot.tree.parent.shape[0]):
        write_inertia(robot, kinematics, i, out)


@compiled
def accumulate_inertias(tree: Tree, out: Spatial) -> None:
    """Add to each body's inertia those of its descendants."""
    for k in range(tree.parent.shape[0] - 1, 0, -1):
        parent = tree.parent[k]
        out.mass[parent] += out.mass[k]
        store(out.first_moment[parent], add(out.first_moment[parent], out.first_moment[k]))
        store(out.momentum[parent], add(out.momentum[parent], out.momentum[k]))
        add_matrix(out.inertia[k], out.inertia[parent])
        add_matrix(out.drift[k], out.drift[parent])


@compiled
def add_matrix(source: Floats, out: Floats) -> None:
    """Add a 3 x 3 matrix to another."""
    for row in range(3):
        for column in range(3):
            out[row, column] += source[row, column]


@compiled
def write_inertia(robot: Robot, kinematics: Kinematics, i: int, out: Spatial) -> None:
    """Write the inertia of body `i` alone and its drift, see `spatial_inertias`."""
    tree = robot.tree
    R = kinematics.R_world_frame[i]
    mass = tree.mass[i]
    xx, xy, xz, yy, yz, zz = turned_inertia(R, tree.inertia[i])
    c = subtract(add(kinematics.p_world_frame[i], rotate(R, tree.p_body_com[i])), out.reference)
    w, v = velocity_of(robot.freedoms.last_freedom[i], out)
    momentum = scale(mass, cross_add(w, c, v))
    moment = scale(mass, c)
    out.mass[i] = mass
    store(out.first_moment[i], moment)
    store(out.momentum[i], momentum)
    J = out.inertia[i]
    J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2] = inertia_elsewhere(
        (xx, xy, xz, yy, yz, zz), c, moment
    )
    J[1, 0], J[2, 0], J[2, 1] = J[0, 1], J[0, 2], J[1, 2]
    # S, times 2
    trace = xx + yy + zz
    s_x = (trace - 2.0 * xx, -2.0 * xy, -2.0 * xz)
    s_y = (-2.0 * xy, trace - 2.0 * yy, -2.0 * yz)
    s_z = (-2.0 * xz, -2.0 * yz, trace - 2.0 * zz)
    p = scale(2.0, momentum)
    along = dot(c, p)
    drift = out.drift[i]
    for k in range(3):
        drift[0, k] = w[2] * s_y[k] - w[1] * s_z[k] - p[0] * c[k]
        drift[1, k] = w[0] * s_z[k] - w[2] * s_x[k] - p[1] * c[k]
        drift[2, k] = w[1] * s_x[k] - w[0] * s_y[k] - p[2] * c[k]
        drift[k, k] += along


@compiled
def inertia_elsewhere(inertia: Inertia, c: Vector, moment: Vector) -> Inertia:
    """Return the inertia about a point, for that about the centre of mass, which is at `c` to it.

    The parallel axis theorem; `moment` is c times the mass.
    """
    xx, xy, xz, yy, yz, zz = inertia
    square = dot(moment, c)
    return (
        xx + square - moment[0] * c[0],
        xy - moment[0] * c[1],
        xz - moment[0] * c[2],
        yy + square - moment[1] * c[1],
        yz - moment[1] * c[2],
        zz + square - moment[2] * c[2],
    )


@compiled
def turned_inertia(R: Any, inertia: Any) -> Inertia:
    """Return xx, xy, xz, yy, yz, zz of R inertia R^T, for a symmetric inertia."""
    a = rotate(R, inertia[0])
    b = rotate(R, inertia[1])
    c = rotate(R, inertia[2])
    x = (a[0], b[0], c[0])
    y = (a[1], b[1], c[1])
    z = (a[2], b[2], c[2])
    return dot(x, R[0]), dot(x, R[1]), dot(x, R[2]), dot(y, R[1]), dot(y, R[2]), dot(z, R[2])


@compiled
def apply_inertia(spatial: Spatial, i: int, angular: Any, linear: Any) -> tuple[Vector, Vector]:
    """Return the inertia of body `i` times a motion: the angular part and the linear one."""
    h = spatial.first_moment[i]
    turning = cross_add(h, linear, rotate(spatial.inertia[i], angular))
    return turning, subtract(scale(spatial.mass[i], linear), cross(h, angular))
