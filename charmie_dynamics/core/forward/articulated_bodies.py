# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The inverse of the mass matrix of the tree times columns, by articulated bodies.

The bodies that a degree of freedom moves have the articulated inertia I, with all joints beyond it
free. From the tips to the root, each freedom with axis S adds its part to the inertia of the
freedom before it (Featherstone, Rigid Body Dynamics Algorithms, 2008, section 7.3):

    U = I S        D = S . U        I_before += I - U U^T / D

`factorise` computes these once for a position. With them `solve` takes two sweeps for each column
tau of efforts, and returns the accelerations M^-1 tau of the coordinates. The caller has included
velocities, gravity and all other known loads in tau, so that the sweeps contain no bias forces:

    tips to root:  u = tau - S . f           f_before += f + U u / D
    root to tips:  q'' = (u - U . a_before) / D          a = a_before + S q''

The reflected inertia of rotors resists the acceleration of its coordinate alone and adds to D.

Joints of one coordinate (mimics) on the same body, such as the fingers of a gripper, are one degree
of freedom with the sums of their U and D. `shared_coordinates` treats the remaining coordinates,
which move joints at several places.

All quantities are in world axes and at one point at rest (`core.equations.spatial_motion`), so that
no transformation between bodies is needed.

D is the inertia of all bodies beyond the joint if locked, less the part by which their joints
yield, about a point that may be far from the joint. If the difference is small, the accelerations
lose digits, which `forward_dynamics` recovers. If it is almost zero, no digit would be correct.
"""

from __future__ import annotations

from typing import Any

from charmie_dynamics.core.arrays import Kinematics
from charmie_dynamics.core.equations.spatial_motion import (
    NOTHING,
    axis_of,
    centre_of_bodies,
    inertia_elsewhere,
    turned_inertia,
)
from charmie_dynamics.core.inverse.records import Robot
from charmie_dynamics.numerics.branches import all_lanes, where
from charmie_dynamics.numerics.fused import multiply_add
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import (
    Floats,
    Vector,
    add,
    dot,
    rotate,
    rotate_back,
    scale,
    store,
    subtract,
)

from .records import ArticulatedBodies, ForwardRoom, Sweep

# least admissible ratio of the inertia that a joint moves while all joints after it (or, in a
# factorisation of the mass matrix, before it) yield to the inertia while they are locked. Below,
# fewer than four digits of an acceleration would be correct.
SMALLEST_PIVOT = 1e-12
# above it, round-off leaves eleven digits
FINE_PIVOT = 1e-4


@compiled
def write_bodies(robot: Robot, kinematics: Kinematics, out: ArticulatedBodies) -> None:
    """Write the axes of the joints, and the inertias that each moves if the next are locked.

    Parameters
    ----------
    robot : Robot
    kinematics : Kinematics
        After step 4.
    out : ArticulatedBodies
        Output: axes, inertias and their sizes. The axis of a mimic joint includes its multiplier.
        Bodies on fixed joints are part of their parent.
    """
    tree = robot.tree
    reference = centre_of_bodies(tree, kinematics)
    for d in range(out.inverse.shape[0]):
        s_angular, s_linear = axis_of(robot, kinematics, d, reference)
        store(out.axis_angular[d], s_angular)
        store(out.axis_linear[d], s_linear)
        out.size_angular[d] = 0.0
        out.size_linear[d] = 0.0
        J, H, M = out.torque_by_angular[d], out.torque_by_linear[d], out.force_by_linear[d]
        for row in range(3):
            store(H[row], NOTHING)
        for k in range(6):
            J[k] = 0.0
            M[k] = 0.0
    for i in range(tree.parent.shape[0]):
        d = robot.freedoms.last_freedom[i]
        mass = tree.mass[i]
        own = tree.inertia[i]
        is_frame = mass == 0.0 and own[0, 0] == 0.0 and own[1, 1] == 0.0 and own[2, 2] == 0.0
        if d >= 0 and not is_frame:
            R = kinematics.R_world_frame[i]
            com = add(kinematics.p_world_frame[i], rotate(R, tree.p_body_com[i]))
            c = subtract(com, reference)
            h = scale(mass, c)
            inertia = inertia_elsewhere(turned_inertia(R, own), c, h)
            J, H, M = out.torque_by_angular[d], out.torque_by_linear[d], out.force_by_linear[d]
            for k in range(6):
                J[k] += inertia[k]
            add_to(H[0], (0.0, -h[2], h[1]))
            add_to(H[1], (h[2], 0.0, -h[0]))
            add_to(H[2], (-h[1], h[0], 0.0))
            M[0] += mass
            M[3] += mass
            M[5] += mass
            out.size_angular[d] += inertia[0] + inertia[3] + inertia[5]
            out.size_linear[d] += mass


@compiled
def add_to(out: Floats, v: Any) -> None:
    """Add a vector to `out`."""
    store(out, add(out, v))


@compiled
def factorise(robot: Robot, work: ForwardRoom) -> int:
    """Turn the inertias of `write_bodies` into articulated ones, and write U and 1 / D.

    Coordinates that move joints at several places remain locked.

    Parameters
    ----------
    robot : Robot
    work : ForwardRoom

    Returns
    -------
    int
        A coordinate whose D is not positive, or too small for accurate accelerations; else -1.
    """
    freedoms, out = robot.freedoms, work.bodies
    out.is_poor[0] = 0.0
    for d in range(out.inverse.shape[0] - 1, -1, -1):
        before = freedoms.freedom_before[d]
        c = freedoms.freedom_coordinate[d]
        at = freedoms.solved_at[c]
        if at != d and before >= 0:
            hand_on_inertia(out, d, before)
        if at >= 0:
            torque, force = times_inertia(out, d)
            D = along_axis(out, d, torque, force)
            size = size_along(out, d)
            if at == d:
                other = freedoms.freedom_beside[d]
                while other >= 0:
                    t, f = out.push_torque[other], out.push_force[other]
                    D = D + along_axis(out, other, t, f)
                    size = size + size_along(out, other)
                    torque, force = add(torque, t), add(force, f)
                    other = freedoms.freedom_beside[other]
                D, size = D + work.rotor[c], size + work.rotor[c]
                if not all_lanes(D > SMALLEST_PIVOT * size):
                    return int(c)
                out.is_poor[0] = where(D > FINE_PIVOT * size, out.is_poor[0], 1.0)
                inverse = 1.0 / D
                out.inverse[d] = inverse
                store(out.push_torque[d], torque)
                store(out.push_force[d], force)
                if before >= 0:
                    hand_on_rest(out, d, before, scale(-inverse, torque), scale(-inverse, force))
            else:
                store(out.push_torque[d], torque)
                store(out.push_force[d], force)
    return -1


@compiled
def hand_on_inertia(out: ArticulatedBodies, d: int, before: int) -> None:
    """Add the inertia of what freedom `d` moves to that of what the one before moves."""
    for row in range(3):
        add_to(out.torque_by_linear[before, row], out.torque_by_linear[d, row])
    for k in range(6):
        out.torque_by_angular[before, k] += out.torque_by_angular[d, k]
        out.force_by_linear[before, k] += out.force_by_linear[d, k]
    out.size_angular[before] += out.size_angular[d]
    out.size_linear[before] += out.size_linear[d]


@compiled
def hand_on_rest(
    out: ArticulatedBodies, d: int, before: int, less_torque: Vector, less_force: Vector
) -> None:
    """As `hand_on_inertia`, less U U^T / D; of two of these factors -U / D is given."""
    torque, force = out.push_torque[d], out.push_force[d]
    J, H, M = out.torque_by_angular[d], out.torque_by_linear[d], out.force_by_linear[d]
    to_J, to_H = out.torque_by_angular[before], out.torque_by_linear[before]
    to_M = out.force_by_linear[before]
    at = 0
    for i in range(3):
        for k in range(3):
            to_H[i, k] += multiply_add(less_torque[i], force[k], H[i, k])
        for k in range(i, 3):
            to_J[at] += multiply_add(less_torque[i], torque[k], J[at])
            to_M[at] += multiply_add(less_force[i], force[k], M[at])
            at += 1
    out.size_angular[before] += out.size_angular[d]
    out.size_linear[before] += out.size_linear[d]


@compiled
def times_inertia(bodies: ArticulatedBodies, d: int) -> tuple[Vector, Vector]:
    """Return U = I S of freedom `d`: torque and force."""
    J, H, M = bodies.torque_by_angular[d], bodies.torque_by_linear[d], bodies.force_by_linear[d]
    angular, linear = bodies.axis_angular[d], bodies.axis_linear[d]
    return (
        add(times_symmetric(J, angular), rotate(H, linear)),
        add(rotate_back(H, angular), times_symmetric(M, linear)),
    )


@compiled
def times_symmetric(S: Any, v: Any) -> Vector:
    """Return S v, S symmetric: xx, xy, xz, yy, yz, zz."""
    return (
        multiply_add(S[2], v[2], multiply_add(S[1], v[1], S[0] * v[0])),
        multiply_add(S[4], v[2], multiply_add(S[3], v[1], S[1] * v[0])),
        multiply_add(S[5], v[2], multiply_add(S[4], v[1], S[2] * v[0])),
    )


@compiled
def along_axis(bodies: ArticulatedBodies, d: int, torque: Any, force: Any) -> float:
    """Return S . f of freedom `d`."""
    return dot(bodies.axis_angular[d], torque) + dot(bodies.axis_linear[d], force)


@compiled
def size_along(bodies: ArticulatedBodies, d: int) -> float:
    """Return the size of the terms whose difference is D."""
    s, t = bodies.axis_angular[d], bodies.axis_linear[d]
    return multiply_add(  # type: ignore[no-any-return]
        dot(s, s), bodies.size_angular[d], dot(t, t) * bodies.size_linear[d]
    )


@compiled
def yield_to_efforts(robot: Robot, work: ForwardRoom, column: Floats) -> None:
    """From the tips to the root: write u in place of tau; also that of shared coordinates.

    Parameters
    ----------
    robot, work, column
        As for `solve`.
    """
    freedoms, bodies, shared, sweep = robot.freedoms, work.bodies, work.shared, work.sweep
    begin_forces(sweep)
    for d in range(bodies.inverse.shape[0] - 1, -1, -1):
        before = freedoms.freedom_before[d]
        c = freedoms.freedom_coordinate[d]
        torque, force = force_on(sweep, d)
        u = column[c] - along_axis(bodies, d, torque, force)
        column[c] = u
        if freedoms.solved_at[c] == d:
            yielding = u * bodies.inverse[d]
            for j in range(shared.value.shape[0]):
                shared.value[j] -= yielding * shared.coupling[c, j]
            torque = add(torque, scale(yielding, bodies.push_torque[d]))
            force = add(force, scale(yielding, bodies.push_force[d]))
        if before >= 0:
            hand_on(sweep, before, torque, force)


@compiled
def begin_forces(sweep: Sweep) -> None:
    """Set the forces on all freedoms to zero."""
    for d in range(sweep.force.shape[0]):
        store(sweep.torque[d], NOTHING)
        store(sweep.force[d], NOTHING)


@compiled
def force_on(sweep: Sweep, d: int) -> tuple[Vector, Vector]:
    """Return the accumulated torque and force on freedom `d`."""
    torque, force = sweep.torque[d], sweep.force[d]
    return (torque[0], torque[1], torque[2]), (force[0], force[1], force[2])


@compiled
def hand_on(sweep: Sweep, before: int, torque: Vector, force: Vector) -> None:
    """Add the torque and force that a freedom transmits to those of the freedom before it."""
    add_to(sweep.torque[before], torque)
    add_to(sweep.force[before], force)


@compiled
def accelerate_bodies(robot: Robot, work: ForwardRoom, column: Floats) -> None:
    """From the root to the tips: write the accelerations of the joints in place of u.

    Parameters
    ----------
    robot, work, column
        As for `solve`; the accelerations of shared coordinates are known.
    """
    freedoms, bodies, shared, sweep = robot.freedoms, work.bodies, work.shared, work.sweep
    for d in range(bodies.inverse.shape[0]):
        before = freedoms.freedom_before[d]
        c = freedoms.freedom_coordinate[d]
        if freedoms.solved_at[c] == d:
            u = column[c]
            if before >= 0:
                u = u - dot(bodies.push_torque[d], sweep.angular[before])
                u = u - dot(bodies.push_force[d], sweep.linear[before])
            for j in range(shared.value.shape[0]):
                u = u - shared.coupling[c, j] * shared.value[j]
            column[c] = u * bodies.inverse[d]
        w, a = scale(column[c], bodies.axis_angular[d]), scale(column[c], bodies.axis_linear[d])
        if before >= 0:
            w, a = add(w, sweep.angular[before]), add(a, sweep.linear[before])
        store(sweep.angular[d], w)
        store(sweep.linear[d], a)
