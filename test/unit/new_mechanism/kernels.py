# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Torsion springs: each turns a joint towards the position at which it is relaxed."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from charmie_dynamics.core.arrays import Dynamics, Kinematics, Tree
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats, Ints, add, rotate, scale, store

from .kernels import MechanismKernels, NoResults


class TorsionSprings(NamedTuple):
    """What does not change of the springs."""

    body: Annotated[Ints, "torsion_springs"]  # the body that the joint moves
    stiffness: Annotated[Floats, "torsion_springs"]
    rest_position: Annotated[Floats, "torsion_springs"]  # of the joint


class TorsionSpringDynamics(NamedTuple):
    """Results of step 7."""

    torsion_spring_torque: Annotated[Floats, "torsion_springs"]  # on the body, about the axis


@compiled
def turn_bodies(
    tree: Tree,
    springs: TorsionSprings,
    kinematics: Kinematics,
    placed: NoResults,
    out: Dynamics,
    own: TorsionSpringDynamics,
) -> None:
    """Add the torque of each spring to the loads of the two bodies at its joint."""
    for k in range(springs.body.shape[0]):
        body = springs.body[k]
        turn = kinematics.body_joint[body] - springs.rest_position[k]
        own.torsion_spring_torque[k] = -springs.stiffness[k] * turn
        on_body = scale(own.torsion_spring_torque[k], tree.axis[body])
        store(out.load_torque[body], add(out.load_torque[body], on_body))
        parent = tree.parent[body]
        on_parent = scale(-1.0, rotate(kinematics.R_parent_frame[body], on_body))
        store(out.load_torque[parent], add(out.load_torque[parent], on_parent))


@compiled
def elastic_energy(tree: Tree, springs: TorsionSprings, kinematics: Kinematics) -> float:
    """Return the elastic energy of the springs (J)."""
    total = 0.0
    for k in range(springs.body.shape[0]):
        turn = kinematics.body_joint[springs.body[k]] - springs.rest_position[k]
        total += 0.5 * springs.stiffness[k] * turn * turn
    return total


KERNELS = MechanismKernels(
    parameters=TorsionSprings,
    dynamics=TorsionSpringDynamics,
    apply_loads=turn_bodies,
    energy=elastic_energy,
)
