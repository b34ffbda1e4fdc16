# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Equations of motion of a tree as symbols, and code made of them. Needs SymPy (extra `symbolic`).

In reading order:

- ``derive``: from a robot to its equations, by one of four methods.
- ``equations``: the result: matrices, operations, code, a compiled function.
- ``engines``: SymPy, or SymEngine where it is installed, behind one face.
- ``tree``: the tree without fixed links, as numbers and as expressions.
- ``kinematics``: poses and velocities of the bodies, energies.
- ``structural``: the method of the structural paper.
- ``christoffel``: the method by the generalised inertia matrix and Christoffel symbols.
- ``lagrange``, ``kane``: the methods by SymPy's own classes.
- ``bias``: from a vector of velocity-dependent efforts to matrices.
- ``joint_terms``: rotors and joint springs.
- ``program``: expressions after common subexpressions.
- ``code``: that as source text, in Python and C.
- ``compilation``: the function that it becomes.
- ``duration``: how long a derivation may take.
"""

from .derive import METHODS, derive
from .equations import SymbolicEquations

__all__ = ["METHODS", "SymbolicEquations", "derive"]
