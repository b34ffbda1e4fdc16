# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Programs of single steps after common subexpressions, and counts of their operations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import sympy

from .bias import SymbolicTerms
from .engines import Engine, rebuilt


class Operations(NamedTuple):
    """Counts of the operations of one evaluation; a subtraction counts as an addition.

    Examples
    --------
    >>> from charmie_dynamics.symbolic import derive
    >>> derive("scara", "christoffel").operations.functions  # sines and cosines of three joints
    6
    """

    additions: int
    multiplications: int
    functions: int

    @property
    def total(self) -> int:
        """The total count."""
        return sum(self)


class Program:
    """The steps that compute the terms of the equations of motion.

    Parameters
    ----------
    engine : Engine
    terms : SymbolicTerms
        Of its expressions, for v coordinates.

    Attributes
    ----------
    size : int
        The number v.
    shared : list of (symbol, expression)
        Steps in the order of computation, with a symbol each; SymPy's.
    mass_matrix, coriolis_matrix, gravity : list of expression
        The reduced terms: the upper triangle, the matrix and the vector, row by row.
    """

    def __init__(self, engine: Engine, terms: SymbolicTerms) -> None:
        n = len(terms.gravity)
        upper = [terms.mass_matrix[i, j] for i in range(n) for j in range(i, n)]
        flat = [*upper, *terms.coriolis_matrix.flat, *terms.gravity]
        self.size = n
        self.shared, reduced = _without_trivial_steps(*engine.common_subexpressions(flat))
        self.mass_matrix = reduced[: len(upper)]
        self.coriolis_matrix = reduced[len(upper) : -n]
        self.gravity = reduced[-n:]

    @property
    def outputs(self) -> list[Any]:
        """All reduced terms."""
        return [*self.mass_matrix, *self.coriolis_matrix, *self.gravity]

    @cached_property
    def operations(self) -> Operations:
        """Counts of the operations of one evaluation."""
        steps = [*(step for _, step in self.shared), *self.outputs]
        counts = [Operations(*counted) for step in steps for counted in _operations(step)]
        return Operations(*(sum(column) for column in zip((0, 0, 0), *counts, strict=True)))

    @cached_property
    def whole(self) -> SymbolicTerms:
        """The complete terms, as matrices of SymPy."""
        known: dict[Any, Any] = {}
        for symbol, step in self.shared:
            known[symbol] = rebuilt([step], known)[0]
        n = self.size
        mass = iter(rebuilt(self.mass_matrix, known))
        upper = {(i, j): next(mass) for i in range(n) for j in range(i, n)}
        return SymbolicTerms(
            sympy.ImmutableMatrix(n, n, lambda i, j: upper[min(i, j), max(i, j)]),
            sympy.ImmutableMatrix(n, n, rebuilt(self.coriolis_matrix, known)),
            sympy.ImmutableMatrix(n, 1, rebuilt(self.gravity, known)),
        )


def _without_trivial_steps(
    shared: Sequence[tuple[Any, Any]], reduced: Sequence[Any]
) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """Return steps and reduced terms without trivial or unused steps."""
    replaced: dict[Any, Any] = {}
    kept: list[tuple[Any, Any]] = []
    for symbol, expression in shared:
        (step,) = rebuilt([expression], replaced) if replaced else (expression,)
        if step.args:
            kept.append((symbol, step))
        else:
            replaced[symbol] = step
    rest = rebuilt(reduced, replaced)
    needed: set[Any] = {symbol for each in rest for symbol in each.free_symbols}
    used = []
    for symbol, step in reversed(kept):
        if symbol in needed:
            used.append((symbol, step))
            needed |= step.free_symbols
    return used[::-1], rest


def _operations(expression: Any) -> Iterator[Sequence[int]]:
    """Yield additions, multiplications and functions of each part of an expression."""
    arguments = expression.args
    if expression.is_Add:
        yield len(arguments) - 1, 0, 0
    elif expression.is_Mul:
        yield 0, len([each for each in arguments if each != -1]) - 1, 0
    elif expression.is_Pow:
        exponent = arguments[1]
        is_product = exponent.is_Integer and exponent > 0
        yield (0, int(exponent) - 1, 0) if is_product else (0, 0, 1)
    elif arguments:
        yield 0, 0, 1
    for each in arguments:
        yield from _operations(each)
