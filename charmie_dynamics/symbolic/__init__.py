# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Symbolic equations of motion of a robot, and code from them. Needs SymPy (extra `symbolic`).

In reading order:

- ``derive``: from a robot to its equations, by one of four methods.
- ``equations``: the result: matrices, operations, code, a compiled function.
- ``engines``: SymPy, or SymEngine if it is installed, with one interface.
- ``parameters``: parameters of the files as symbols.
- ``tree``: the tree without fixed links, with numbers or expressions.
- ``kinematics``: poses and velocities of the bodies, energies.
- ``floating``: velocities that are not rates of positions.
- ``loops``: constraints of loop joints.
- ``structural``: the method of the structural paper.
- ``christoffel``: the method by the generalised inertia matrix and Christoffel symbols.
- ``lagrange``, ``kane``: the methods by classes of SymPy.
- ``bias``: from a vector of velocity-dependent efforts to matrices.
- ``joint_terms``: rotors, springs and balance mechanisms.
- ``linear_actuators``: lengths and moment arms of linear actuators, and their rotors.
- ``program``: expressions after elimination of common subexpressions.
- ``subject``: the robot that code belongs to.
- ``code``: programs as source text, in Python and C.
- ``solvers``: generated functions for forward and inverse dynamics with loop joints.
- ``compilation``: the compiled function.
- ``duration``: the expected duration of a derivation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from charmie_dynamics.lazy_names import lazy_names

from .compilation import (
    EquationArrays,
    EquationsFunction,
    LinearActuatorStates,
    LoopAccelerations,
    LoopEfforts,
    LoopEquationArrays,
)
from .derive import METHODS, derive
from .equations import (
    ReducedEquations,
    SymbolicEquations,
    SymbolicLinearActuators,
    Symbols,
)

if TYPE_CHECKING:
    from .program import Operations

__all__ = [
    "METHODS",
    "EquationArrays",
    "EquationsFunction",
    "LinearActuatorStates",
    "LoopAccelerations",
    "LoopEfforts",
    "LoopEquationArrays",
    "Operations",
    "ReducedEquations",
    "SymbolicEquations",
    "SymbolicLinearActuators",
    "Symbols",
    "derive",
]

# the module needs SymPy
if not TYPE_CHECKING:  # a type checker would accept any name
    __getattr__ = lazy_names(__name__, {"program": "Operations"})
