# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Joint springs: a spring and a damper that act on the position q of one joint.

The effort on the joint is -stiffness (q - rest) - damping q'. It acts on the body behind the joint
and, with the opposite sign, on the body before it.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from charmie_dynamics.core.arrays import REVOLUTE, Dynamics, Kinematics, Tree
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import (
    Floats,
    Ints,
    add,
    cross,
    rotate,
    scale,
    store,
    subtract,
)

from .kernels import MechanismKernels, NoResults


class JointSprings(NamedTuple):
    """The joint and the law of each spring."""

    sprung_body: Annotated[Ints, "joint_springs"]  # behind the joint
    joint_stiffness: Annotated[Floats, "joint_springs"]  # N m/rad or N/m
    rest_position: Annotated[Floats, "joint_springs"]  # rad or m
    joint_damping: Annotated[Floats, "joint_springs"]  # N m s/rad or N s/m


class JointSpringDynamics(NamedTuple):
    """Results of step 7."""

    joint_spring_effort: Annotated[Floats, "joint_springs"]  # on the joint (N m or N)


@compiled
def apply_joint_springs(
    tree: Tree,
    springs: JointSprings,
    kinematics: Kinematics,
    placed: NoResults,
    out: Dynamics,
    own: JointSpringDynamics,
) -> None:
    """Add the effort of each spring to the loads of its two bodies, see `MechanismKernels`."""
    for k in range(springs.sprung_body.shape[0]):
        body = springs.sprung_body[k]
        stretch = kinematics.body_joint[body] - springs.rest_position[k]
        elastic = springs.joint_stiffness[k] * stretch
        viscous = springs.joint_damping[k] * joint_rate(tree, body, kinematics)
        effort = -(elastic + viscous)
        own.joint_spring_effort[k] = effort
        on_body = scale(effort, tree.axis[body])
        on_parent = rotate(kinematics.R_parent_frame[body], on_body)
        parent = tree.parent[body]
        moment = on_parent
        if tree.joint_type[body] == REVOLUTE:
            store(out.load_torque[body], add(out.load_torque[body], on_body))
        else:
            store(out.load_force[body], add(out.load_force[body], on_body))
            store(out.load_force[parent], subtract(out.load_force[parent], on_parent))
            moment = cross(kinematics.p_parent_frame[body], on_parent)
        store(out.load_torque[parent], subtract(out.load_torque[parent], moment))


@compiled
def joint_rate(tree: Tree, body: int, kinematics: Kinematics) -> Any:
    """Return the velocity of the joint of a body (rad/s or m/s)."""
    return tree.multiplier[body] * kinematics.joint_velocity[tree.coordinate[body]]


@compiled
def joint_spring_energy(tree: Tree, springs: JointSprings, kinematics: Kinematics) -> float:
    """Return the elastic energy in the joint springs (J)."""
    total = 0.0
    for k in range(springs.sprung_body.shape[0]):
        stretch = kinematics.body_joint[springs.sprung_body[k]] - springs.rest_position[k]
        total += 0.5 * springs.joint_stiffness[k] * stretch * stretch
    return total


@compiled
def joint_damping_power(tree: Tree, springs: JointSprings, kinematics: Kinematics) -> float:
    """Return the power that the dampers of the joint springs take (W)."""
    power = 0.0
    for k in range(springs.sprung_body.shape[0]):
        rate = joint_rate(tree, springs.sprung_body[k], kinematics)
        power += springs.joint_damping[k] * rate * rate
    return power


KERNELS = MechanismKernels(
    parameters=JointSprings,
    dynamics=JointSpringDynamics,
    apply_loads=apply_joint_springs,
    energy=joint_spring_energy,
    damping_power=joint_damping_power,
)
