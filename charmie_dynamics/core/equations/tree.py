# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The open tree at one state: common part of the equations of motion and their derivatives."""

from __future__ import annotations

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.inverse.records import Robot, sizes_in
from charmie_dynamics.numerics.addresses import Address, call_at
from charmie_dynamics.numerics.blocks import first_numbers, lay_out
from charmie_dynamics.numerics.jit import compiled, compiled_for
from charmie_dynamics.numerics.vectors import Floats

from .kernels import TYPES, RobotAddresses
from .mass_matrix import write_mass_and_coriolis
from .records import EquationsRoom, TreeMatrices
from .spatial_forces import spatial_forces
from .spatial_motion import accumulate_inertias, spatial_inertias, spatial_motion


@compiled_for(*TYPES, "bool")
def run_tree(
    addresses: Address,
    position: Floats,
    velocity: Floats,
    acceleration: Floats,
    workspace: Floats,
    out: Floats,
    with_forces: bool,
) -> int:
    """Run steps 3 to 5, write motion and composite inertias of the bodies, and both matrices.

    The mass matrix includes the rotors of joints.

    Called by its address, so that it is compiled once.

    Parameters
    ----------
    addresses, position, velocity, acceleration, workspace, out
        See `kernels`: the workspace is an `EquationsRoom`, the output `TreeMatrices` in the
        coordinates of the joints.
    with_forces : bool
        Whether accelerations count, and `SpatialForces` are written.

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
    matrices = lay_out(TreeMatrices, at.ints, out, sizes)
    write_tree(robot, work, matrices, with_forces)
    return REACHED


@compiled
def write_tree(
    robot: Robot, work: EquationsRoom, matrices: TreeMatrices, with_forces: bool
) -> None:
    """Write what follows from steps 3 to 5, see `run_tree`."""
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
