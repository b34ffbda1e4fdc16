# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The method by Lagrange's equations: SymPy's class for the energies of the bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

from charmie_dynamics.core.arrays import Tree

from .bias import SymbolicTerms, terms_of_forcing
from .engines import Engine
from .kinematics import (
    composite_inertials,
    inertials,
    kinetic_energy,
    poses,
    potential_energy,
    twists,
)
from .tree import expressed


def terms_by_lagranges_equations(
    tree: Tree, engine: Engine, position: Sequence[Any], velocity: Sequence[Any]
) -> SymbolicTerms:
    """Return the terms of the equations of motion of a tree of numbers."""
    own = Engine("sympy", sympy)
    tree = expressed(tree, own)
    q = [dynamicsymbols(str(symbol)) for symbol in position]
    rates = [each.diff() for each in q]
    placed = poses(tree, own, q)
    moving = zip(inertials(tree), twists(tree, placed, rates), strict=True)
    kinetic = sum(kinetic_energy(own, inertial, twist) for inertial, twist in moving)
    potential = potential_energy(tree, composite_inertials(tree, placed)[0])
    method = LagrangesMethod(sympy.sympify(kinetic - potential), q)
    method.form_lagranges_equations()
    names = [str(symbol) for symbol in (*position, *velocity)]
    symbols = dict(zip([*q, *rates], sympy.symbols(names), strict=True))
    return terms_of_forcing(engine, method.mass_matrix, method.forcing, symbols, velocity)
