# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Velocities of points of the bodies, and efforts of forces at such points.

As in `core.equations.spatial_motion`, velocities and loads of all bodies refer to one point at
rest. The bodies behind a degree of freedom have the velocity of those before it plus S q'. The
effort of a load on each freedom before it is S . f, with the same axes S.
"""

from __future__ import annotations

from charmie_dynamics.core.arrays import Kinematics
from charmie_dynamics.core.equations.spatial_motion import NOTHING, axis_of, centre_of_bodies
from charmie_dynamics.core.inverse.records import Robot
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import (
    Floats,
    Vector,
    add,
    cross,
    cross_add,
    dot,
    scale,
    store,
)

from .records import BodyMotion


@compiled
def write_motion(robot: Robot, kinematics: Kinematics, out: BodyMotion) -> None:
    """Write axes and velocities of each freedom, and set all loads to zero.

    Parameters
    ----------
    robot : Robot
    kinematics : Kinematics
        After step 4.
    out : BodyMotion
        Output.
    """
    freedoms = robot.freedoms
    reference = centre_of_bodies(robot.tree, kinematics)
    store(out.motion_reference, reference)
    for d in range(freedoms.freedom_body.shape[0]):
        s_angular, s_linear = axis_of(robot, kinematics, d, reference)
        store(out.contact_axis_angular[d], s_angular)
        store(out.contact_axis_linear[d], s_linear)
        store(out.contact_torque[d], NOTHING)
        store(out.contact_force[d], NOTHING)
    write_velocities(robot, kinematics.joint_velocity, out)


@compiled
def write_velocities(robot: Robot, joint_velocity: Floats, out: BodyMotion) -> None:
    """Write the velocities of each freedom, whose axes are known."""
    freedoms = robot.freedoms
    for d in range(freedoms.freedom_body.shape[0]):
        qd = joint_velocity[freedoms.freedom_coordinate[d]]
        angular = scale(qd, out.contact_axis_angular[d])
        linear = scale(qd, out.contact_axis_linear[d])
        before = freedoms.freedom_before[d]
        if before >= 0:
            angular = add(angular, out.contact_angular[before])
            linear = add(linear, out.contact_linear[before])
        store(out.contact_angular[d], angular)
        store(out.contact_linear[d], linear)


@compiled
def velocity_at(motion: BodyMotion, d: int, arm: Vector) -> Vector:
    """Return the velocity of a point that freedom `d` moves; -1: at rest.

    Parameters
    ----------
    motion : BodyMotion
    d : int
    arm : (3,) vector
        From the point at rest to the point.
    """
    if d < 0:
        return NOTHING
    return cross_add(motion.contact_angular[d], arm, motion.contact_linear[d])


@compiled
def push(motion: BodyMotion, d: int, arm: Vector, force: Vector) -> None:
    """Add a force at a point that freedom `d` moves, see `velocity_at`."""
    if d >= 0:
        store(motion.contact_torque[d], add(motion.contact_torque[d], cross(arm, force)))
        store(motion.contact_force[d], add(motion.contact_force[d], force))


@compiled
def gather_efforts(robot: Robot, motion: BodyMotion, effort: Floats) -> None:
    """Write the efforts of all loads on the joints; the loads accumulate towards the root.

    Parameters
    ----------
    robot : Robot
    motion : BodyMotion
        With the loads.
    effort : (q,) array
        Output (N or N m).
    """
    freedoms = robot.freedoms
    for c in range(effort.shape[0]):
        effort[c] = 0.0
    for d in range(freedoms.freedom_body.shape[0] - 1, -1, -1):
        torque, force = motion.contact_torque[d], motion.contact_force[d]
        along = dot(motion.contact_axis_angular[d], torque)
        along += dot(motion.contact_axis_linear[d], force)
        effort[freedoms.freedom_coordinate[d]] += along
        before = freedoms.freedom_before[d]
        if before >= 0:
            store(motion.contact_torque[before], add(motion.contact_torque[before], torque))
            store(motion.contact_force[before], add(motion.contact_force[before], force))
