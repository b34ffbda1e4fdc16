# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""SymPy, or SymEngine if it is installed, with one interface.

Expressions of both are added, multiplied and differentiated in the same way, so that arrays of
them (``dtype=object``) pass through the same functions. Results of this package belong to SymPy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from charmie_dynamics.errors import CharmieError, UnknownNameError, choices

Expressions = npt.NDArray[Any]  # of an engine's expressions
ENGINES = ("symengine", "sympy")  # the faster one first


@dataclass(frozen=True)
class Engine:
    """A library for symbolic computation."""

    name: str
    module: Any

    def number(self, value: float) -> Any:
        """Return a number as an expression; integers are exact, so that zeros and ones vanish."""
        if value == int(value):
            return self.module.Integer(int(value))
        # SymPy requires a precision; for a float, use all of its digits
        return self.module.RealDouble(value) if self.is_symengine else self.module.Float(value)

    def numbers(self, values: npt.ArrayLike) -> Expressions:
        """Return numbers as expressions; those of SymPy among them are converted."""
        array = np.asarray(values)
        flat = [
            self.number(float(value)) if isinstance(value, (int, float, np.number))
            else self.module.sympify(value)
            for value in array.ravel()
        ]  # fmt: skip
        result = np.empty(array.size, dtype=object)
        result[:] = flat
        return result.reshape(array.shape)

    def symbols(self, letter: str, count: int) -> list[Any]:
        """Return a number of symbols: the letter with 1, 2, 3 and so on."""
        return [self.module.Symbol(f"{letter}{k + 1}") for k in range(count)]

    def half(self) -> Any:
        """Return one half, exactly."""
        return self.module.Integer(1) / 2

    def of_sympy(self, expressions: Sequence[Any]) -> list[Any]:
        """Return SymPy's expressions in this engine; common parts are converted once."""
        if not self.is_symengine:
            return list(expressions)
        functions = {"Add": self.module.Add, "Mul": self.module.Mul, "Pow": lambda a, b: a**b}
        functions |= {"sin": self.module.sin, "cos": self.module.cos}
        return rebuilt(expressions, {}, self._leaf, lambda each: functions[each.func.__name__])

    def common_subexpressions(
        self, expressions: Sequence[Any]
    ) -> tuple[list[tuple[Any, Any]], list[Any]]:
        """Return common subexpressions and the reduced expressions, both of SymPy.

        Returns
        -------
        shared : list of (symbol, expression)
            In the order of computation.
        reduced : list of expression
        """
        converted = [self.module.sympify(each) for each in expressions]
        if not self.is_symengine:
            shared, reduced = self.module.cse(converted, order="none")
            return list(shared), list(reduced)
        sympify = import_module("sympy").sympify
        shared, reduced = self.module.cse(converted)
        return [(sympify(s), sympify(e)) for s, e in shared], [sympify(e) for e in reduced]

    @property
    def is_symengine(self) -> bool:
        """Whether the library is SymEngine."""
        return self.name == "symengine"

    def _leaf(self, expression: Any) -> Any:
        """Return a SymPy expression without arguments."""
        if expression.is_Float:
            return self.module.RealDouble(float(expression))
        if expression.is_Symbol:
            return self.module.Symbol(expression.name)
        return self.module.sympify(expression)


def rebuilt(
    expressions: Sequence[Any],
    replacements: Mapping[Any, Any],
    leaf: Callable[[Any], Any] = lambda each: each,
    function: Callable[[Any], Any] = lambda each: each.func,
) -> list[Any]:
    """Return SymPy's expressions, rebuilt from their leaves; common parts are rebuilt once.

    SymPy's own replacements process a common part again at each use, which takes too long for
    the equations of a longer arm.

    Parameters
    ----------
    expressions : sequence of expression
    replacements : mapping
        Substitutes for some of their parts.
    leaf : callable
        Returns the substitute for an expression without arguments.
    function : callable
        Returns a function that creates an expression from the rebuilt arguments of another.
    """
    made = dict(replacements)

    def build(each: Any) -> Any:
        if each not in made:
            parts = [build(part) for part in each.args]
            made[each] = function(each)(*parts) if parts else leaf(each)
        return made[each]

    return [build(each) for each in expressions]


def choose_engine(name: str | None) -> Engine:
    """Return an engine; default: SymEngine if it is installed, else SymPy.

    Raises
    ------
    UnknownNameError
        For an unknown name.
    CharmieError
        If SymPy, or the named engine, is missing.
    """
    if name is not None and name not in ENGINES:
        raise UnknownNameError(f"engine '{name}' is unknown{choices(name, ENGINES)}")
    sympy = _imported("sympy")
    if name == "sympy":
        return Engine("sympy", sympy)
    try:
        return Engine("symengine", _imported("symengine"))
    except CharmieError:
        if name is not None:
            raise
        return Engine("sympy", sympy)


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise CharmieError(
            f"equations as symbols need the package {name}, which cannot be imported ({error}); "
            "install the extra: pip install 'charmie_dynamics[symbolic]'"
        ) from None
