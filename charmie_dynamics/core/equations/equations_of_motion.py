# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""All terms of the equations of motion at one state."""

from __future__ import annotations

from charmie_dynamics.core.arrays import OVERFLOW, REACHED
from charmie_dynamics.core.inverse.cycle import has_non_finite
from charmie_dynamics.core.inverse.friction import write_friction
from charmie_dynamics.core.inverse.records import Robot, sizes_in
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.blocks import first_numbers, lay_out
from charmie_dynamics.numerics.jit import compiled_for
from charmie_dynamics.numerics.vectors import Floats

from .kernels import TYPES, RobotAddresses
from .known_efforts import write_known_efforts
from .mass_matrix import turn_with_floating_bodies, write_gravity
from .records import EquationsRoom, EquationTerms
from .transmission import add_actuator_rotors, terms_of_actuators, write_transmission


@compiled_for(*TYPES)
def run_equations(
    addresses: Address,
    position: Floats,
    velocity: Floats,
    acceleration: Floats,
    workspace: Floats,
    out: Floats,
) -> int:
    """Write the terms of the equations of motion in the coordinates of the actuators.

    1. Kinematics and both matrices of the tree, in the coordinates of the joints (`run_tree`).
    2. Efforts of gravity.
    3. Axes of floating joints, which turn with their bodies: their part of the Coriolis matrix.
    4. Efforts of springs, balance mechanisms and external loads.
    5. From the coordinates of the joints to those of the actuators.
    6. Friction, of joints and actuators.

    Parameters
    ----------
    addresses, position, velocity, acceleration, workspace, out
        See `kernels`: the workspace is an `EquationsRoom`, the output an `EquationTerms`.
        Accelerations do not change the terms; they are checked like the other inputs.

    Returns
    -------
    int
        As `run_cycle`.
    """
    at = first_numbers(RobotAddresses, addresses)
    # `out` begins with the two matrices, which are the `TreeMatrices` of `run_tree`
    with_forces = False
    status = call_at(
        at.run_tree, addresses, position, velocity, acceleration, workspace, out, with_forces
    )
    if status != REACHED:
        return status
    sizes = sizes_in(at.ints)
    robot = lay_out(Robot, at.ints, at.floats, sizes)
    work = lay_out(EquationsRoom, at.ints, workspace, sizes)
    terms = lay_out(EquationTerms, at.ints, out, sizes)
    tree = robot.tree
    kinematics = work.cycle.kinematics
    write_gravity(robot, work.spatial, terms.gravity_effort)
    turn_with_floating_bodies(tree, kinematics, terms.mass_matrix, terms.coriolis_matrix)
    write_known_efforts(robot, work.cycle, terms.spring_effort, terms.external_effort)
    if sizes.a > 0:  # linear actuators, whose lengths are not the positions of the joints
        write_transmission(robot, work.cycle, work.transmission)
        terms_of_actuators(work.transmission, terms)
        add_actuator_rotors(robot.mechanisms, terms.mass_matrix)
    write_friction(robot, work.cycle, terms.friction_effort)
    return OVERFLOW if has_non_finite(out) else REACHED
