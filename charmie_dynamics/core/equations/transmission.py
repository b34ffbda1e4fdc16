# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""From the coordinates of the joints to those of the actuators.

A linear actuator of length L moves one joint q: q' = (L / k) L' with its lever k (step 3, see
`core.inverse.linear_actuators`); every other actuator is its joint. So the matrix G of dq/dL is
diagonal, and M_a = G M G, C_a = G (C G + M dG/dt), efforts G tau.
"""

from __future__ import annotations

from charmie_dynamics.core.inverse.linear_actuators import lever_at
from charmie_dynamics.core.inverse.records import CycleRecord, Mechanisms, Robot
from charmie_dynamics.numerics.jit import compiled
from charmie_dynamics.numerics.vectors import Floats

from .records import EquationTerms, Transmission


@compiled
def write_transmission(robot: Robot, cycle: CycleRecord, out: Transmission) -> None:
    """Write dq/dL of each joint and its time derivative, after step 3."""
    actuators = robot.mechanisms.actuators
    for c in range(out.ratio.shape[0]):
        out.ratio[c] = 1.0
        out.ratio_rate[c] = 0.0
    for k in range(actuators.coordinate.shape[0]):
        c = actuators.coordinate[k]
        kq, dk = lever_at(robot.tree, actuators, k, cycle.kinematics.joint_position[c])
        ratio = cycle.inputs.position[c] / kq
        out.ratio[c] = ratio
        # from L L' = k q', differentiated
        out.ratio_rate[c] = (
            cycle.inputs.velocity[c] - dk * ratio * cycle.kinematics.joint_velocity[c]
        ) / kq


@compiled
def add_actuator_rotors(mechanisms: Mechanisms, M: Floats) -> None:
    """Add the rotors of linear actuators to the mass matrix (q, q) of the actuators."""
    actuators = mechanisms.actuators
    for k in range(actuators.coordinate.shape[0]):
        c = actuators.coordinate[k]
        M[c, c] += mechanisms.rotors.actuator_rotor[k]


@compiled
def terms_of_actuators(transmission: Transmission, out: EquationTerms) -> None:
    """Turn the terms in coordinates of the joints into those of the actuators, in place."""
    ratio, ratio_rate = transmission.ratio, transmission.ratio_rate
    M, C = out.mass_matrix, out.coriolis_matrix
    for i in range(ratio.shape[0]):
        for j in range(ratio.shape[0]):
            C[i, j] = ratio[i] * (C[i, j] * ratio[j] + M[i, j] * ratio_rate[j])
            M[i, j] *= ratio[i] * ratio[j]
        out.gravity_effort[i] *= ratio[i]
        out.spring_effort[i] *= ratio[i]
        out.external_effort[i] *= ratio[i]
