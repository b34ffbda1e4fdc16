# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The equations of motion of a robot: their terms and energies."""

from __future__ import annotations

import numpy as np

from charmie_dynamics.core.equations.energy import run_energy
from charmie_dynamics.core.equations.equations_of_motion import run_equations
from charmie_dynamics.core.equations.records import (
    EnergyTerms,
    EquationsRoom,
    EquationTerms,
)
from charmie_dynamics.model.flat.prepared_robot import PreparedRobot

from .evaluation import Inputs, KernelCall, evaluate
from .reduction import reduced_equations
from .results import Energy, Equations

EQUATIONS = KernelCall(run_equations, EquationTerms, EquationsRoom)
ENERGY = KernelCall(run_energy, EnergyTerms, EquationsRoom)


def equations(
    robot: PreparedRobot, inputs: Inputs, friction: bool = True, workers: int | None = None
) -> Equations:
    """Return the terms of the equations of motion; see `Model.equations`."""
    terms = Equations(*evaluate(robot, EQUATIONS, inputs, workers))
    if not friction:
        terms.friction_effort[...] = 0.0
    return reduced_equations(robot, inputs, terms)


def energy(robot: PreparedRobot, inputs: Inputs, workers: int | None = None) -> Energy:
    """Return the energies of a robot; see `Model.energy`."""
    numbers, _ = evaluate(robot, ENERGY, inputs, workers)
    if numbers.ndim == 1:
        return Energy(*numbers.tolist())
    return Energy(*np.moveaxis(numbers, -1, 0).copy())
