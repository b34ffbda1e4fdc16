# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Energies of the bodies and springs (J)."""

from __future__ import annotations

from charmie_dynamics.core.arrays import OVERFLOW, REACHED, Kinematics, Springs
from charmie_dynamics.core.inverse.cycle import has_non_finite
from charmie_dynamics.core.inverse.records import CycleRecord, Robot, sizes_in
from charmie_dynamics.core.inverse.spring_tension import spring_energy
from charmie_dynamics.core.mechanisms.all_types import mechanism_energy
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.blocks import first_numbers, lay_out
from charmie_dynamics.numerics.jit import compiled, compiled_for
from charmie_dynamics.numerics.vectors import Floats, add, dot, scale

from .kernels import TYPES, RobotAddresses
from .records import EnergyTerms, EquationsRoom, Spatial
from .spatial_motion import NOTHING, apply_inertia, spatial_inertias, spatial_motion, velocity_of


@compiled_for(*TYPES)
def run_energy(
    addresses: Address,
    position: Floats,
    velocity: Floats,
    acceleration: Floats,
    workspace: Floats,
    out: Floats,
) -> int:
    """Write the energies at a state.

    Parameters
    ----------
    addresses, position, velocity, acceleration, workspace, out
        See `kernels`: accelerations do not count, the workspace is an `EquationsRoom`, the output
        an `EnergyTerms`.

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
    work = lay_out(EquationsRoom, at.ints, workspace, sizes)
    terms = lay_out(EnergyTerms, at.ints, out, sizes)
    kinematics = work.cycle.kinematics
    spatial_motion(robot, kinematics, work.spatial)
    spatial_inertias(robot, kinematics, work.spatial)
    terms.energy[0] = kinetic_energy(robot, work.spatial) + rotor_energy(robot, work.cycle)
    terms.energy[1] = gravitational_energy(robot, work.spatial)
    terms.energy[2] = elastic_energy(robot.mechanisms.springs, kinematics) + mechanism_energy(
        robot.tree, robot.mechanisms.by_type, kinematics
    )
    return OVERFLOW if has_non_finite(terms.energy) else REACHED


@compiled
def kinetic_energy(robot: Robot, spatial: Spatial) -> float:
    """Return half of the velocities of all bodies times their momenta."""
    total = 0.0
    for i in range(robot.tree.parent.shape[0]):
        w, v = velocity_of(robot.freedoms.last_freedom[i], spatial)
        turning, linear = apply_inertia(spatial, i, w, v)
        total += dot(w, turning) + dot(v, linear)
    return 0.5 * total


@compiled
def rotor_energy(robot: Robot, cycle: CycleRecord) -> float:
    """Return the kinetic energy of the rotors of joints and linear actuators."""
    rotors, actuators = robot.mechanisms.rotors, robot.mechanisms.actuators
    total = 0.0
    for c in range(rotors.joint_rotor.shape[0]):
        speed = cycle.kinematics.joint_velocity[c]
        total += rotors.joint_rotor[c] * speed * speed
    for k in range(actuators.coordinate.shape[0]):
        speed = cycle.inputs.velocity[actuators.coordinate[k]]
        total += rotors.actuator_rotor[k] * speed * speed
    return 0.5 * total


@compiled
def gravitational_energy(robot: Robot, spatial: Spatial) -> float:
    """Return the energy against gravity, zero with all mass at the origin of the world."""
    moment, mass = NOTHING, 0.0
    for i in range(robot.tree.parent.shape[0]):
        moment = add(moment, spatial.first_moment[i])
        mass += spatial.mass[i]
    return -dot(robot.tree.gravity, add(moment, scale(mass, spatial.reference)))


@compiled
def elastic_energy(springs: Springs, kinematics: Kinematics) -> float:
    """Return the energy in the springs, those of balance mechanisms included."""
    total = 0.0
    for s in range(springs.stiffness.shape[0]):
        total += spring_energy(
            kinematics.spring_length[s],
            springs.stiffness[s],
            springs.free_length[s],
            springs.pretension[s],
            springs.pushes[s],
        )
    return total
