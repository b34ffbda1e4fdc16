# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""All terms of the equations of motion at one state."""

from __future__ import annotations

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.inverse.records import Robot, sizes_in
from charmie_dynamics.numerics.addresses import call_at
from charmie_dynamics.numerics.blocks import lay_out
from charmie_dynamics.numerics.jit import compiled_for
from charmie_dynamics.numerics.vectors import Floats

from .energy import elastic_energy, gravitational_energy, kinetic_energy
from .kernels import TYPES, InputArrays, RobotAddresses
from .known_efforts import write_known_efforts
from .mass_matrix import write_gravity, write_mass_and_coriolis
from .records import EquationsRoom, EquationTerms
from .spatial_motion import accumulate_inertias, spatial_inertias, spatial_motion
from .transmission import terms_of_actuators, write_transmission


@compiled_for(*TYPES)
def run_equations(addresses: RobotAddresses, inputs: InputArrays, room: Floats, out: Floats) -> int:
    """Write the terms of the equations of motion in the coordinates of the actuators.

    Parameters
    ----------
    addresses, inputs, room, out
        See `kernels`: accelerations do not count, the room is an `EquationsRoom`,
        the output an `EquationTerms`.

    Returns
    -------
    int
        As `run_cycle`.
    """
    ints, floats, run_cycle, _, _ = addresses
    status = call_at(run_cycle, ints, floats, inputs[0], inputs[1], inputs[2], room, False)
    if status != REACHED:
        return status
    sizes = sizes_in(ints)
    robot = lay_out(Robot, ints, floats, sizes)
    work = lay_out(EquationsRoom, ints, room, sizes)
    terms = lay_out(EquationTerms, ints, out, sizes)
    tree = robot.tree
    spatial_motion(tree, work.cycle.kinematics, work.spatial)
    spatial_inertias(tree, work.cycle.kinematics, work.spatial)
    terms.energy[0] = kinetic_energy(work.spatial)
    accumulate_inertias(tree, work.spatial)
    terms.energy[1] = gravitational_energy(tree, work.spatial)
    terms.energy[2] = elastic_energy(robot.mechanisms.springs, work.cycle.kinematics)
    write_mass_and_coriolis(tree, work.spatial, terms.mass_matrix, terms.coriolis_matrix)
    write_gravity(tree, work.spatial, terms.gravity_effort)
    write_known_efforts(robot, work.cycle, terms.spring_effort, terms.external_effort)
    if sizes.a > 0:
        write_transmission(robot, work.cycle, work.transmission)
        terms_of_actuators(work.transmission, terms)
    return REACHED
