# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Programs of single steps after common subexpressions, and counts of their operations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import sympy

from .bias import SymbolicTerms
from .engines import Engine, rebuilt
from .linear_actuators import ActuatorTerms
from .loops import LoopTerms


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


class Steps:
    """The steps that compute lists of expressions.

    Parameters
    ----------
    engine : Engine
    lists : sequence of list of expression
        Of its expressions.

    Attributes
    ----------
    shared : list of (symbol, expression)
        Steps in the order of computation, with a symbol each; SymPy's.
    reduced : list of list of expression
        The lists, by these symbols.
    """

    def __init__(self, engine: Engine, lists: Sequence[list[Any]]) -> None:
        together = [each for part in lists for each in part]
        self.shared, reduced = _without_trivial_steps(*engine.common_subexpressions(together))
        rest = iter(reduced)
        self.reduced: list[list[Any]] = [list(islice(rest, len(part))) for part in lists]

    @property
    def outputs(self) -> list[Any]:
        """All reduced expressions."""
        return [each for part in self.reduced for each in part]

    def whole_list(self, reduced: Sequence[Any]) -> list[Any]:
        """Return reduced expressions without common subexpressions."""
        return rebuilt(reduced, self._known)

    @cached_property
    def _known(self) -> dict[Any, Any]:
        known: dict[Any, Any] = {}
        for symbol, step in self.shared:
            known[symbol] = rebuilt([step], known)[0]
        return known


class Program(Steps):
    """The steps that compute the terms of the equations of motion.

    Parameters
    ----------
    engine : Engine
    terms : SymbolicTerms
        Of its expressions, for v coordinates.
    loops : LoopTerms, optional
        Of a robot with loop joints.
    actuators : sequence of ActuatorTerms, optional
        Of a robot with linear actuators.

    Attributes
    ----------
    size : int
        The number v.
    mass_matrix, coriolis_matrix, gravity : list of expression
        The reduced terms: the upper triangle, the matrix and the vector, row by row.
    jacobian, jacobian_rate : list of expression
        Those of loop joints, row by row.
    actuators : Steps
        Those of the lengths and moment arms of linear actuators.
    """

    def __init__(
        self,
        engine: Engine,
        terms: SymbolicTerms,
        loops: LoopTerms | None = None,
        actuators: Sequence[ActuatorTerms] = (),
    ) -> None:
        n = len(terms.gravity)
        upper = [terms.mass_matrix[i, j] for i in range(n) for j in range(i, n)]
        matrices = terms.coriolis_matrix, terms.gravity, *([] if loops is None else loops)
        super().__init__(engine, [upper, *(list(each.flat) for each in matrices)])
        self.size = n
        self.mass_matrix, self.coriolis_matrix, self.gravity = self.reduced[:3]
        self.jacobian, self.jacobian_rate = self.reduced[3:] if loops is not None else [[], []]
        lengths, arms = [each.length for each in actuators], [each.moment_arm for each in actuators]
        self.actuators = Steps(engine, [lengths, arms] if actuators else [])

    @cached_property
    def operations(self) -> Operations:
        """Counts of the operations of one evaluation."""
        steps = [*(step for _, step in self.shared), *self.outputs]
        counts = [Operations(*counted) for step in steps for counted in _operations(step)]
        return Operations(*(sum(column) for column in zip((0, 0, 0), *counts, strict=True)))

    @cached_property
    def whole(self) -> SymbolicTerms:
        """The complete terms, as matrices of SymPy."""
        n = self.size
        mass = iter(self.whole_list(self.mass_matrix))
        upper = {(i, j): next(mass) for i in range(n) for j in range(i, n)}
        return SymbolicTerms(
            sympy.ImmutableMatrix(n, n, lambda i, j: upper[min(i, j), max(i, j)]),
            sympy.ImmutableMatrix(n, n, self.whole_list(self.coriolis_matrix)),
            sympy.ImmutableMatrix(n, 1, self.whole_list(self.gravity)),
        )

    @cached_property
    def whole_loops(self) -> LoopTerms:
        """The complete constraints of the loop joints, as matrices of SymPy."""
        rows = len(self.jacobian) // self.size
        parts = self.jacobian, self.jacobian_rate
        return LoopTerms(
            *(sympy.ImmutableMatrix(rows, self.size, self.whole_list(part)) for part in parts)
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
