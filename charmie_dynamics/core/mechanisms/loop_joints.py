# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Loop joints: each closes a loop of the tree by constraints between two of its bodies.

A constraint is a row that has to be zero, of one of three forms. With u fixed in the first body and
v in the second, p and q the points of the two in the world, they are

    ORIENTATION  u . v          POINT  u . (q - p)          DISTANCE  |q - p| - length

An orientation is also zero half a turn away. There, with both u and v against what lies along them
when it is closed, its error is that of more than a right angle: 2 - u . v where u . v is positive.

The forces that keep them at zero are found by `core.forward.loop_constraints` and what calls it.
Here the cycle learns only that nothing is known of them.
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


class LoopJoints(NamedTuple):
    """The loop joints, and their constraints, `r` of all together."""

    first_body: Annotated[Ints, "loop_joints"]
    p_first_point: Annotated[Floats, "loop_joints", 3]  # in the first body
    second_body: Annotated[Ints, "loop_joints"]
    p_second_point: Annotated[Floats, "loop_joints", 3]
    common_body: Annotated[Ints, "loop_joints"]  # nearest body that carries both, or one of them
    row_joint: Annotated[Ints, "r"]  # which joint a constraint is of
    row_form: Annotated[Ints, "r"]  # ORIENTATION, POINT or DISTANCE
    u_first: Annotated[Floats, "r", 3]  # unit vector in the first body
    v_second: Annotated[Floats, "r", 3]  # in the second
    # of an orientation, what lies along these in the other body when it is closed; zero: anything
    v_first: Annotated[Floats, "r", 3]
    u_second: Annotated[Floats, "r", 3]
    row_length: Annotated[Floats, "r"]
    is_passive: Annotated[Ints, "q"]  # 1: a coordinate without actuator
    is_in_loop: Annotated[Ints, "q"]  # 1: a coordinate that moves the bodies of a loop joint apart
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
