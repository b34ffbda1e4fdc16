# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Loop joints: each closes a loop of the tree by constraints between two of its bodies.

A constraint is a row whose error has to be zero, of one of four forms. With u fixed in the first
body, and p and q the points of the two bodies in the world, the errors are

    ORIENTATION  u . phi        POINT     u . (q - p)
    AXIS         u . phi        DISTANCE  |q - p| - length

phi is a rotation vector. For ORIENTATION it is that of the second body from the closed orientation,
which is fixed in the first body. For AXIS it is that of the shortest turn of the axis of the first
body to the axis of the second body. The rows of a loop joint cover all components that phi can
have, so that their errors are zero only where the two orientations (axes) are equal.

`core.forward.loop_constraints` and its callers compute the forces that keep the errors at zero. The
inverse dynamics cycle treats these forces as unknown.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from charmie_dynamics.core.arrays import Dynamics, Kinematics, Tree
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats, Ints

from .kernels import MechanismKernels, NoResults

ORIENTATION = 0
POINT = 1
DISTANCE = 2
AXIS = 3


class LoopJoints(NamedTuple):
    """The loop joints, and their constraints, `r` in total."""

    first_body: Annotated[Ints, "loop_joints"]
    p_first_point: Annotated[Floats, "loop_joints", 3]  # in the first body
    second_body: Annotated[Ints, "loop_joints"]
    p_second_point: Annotated[Floats, "loop_joints", 3]
    common_body: Annotated[Ints, "loop_joints"]  # nearest common ancestor, may be one of the two
    row_joint: Annotated[Ints, "r"]  # index of the loop joint of a constraint
    R_first_second: Annotated[Floats, "loop_joints", 3, 3]  # of the second body, when closed
    axis_first: Annotated[Floats, "loop_joints", 3]  # of AXIS: unit vectors
    axis_second: Annotated[Floats, "loop_joints", 3]
    row_form: Annotated[Ints, "r"]  # ORIENTATION, POINT, DISTANCE or AXIS
    u_first: Annotated[Floats, "r", 3]  # unit vector in the first body
    row_length: Annotated[Floats, "r"]
    is_passive: Annotated[Ints, "q"]  # 1: a coordinate without actuator
    loop_count: Annotated[Ints, "q"]  # of the loop joints whose bodies a coordinate moves apart
    stabilization: Annotated[Floats, 2]  # alpha and beta of Baumgarte (1/s)


class LoopJointDynamics(NamedTuple):
    """Results of step 7."""

    # by the first body on the second: force, then torque about the second point; world axes
    loop_force: Annotated[Floats, "loop_joints", 6]


@compiled
def know_nothing(
    tree: Tree,
    joints: LoopJoints,
    kinematics: Kinematics,
    placed: NoResults,
    out: Dynamics,
    own: LoopJointDynamics,
) -> None:
    """Write zero for what the loop joints transmit, see `MechanismKernels`."""
    for k in range(joints.first_body.shape[0]):
        for j in range(6):
            own.loop_force[k, j] = 0.0


KERNELS = MechanismKernels(
    parameters=LoopJoints, dynamics=LoopJointDynamics, apply_loads=know_nothing
)
