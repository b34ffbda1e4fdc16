# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The open tree at one state: common part of the equations of motion and their derivatives."""

from __future__ import annotations

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.inverse.records import Robot, sizes_in
from charmie_dynamics.numerics.addresses import call_at
from charmie_dynamics.numerics.blocks import lay_out
from charmie_dynamics.numerics.jit import compiled_for
from charmie_dynamics.numerics.vectors import Floats

from .kernels import ROBOT, InputArrays, RobotAddresses
from .mass_matrix import write_mass_and_coriolis
from .records import EquationsRoom, TreeMatrices
from .spatial_forces import spatial_forces
from .spatial_motion import accumulate_inertias, spatial_inertias, spatial_motion


@compiled_for(ROBOT, "(floats, floats, floats)", "floats", "floats", "bool")
def run_tree(
    addresses: RobotAddresses,
    inputs: InputArrays,
    room: Floats,
    out: Floats,
    with_forces: bool,
) -> int:
    """Run steps 3 to 5, write motion and composite inertias of the bodies, and both matrices.

    The mass matrix includes the rotors of joints.

    Called by its address, so that it is compiled once.

    Parameters
    ----------
    addresses, inputs : tuple
        As for `kernels`.
    room : array
        Of an `EquationsRoom`.
    out : array
        Output: `TreeMatrices`, coordinates of the joints.
    with_forces : bool
        Whether accelerations count, and `SpatialForces` are written.

    Returns
    -------
    int
        As `run_cycle`.
    """
    ints, floats, run_cycle, _, _, _ = addresses
    status = call_at(run_cycle, ints, floats, inputs[0], inputs[1], inputs[2], room, False)
    if status != REACHED:
        return status
    sizes = sizes_in(ints)
    robot = lay_out(Robot, ints, floats, sizes)
    work = lay_out(EquationsRoom, ints, room, sizes)
    matrices = lay_out(TreeMatrices, ints, out, sizes)
    kinematics = work.cycle.kinematics
    spatial_motion(robot, kinematics, work.spatial)
    spatial_inertias(robot, kinematics, work.spatial)
    if with_forces:
        spatial_forces(robot, kinematics, work.spatial, work.forces)
    accumulate_inertias(robot.tree, work.spatial)
    M, C = matrices.mass_matrix, matrices.coriolis_matrix
    write_mass_and_coriolis(robot.freedoms, work.spatial, M, C)
    rotors = robot.mechanisms.rotors
    for c in range(M.shape[0]):
        M[c, c] += rotors.joint_rotor[c]
    return REACHED
