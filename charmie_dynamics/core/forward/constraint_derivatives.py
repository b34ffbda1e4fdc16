# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Derivatives of the constraints of loop joints, by duals along seven directions at once."""

from __future__ import annotations

from charmie_dynamics.core.arrays import REACHED
from charmie_dynamics.core.equations.records import LoopRoom
from charmie_dynamics.core.equations.spatial_motion import spatial_motion
from charmie_dynamics.core.inverse.records import Robot, sizes_in
from charmie_dynamics.numerics.addresses import Address
from charmie_dynamics.numerics.blocks import lay_out
from charmie_dynamics.numerics.derivatives import as_duals
from charmie_dynamics.numerics.jit import compiled_for
from charmie_dynamics.numerics.vectors import Floats

from .loop_constraints import write_constraints, write_errors
from .loop_records import ConstraintState


@compiled_for("int", "int", "floats", "floats")
def run_constraint_derivatives(
    ints: Address, duals: Address, workspace: Floats, out: Floats
) -> int:
    """Write the constraints with derivatives in seven directions.

    Parameters
    ----------
    ints, duals : Address
        Of the ints of a `Robot` and of its floats as duals, (8 k,).
    workspace : (8 m,) array
        That of `run_loop_derivatives` after its call.
    out : (8 k,) array
        Output: the floats of a `ConstraintState` as duals.

    Returns
    -------
    int
        REACHED.
    """
    sizes = sizes_in(ints)
    robot = lay_out(Robot, ints, as_duals(duals), sizes)
    kinematics = lay_out(LoopRoom, ints, as_duals(workspace), sizes).cycle.kinematics
    state = lay_out(ConstraintState, ints, as_duals(out), sizes)
    spatial_motion(robot, kinematics, state.spatial)
    write_constraints(robot, kinematics, state.spatial, state.constraints)
    write_errors(robot.mechanisms.by_type.loop_joints, kinematics, state.constraints)
    return REACHED
