# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Step 7: dampers of springs between bodies; power and derivatives of all dampers."""

from __future__ import annotations

from typing import Any

from charmie_dynamics.core.arrays import Freedoms, Kinematics
from charmie_dynamics.core.mechanisms.all_types import mechanism_damping_power
from charmie_dynamics.core.mechanisms.springs import SpringsBetweenBodies
from charmie_dynamics.numerics.branches import where
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import (
    Floats,
    add,
    cross,
    dot,
    rotate,
    subtract,
)

from .records import CycleRecord, Robot
from .spring_tension import spring_tension, write_tensions


@compiled
def add_damping(robot: Robot, cycle: CycleRecord) -> None:
    """Add the forces of dampers to the tensions of their springs.

    A damper that only pulls transmits no force while its spring is slack, and never pushes.
    """
    springs, laws = robot.mechanisms.by_type.springs, robot.mechanisms.springs
    kinematics, out = cycle.kinematics, cycle.dynamics
    for k in range(springs.spring.shape[0]):
        if springs.is_damped[k] != 0:
            s = springs.spring[k]
            rate = length_rate(robot.freedoms, springs, k, kinematics, kinematics.joint_velocity)
            total = out.spring_tension[s] + springs.damping[k] * rate
            pull = where(kinematics.spring_length[s] > laws.free_length[s], total, 0.0)
            pull = where(pull > 0.0, pull, 0.0)
            out.spring_tension[s] = where(laws.pushes[s] > 0.0, total, pull)


@compiled
def length_rate(
    freedoms: Freedoms,
    springs: SpringsBetweenBodies,
    k: int,
    kinematics: Kinematics,
    velocity: Floats,
) -> Any:
    """Return how fast spring `k` gets longer (m/s) at velocities (q,) of the joints."""
    u = kinematics.u_world_member[springs.member[k]]
    rate = 0.0 * kinematics.member_length[springs.member[k]]
    for side in range(2):
        # at its base, and at its tip
        body = springs.base_body[k] if side == 0 else springs.tip_body[k]
        pin = springs.p_body_base[k] if side == 0 else springs.p_body_tip[k]
        point = add(kinematics.p_world_frame[body], rotate(kinematics.R_world_frame[body], pin))
        d = freedoms.last_freedom[body]
        while d >= 0:
            R = kinematics.R_world_frame[freedoms.freedom_frame[d]]
            moved = rotate(R, freedoms.freedom_axis[d])
            if freedoms.freedom_turns[d] == 1:
                origin = kinematics.p_world_frame[freedoms.freedom_body[d]]
                moved = cross(moved, subtract(point, origin))
            speed = velocity[freedoms.freedom_coordinate[d]] * freedoms.freedom_multiplier[d]
            rate = rate + (2.0 * side - 1.0) * speed * dot(u, moved)
            d = freedoms.freedom_before[d]
    return rate


@compiled
def damping_power(robot: Robot, cycle: CycleRecord) -> float:
    """Return the power (W) that the dampers take; the tensions are those with `add_damping`."""
    springs, laws = robot.mechanisms.by_type.springs, robot.mechanisms.springs
    kinematics = cycle.kinematics
    power = mechanism_damping_power(robot.tree, robot.mechanisms.by_type, kinematics)
    for k in range(springs.spring.shape[0]):
        if springs.is_damped[k] != 0:
            s = springs.spring[k]
            elastic = spring_tension(
                kinematics.spring_length[s],
                laws.stiffness[s],
                laws.free_length[s],
                laws.pretension[s],
                laws.pushes[s],
            )
            rate = length_rate(robot.freedoms, springs, k, kinematics, kinematics.joint_velocity)
            power += (cycle.dynamics.spring_tension[s] - elastic) * rate
    return power


@compiled
def add_damping_by_velocity(
    robot: Robot, cycle: CycleRecord, unit: Floats, gradient: Floats, by_velocity: Floats
) -> None:
    """Add the derivatives of what holds the dampers by the velocities of the joints.

    Parameters
    ----------
    robot : Robot
    cycle : CycleRecord
        After step 5; the tensions are written.
    unit, gradient : (q,) array
        To work in.
    by_velocity : (q, q) array
        Of the efforts of the joints; each damper adds c g g^T, g the derivative of its length
        or of the position of its joint.
    """
    springs, laws = robot.mechanisms.by_type.springs, robot.mechanisms.springs
    on_joints, tree = robot.mechanisms.by_type.joint_springs, robot.tree
    q = gradient.shape[0]
    for k in range(on_joints.sprung_body.shape[0]):
        body = on_joints.sprung_body[k]
        c, multiplier = tree.coordinate[body], tree.multiplier[body]
        by_velocity[c, c] += on_joints.joint_damping[k] * multiplier * multiplier
    write_tensions(laws, cycle.kinematics, cycle.dynamics)
    add_damping(robot, cycle)
    for k in range(springs.spring.shape[0]):
        s = springs.spring[k]
        acts = laws.pushes[s] > 0.0 or cycle.dynamics.spring_tension[s] > 0.0
        if springs.is_damped[k] != 0 and acts:
            for c in range(q):
                for j in range(q):
                    unit[j] = 1.0 * (j == c)
                gradient[c] = length_rate(robot.freedoms, springs, k, cycle.kinematics, unit)
            for i in range(q):
                for j in range(q):
                    by_velocity[i, j] += springs.damping[k] * gradient[i] * gradient[j]
