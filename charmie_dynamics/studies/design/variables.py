# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Variables of a study: numbers of a robot's files, single, tied, or from a list."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from charmie_dynamics.errors import InputError
from charmie_dynamics.numerics.vectors import Floats


@dataclass(frozen=True)
class Variable:
    """A variable number, or a row of a list of parts.

    Parameters
    ----------
    name : str
    factors : mapping of str to float
        Paths of the dependent numbers, with a factor each; with a list all factors are one.
    lower, upper : float
        Bounds.
    steps : tuple of float, optional
        The allowed values, ascending; with a list its rows, from zero.
    columns : mapping of str to tuple of float, optional
        Of a list, such as a manufacturer's springs: values by path, or by a name for objectives,
        one for each row.

    Raises
    ------
    InputError
        If the bounds are reversed, or steps are outside the bounds.

    Examples
    --------
    >>> from charmie_dynamics.studies import Variable
    >>> both = {"springs.left.stiffness": 1.0, "springs.right.stiffness": 1.0}
    >>> Variable("stiffness", both, 100.0, 2000.0).numbers(500.0)
    {'springs.left.stiffness': 500.0, 'springs.right.stiffness': 500.0}
    """

    name: str
    factors: Mapping[str, float]
    lower: float
    upper: float
    steps: tuple[float, ...] = ()
    columns: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (np.isfinite([self.lower, self.upper]).all() and self.lower <= self.upper):
            raise InputError(
                f"variable '{self.name}': expected bounds [lower, upper], got [{self.lower:g}, "
                f"{self.upper:g}]"
            )
        if any(b <= a for a, b in zip(self.steps, self.steps[1:], strict=False)):
            raise InputError(f"variable '{self.name}': expected steps in ascending order")
        if self.steps and not self.lower <= self.steps[0] <= self.steps[-1] <= self.upper:
            raise InputError(
                f"variable '{self.name}': expected steps within [{self.lower:g}, {self.upper:g}], "
                f"got {self.steps[0]:g} to {self.steps[-1]:g}"
            )

    @property
    def is_discrete(self) -> bool:
        """Return whether the variable has steps."""
        return bool(self.steps)

    def numbers(self, value: float) -> dict[str, float]:
        """Return the numbers of the robot's files, by their paths."""
        if self.columns:
            row = int(value)
            return {path: self.columns[path][row] for path in self.factors}
        return {path: factor * value for path, factor in self.factors.items()}

    def properties(self, value: float) -> dict[str, float]:
        """Return values for objectives: itself, and its columns as ``NAME.COLUMN``."""
        own = {self.name: value}
        for column, values in self.columns.items():
            if column not in self.factors:
                own[f"{self.name}.{column}"] = math.nan if math.isnan(value) else values[int(value)]
        return own

    def described(self, numbers: Mapping[str, float]) -> float:
        """Return the value for numbers of files by path; NaN if no row of the list has them.

        Of tied numbers the first counts.
        """
        if self.columns:
            rows = range(len(next(iter(self.columns.values()))))
            fitting = (
                row for row in rows
                if all(self.columns[path][row] == numbers[path] for path in self.factors)
            )  # fmt: skip
            return float(next(fitting, math.nan))
        path, factor = next(iter(self.factors.items()))
        return numbers[path] / factor

    def nearest(self, values: Floats) -> Floats:
        """Return the allowed values nearest to given ones (N,)."""
        inside = np.clip(values, self.lower, self.upper)
        if not self.steps:
            return inside
        steps = np.array(self.steps)
        middle = 0.5 * (steps[1:] + steps[:-1])
        return np.asarray(steps[np.searchsorted(middle, inside)])

    def at_shares(self, shares: Floats) -> Floats:
        """Return the values at fractions (N,) of its range, 0 to 1; steps have equal parts."""
        if not self.steps:
            return np.asarray(self.lower + shares * (self.upper - self.lower))
        count = len(self.steps)
        rows = np.minimum((shares * count).astype(int), count - 1)
        return np.asarray(np.array(self.steps)[rows])

    def share(self, value: float) -> float:
        """Return the fraction of its range for a value."""
        if self.steps:
            row = int(np.searchsorted(self.steps, value))
            return (row + 0.5) / len(self.steps)
        width = self.upper - self.lower
        return (value - self.lower) / width if width else 0.0


@dataclass(frozen=True)
class DesignSpace:
    """All variables of a study; a candidate is an array (n,) of their values.

    Examples
    --------
    >>> import numpy as np
    >>> from charmie_dynamics.studies import DesignSpace, Variable
    >>> space = DesignSpace((
    ...     Variable("k", {"springs.s.stiffness": 1.0}, 0.0, 1000.0),
    ...     Variable("L", {"springs.s.free_length": 1.0}, 0.1, 0.3, steps=(0.1, 0.2, 0.3)),
    ... ))
    >>> space.at_shares(np.array([[0.25, 0.5]]))
    array([[2.5e+02, 2.0e-01]])
    """

    variables: tuple[Variable, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the variables."""
        return tuple(variable.name for variable in self.variables)

    @property
    def bounds(self) -> Floats:
        """Lower and upper bounds (n, 2)."""
        return np.array([(v.lower, v.upper) for v in self.variables]).reshape(-1, 2)

    @property
    def continuous(self) -> Sequence[int]:
        """Indices of the variables without steps."""
        return [k for k, variable in enumerate(self.variables) if not variable.is_discrete]

    def at_shares(self, shares: Floats) -> Floats:
        """Return the candidates (N, n) at fractions (N, n) of the ranges, 0 to 1."""
        columns = [v.at_shares(shares[:, k]) for k, v in enumerate(self.variables)]
        return np.stack(columns, axis=1)

    def nearest(self, candidates: Floats) -> Floats:
        """Return the allowed candidates nearest to given ones (N, n)."""
        columns = [v.nearest(candidates[:, k]) for k, v in enumerate(self.variables)]
        return np.stack(columns, axis=1)

    def numbers(self, candidate: Floats) -> dict[str, float]:
        """Return the numbers of a candidate, by their paths."""
        numbers: dict[str, float] = {}
        for variable, value in zip(self.variables, candidate, strict=True):
            numbers.update(variable.numbers(float(value)))
        return numbers

    def properties(self, candidate: Floats) -> dict[str, float]:
        """Return the values of a candidate for objectives, by name."""
        numbers: dict[str, float] = {}
        for variable, value in zip(self.variables, candidate, strict=True):
            numbers.update(variable.properties(float(value)))
        return numbers

    def described(self, numbers: Mapping[str, float]) -> dict[str, float]:
        """Return the values of the described robot for objectives, by name."""
        by_path: dict[str, float] = {}
        for variable in self.variables:
            by_path.update(variable.properties(variable.described(numbers)))
        return by_path
